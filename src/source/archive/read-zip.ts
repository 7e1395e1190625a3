// Reads a zip archive. Its directory is read first and compared with the entries; only then are they unpacked.
import { promisify } from 'node:util'
import { crc32, inflateRaw } from 'node:zlib'
import { fromBufferPromise, getFileNameLowLevel, type Entry, type ZipFile } from 'yauzl'
import { SyncError } from '../../model/errors.js'
import { showText } from '../../lib/text/printable.js'
import { BadArchive, type OnUnpacked, type ArchiveEntry } from './archive-entry.js'

const inflate = promisify(inflateRaw)

const stored = 0
const deflated = 8

/** An entry and the location of its bytes. */
interface LocatedEntry {
  readonly entry: Entry
  readonly name: string
  readonly start: number
  readonly dataStart: number
  readonly end: number
}

/** Throws `BadArchive`, and the errors of `onUnpacked`. Lists at most one entry more than `mostEntries`. */
export async function* readZip(
  body: Buffer,
  mostEntries: number,
  onUnpacked: OnUnpacked,
): AsyncGenerator<ArchiveEntry> {
  try {
    const listed = await listEntries(body, mostEntries)
    for (const one of listed) onUnpacked(one.entry.uncompressedSize)
    for (const one of listed) yield toArchiveEntry(body, one)
  } catch (error) {
    if (error instanceof SyncError || error instanceof BadArchive) throw error
    throw new BadArchive('is incomplete or damaged', { cause: error })
  }
}

async function listEntries(body: Buffer, mostEntries: number): Promise<readonly LocatedEntry[]> {
  const zip = await fromBufferPromise(body, { decodeStrings: false })
  const directoryStart = (zip as unknown as { readonly readEntryCursor: number }).readEntryCursor
  const listed: LocatedEntry[] = []
  for await (const entry of zip.eachEntry()) {
    listed.push(await locate(zip, entry))
    if (listed.length > mostEntries) return listed
  }
  refuseHidden(body, (zip as unknown as { readonly readEntryCursor: number }).readEntryCursor)
  refuseOverlaps(listed, directoryStart)
  return listed
}

async function locate(zip: ZipFile, entry: Entry): Promise<LocatedEntry> {
  const name = entryName(entry)
  if (entry.isEncrypted()) throw new BadArchive(`contains the encrypted entry "${showText(name)}"`)
  if (![stored, deflated].includes(entry.compressionMethod))
    throw new BadArchive(
      `contains "${showText(name)}" with an unsupported compression method (${entry.compressionMethod})`,
    )
  const header = await zip.readLocalFileHeaderPromise(entry)
  if (!header.fileName.equals(entry.fileNameRaw))
    throw new BadArchive(`has two different names for "${showText(name)}"`)
  const dataStart = header.fileDataStart
  return { entry, name, start: entry.relativeOffsetOfLocalHeader, dataStart, end: dataStart + entry.compressedSize }
}

/** The name in UTF-8 or in the original PC character set, depending on a flag. */
function entryName({ generalPurposeBitFlag, fileNameRaw, extraFields }: Entry): string {
  return getFileNameLowLevel(generalPurposeBitFlag, fileNameRaw, extraFields, true)
}

/** Checks that the directory contains exactly the announced entries. */
function refuseHidden(body: Buffer, at: number): void {
  const mark = at + 4 <= body.length ? body.readUInt32LE(at) : 0
  if (mark !== 0x06054b50 && mark !== 0x06064b50) throw new BadArchive('has an inconsistent directory')
}

/** Rejects entries that share bytes, by which a small archive could unpack to a large one. */
function refuseOverlaps(listed: readonly LocatedEntry[], directoryStart: number): void {
  const sorted = [...listed].sort((a, b) => a.start - b.start)
  for (const [index, { name, end }] of sorted.entries())
    if (end > (sorted[index + 1]?.start ?? directoryStart))
      throw new BadArchive(`has an inconsistent directory entry for "${showText(name)}"`)
}

const fileType = 0o170_000
const sorts: Readonly<Record<number, Pick<ArchiveEntry, 'kind' | 'description'>>> = {
  0: { kind: 'file', description: 'a file' },
  0o100_000: { kind: 'file', description: 'a file' },
  0o040_000: { kind: 'folder', description: 'a folder' },
  0o120_000: { kind: 'link', description: 'a symbolic link' },
  0o010_000: { kind: 'other', description: 'a pipe' },
  0o060_000: { kind: 'other', description: 'a device' },
  0o020_000: { kind: 'other', description: 'a device' },
}

function toArchiveEntry(body: Buffer, listed: LocatedEntry): ArchiveEntry {
  const { name, entry } = listed
  if (name.endsWith('/')) return { name, kind: 'folder', description: 'a folder', size: 0, chunks: [] }
  const isUnix = [3, 19].includes(entry.versionMadeBy >>> 8)
  const sort = sorts[isUnix ? (entry.externalFileAttributes >>> 16) & fileType : 0] ?? {
    kind: 'other',
    description: 'of an unknown type',
  }
  return { name, ...sort, size: entry.uncompressedSize, chunks: readContent(body, listed) }
}

async function* readContent(body: Buffer, { entry, name, dataStart, end }: LocatedEntry): AsyncGenerator<Uint8Array> {
  const packed = body.subarray(dataStart, end)
  const bytes = entry.compressionMethod === stored ? packed : await unpack(packed, entry.uncompressedSize, name)
  if (bytes.length !== entry.uncompressedSize || crc32(bytes) !== entry.crc32) throw damaged(name)
  yield bytes
}

/** Unpacks at most the size in the directory. */
async function unpack(packed: Buffer, size: number, name: string): Promise<Buffer> {
  return inflate(packed, { maxOutputLength: Math.max(1, size) }).catch(() => {
    throw damaged(name)
  })
}

function damaged(name: string): BadArchive {
  return new BadArchive(`contains "${showText(name)}", which is damaged or larger than announced`)
}
