import { createHash } from 'node:crypto'

/** The id that git gives to a file with these bytes. */
export function blobId(bytes: Uint8Array): string {
  return createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex')
}

/**
 * Whether bytes are the ones with this id. Other sorts of ids say nothing of the bytes: what has one is sealed and
 * verified when it is opened.
 */
export function isBlobOf(id: string, bytes: Uint8Array): boolean {
  return !/^[0-9a-f]{40}$/.test(id) || blobId(bytes) === id
}
