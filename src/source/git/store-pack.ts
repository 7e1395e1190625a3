import { createHash } from 'node:crypto'
import { closeSync, openSync, writeSync } from 'node:fs'
import { Rejected } from '../../model/errors.js'
import { cutShort, damaged } from './packets.js'

const CHECKSUM_BYTES = 20

/**
 * Writes a pack to a file as it comes, at most `packBytes`, its SHA-1 running; the last 20 bytes must be that sum. Gives the sum in hexadecimal.
 * Throws `Rejected` past the limit, `Unavailable` for what is not the pack that was sent.
 * Each chunk is on its way to the disk before the next one is read, so no more than a chunk is in memory however fast the server sends.
 */
export async function storePack(
  chunks: AsyncIterable<Buffer>,
  file: string,
  { remote, packBytes }: { readonly remote: string; readonly packBytes: number },
): Promise<string> {
  using handle = openFile(file)
  const hash = createHash('sha1')
  let tail: Buffer = Buffer.alloc(0)
  let bytes = 0
  for await (const chunk of chunks) {
    bytes += chunk.length
    if (bytes > packBytes) throw tooLarge(remote, packBytes)
    for (let at = 0; at < chunk.length;) at += writeSync(handle.file, chunk, at)
    const all = Buffer.concat([tail, chunk])
    const end = Math.max(0, all.length - CHECKSUM_BYTES)
    hash.update(all.subarray(0, end))
    tail = Buffer.from(all.subarray(end))
  }
  if (bytes < 12 + CHECKSUM_BYTES) throw cutShort(remote)
  const sum = hash.digest()
  if (!sum.equals(tail)) throw damaged(remote)
  return sum.toString('hex')
}

function openFile(path: string): Disposable & { readonly file: number } {
  const file = openSync(path, 'wx', 0o600)
  return { file, [Symbol.dispose]: () => closeSync(file) }
}

function tooLarge(remote: string, packBytes: number): Rejected {
  return new Rejected(`What ${remote} sends for this commit is larger than ${packBytes} bytes (limits.packBytes).`, {
    code: 'source/pack-too-large',
    hint: 'Keep the package in a smaller repository, or raise limits.packBytes: what a server sends for one commit is all its files, whatever the path.',
  })
}
