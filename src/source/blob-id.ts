import { createHash } from 'node:crypto'

/** The git blob id of a file with these bytes. */
export function blobId(bytes: Uint8Array): string {
  return createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex')
}

/**
 * Whether the bytes have this id. Files with other ids are sealed, and verified when they are opened.
 */
export function isBlobOf(id: string, bytes: Uint8Array): boolean {
  return !/^[0-9a-f]{40}$/.test(id) || blobId(bytes) === id
}
