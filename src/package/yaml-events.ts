import { CHOMPING_MODE, EVENT_ID, getScalarValue, parseEvents, SCALAR_STYLE, YAMLException, type Event } from 'js-yaml'
import { explainYamlError } from '../lib/text/yaml-syntax.js'
import { Positions } from './positions.js'
import { aliasError, duplicateKey, keyTooLong, longKey, syntaxError, tooDeep, tooManyValues } from './parse-error.js'

/** One YAML document of a file: its events (the first opens it) and the offset of its content; -1: empty. */
export interface YamlDocument {
  readonly first: number
  readonly start: number
  /** If the content is a list: the offset of each entry. */
  readonly items: readonly number[]
}

export interface YamlLimits {
  /** Depth of lists and maps. */
  readonly depth: number
  /** `*alias` in one file. */
  readonly aliases: number
  /** Values that the aliases of one file expand to. */
  readonly aliasNodes: number
  /** Values of one file, counted before parsing by the marks that may begin one. */
  readonly values: number
}

/** The stream of events of a text. Errors: `Unreadable`. */
export function readEvents(text: string, limits: Pick<YamlLimits, 'depth' | 'values'>): Event[] {
  countMarks(text, limits.values)
  const events = explained(text, limits, () => parseEvents(text, { maxDepth: limits.depth }))
  return /[^ \t\r\n][ \t]*$/.test(text.slice(text.lastIndexOf('\n') + 1))
    ? withoutAddedBreak(events, text.length)
    : events
}

/**
 * A block scalar at the end of a file without a final line break does not end in one (YAML 1.2, 8.1.1.2);
 * the parser adds one.
 */
function withoutAddedBreak(events: Event[], end: number): Event[] {
  const at = events.findLastIndex(({ type }) => type === EVENT_ID.SCALAR)
  const last = events[at]
  const isBlock =
    last?.type === EVENT_ID.SCALAR &&
    (last.style === SCALAR_STYLE.LITERAL_BLOCK || last.style === SCALAR_STYLE.FOLDED_BLOCK)
  return isBlock && last.valueEnd === end ? events.with(at, { ...last, chomping: CHOMPING_MODE.STRIP }) : events
}

/** The number of marks: each value begins a line or follows a mark. There may be fewer values than marks. */
export function countMarks(text: string, most: number): number {
  let count = 1
  for (let at = 0; at < text.length; at++) {
    if (isMark(text.charCodeAt(at), text, at) && ++count > most)
      throw tooManyValues(at, most, 'lines and marks that may begin a value')
  }
  return count
}

/** A line end or `,` `:` `[` `{`; a dash or question mark only before a blank. */
function isMark(code: number, text: string, at: number): boolean {
  if (code === 45 || code === 63) return text.charCodeAt(at + 1) === 32
  return code === 10 || code === 13 || code === 44 || code === 58 || code === 91 || code === 123
}

/** Two equal keys of a map: their text, and the offset of the first one. */
interface EqualKeys {
  readonly key: string
  readonly first: number | undefined
}

/** Runs a step of js-yaml, and translates its errors. `keysAt`: the equal keys of which the second is at an offset. */
export function explained<T>(
  text: string,
  { depth }: Pick<YamlLimits, 'depth'>,
  step: () => T,
  keysAt?: (offset: number) => EqualKeys | undefined,
): T {
  try {
    return step()
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error
    const offset = error.mark?.position ?? 0
    if (error.reason.startsWith('nesting exceeded')) throw tooDeep(offset, depth)
    if (error.reason === longKey) throw keyTooLong(offset)
    if (error.reason === 'duplicated mapping key') {
      const equal = keysAt?.(offset)
      throw duplicateKey(offset, equal?.key, equal?.first)
    }
    const plain = explainYamlError(text, offset, error.reason)
    throw syntaxError(plain.offset, plain.reason, plain.hint)
  }
}

/** The key at an offset, and the first equal key of its map. */
export function equalKeys(events: readonly Event[], text: string, offset: number): EqualKeys | undefined {
  const open: { readonly isMap: boolean; count: number; readonly keys: Map<string, number> }[] = []
  for (const event of events) {
    if (event.type === EVENT_ID.POP) {
      open.pop()
      continue
    }
    const parent = open.at(-1)
    if (parent?.isMap === true && parent.count++ % 2 === 0 && event.type === EVENT_ID.SCALAR) {
      const key = getScalarValue(text, event)
      if (event.valueStart === offset) return { key, first: parent.keys.get(key) }
      parent.keys.set(key, event.valueStart)
    }
    if (isOpening(event)) open.push({ isMap: event.type === EVENT_ID.MAPPING, count: 0, keys: new Map() })
  }
  return undefined
}

/** The documents of a stream. Checks the limits of its aliases. Errors: `Unreadable`. */
export function findDocuments(events: readonly Event[], text: string, limits: YamlLimits): readonly YamlDocument[] {
  const documents: { first: number; start: number; items: number[] }[] = []
  const aliases = new AliasCount(text, limits)
  let depth = 0
  for (const [at, event] of events.entries()) {
    if (event.type === EVENT_ID.DOCUMENT) documents.push({ first: at, start: -1, items: [] })
    else if (event.type !== EVENT_ID.POP && depth === 1) documents.at(-1)!.start = eventStart(event)
    else if (event.type !== EVENT_ID.POP && depth === 2) documents.at(-1)!.items.push(eventStart(event))
    depth += event.type === EVENT_ID.POP ? -1 : isOpening(event) ? 1 : 0
    aliases.see(event)
  }
  return documents
}

const fewerAliases = 'Use fewer aliases, or split the file into several files.'

/** Counts the values of aliases without expanding them, so a YAML bomb costs no more than its text. */
class AliasCount {
  readonly #text: string
  readonly #limits: YamlLimits
  readonly #sizes = new Map<string, number>()
  readonly #open: { readonly anchor: string | undefined; size: number }[] = []
  #aliases = 0
  #nodes = 0

  constructor(text: string, limits: YamlLimits) {
    this.#text = text
    this.#limits = limits
  }

  see(event: Event): void {
    if (event.type === EVENT_ID.POP) return this.#close()
    if (event.type === EVENT_ID.DOCUMENT) {
      this.#sizes.clear()
      this.#open.push({ anchor: undefined, size: 0 })
    } else if (event.type === EVENT_ID.ALIAS) this.#expand(event)
    else if (event.type === EVENT_ID.SCALAR) this.#add(1, this.#anchorName(event))
    else this.#open.push({ anchor: this.#anchorName(event), size: 1 })
  }

  #close(): void {
    const closed = this.#open.pop()
    if (closed !== undefined && this.#open.length > 0) this.#add(closed.size, closed.anchor)
  }

  #add(size: number, anchor: string | undefined): void {
    this.#open.at(-1)!.size += size
    if (anchor !== undefined) this.#sizes.set(anchor, size)
  }

  #expand(event: Event & { readonly anchorStart: number }): void {
    const anchor = this.#anchorName(event)!
    const offset = event.anchorStart - 1
    const name = `*${anchor}`
    if (this.#open.some((open) => open.anchor === anchor))
      throw aliasError(offset, `${name} refers to itself`, 'Write the value there instead of the alias.')
    this.#nodes += this.#sizes.get(anchor) ?? 0
    if (++this.#aliases > this.#limits.aliases)
      throw aliasError(offset, `there are more than ${this.#limits.aliases} aliases`, fewerAliases)
    const most = this.#limits.aliasNodes
    if (this.#nodes > most) throw aliasError(offset, `the aliases expand to more than ${most} values`, fewerAliases)
    this.#add(this.#sizes.get(anchor) ?? 0, undefined)
  }

  #anchorName(event: Event): string | undefined {
    return 'anchorStart' in event && event.anchorStart >= 0
      ? this.#text.slice(event.anchorStart, event.anchorEnd)
      : undefined
  }
}

/** Positions of the values of one document. The content of an alias has no position of its own. */
export function positionsIn(events: readonly Event[], document: YamlDocument, text: string): Positions {
  let root: Positions | undefined
  const open: { readonly here: Positions; readonly isMap: boolean; count: number; key: string; keyAt: number }[] = []
  for (let at = document.first + 1; at < events.length; at++) {
    const event = events[at]!
    if (event.type === EVENT_ID.DOCUMENT) break
    if (event.type === EVENT_ID.POP) {
      open.pop()
      continue
    }
    const parent = open.at(-1)
    const isKey = parent?.isMap === true && parent.count++ % 2 === 0
    if (isKey) {
      parent.key = event.type === EVENT_ID.SCALAR ? getScalarValue(text, event) : ''
      parent.keyAt = eventStart(event)
    }
    const here = isKey
      ? parent.here
      : parent === undefined
        ? new Positions(eventStart(event))
        : placeBelow(parent, eventStart(event))
    root ??= here
    if (isOpening(event)) open.push({ here, isMap: event.type === EVENT_ID.MAPPING, count: 0, key: '', keyAt: 0 })
  }
  return root ?? new Positions(0)
}

function placeBelow(
  parent: {
    readonly here: Positions
    readonly isMap: boolean
    count: number
    readonly key: string
    readonly keyAt: number
  },
  offset: number,
): Positions {
  return parent.isMap ? parent.here.add(parent.key, parent.keyAt) : parent.here.add(parent.count++, offset)
}

function isOpening(event: Event): boolean {
  return event.type === EVENT_ID.DOCUMENT || event.type === EVENT_ID.MAPPING || event.type === EVENT_ID.SEQUENCE
}

function eventStart(event: Event): number {
  if ('valueStart' in event) return event.valueStart
  if ('start' in event) return event.start
  return 'anchorStart' in event ? event.anchorStart - 1 : -1
}
