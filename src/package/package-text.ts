import { isUtf8 } from 'node:buffer'
import { pointerKeys } from '../lib/text/json-pointer.js'
import type { Json } from '../model/json.js'
import { parseJson } from './parse-json.js'
import { parseYaml } from './parse-yaml.js'
import type { PackageEntry, ParsedFile, EntryLines } from './parsed-cache.js'
import { Positions } from './positions.js'
import { notUtf8, ParseError } from './parse-error.js'
import { countMarks, findDocuments, positionsIn, readEvents, type YamlLimits } from './yaml-events.js'

export type Format = 'yaml' | 'json'

/** The text of one file and its entries. The text is parsed for its entries, and once more when a line is needed. */
export class PackageText {
  readonly bytes: Uint8Array
  readonly format: Format
  readonly limits: YamlLimits
  #text: string | undefined
  #lines: TextLines | undefined
  #positions: ((document: number) => Positions) | undefined

  constructor(bytes: Uint8Array, format: Format, limits: YamlLimits) {
    this.bytes = bytes
    this.format = format
    this.limits = limits
  }

  /** In the order of the file, without empty documents. Errors: `Unreadable`. */
  parse(): ParsedFile {
    if (!isUtf8(this.bytes)) throw notUtf8()
    return this.format === 'json' ? this.#parseJson() : this.#parseYaml()
  }

  /** The entries, or why the text is unreadable. */
  tryParse(): ParsedFile | ParseError {
    try {
      return this.parse()
    } catch (error) {
      if (error instanceof ParseError) return error
      throw error
    }
  }

  /** Line and column of an offset of `Unreadable`; the start, if the text is not UTF-8. */
  position(offset: number): { readonly line: number; readonly column: number } {
    this.#lines ??= new TextLines(this.text)
    return this.#lines.at(offset)
  }

  /** The line of a pointer into an entry, or of its nearest ancestor in the text (an alias's content has no line). */
  lineOf(entry: PackageEntry, pointer: string): number {
    if (pointer === '') return entry.line
    if (entry.lines !== undefined) return lineIn(entry, entry.lines, pointer)
    const offset = this.positionsOf(entry)?.find(pointer)
    return offset === undefined ? entry.line : this.position(offset).line
  }

  /** The positions of an entry and its values. The first call parses the text again. */
  positionsOf({ document, item }: Pick<PackageEntry, 'document' | 'item'>): Positions | undefined {
    this.#positions ??= this.format === 'json' ? this.#jsonPositions() : this.#yamlPositions()
    const top = this.#positions(document)
    return item === undefined ? top : top.get(item)
  }

  /** Without a byte order mark. */
  get text(): string {
    this.#text ??= new TextDecoder('utf-8').decode(this.bytes)
    return this.#text
  }

  #parseJson(): ParsedFile {
    if (this.text.trim() === '') return { entries: [], values: 0 }
    const { value, positions, values } = this.#readJson()
    return { entries: this.#toEntries(value, 0, positions.offset, (item) => positions.get(item)!.offset), values }
  }

  /** For a duplicate key, the text is parsed again with all positions, to find the first of the two. */
  #readJson(): ReturnType<typeof parseJson> {
    try {
      return parseJson(this.text, this.limits, 1)
    } catch (error) {
      if (error instanceof ParseError && error.code === 'package/duplicate-key')
        return parseJson(this.text, this.limits, Number.POSITIVE_INFINITY)
      throw error
    }
  }

  #parseYaml(): ParsedFile {
    const { values, documents } = parseYaml(this.text, this.limits)
    const entries = values.flatMap((value, at) => {
      const { start, items } = documents[at]!
      return value === null ? [] : this.#toEntries(value, at, start, (item) => items[item] ?? start)
    })
    return { entries, values: countMarks(this.text, Number.POSITIVE_INFINITY) }
  }

  #toEntries(value: Json, document: number, start: number, startOf: (item: number) => number): readonly PackageEntry[] {
    if (!Array.isArray(value)) return [{ value, line: this.position(start).line, document, item: undefined }]
    const list: readonly Json[] = value
    return list.map((value, item) => ({ value, line: this.position(startOf(item)).line, document, item }))
  }

  #jsonPositions(): () => Positions {
    const { positions } = parseJson(this.text, this.limits, Number.POSITIVE_INFINITY)
    return () => positions
  }

  #yamlPositions(): (document: number) => Positions {
    const events = readEvents(this.text, this.limits)
    const documents = findDocuments(events, this.text, this.limits)
    let last: { readonly document: number; readonly positions: Positions } | undefined
    return (document) => {
      if (last?.document !== document)
        last = { document, positions: positionsIn(events, documents[document]!, this.text) }
      return last.positions
    }
  }
}

/** The line of a pointer (RFC 6901) into an entry, or of the longest existing part of the pointer. */
function lineIn({ value, line }: PackageEntry, { lines, ends }: EntryLines, pointer: string): number {
  let here = value
  let at = 0
  for (const key of pointerKeys(pointer)) {
    if (typeof here !== 'object' || here === null || !Object.hasOwn(here, key)) break
    at++
    const before = Array.isArray(here) ? Number(key) : Object.keys(here).indexOf(key)
    for (let sibling = 0; sibling < before; sibling++) at = ends[at]!
    here = (here as Readonly<Record<string, Json>>)[key]!
  }
  return lines[at] ?? line
}

/** Line and column, both from 1, of offsets into a text. A line ends with CR LF, LF or CR, as in YAML. */
class TextLines {
  readonly #starts: number[] = [0]

  constructor(text: string) {
    for (const end of text.matchAll(/\r\n|\n|\r/g)) this.#starts.push(end.index + end[0].length)
  }

  at(offset: number): { readonly line: number; readonly column: number } {
    let low = 0
    let high = this.#starts.length
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if (this.#starts[middle]! <= offset) low = middle
      else high = middle
    }
    return { line: low + 1, column: offset - this.#starts[low]! + 1 }
  }
}
