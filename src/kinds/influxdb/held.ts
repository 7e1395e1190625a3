// Reads states, which a target may return in any shape: nothing here throws, and unknown values stay.
import type { JsonObject } from '../../model/json.js'

/** The field trimmed, if it is a text; else nothing. */
export function trimmedText(held: JsonObject, key: string): JsonObject {
  return mappedText(held, key, (text) => text.trim())
}

/** The field mapped, if it is a text; else nothing. */
export function mappedText(held: JsonObject, key: string, spell: (text: string) => string): JsonObject {
  const value = held[key]
  return typeof value === 'string' ? { [key]: spell(value) } : {}
}

/** The display name. */
export function heldName({ name }: JsonObject): string | undefined {
  return typeof name === 'string' ? name : undefined
}
