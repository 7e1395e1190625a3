// Unusual requests that are valid by the OpenAPI document.
import type { Dice } from '../../random/dice.js'
import type { Description, Operation, Schema } from './description.js'
import type { Asking, Examples } from './requests.js'
import { oddValues } from './wrong-values.js'

interface Making {
  readonly dice: Dice
  readonly description: Description
  /** Several for each name; one is chosen. */
  readonly examples: Readonly<Record<string, readonly unknown[]>>
}

/** Each parameter and property that may be absent is there half the time. */
export function oddRequest(operation: Operation, headers: Asking['headers'], making: Making): Asking {
  const text = (schema: Schema, name: string): string =>
    encodeURIComponent(String(oddValue(schema, name, making)).replaceAll(/[\ud800-\udfff]/g, '\ufffd'))
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => text(schemaOf(operation, name), name))
  const query = operation.parameters
    .filter(
      (parameter) =>
        parameter.in === 'query' && (parameter.required || isWait(parameter.name) || making.dice.chance(50)),
    )
    .map(({ name, schema }) => `${name}=${text(schema, name)}`)
  const body = operation.body === undefined ? undefined : JSON.stringify(oddValue(operation.body, '', making))
  return {
    what: `?${query.join('&')} ${body?.slice(0, 500) ?? ''}`,
    method: operation.method,
    path: query.length === 0 ? path : `${path}?${query.join('&')}`,
    headers: { ...headers, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) },
    ...(body === undefined ? {} : { body }),
  }
}

/** Else the request would last as long as it may. */
function isWait(name: string): boolean {
  return name === 'waitMs' || name === 'timeoutMs'
}

function schemaOf({ parameters }: Operation, name: string): Schema {
  return parameters.find((parameter) => parameter.name === name)?.schema ?? {}
}

function oddValue(schema: Schema, name: string, making: Making): unknown {
  const { dice, description, examples } = making
  const known = (examples[name] ?? []).filter((value) => description.fits(schema, value))
  if (known.length > 0 && dice.chance(75)) return dice.pick(known)
  if (schema['type'] === 'object') return oddObject(schema, making)
  if (schema['type'] === 'array') return [oddValue(schema['items'] as Schema, name, making)]
  const fitting = [...((schema['enum'] ?? []) as readonly unknown[]), ...oddValues].filter((value) =>
    description.fits(schema, value),
  )
  return fitting.length > 0 ? dice.pick(fitting) : (known[0] ?? 'x')
}

function oddObject(schema: Schema, making: Making): object {
  const properties = (schema['properties'] ?? {}) as Readonly<Record<string, Schema>>
  const required = (schema['required'] ?? []) as readonly string[]
  const present = Object.entries(properties).filter(
    ([key]) => required.includes(key) || isWait(key) || making.dice.chance(50),
  )
  const open = schema['additionalProperties'] !== undefined && schema['additionalProperties'] !== false
  return Object.fromEntries([
    ...present.map(([key, value]) => [key, oddValue(value, key, making)] as const),
    ...(open
      ? stateKeys.filter(() => making.dice.chance(30)).map((key) => [key, making.dice.pick(oddValues)] as const)
      : []),
  ])
}

/** Fields of states of some kinds, and some that no state should have. */
const stateKeys = [
  'name',
  'description',
  'color',
  'properties',
  'retentionRules',
  'charts',
  'every',
  'cron',
  'offset',
  'query',
  'status',
  'labelID',
  'resourceID',
  'resourceType',
  '__proto__',
  'mark',
]

/** The examples of right requests, each beside others. */
export function manyExamples(
  examples: Examples,
  more: Readonly<Record<string, readonly unknown[]>>,
): Making['examples'] {
  const names = new Set([...Object.keys(examples), ...Object.keys(more)])
  return Object.fromEntries(
    [...names].map((name) => [name, [...(name in examples ? [examples[name]] : []), ...(more[name] ?? [])]]),
  )
}
