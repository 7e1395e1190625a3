import { invalidCursor } from '../../../model/cursor.js'

/** The id that a page of descending ids begins before; without a cursor: one beyond all. Errors: `Refused` usage. */
export function idBefore(after: string | undefined): number {
  if (after === undefined) return Number.MAX_SAFE_INTEGER
  if (!/^\d{1,15}$/.test(after)) throw invalidCursor(after)
  return Number(after)
}
