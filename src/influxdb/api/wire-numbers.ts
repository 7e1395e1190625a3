// Ids of diff and summary as InfluxDB writes them: unsigned 64-bit integers. A JavaScript number loses their last
// digits, so they are carried as marked texts.
import { randomUUID } from 'node:crypto'
import type { Steps } from '../../lib/async/steps.js'
import { writeJson, type JsonPieces } from '../../api/server/json-answer.js'

const idKeys: ReadonlySet<string> = new Set(['id', 'orgID', 'resourceID', 'labelID', 'endpointID', 'previousID'])

/**
 * Fields with documents whose ids are texts in InfluxDB. In a diff of these kinds, `new` and `old` are such documents.
 */
const documentFields: ReadonlySet<string> = new Set(['check', 'notificationEndpoint', 'telegrafConfig'])
const documentKinds = /^(?:Check|NotificationEndpoint|Telegraf)/

/**
 * Writes the answer as JSON, in a step for each entry of its lists. `inNumbers`: ids below `diff` and `summary` are
 * numbers, and an absent id is 0.
 */
export function* writeAnswer(answer: object, inNumbers: boolean, pieces: JsonPieces): Steps<void> {
  const mark = randomUUID()
  const marks = new RegExp(`"${mark}(\\d+)"`, 'g')
  const numeric = (value: unknown): string => JSON.stringify(marked(value, mark)).replaceAll(marks, '$1')
  let before = '{'
  for (const [key, value] of presentEntries(answer)) {
    pieces.add(`${before}${JSON.stringify(key)}:`)
    if (inNumbers && (key === 'diff' || key === 'summary')) yield* writeNumbered(value, numeric, pieces)
    else yield* writeJson(value, pieces)
    before = ','
  }
  pieces.add(before === '{' ? '{}' : '}')
}

/** Writes lists entry by entry, also those in a map. */
function* writeNumbered(value: unknown, textOf: (value: unknown) => string, pieces: JsonPieces): Steps<void> {
  if (Array.isArray(value)) return yield* writeList(value, textOf, pieces)
  if (!isMap(value)) return pieces.add(textOf(value))
  let before = '{'
  for (const [key, one] of presentEntries(value)) {
    pieces.add(`${before}${JSON.stringify(key)}:`)
    if (Array.isArray(one)) yield* writeList(one, textOf, pieces)
    else pieces.add(textOf(one))
    before = ','
  }
  pieces.add(before === '{' ? '{}' : '}')
}

function* writeList(list: readonly unknown[], textOf: (value: unknown) => string, pieces: JsonPieces): Steps<void> {
  let before = '['
  for (const one of list) {
    yield
    pieces.add(before + textOf(one))
    before = ','
  }
  pieces.add(before === '[' ? '[]' : ']')
}

function isMap(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

/** The entries that JSON has: without undefined values. */
function presentEntries(value: object): readonly (readonly [string, unknown])[] {
  return Object.entries(value).filter(([, one]) => one !== undefined)
}

function marked(value: unknown, mark: string): unknown {
  if (Array.isArray(value)) return value.map((one) => marked(one, mark))
  if (typeof value !== 'object' || value === null) return value
  const entry = value as Readonly<Record<string, unknown>>
  return Object.fromEntries(
    Object.entries(entry).map(([key, one]) => [key, isDocument(key, entry) ? one : markedField(key, one, mark)]),
  )
}

function isDocument(key: string, { kind }: Readonly<Record<string, unknown>>): boolean {
  if (key === 'new' || key === 'old') return typeof kind === 'string' && documentKinds.test(kind)
  return documentFields.has(key)
}

function markedField(key: string, value: unknown, mark: string): unknown {
  if (!idKeys.has(key) || typeof value !== 'string') return marked(value, mark)
  if (value === '') return `${mark}0`
  return /^[0-9a-f]{16}$/.test(value) ? mark + BigInt(`0x${value}`).toString() : value
}
