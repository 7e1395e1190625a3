// archive: a tar or zip archive in memory. Takes its bytes; gives a listing, and the files below a path. Promises:
// nothing is written to disk, links are not followed, and the unpacked size is limited.
import { createHash } from 'node:crypto'
import { Rejected } from '../../model/errors.js'
import { showText } from '../../lib/text/printable.js'
import { packLimits } from '../git/pack/pack-limits.js'
import { findEntry, readFiles, refuseSize, symbolicLink, tooManyFiles, walkedPerFile } from '../tree/read-files.js'
import type { SourceFile, SourceLimits } from '../source.js'
import type { ArchiveFormat } from './archive-format.js'
import { ArchiveTree } from './archive-tree.js'
import { entryNames, unsafeEntry } from './entry-path.js'
import { BadArchive, type ArchiveEntry } from './archive-entry.js'
import { readTar } from './read-tar.js'
import { readZip } from './read-zip.js'

/** `shown`: its address, for messages. */
export interface Archive {
  readonly body: Buffer
  readonly format: ArchiveFormat
  readonly shown: string
  readonly limits: SourceLimits
}

/**
 * The most unpacked bytes: for each byte of the archive, and as a minimum. `limits.packBytes` limits it too, as for
 * git.
 */
export const mostRatio = 200
const freeBytes = 1024 * 1024

/** The contents of an archive, without its bytes. */
export interface ArchiveListing {
  /**
   * The ID of a path, equal only for the same names and contents; undefined: nothing is there. Throws `Rejected` for a
   * symbolic link, or for `*` if there is not exactly one folder.
   */
  contentAt(path: string): Promise<string | undefined>
}

/** Throws `Rejected` for an invalid archive. */
export async function listArchive(archive: Archive, signal: AbortSignal): Promise<ArchiveListing> {
  const tree = await unpack(archive, () => false, signal)
  const reader = tree.reader()
  const { shown } = archive
  return { contentAt: async (path) => (await findEntry(reader, '', wholePath(shown, tree, path)))?.id }
}

/**
 * The included files at or below a path. A first segment `*` means the only top-level folder. Throws `Rejected`.
 */
export async function filesOfArchive(
  archive: Archive,
  path: string,
  includes: (path: string) => boolean,
  signal: AbortSignal,
): Promise<readonly SourceFile[]> {
  const { limits, shown } = archive
  const tree = await unpack(archive, (names) => isIncluded(names, path, includes), signal)
  const whole = wholePath(shown, tree, path)
  const reader = tree.reader()
  if ((await findEntry(reader, '', whole)) === undefined) throw pathMissing(shown, whole)
  return readFiles(reader, { remote: shown, commit: '', path: whole, includes, limits }, signal)
}

/** Whether an entry is at or below the path, and included. */
function isIncluded(names: readonly string[], path: string, includes: (path: string) => boolean): boolean {
  const top = path === '' ? [] : path.split('/')
  if (!top.every((name, at) => name === names[at] || (at === 0 && name === '*'))) return false
  return includes(names.length === top.length ? names.at(-1)! : names.slice(top.length).join('/'))
}

function wholePath(shown: string, tree: ArchiveTree, path: string): string {
  const [first, ...rest] = path.split('/')
  if (first !== '*') return path
  const [only, ...others] = tree.folders
  if (only !== undefined && others.length === 0) return [only, ...rest].join('/')
  const names = tree.folders.slice(0, 5).map((name) => `"${showText(name)}"`)
  const more = tree.folders.length > 5 ? ', …' : ''
  const folders = only === undefined ? 'no folder' : `the folders ${names.join(', ')}${more}`
  throw new Rejected(`${shown} has ${folders} at its top: "*" needs exactly one.`, {
    code: 'source/path-missing',
    hint: 'Replace the * with the name of the folder.',
  })
}

/**
 * Reads the whole archive, so that a missing end is detected. `keep` selects the entries whose bytes are kept, by their
 * names.
 */
async function unpack(
  archive: Archive,
  keep: (names: readonly string[]) => boolean,
  signal: AbortSignal,
): Promise<ArchiveTree> {
  const tree = new ArchiveTree()
  const mostEntries = archive.limits.files * walkedPerFile
  let entries = 0
  let keptBytes = 0
  try {
    for await (const packed of readEntries(archive, mostEntries)) {
      signal.throwIfAborted()
      if (++entries > mostEntries)
        throw tooManyFiles('', `${mostEntries} entries (${walkedPerFile} times limits.files) in ${archive.shown}`)
      keptBytes += await add(tree, packed, { archive, keep, keptBytes })
    }
  } catch (error) {
    throw error instanceof BadArchive ? badArchive(archive, error) : error
  }
  return tree
}

function readEntries({ body, format, shown, limits }: Archive, mostEntries: number): AsyncGenerator<ArchiveEntry> {
  const most = Math.min(packLimits.unpackedPerPacked * limits.packBytes, Math.max(freeBytes, mostRatio * body.length))
  let bytes = 0
  const onUnpacked = (more: number): void => {
    bytes += more
    if (bytes > most) throw unpacksToTooMuch(shown, most)
  }
  return format === 'zip' ? readZip(body, mostEntries, onUnpacked) : readTar(body, format === 'tar.gz', onUnpacked)
}

interface Adding {
  readonly archive: Archive
  readonly keep: (names: readonly string[]) => boolean
  readonly keptBytes: number
}

/** Returns the number of kept bytes. */
async function add(tree: ArchiveTree, packed: ArchiveEntry, { archive, keep, keptBytes }: Adding): Promise<number> {
  const { shown, limits } = archive
  const names = entryNames(packed.name, shown)
  const path = names.join('/')
  if (packed.kind === 'folder') {
    if (!tree.addFolder(names)) throw unsafeEntry(path, 'is a folder and something else', shown)
    return 0
  }
  const isKept = keep(names)
  if (isKept) refuseOdd(packed, path, shown)
  const hash = createHash('sha1').update(`blob ${packed.size}\0`)
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of packed.chunks) {
    size += chunk.length
    if (isKept) refuseSize(path, size, keptBytes + size, limits)
    hash.update(chunk)
    if (isKept) chunks.push(chunk)
  }
  const leaf = { kind: packed.kind === 'file' ? 'file' : 'link', id: hash.digest('hex'), size } as const
  if (!tree.addLeaf(names, isKept ? { ...leaf, bytes: Buffer.concat(chunks) } : leaf))
    throw unsafeEntry(path, 'is there twice', shown)
  return isKept ? size : 0
}

/** An included entry must be a file. Other entries are skipped, as in git. */
function refuseOdd({ kind, description }: ArchiveEntry, path: string, shown: string): void {
  if (kind === 'link') throw symbolicLink(path)
  if (kind === 'other') throw unsafeEntry(path, `is ${description}`, shown)
}

function badArchive({ shown, format }: Archive, { message, cause }: BadArchive): Rejected {
  return new Rejected(`${shown} is not a valid ${format} archive: it ${message}.`, {
    code: 'source/bad-archive',
    hint: 'Recreate the archive, and check its upload. Applied resources stay unchanged.',
    cause,
  })
}

function unpacksToTooMuch(shown: string, most: number): Rejected {
  return new Rejected(`${shown} unpacks to more than ${most} bytes.`, {
    code: 'source/archive-too-large',
    hint:
      `At most ${mostRatio} times its own size, and ${packLimits.unpackedPerPacked} times limits.packBytes, are ` +
      'unpacked. Put only the package into the archive.',
  })
}

function pathMissing(shown: string, path: string): Rejected {
  return new Rejected(`There is no "${showText(path)}" in ${shown}.`, {
    code: 'source/path-missing',
    path: showText(path),
    hint:
      'Check the path of the stack. It starts at the top of the archive; * means its only folder. ' +
      'Applied resources stay unchanged.',
  })
}
