// Ids as the reference writes them in diff and summary: unsigned integers (packages 4.2, 4.3). Numbers of JavaScript are too short for them, so they pass as marked texts.
import { randomUUID } from 'node:crypto'

const idKeys: ReadonlySet<string> = new Set(['id', 'orgID', 'resourceID', 'labelID', 'endpointID', 'previousID'])

/** Documents of the platform, whose ids are texts there, too. In a diff they are both sides of what is of these kinds. */
const documents: ReadonlySet<string> = new Set(['check', 'notificationEndpoint', 'telegrafConfig'])
const documentKinds = /^(?:Check|NotificationEndpoint|Telegraf)/

/** The answer as JSON with the ids below `diff` and `summary` as numbers, and none as 0. */
export function withNumericIds(answer: object): string {
  const mark = randomUUID()
  const told = Object.entries(answer).map(([key, value]) => [key, key === 'diff' || key === 'summary' ? marked(value, mark) : value])
  return JSON.stringify(Object.fromEntries(told)).replaceAll(new RegExp(`"${mark}(\\d+)"`, 'g'), '$1')
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
