// The Jsonnet of a package → its units: each file that is evaluated or imported, once for each way in which it is, with
// what it imports itself.
import { printable, quoted } from '../../lib/printable.js'
import { importedFile } from './jsonnet-imports.js'
import { scanJsonnet, JsonnetSyntaxError, type Edit, type Import, type ScannedText } from './jsonnet-text.js'
import type { JsonnetProblem } from '../sandbox.js'

export interface Unit {
  readonly how: Import['how']
  readonly file: string
  readonly text: string
  readonly edits: readonly Edit[]
  /** In order; `place`: of the unit that is imported. */
  readonly imports: readonly (Import & { readonly place: number })[]
  /** The places of `imports`, each once. */
  readonly needs: readonly number[]
}

/** With a fault, units may be missing. */
export interface Units {
  /** First the `.jsonnet` files, in their order. */
  readonly units: readonly Unit[]
  /** Files that another one imports. */
  readonly imported: ReadonlySet<string>
  readonly problems: readonly JsonnetProblem[]
}

/** At most `linkBounds` of them: what is beyond is a fault, and nothing more is read. */
export function readUnits(files: ReadonlyMap<string, string>): Units {
  return new UnitReader(files).read()
}

type Named = Pick<Unit, 'how' | 'file'>

const nothing: ScannedText = { imports: [], edits: [] }

class UnitReader {
  readonly #files: ReadonlyMap<string, string>
  /** What was named so far, each at its place, and the places. */
  readonly #named: Named[] = []
  readonly #places = new Map<string, number>()
  readonly #imported = new Set<string>()
  readonly #faults: JsonnetProblem[] = []
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
    return { units, imported: this.#imported, problems: this.#faults }
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
      this.#fault({ file, line: lineOf(error.offset), code: 'sandbox/syntax', message: `${error.message}.` })
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
    this.#fault({ file: from, line: lineOf(start), code: 'sandbox/import', ...what })
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

  #fault(fault: JsonnetProblem): void {
    this.#faults.push(fault)
    if (this.#faults.length < linkBounds.faults) return
    this.#isBeyond = true
    const message = `after these ${linkBounds.faults} faults nothing more is read: there may be others.`
    this.#faults.push({
      file: fault.file,
      line: fault.line,
      code: 'sandbox/more-faults',
      message,
      hint: 'Mend these first.',
    })
  }

  #stop(file: string, message: string): ScannedText {
    this.#isBeyond = true
    this.#faults.push(tooLarge(file, message))
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
    hint: 'Make several packages of it, or commit the JSON that it evaluates to.',
  }
}

const ownFiles = 'Only files of the package can be imported: write the path from the file that imports, with slashes.'

function missing(file: string): Pick<JsonnetProblem, 'message' | 'hint'> {
  return {
    message: `there is no ${printable(file)} in the package to import.`,
    hint: 'Only files of the package can be imported: .jsonnet, .libsonnet, .json, .yml, .yaml, .flux and .toml. Point the stack at the folder that holds them all.',
  }
}

export function countLines(text: string): number {
  let lines = 1
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines++
  return lines
}

/** The line of an offset, from 1, for offsets that only rise: the text is gone through once. */
export function risingLines(text: string): (offset: number) => number {
  let line = 1
  let end = text.indexOf('\n')
  return (offset) => {
    for (; end !== -1 && end < offset; end = text.indexOf('\n', end + 1)) line++
    return line
  }
}

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
