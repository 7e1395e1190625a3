// The package files of a local folder, read by the rules of git trees: links are not followed, and unsafe names are
// rejected.
import { faultText } from '../../lib/text/fault-text.js'
import { compareUtf8 } from '../../lib/text/compare-text.js'
import { Slices } from '../../lib/async/steps.js'
import { randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { lstat, open, readdir, readlink, realpath, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { Rejected, Unavailable } from '../../model/errors.js'
import { typeName, type FileType } from '../../lib/file-type.js'
import { showText } from '../../lib/text/printable.js'
import { blobId } from '../blob-id.js'
import { nextDepth, refusePointer, refuseSize, symbolicLink, tooManyFiles, walkedPerFile } from '../tree/read-files.js'
import type { SourceFile, SourceLimits } from '../source.js'
import { refuseUnsafe } from '../file-names.js'

/** Never read or watched: not part of any package. */
export const skippedFolders: readonly string[] = ['.git', 'node_modules']

export interface WalkOptions {
  /** The real path of the folder. */
  readonly directory: string
  readonly includes: (path: string) => boolean
  readonly limits: SourceLimits
}

/**
 * The paths of included files below a folder, in byte order. Throws `Rejected` for unsafe names and over limits,
 * `Unavailable` if it cannot be read.
 */
export async function walkDirectory(
  { directory, includes, limits }: WalkOptions,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const found: string[] = []
  const open = [{ folder: '', depth: 0 }]
  const slices = new Slices(signal)
  let walked = 0
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    signal.throwIfAborted()
    const entries = (await listFolder(directory, at.folder)).filter(({ name }) => !skippedFolders.includes(name))
    refuseUnsafe(entries, at.folder)
    walked += entries.length
    if (walked > limits.files * walkedPerFile)
      throw tooManyFiles(directory, `${limits.files * walkedPerFile} entries (20 times limits.files)`)
    for (const entry of entries) {
      await slices.afterStep()
      const path = at.folder + entry.name
      if (entry.isDirectory() && !entry.name.startsWith('.'))
        open.push({ folder: `${path}/`, depth: nextDepth(at.depth, path, limits) })
      if (entry.isDirectory() || !includes(path)) continue
      if (!entry.isFile()) throw irregular(path, entry)
      found.push(path)
    }
    if (found.length > limits.files) throw tooManyFiles(directory, `${limits.files} files (limits.files)`)
  }
  return found.sort(compareUtf8)
}

/** A stamp that changes with the file, and the file's ID. */
export interface StampedFile {
  readonly stamp: string
  readonly id: string
  readonly bytes: number
}

/** The current stamp. `known` is returned, and nothing is read, if its stamp still matches. */
export async function stampFile(
  directory: string,
  path: string,
  known: StampedFile | undefined,
  limits: SourceLimits,
): Promise<StampedFile> {
  const stamp = await fileStamp(join(directory, path), path)
  if (known?.stamp === stamp) return known
  const { id, bytes } = await readFileAt(directory, path, limits)
  return { stamp, id, bytes: bytes.length }
}

/** Reads one file. Throws `Rejected` over `limits.fileBytes` and for a link, `Unavailable` if it changes meanwhile. */
export async function readFileAt(directory: string, path: string, limits: SourceLimits): Promise<SourceFile> {
  await using opened = await openFile(directory, path)
  const bytes = await readWhole(opened.handle, path, limits)
  refusePointer(path, bytes)
  return { path, id: blobId(bytes), bytes }
}

async function listFolder(directory: string, folder: string): ReturnType<typeof readEntries> {
  try {
    return await readEntries(join(directory, folder))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (folder === '' && code === 'ENOENT') throw vanished(directory)
    throw unreadable(join(directory, folder), error)
  }
}

function readEntries(path: string) {
  return readdir(path, { withFileTypes: true })
}

interface Opened extends AsyncDisposable {
  readonly handle: FileHandle
}

/** Opens a file without following links in its path: it could have been replaced since it was listed. */
async function openFile(directory: string, path: string): Promise<Opened> {
  const whole = join(directory, path)
  try {
    const handle = await open(whole, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    const opened = { handle, [Symbol.asyncDispose]: () => handle.close() }
    if ((await openedPath(handle, whole)) === whole) return opened
    await handle.close()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ELOOP') throw unreadable(whole, error)
  }
  throw symbolicLink(path)
}

/**
 * The real path of the open file. The path itself may lead elsewhere, because a folder may have been a link for a
 * moment.
 */
function openedPath({ fd }: FileHandle, path: string): Promise<string> {
  return readlink(`/proc/self/fd/${fd}`).catch(() => realpath(path)) // systems without /proc
}

/**
 * A change within one tick of the file system's clock is invisible. So a file that just changed is read again next
 * time.
 */
const freshMs = 100n

async function fileStamp(whole: string, path: string): Promise<string> {
  const stat = await lstat(whole, { bigint: true }).catch((error: unknown) => {
    throw unreadable(whole, error)
  })
  if (!stat.isFile()) throw irregular(path, stat)
  // Stamps use the system clock, even if the agent uses another one.
  const isFresh = BigInt(Date.now()) - stat.ctimeMs < freshMs
  return [isFresh ? randomUUID() : '', stat.dev, stat.ino, stat.size, stat.mtimeNs, stat.ctimeNs].join(' ')
}

async function readWhole(handle: FileHandle, path: string, limits: SourceLimits): Promise<Buffer> {
  const stat = await handle.stat()
  if (!stat.isFile()) throw irregular(path, stat)
  refuseSize(path, stat.size, 0, limits)
  const buffer = Buffer.alloc(stat.size + 1)
  let length = 0
  for (let bytesRead = -1; bytesRead !== 0 && length < buffer.length; length += bytesRead)
    ({ bytesRead } = await handle.read(buffer, length, buffer.length - length, length))
  if (length !== stat.size) throw changed(path)
  return buffer.subarray(0, length)
}

function vanished(directory: string): Unavailable {
  return new Unavailable(`The directory ${showText(directory)} does not exist.`, {
    code: 'source/directory-missing',
    hint: 'Restore the directory. Until then, applied resources stay as they are.',
  })
}

function irregular(path: string, type: FileType): Rejected {
  if (type.isSymbolicLink()) return symbolicLink(path)
  return new Rejected(`"${showText(path)}" is a ${typeName(type)}: gitmoor reads only regular files.`, {
    code: 'source/irregular-file',
    path: showText(path),
    hint: 'Replace it with a regular file, or list it in .gitmoorignore.',
  })
}

function changed(path: string): Unavailable {
  return new Unavailable(`"${showText(path)}" changed while it was read.`, {
    code: 'source/changed-meanwhile',
  })
}

function unreadable(path: string, cause: unknown): Unavailable {
  if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return changed(path)
  return new Unavailable(`Cannot read ${showText(path)}: ${faultText(cause)}.`, {
    code: 'source/directory-unreadable',
    hint: 'Check that the user of the agent has read access.',
    cause,
  })
}
