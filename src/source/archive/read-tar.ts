// Reads a tar archive, plain or compressed with gzip, one piece at a time.
import { once } from 'node:events'
import { createGunzip } from 'node:zlib'
import { extract, type Extract, type Header } from 'tar-stream'
import { SyncError } from '../../model/errors.js'
import { BadArchive, type OnUnpacked, type ArchiveEntry } from './archive-entry.js'

/**
 * Two blocks of zeros end a tar archive. Without them it may be cut between two entries, and missing files would look
 * deleted.
 */
const endBytes = 1024
const pieceBytes = 65_536

/** Throws `BadArchive`, and the errors of `onUnpacked`. */
export async function* readTar(body: Buffer, isGzipped: boolean, onUnpacked: OnUnpacked): AsyncGenerator<ArchiveEntry> {
  const tar = extract()
  void feed(tar, isGzipped ? gunzipped(body) : pieces(body), onUnpacked)
  try {
    for await (const entry of tar) {
      yield toArchiveEntry(entry)
      entry.resume()
    }
  } catch (error) {
    throw asBad(error)
  }
}

/** An error ends the reading of `tar` with that error. */
async function feed(
  tar: Extract,
  chunks: AsyncIterable<Buffer> | Iterable<Buffer>,
  onUnpacked: OnUnpacked,
): Promise<void> {
  let end: Buffer = Buffer.alloc(0)
  try {
    for await (const chunk of chunks) {
      onUnpacked(chunk.length)
      end = Buffer.concat([end, chunk]).subarray(-endBytes)
      if (!tar.write(chunk)) await drained(tar)
      if (tar.destroyed) return
    }
    if (end.length < endBytes || end.some((byte) => byte !== 0))
      throw new BadArchive('has no end mark: it is incomplete, or has extra data')
    tar.end(undefined)
  } catch (error) {
    tar.destroy(error as Error)
  }
}

/** Waits until `tar` accepts data again, or is closed. */
async function drained(tar: Extract): Promise<void> {
  const either = new AbortController()
  const { signal } = either
  await Promise.race([once(tar, 'drain', { signal }), once(tar, 'close', { signal })]).finally(() => either.abort())
}

function* pieces(body: Buffer): Generator<Buffer> {
  for (let at = 0; at < body.length; at += pieceBytes) yield body.subarray(at, at + pieceBytes)
}

async function* gunzipped(body: Buffer): AsyncGenerator<Buffer> {
  const gunzip = createGunzip()
  gunzip.end(body)
  for await (const chunk of gunzip) yield chunk as Buffer
  if (body.subarray(gunzip.bytesWritten).some((byte) => byte !== 0)) throw new BadArchive('has extra data at its end')
}

type Entry = Extract extends AsyncIterable<infer One> ? One : never

function toArchiveEntry(entry: Entry): ArchiveEntry {
  const { header } = entry
  const link = Buffer.from(header.linkname ?? '')
  switch (header.type) {
    case 'file':
    case 'contiguous-file':
      return isSparse(header)
        ? odd(header, 'a sparse file')
        : { name: header.name, kind: 'file', description: 'a file', size: header.size, chunks: readContent(entry) }
    case 'directory':
      return { name: header.name, kind: 'folder', description: 'a folder', size: 0, chunks: [] }
    case 'symlink':
      return { name: header.name, kind: 'link', description: 'a symbolic link', size: link.length, chunks: [link] }
    case 'link':
      return odd(header, 'a hard link')
    case 'fifo':
      return odd(header, 'a pipe')
    case 'character-device':
    case 'block-device':
      return odd(header, 'a device')
    default:
      return odd(header, 'a sparse file, or of an unknown type')
  }
}

/** An unsupported entry. Its description and target replace its content. */
function odd({ name, linkname }: Header, description: string): ArchiveEntry {
  const content = Buffer.from(`${description} ${linkname ?? ''}`)
  return { name, kind: 'other', description, size: content.length, chunks: [content] }
}

/** A sparse file: its bytes are a map of holes and the data between them. */
function isSparse(header: Header): boolean {
  return Object.keys(header.pax ?? {}).some((key) => key.startsWith('GNU.sparse.'))
}

async function* readContent(entry: Entry): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of entry) yield chunk as Buffer
  } catch (error) {
    throw asBad(error)
  }
}

/** Replaces the library's messages, which are about header bytes. */
function asBad(error: unknown): Error {
  if (error instanceof SyncError || error instanceof BadArchive) return error
  return new BadArchive('is incomplete or damaged', { cause: error })
}
