// Files that import each other → one program without an import: each file is a variable, evaluated where it is needed and only once, as an import is.
import { printable, quoted } from '../model/printable.js'
import { importedFile } from './import-path.js'
import { scanJsonnet, Unreadable, type Import, type ScannedText } from './jsonnet-text.js'
import type { Fault } from './sandbox.js'

/** One variable of the program. */
export interface Binding {
  readonly file: string
  /** `name = (…)`; where it is the code of the file, its first line is the second one here. */
  readonly code: string
  readonly lines: number
}

export interface Program {
  readonly bindings: readonly Binding[]
  /** `uses`: its own binding first, and all that it needs. `result`: the name of its own. */
  readonly entries: readonly { readonly path: string; readonly result: string; readonly uses: readonly number[] }[]
  readonly imported: ReadonlySet<string>
  readonly faults: readonly Fault[]
}

export function linkJsonnet(files: ReadonlyMap<string, string>): Program {
  return new Linker(files).link()
}

/** A file, and how it is imported. */
interface Unit {
  readonly how: Import['how']
  readonly file: string
}

interface Scanned extends ScannedText {
  /** Of each import, in order. */
  readonly units: readonly Unit[]
}

class Linker {
  readonly #files: ReadonlyMap<string, string>
  readonly #scanned = new Map<string, Scanned>()
  readonly #imported = new Set<string>()
  readonly #faults: Fault[] = []
  /** Each unit's place among the bindings. */
  readonly #places = new Map<string, number>()
  readonly #units: Unit[] = []
  readonly #prefix: string

  constructor(files: ReadonlyMap<string, string>) {
    this.#files = files
    this.#prefix = unusedName(files)
  }

  link(): Program {
    const all = [...this.#files.keys()].filter((path) => path.endsWith('.jsonnet'))
    for (const path of all) this.#scan(path)
    const wrong = { bindings: [], entries: [], imported: this.#imported, faults: this.#faults }
    if (this.#faults.length > 0) return wrong
    const entries = all.filter((path) => !this.#imported.has(path)).map((path) => this.#entry(path))
    this.#refuseCircles(all)
    return this.#faults.length > 0 ? wrong : { ...wrong, entries, bindings: this.#units.map((unit) => this.#binding(unit)) }
  }

  /** With everything that is reached from there. */
  #scan(path: string): void {
    const waiting = [path]
    for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
      if (this.#scanned.has(at)) continue
      const scanned = this.#read(at)
      this.#scanned.set(at, scanned)
      for (const { how, file } of scanned.units) {
        if (file !== at) this.#imported.add(file)
        if (how === 'import') waiting.push(file)
      }
    }
  }

  #read(file: string): Scanned {
    const text = this.#files.get(file)!
    try {
      const scanned = scanJsonnet(text)
      const units = scanned.imports.flatMap((one) => this.#unitOf(one, file))
      return { ...scanned, units }
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error
      this.#fault(file, error.offset, { code: 'sandbox/syntax', message: `${error.message}.` })
      return { imports: [], edits: [], units: [] }
    }
  }

  #unitOf({ how, path, start }: Import, from: string): readonly Unit[] {
    const found = importedFile(path, from)
    if ('fault' in found) {
      const hint = 'Only files of the package can be imported: write the path from the file that imports, with slashes.'
      this.#fault(from, start, { code: 'sandbox/import', message: `the import ${quoted(path)} ${found.fault}.`, hint })
      return []
    }
    if (this.#files.has(found.file)) return [{ how, file: found.file }]
    const hint =
      'Only files of the package can be imported: .jsonnet, .libsonnet, .json, .yml, .yaml, .flux and .toml. Point the stack at the folder that holds them all.'
    this.#fault(from, start, { code: 'sandbox/import', message: `there is no ${printable(found.file)} in the package to import.`, hint })
    return []
  }

  /** Of files that only import each other, none is where to begin. */
  #refuseCircles(all: readonly string[]): void {
    const lost = all.find((path) => !this.#places.has(`import:${path}`))
    if (lost === undefined) return
    const message = 'it is imported by files that it imports itself, so there is nowhere to begin.'
    this.#fault(lost, 0, { code: 'sandbox/import-circle', message, hint: 'Name what is only imported .libsonnet.' })
  }

  #entry(path: string): Program['entries'][number] {
    const uses = this.#usesOf({ how: 'import', file: path })
    return { path, result: this.#nameOf(uses[0]!), uses }
  }

  #usesOf(unit: Unit): readonly number[] {
    const uses = new Set([this.#place(unit)])
    const waiting = [unit]
    for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
      for (const next of at.how === 'import' ? this.#scanned.get(at.file)!.units : []) {
        const place = this.#place(next)
        if (!uses.has(place)) waiting.push(next)
        uses.add(place)
      }
    }
    return [...uses]
  }

  #place(unit: Unit): number {
    const key = `${unit.how}:${unit.file}`
    const known = this.#places.get(key)
    if (known !== undefined) return known
    const place = this.#units.push(unit) - 1
    this.#places.set(key, place)
    return place
  }

  #binding(unit: Unit): Binding {
    const code = `${this.#nameOf(this.#place(unit))} = (\n${this.#codeOf(unit)}\n)`
    return { file: unit.file, code, lines: countLines(code) }
  }

  #nameOf(place: number): string {
    return `${this.#prefix}${place}`
  }

  #codeOf({ how, file }: Unit): string {
    const text = this.#files.get(file)!
    if (how === 'importstr') return JSON.stringify(text)
    if (how === 'importbin') return `[${Buffer.from(text).join(',')}]`
    const { imports, edits, units } = this.#scanned.get(file)!
    const names = imports.map((one, at) => ({ ...one, code: this.#written(text, one, units[at]!) }))
    return edited(text, [...edits, ...names])
  }

  /** The variable in place of an import, over as many lines. */
  #written(text: string, { start, end }: Import, unit: Unit): string {
    return ` ${this.#nameOf(this.#place(unit))} ${'\n'.repeat(countLines(text.slice(start, end)) - 1)}`
  }

  #fault(file: string, offset: number, what: Pick<Fault, 'code' | 'message' | 'hint'>): void {
    this.#faults.push({ file, line: countLines(this.#files.get(file)!.slice(0, offset)), ...what })
  }
}

function edited(text: string, edits: readonly { readonly start: number; readonly end: number; readonly code: string }[]): string {
  const parts: string[] = []
  let at = 0
  for (const { start, end, code } of [...edits].sort((a, b) => a.start - b.start)) {
    parts.push(text.slice(at, start), code)
    at = end
  }
  return parts.join('') + text.slice(at)
}

function countLines(text: string): number {
  let lines = 1
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines++
  return lines
}

/** The beginning of names that no file knows. */
function unusedName(files: ReadonlyMap<string, string>): string {
  let name = 'file_'
  while ([...files.values()].some((text) => text.includes(name))) name += '_'
  return name
}
