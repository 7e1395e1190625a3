// Values that do not fit a schema: other types, beyond each bound, and what has broken readers of JSON before.
import type { Description, Schema } from './description.js'

/** Each with the words that name it in a title. */
export type Wrong = readonly [what: string, value: unknown]

const anything: readonly Wrong[] = [
  ['null', null],
  ['a truth value', true],
  ['zero', 0],
  ['a negative number', -1],
  ['a fraction', 0.5],
  ['a huge number', 1e308],
  ['an empty text', ''],
  ['a NUL', '\u0000'],
  ['a line break and a bidirectional override', 'a\n\u202e'],
  ['a lone surrogate', 'a\ud800'],
  ['.. as a text', '..'],
  ['a long text', 'x'.repeat(100_000)],
  ['an empty list', []],
  ['a list of lists', [[[]]]],
  ['an empty object', {}],
  ['an object that would be a prototype', JSON.parse('{"__proto__":{"admin":true},"constructor":{"prototype":{}}}')],
  ['a deep list', deep(1_000)],
]

export const oddValues: readonly unknown[] = anything.map(([, value]) => value)

/** Lists in lists. */
function deep(levels: number): unknown {
  let value: unknown = []
  for (let level = 1; level < levels; level++) value = [value]
  return value
}

/** What a schema does not allow in one of its places, the rest being as in `right`. */
export function wrongBodies(schema: Schema, right: unknown, description: Description): readonly Wrong[] {
  const whole = [...anything, ...beyond(schema)].filter(
    ([, value]) => !description.fits(schema, value) && value !== undefined,
  )
  if (Array.isArray(right) && schema['items'] !== undefined)
    return [...whole, ...inside(0, schema['items'] as Schema, right[0], (item) => [item], description)]
  if (schema['type'] !== 'object' || typeof right !== 'object' || right === null) return whole
  const unknown: readonly Wrong[] =
    schema['additionalProperties'] === false
      ? ['nobody-knows', '__proto__', 'constructor', 'toString'].map(
          (key) => [`an unknown property ${key}`, added(right, key, {})] as const,
        )
      : []
  const missing = ((schema['required'] ?? []) as readonly string[]).map(
    (key) => [`no ${key}`, without(right, key)] as const,
  )
  const properties = Object.entries((schema['properties'] ?? {}) as Readonly<Record<string, Schema>>).flatMap(
    ([key, property]) =>
      inside(key, property, (right as Schema)[key], (value) => added(right, key, value), description),
  )
  return [...whole, ...unknown, ...missing, ...properties]
}

function inside(
  key: string | number,
  schema: Schema,
  right: unknown,
  place: (value: unknown) => unknown,
  description: Description,
): readonly Wrong[] {
  return wrongBodies(schema, right, description).map(([what, value]) => [`${what} as ${key}`, place(value)] as const)
}

/** One beyond each bound. */
export function beyond(schema: Schema): readonly Wrong[] {
  const { minimum, maximum, minLength, maxLength } = schema as Readonly<Record<string, number | undefined>>
  return [
    ...(minimum === undefined ? [] : [['one below the least', minimum - 1] as const]),
    ...(maximum === undefined ? [] : [['one above the greatest', maximum + 1] as const]),
    ...(minLength === undefined || minLength === 0 ? [] : [['a text too short', 'x'.repeat(minLength - 1)] as const]),
    ...(maxLength === undefined ? [] : [['a text too long', 'x'.repeat(maxLength + 1)] as const]),
  ]
}

/** With one more property, be its name what it may. */
function added(object: object, key: string, value: unknown): unknown {
  const copy = { ...object }
  Object.defineProperty(copy, key, { value, enumerable: true, configurable: true, writable: true })
  return copy
}

function without(object: object, key: string): unknown {
  return Object.fromEntries(Object.entries(object).filter(([one]) => one !== key))
}
