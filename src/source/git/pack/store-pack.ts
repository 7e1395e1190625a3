import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'
import { Rejected } from '../../../model/errors.js'
import { truncated, damaged } from '../protocol/packets.js'

const CHECKSUM_BYTES = 20

/**
 * Writes a pack to a file as it arrives, at most `packBytes`, and checks the SHA-1 in its last 20 bytes. Returns the
 * checksum in hexadecimal. Throws `Rejected` over the limit, `Unavailable` if the checksum differs.
 */
export async function storePack(
  chunks: AsyncIterable<Buffer>,
  file: string,
  { remote, packBytes }: { readonly remote: string; readonly packBytes: number },
): Promise<string> {
  await using handle = await openFile(file)
  const hash = createHash('sha1')
  let tail: Buffer = Buffer.alloc(0)
  let bytes = 0
  for await (const chunk of chunks) {
    bytes += chunk.length
    if (bytes > packBytes) throw tooLarge(remote, packBytes)
    await handle.file.writeFile(chunk)
    const all = Buffer.concat([tail, chunk])
    const end = Math.max(0, all.length - CHECKSUM_BYTES)
    hash.update(all.subarray(0, end))
    tail = Buffer.from(all.subarray(end))
  }
  if (bytes < 12 + CHECKSUM_BYTES) throw truncated(remote)
  const sum = hash.digest()
  if (!sum.equals(tail)) throw damaged(remote)
  return sum.toString('hex')
}

async function openFile(path: string): Promise<AsyncDisposable & { readonly file: Awaited<ReturnType<typeof open>> }> {
  const file = await open(path, 'wx', 0o600)
  return { file, [Symbol.asyncDispose]: () => file.close() }
}

function tooLarge(remote: string, packBytes: number): Rejected {
  return new Rejected(
    `The pack that ${remote} sent for this commit is larger than ${packBytes} bytes (limits.packBytes).`,
    {
      code: 'source/pack-too-large',
      hint:
        'Move the package to a smaller repository, or raise limits.packBytes. ' +
        'A server sends all files of a commit, also those outside the path.',
    },
  )
}
