import type { JsonObject } from '../../../model/json.js'
import { quoted } from '../../../lib/text/printable.js'
import type { Fields } from './fields.js'
import { mappedText } from '../state.js'

const statuses = ['active', 'inactive']

/** `active` if it is absent; an error if it is neither `active` nor `inactive`. */
export function readStatus(spec: Fields): string {
  const status = spec.word('status') || 'active'
  if (!statuses.includes(status))
    spec.error('status', 'not-allowed', `the status ${quoted(status)} is not one of ${statuses.join(', ')}`)
  return status
}

/** The canonical status: case and surrounding blanks do not count. */
export function normalisedStatus(state: JsonObject): JsonObject {
  return mappedText(state, 'status', (status) => status.trim().toLowerCase())
}
