// What a scalar of each type accepts. undefined: the value reads as absent.
import type { Json } from './json.js'

/** Strings, and numbers as text, without an exponent if they are whole. Booleans are not converted. */
export function asText(value: Json | undefined): string | undefined {
  if (typeof value === 'string') return value
  if (typeof value !== 'number') return undefined
  return Number.isInteger(value) ? BigInt(value).toString() : String(value)
}

/** Integers, and floats without their fraction, so `2.592e+06` is 2592000. Numeric strings are not accepted. */
export function asInteger(value: Json | undefined): number | undefined {
  return typeof value === 'number' ? Math.trunc(value) : undefined
}

/** The number of code points, as people count. `.length` counts UTF-16 units. */
export function countCharacters(text: string): number {
  let count = 0
  for (const _character of text) count++
  return count
}

/** true and false only. */
export function asBoolean(value: Json | undefined): boolean | undefined {
  return typeof value === 'boolean' ? value : undefined
}
