import { isUtf8 } from 'node:buffer'
import type { Json } from '../model/json.js'
import { parseJson } from './parse-json.js'
import { parseYaml } from './parse-yaml.js'
import type { Entry } from './parsed-cache.js'
import { TextLines } from './text-lines.js'
import { Unreadable } from './unreadable.js'
import { findDocuments, offsetsOf, readEvents, type YamlLimits } from './yaml-events.js'

export type Format = 'yaml' | 'json'

/** The text of one file and what it says. A file is read for its entries, and again, once, when a line is asked for. */
export class PackageText {
  readonly #bytes: Uint8Array
  readonly #format: Format
  readonly #limits: YamlLimits
  #text: string | undefined
  #lines: TextLines | undefined
  #offsets: ((document: number) => ReadonlyMap<string, number>) | undefined

  constructor(bytes: Uint8Array, format: Format, limits: YamlLimits) {
    this.#bytes = bytes
    this.#format = format
    this.#limits = limits
  }

  /** In the order of the file, without empty documents. Throws `Unreadable`. */
  entries(): readonly Entry[] {
    if (!isUtf8(this.#bytes)) throw new Unreadable('package/encoding', 0, 'it is not UTF-8 text', 'Save it as UTF-8.')
    return this.#format === 'json' ? this.#jsonEntries() : this.#yamlEntries()
  }

  /** Line and column of an offset that `Unreadable` names; of a text that is not UTF-8 its start. */
  position(offset: number): { readonly line: number; readonly column: number } {
    this.#lines ??= new TextLines(this.text)
    return this.#lines.at(offset)
  }

  /** The line of a pointer into an entry, or of the nearest of its ancestors that stands in the text (an alias's contents do not). */
  lineOf(entry: Entry, pointer: string): number {
    if (pointer === '') return entry.line
    this.#offsets ??= this.#format === 'json' ? this.#jsonOffsets() : this.#yamlOffsets()
    const offsets = this.#offsets(entry.document)
    const prefix = entry.item === undefined ? '' : `/${entry.item}`
    for (let at = pointer; at !== ''; at = at.slice(0, at.lastIndexOf('/'))) {
      const offset = offsets.get(prefix + at)
      if (offset !== undefined) return this.position(offset).line
    }
    return entry.line
  }

  /** Without a byte order mark. */
  get text(): string {
    this.#text ??= new TextDecoder('utf-8').decode(this.#bytes)
    return this.#text
  }

  #jsonEntries(): readonly Entry[] {
    if (this.text.trim() === '') return []
    const starts = new Map<string, number>()
    const value = parseJson(this.text, this.#limits.depth, (pointer, offset) => {
      if (pointer.lastIndexOf('/') <= 0) starts.set(pointer, offset)
    })
    return this.#entriesOf(value, 0, starts.get('')!, (item) => starts.get(`/${item}`)!)
  }

  #yamlEntries(): readonly Entry[] {
    const { values, documents } = parseYaml(this.text, this.#limits)
    return values.flatMap((value, at) => {
      const { start, items } = documents[at]!
      return value === null ? [] : this.#entriesOf(value, at, start, (item) => items[item] ?? start)
    })
  }

  #entriesOf(value: Json, document: number, start: number, startOf: (item: number) => number): readonly Entry[] {
    if (!Array.isArray(value)) return [{ value, line: this.position(start).line, document, item: undefined }]
    const list: readonly Json[] = value
    return list.map((value, item) => ({ value, line: this.position(startOf(item)).line, document, item }))
  }

  #jsonOffsets(): () => ReadonlyMap<string, number> {
    const offsets = new Map<string, number>()
    parseJson(this.text, this.#limits.depth, (pointer, offset) => offsets.set(pointer, offset))
    return () => offsets
  }

  #yamlOffsets(): (document: number) => ReadonlyMap<string, number> {
    const events = readEvents(this.text, this.#limits)
    const documents = findDocuments(events, this.text, this.#limits)
    let last = { document: -1, offsets: new Map<string, number>() as ReadonlyMap<string, number> }
    return (document) => {
      if (last.document !== document) last = { document, offsets: offsetsOf(events, documents[document]!, this.text) }
      return last.offsets
    }
  }
}
