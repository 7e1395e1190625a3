// Ids of the InfluxDB API: 16 hex digits, not all zero.
import { WireRefusal } from './wire-error.js'

/** The id in lower case. `what`: `organization id`, for the message. Errors: `WireRefusal` invalid. */
export function readId(value: unknown, what: string): string {
  const id = typeof value === 'string' ? value.toLowerCase() : ''
  if (/^[0-9a-f]{16}$/.test(id) && id !== '0'.repeat(16)) return id
  const given = typeof value === 'string' ? `${JSON.stringify(value.slice(0, 100))} is not one` : 'it is missing'
  throw new WireRefusal('invalid', `The ${what} must be 16 hex digits, not all zero; ${given}.`)
}
