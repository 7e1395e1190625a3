// Reading held forms, which a target or a person's hand may have given any shape: nothing here throws, and what is not understood stays.
import type { JsonObject } from '../../model/json.js'

/** The field trimmed, if it is a text; else nothing. */
export function trimmedText(held: JsonObject, key: string): JsonObject {
  return mappedText(held, key, (text) => text.trim())
}

/** The field in another spelling, if it is a text; else nothing. */
export function mappedText(held: JsonObject, key: string, spell: (text: string) => string): JsonObject {
  const value = held[key]
  return typeof value === 'string' ? { [key]: spell(value) } : {}
}

/** The name a person knows a thing by. */
export function heldName({ name }: JsonObject): string | undefined {
  return typeof name === 'string' ? name : undefined
}
