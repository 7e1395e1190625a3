// Ids as the reference writes them in diff and summary: unsigned integers (packages 4.2, 4.3). Numbers of JavaScript are too short for them, so they pass as marked texts.
import { randomUUID } from 'node:crypto'
import type { Steps } from '../../model/turns.js'

const idKeys: ReadonlySet<string> = new Set(['id', 'orgID', 'resourceID', 'labelID', 'endpointID', 'previousID'])

/** Documents of the platform, whose ids are texts there, too. In a diff they are both sides of what is of these kinds. */
const documents: ReadonlySet<string> = new Set(['check', 'notificationEndpoint', 'telegrafConfig'])
const documentKinds = /^(?:Check|NotificationEndpoint|Telegraf)/

/** The answer as JSON; a step for each entry of its lists. `inNumbers`: with the ids below `diff` and `summary` as numbers, and none as 0. */
export function* answerText(answer: object, inNumbers: boolean): Steps<string> {
  const mark = randomUUID()
  const marks = new RegExp(`"${mark}(\\d+)"`, 'g')
  const numeric = (value: unknown): string => JSON.stringify(marked(value, mark)).replaceAll(marks, '$1')
  const plain = (value: unknown): string => JSON.stringify(value)
  const fields = entriesOf(answer).map(([key, value]) => [key, value, inNumbers && (key === 'diff' || key === 'summary')] as const)
  const texts: string[] = []
  for (const [key, value, isNumeric] of fields) texts.push(`${JSON.stringify(key)}:${yield* textOf(value, isNumeric ? numeric : plain)}`)
  return `{${texts.join(',')}}`
}

/** Lists entry by entry, those of a map, too. */
function* textOf(value: unknown, write: (value: unknown) => string): Steps<string> {
  if (Array.isArray(value)) return yield* listText(value, write)
  if (!isMap(value)) return write(value)
  const texts: string[] = []
  for (const [key, one] of entriesOf(value))
    texts.push(`${JSON.stringify(key)}:${Array.isArray(one) ? yield* listText(one, write) : write(one)}`)
  return `{${texts.join(',')}}`
}

function* listText(list: readonly unknown[], write: (value: unknown) => string): Steps<string> {
  const texts: string[] = []
  for (const one of list) {
    yield
    texts.push(write(one))
  }
  return `[${texts.join(',')}]`
}

function isMap(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

/** As JSON has them. */
function entriesOf(value: object): readonly (readonly [string, unknown])[] {
  return Object.entries(value).filter(([, one]) => one !== undefined)
}

function marked(value: unknown, mark: string): unknown {
  if (Array.isArray(value)) return value.map((one) => marked(one, mark))
  if (typeof value !== 'object' || value === null) return value
  const entry = value as Readonly<Record<string, unknown>>
  return Object.fromEntries(Object.entries(entry).map(([key, one]) => [key, isDocument(key, entry) ? one : markedField(key, one, mark)]))
}

function isDocument(key: string, { kind }: Readonly<Record<string, unknown>>): boolean {
  if (key === 'new' || key === 'old') return typeof kind === 'string' && documentKinds.test(kind)
  return documents.has(key)
}

function markedField(key: string, value: unknown, mark: string): unknown {
  if (!idKeys.has(key) || typeof value !== 'string') return marked(value, mark)
  if (value === '') return `${mark}0`
  return /^[0-9a-f]{16}$/.test(value) ? mark + BigInt(`0x${value}`).toString() : value
}
