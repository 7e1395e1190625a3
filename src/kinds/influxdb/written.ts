import type { Json, JsonObject } from '../../model/json.js'

/** The fields that an export declares: those that are neither absent nor empty. */
export function written(fields: { readonly [key: string]: Json | undefined }): JsonObject {
  const kept = Object.entries(fields).filter(
    (field): field is [string, Json] => field[1] !== undefined && !isEmpty(field[1]),
  )
  return Object.fromEntries(kept)
}

function isEmpty(value: Json): boolean {
  return value === '' || value === false || value === null || (Array.isArray(value) && value.length === 0)
}
