// The names of kinds and families in the InfluxDB API.
import { packageKinds } from '../kinds/kinds.js'
import { WireRefusal, type WireCode } from './wire-error.js'

/** The kind. `where`: its field, for the message. Errors: `WireRefusal` with this code. */
export function readKind(value: unknown, where: string, code: WireCode): string {
  if (typeof value === 'string' && packageKinds.includes(value)) return value
  const what =
    typeof value === 'string' ? `There is no kind ${JSON.stringify(value.slice(0, 100))}` : 'A kind is missing'
  throw new WireRefusal(code, `${what}, in ${where}. The kinds are: ${packageKinds.join(', ')}.`)
}
