// Plans are kept once under their digest and compressed, beside the runs: whoever lists runs reads none of them.
import { createHash } from 'node:crypto'
import { deflateSync, inflateSync } from 'node:zlib'
import type { Plan } from '../../model/change.js'

/** The plan of what `packed` gave. */
export function planOf(body: Uint8Array): Plan {
  return JSON.parse(inflateSync(body).toString('utf8')) as Plan
}

/** Of a plan's text. */
export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** A plan's text, as it stands in the table. */
export function packed(text: string): Buffer {
  return deflateSync(text)
}
