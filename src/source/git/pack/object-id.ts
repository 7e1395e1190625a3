import { createHash } from 'node:crypto'
import type { Slices } from '../../../lib/async/steps.js'
import type { ObjectType } from './pack-entry.js'

const PIECE_BYTES = 1024 * 1024

/** Git's ID of an object: its SHA-1. */
export async function objectId(type: ObjectType, bytes: Buffer, turns: Slices): Promise<Buffer> {
  const hash = createHash('sha1').update(`${type} ${bytes.length}\0`)
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    if (at > 0) await turns.afterStep()
    hash.update(bytes.subarray(at, at + PIECE_BYTES))
  }
  return hash.digest()
}
