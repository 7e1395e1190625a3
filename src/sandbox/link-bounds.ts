/**
 * What linking takes of one package: it works in this process, so what is beyond is refused before it costs anything.
 */
export const linkBounds = {
  /** Of the Jsonnet and of all that it imports; what is imported in several ways counts for each. */
  characters: 4 * 1024 * 1024,
  imports: 50_000,
  /** Files that no other one imports. */
  entries: 10_000,
  /** Imports that are followed from each entry to what it needs, in sum. */
  followed: 1_000_000,
  /** Faults of imports and of syntax that are told. */
  faults: 100,
} as const

const shown = (most: number): string => most.toLocaleString('en')

/** What a fault of code `sandbox/too-large` says. */
export const beyond = {
  characters: `with it, the Jsonnet of the package and what that imports are longer than ${shown(linkBounds.characters)} characters.`,
  imports: `with it, the Jsonnet of the package has more than ${shown(linkBounds.imports)} imports.`,
  entries: `with it, more than ${shown(linkBounds.entries)} files are to be evaluated.`,
  followed: `with it, the files that are to be evaluated lead to more than ${shown(linkBounds.followed)} imports, counted for each of them.`,
} as const
