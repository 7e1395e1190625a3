// Local directories and files, accessed by descriptor: on Linux, a path below `/proc/self/fd` leads to the opened file,
// even if it was renamed or replaced by a link.
import { constants, existsSync, opendirSync, type Dir, type Dirent } from 'node:fs'
import { open, readlink, realpath, stat, type FileHandle } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { Rejected, SyncError } from '../../../model/errors.js'
import { showText } from '../../../lib/text/printable.js'

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK } = constants

/** Linux has paths through descriptors. Other systems use real paths, each compared with the opened file. */
export const hasDescriptorPaths = existsSync('/proc/self/fd/0')

export class OpenDirectory implements AsyncDisposable {
  readonly handle: FileHandle
  /** The path at the time of opening, for messages and comparisons only. */
  readonly path: string

  private constructor(handle: FileHandle, path: string) {
    this.handle = handle
    this.path = path
  }

  /** Throws `Rejected` for a link or anything else that is not a directory, and file system errors. */
  static async open(path: string): Promise<OpenDirectory> {
    const handle = await openUnlinked(path, O_RDONLY | O_DIRECTORY)
    try {
      return new OpenDirectory(handle, await openedPath(handle, path))
    } catch (error) {
      await handle.close()
      throw error
    }
  }

  /** The path of an entry; through the descriptor if the system supports it. */
  entry(name: string): string {
    return `${hasDescriptorPaths ? `/proc/self/fd/${this.handle.fd}` : this.path}/${name}`
  }

  directory(name: string): Promise<OpenDirectory> {
    return OpenDirectory.open(this.entry(name))
  }

  /** Opens a regular file for reading. Undefined: it does not exist. */
  async file(name: string): Promise<FileHandle | undefined> {
    const handle = await openUnlinked(this.entry(name), O_RDONLY | O_NONBLOCK).catch(unlessMissing)
    if (handle === undefined || (await handle.stat()).isFile()) return handle
    await handle.close()
    throw notPlain(`${this.path}/${name}`)
  }

  /** The trimmed text of a small file. Undefined: it does not exist. */
  async text(name: string, mostBytes = 4096): Promise<string | undefined> {
    const handle = await this.file(name)
    try {
      const { bytesRead, buffer } = (await handle?.read(Buffer.alloc(mostBytes), 0, mostBytes, 0)) ?? {}
      return buffer?.toString('utf8', 0, bytesRead).trim()
    } finally {
      await handle?.close()
    }
  }

  /**
   * The directories and regular files of a folder; none if it does not exist. Throws `Rejected` for other entries: git
   * would follow a link, and wait at a pipe. The calls are synchronous, because promises take ten times longer with
   * 20,000 folders.
   */
  *entries(folder = '.'): Generator<Dirent> {
    const listing = openListing(this.entry(folder))
    try {
      for (let entry = listing?.readSync(); entry != null; entry = listing?.readSync()) {
        if (entry.isSymbolicLink()) throw linkedEntry(join(this.path, folder, entry.name))
        if (!entry.isFile() && !entry.isDirectory()) throw notPlain(join(this.path, folder, entry.name))
        yield entry
      }
    } finally {
      listing?.closeSync()
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.handle.close()
  }
}

/** Undefined: it does not exist. */
function openListing(path: string): Dir | undefined {
  try {
    return opendirSync(path, { bufferSize: 100 })
  } catch (error) {
    return unlessMissing(error)
  }
}

/** Throws `Rejected` if the path leads elsewhere since it was opened. */
async function openedPath(handle: FileHandle, path: string): Promise<string> {
  if (hasDescriptorPaths) return readlink(`/proc/self/fd/${handle.fd}`)
  const real = await realpath(path)
  const [opened, found] = await Promise.all([handle.stat(), stat(real)])
  if (opened.dev === found.dev && opened.ino === found.ino) return real
  throw linkedEntry(path)
}

/** Opens a file without following links. */
async function openUnlinked(path: string, flags: number): Promise<FileHandle> {
  try {
    return await open(path, flags | O_NOFOLLOW)
  } catch (error) {
    if (!(await isLink(path))) throw error
    throw linkedEntry(await shown(path))
  }
}

async function isLink(path: string): Promise<boolean> {
  return readlink(path).then(
    () => true,
    () => false,
  )
}

/** The path as people know it. */
async function shown(path: string): Promise<string> {
  const [, descriptor, rest] = /^(\/proc\/self\/fd\/\d+)\/(.*)$/.exec(path) ?? []
  return descriptor === undefined ? path : `${await readlink(descriptor)}/${rest}`
}

/** Handles the failed open of an optional file: undefined if it does not exist. */
export function unlessMissing(error: unknown): undefined {
  if (error instanceof SyncError || (error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  return undefined
}

function linkedEntry(path: string): Rejected {
  return new Rejected(`${showText(path)} is a symbolic link; gitmoor follows no links inside a local repository.`, {
    code: 'source/linked-repository',
    hint: `Use a clone that has its own ${showText(basename(path))}: git clone --mirror --no-local REPOSITORY CLONE`,
  })
}

function notPlain(path: string): Rejected {
  return new Rejected(`${showText(path)} is not a regular file.`, {
    code: 'source/linked-repository',
    hint: 'Check the repository with git fsck.',
  })
}
