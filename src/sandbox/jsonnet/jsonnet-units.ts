// Reads the units of a package's Jsonnet: each file that is evaluated or imported, once for each kind of import, with
// its own imports.
import { groupDigits } from '../../lib/text/group-digits.js'
import { printable, quoted } from '../../lib/text/printable.js'
import { importedFile } from './jsonnet-imports.js'
import { scanJsonnet, JsonnetSyntaxError, type Edit, type Import, type ScannedText } from './jsonnet-text.js'
import type { JsonnetProblem } from '../sandbox.js'

export interface Unit {
  readonly how: Import['how']
  readonly file: string
  readonly text: string
  readonly edits: readonly Edit[]
  /** In order; `place`: the index of the imported unit. */
  readonly imports: readonly (Import & { readonly place: number })[]
  /** The distinct places of `imports`. */
  readonly needs: readonly number[]
}

/** If there are problems, units may be missing. */
export interface Units {
  /** First the `.jsonnet` files, in order. */
  readonly units: readonly Unit[]
  /** Files that another file imports. */
  readonly imported: ReadonlySet<string>
  readonly problems: readonly JsonnetProblem[]
}

/** Reads up to `linkBounds`. Over a limit, it stops with a problem. */
export function readUnits(files: ReadonlyMap<string, string>): Units {
  return new UnitReader(files).read()
}

type Named = Pick<Unit, 'how' | 'file'>

const nothing: ScannedText = { imports: [], edits: [] }

class UnitReader {
  readonly #files: ReadonlyMap<string, string>
  /** The units found so far, in order, and their places. */
  readonly #named: Named[] = []
  readonly #places = new Map<string, number>()
  readonly #imported = new Set<string>()
  readonly #problems: JsonnetProblem[] = []
  #characters = 0
  #imports = 0
  #isBeyond = false

  constructor(files: ReadonlyMap<string, string>) {
    this.#files = files
  }

  read(): Units {
    for (const file of this.#files.keys()) if (file.endsWith('.jsonnet')) this.#placeOf({ how: 'import', file })
    const units: Unit[] = []
    for (let at = 0; at < this.#named.length && !this.#isBeyond; at++) units.push(this.#unit(this.#named[at]!))
    return { units, imported: this.#imported, problems: this.#problems }
  }

  #unit({ how, file }: Named): Unit {
    const text = this.#files.get(file)!
    const lineOf = risingLines(text)
    const { imports: found, edits } = this.#scan({ how, file }, text, lineOf)
    const imports = found.flatMap((one) => {
      const named = this.#importedBy(file, one, lineOf)
      return named === undefined ? [] : [{ ...one, place: this.#placeOf(named) }]
    })
    return { how, file, text, edits, imports, needs: [...new Set(imports.map(({ place }) => place))] }
  }

  #scan({ how, file }: Named, text: string, lineOf: (offset: number) => number): ScannedText {
    this.#characters += text.length
    if (this.#characters > linkBounds.characters) return this.#stop(file, beyond.characters)
    if (how !== 'import') return nothing
    try {
      const scanned = scanJsonnet(text)
      this.#imports += scanned.imports.length
      return this.#imports > linkBounds.imports ? this.#stop(file, beyond.imports) : scanned
    } catch (error) {
      if (!(error instanceof JsonnetSyntaxError)) throw error
      this.#report({ file, line: lineOf(error.offset), code: 'sandbox/syntax', message: `${error.message}.` })
      return nothing
    }
  }

  #importedBy(from: string, { how, path, start }: Import, lineOf: (offset: number) => number): Named | undefined {
    if (this.#isBeyond) return undefined
    const found = importedFile(path, from)
    if ('file' in found && this.#files.has(found.file)) {
      if (found.file !== from) this.#imported.add(found.file)
      return { how, file: found.file }
    }
    const what =
      'file' in found ? missing(found.file) : { message: `the import ${quoted(path)} ${found.fault}.`, hint: ownFiles }
    this.#report({ file: from, line: lineOf(start), code: 'sandbox/import', ...what })
    return undefined
  }

  #placeOf(named: Named): number {
    const key = `${named.how}:${named.file}`
    const known = this.#places.get(key)
    if (known !== undefined) return known
    const place = this.#named.push(named) - 1
    this.#places.set(key, place)
    return place
  }

  #report(fault: JsonnetProblem): void {
    this.#problems.push(fault)
    if (this.#problems.length < linkBounds.faults) return
    this.#isBeyond = true
    const message = `reading stops after ${linkBounds.faults} problems: there may be more.`
    this.#problems.push({
      file: fault.file,
      line: fault.line,
      code: 'sandbox/more-problems',
      message,
      hint: 'Fix these first.',
    })
  }

  #stop(file: string, message: string): ScannedText {
    this.#isBeyond = true
    this.#problems.push(tooLarge(file, message))
    return nothing
  }
}

/** `message`: one of `beyond`. */
export function tooLarge(file: string, message: string): JsonnetProblem {
  return {
    file,
    line: 1,
    code: 'sandbox/too-large',
    message,
    hint: 'Split the package, or commit the evaluated JSON.',
  }
}

const ownFiles =
  'Only files of the package can be imported. Write the path relative to the importing file, with slashes.'

function missing(file: string): Pick<JsonnetProblem, 'message' | 'hint'> {
  return {
    message: `there is no ${printable(file)} in the package to import.`,
    hint:
      'Only files of the package can be imported: .jsonnet, .libsonnet, .json, .yml, .yaml, .flux and .toml. ' +
      'Set the path of the stack to the folder that contains them all.',
  }
}

export function countLines(text: string): number {
  let lines = 1
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines++
  return lines
}

/** The line number of an offset, starting at 1. Offsets must be ascending: the text is read once. */
function risingLines(text: string): (offset: number) => number {
  let line = 1
  let end = text.indexOf('\n')
  return (offset) => {
    for (; end !== -1 && end < offset; end = text.indexOf('\n', end + 1)) line++
    return line
  }
}

/** Limits of linking one package. It runs in this process, so a larger package is rejected before it costs time. */
export const linkBounds = {
  /** Characters of the Jsonnet and everything it imports; a file that is imported in several ways counts each time. */
  characters: 4 * 1024 * 1024,
  imports: 50_000,
  /** Entry points: files that no other file imports. */
  entries: 10_000,
  /** Followed imports, summed over all entry points. */
  followed: 1_000_000,
  /** Reported problems of imports and syntax. */
  faults: 100,
} as const

/** Messages of the problem `sandbox/too-large`. */
export const beyond = {
  characters: `with it, the package's Jsonnet and its imports exceed ${groupDigits(linkBounds.characters)} characters.`,
  imports: `with it, the package's Jsonnet exceeds ${groupDigits(linkBounds.imports)} imports.`,
  entries: `with it, the package exceeds ${groupDigits(linkBounds.entries)} entry points.`,
  followed: `with it, the imports of all entry points together exceed ${groupDigits(linkBounds.followed)}.`,
} as const
