import { createHash } from 'node:crypto'
import { finish, type Steps } from '../lib/async/steps.js'

/** Bytes that are hashed in one step. */
const pieceBytes = 1024 * 1024

/** The git blob id of a file with these bytes. */
export function blobId(bytes: Uint8Array): string {
  return finish(blobIdSteps(bytes))
}

/** The same, a step for each piece of a large file. */
export function* blobIdSteps(bytes: Uint8Array): Steps<string> {
  const hash = createHash('sha1').update(`blob ${bytes.length}\0`)
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    if (at > 0) yield
    hash.update(bytes.subarray(at, at + pieceBytes))
  }
  return hash.digest('hex')
}

/**
 * Whether the bytes have this id. Files with other ids are sealed, and verified when they are opened.
 */
export function isBlobOf(id: string, bytes: Uint8Array): boolean {
  return !/^[0-9a-f]{40}$/.test(id) || blobId(bytes) === id
}
