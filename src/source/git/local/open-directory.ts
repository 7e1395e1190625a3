// Directories and files of this machine held by descriptor: on Linux, paths below `/proc/self/fd` lead to what was
// opened, whatever is renamed or linked since.
import { constants, existsSync, opendirSync, type Dir, type Dirent } from 'node:fs'
import { open, readlink, realpath, stat, type FileHandle } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { Rejected, SyncError } from '../../../model/errors.js'
import { showText } from '../../../lib/printable.js'

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK } = constants

/** Linux has paths that lead through a descriptor. Other systems get real paths, each compared with what was opened. */
export const hasDescriptorPaths = existsSync('/proc/self/fd/0')

export class OpenDirectory implements AsyncDisposable {
  readonly handle: FileHandle
  /** Where it was at the moment of opening; for messages and comparisons only. */
  readonly path: string

  private constructor(handle: FileHandle, path: string) {
    this.handle = handle
    this.path = path
  }

  /** Throws `Rejected` for a link or anything else that is no directory, and what the file system says. */
  static async open(path: string): Promise<OpenDirectory> {
    const handle = await openUnlinked(path, O_RDONLY | O_DIRECTORY)
    try {
      return new OpenDirectory(handle, await pathOf(handle, path))
    } catch (error) {
      await handle.close()
      throw error
    }
  }

  /** The path of an entry, which leads through the descriptor where the system can. */
  entry(name: string): string {
    return `${hasDescriptorPaths ? `/proc/self/fd/${this.handle.fd}` : this.path}/${name}`
  }

  directory(name: string): Promise<OpenDirectory> {
    return OpenDirectory.open(this.entry(name))
  }

  /** A regular file, open for reading. Undefined: there is none. */
  async file(name: string): Promise<FileHandle | undefined> {
    const handle = await openUnlinked(this.entry(name), O_RDONLY | O_NONBLOCK).catch(unlessMissing)
    if (handle === undefined || (await handle.stat()).isFile()) return handle
    await handle.close()
    throw notPlain(`${this.path}/${name}`)
  }

  /** The text of a small file, without white space around it. Undefined: there is none. */
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
   * The directories and regular files of a folder in it; none where the folder is missing. Throws `Rejected` for any
   * other entry: git would follow a link, and wait for the writer of a pipe. Calls of the file system block: promises
   * take ten times as long where there are 20,000 folders.
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

/** undefined: there is none. */
function openListing(path: string): Dir | undefined {
  try {
    return opendirSync(path, { bufferSize: 100 })
  } catch (error) {
    return unlessMissing(error)
  }
}

/** Throws `Rejected` where the path has come to lead elsewhere since it was opened. */
async function pathOf(handle: FileHandle, path: string): Promise<string> {
  if (hasDescriptorPaths) return readlink(`/proc/self/fd/${handle.fd}`)
  const real = await realpath(path)
  const [opened, found] = await Promise.all([handle.stat(), stat(real)])
  if (opened.dev === found.dev && opened.ino === found.ino) return real
  throw linkedEntry(path)
}

/** A link is no more followed than it is written through. */
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

/** As people know the path. */
async function shown(path: string): Promise<string> {
  const [, held, rest] = /^(\/proc\/self\/fd\/\d+)\/(.*)$/.exec(path) ?? []
  return held === undefined ? path : `${await readlink(held)}/${rest}`
}

/** Of an open of what may be missing. */
export function unlessMissing(error: unknown): undefined {
  if (error instanceof SyncError || (error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  return undefined
}

function linkedEntry(path: string): Rejected {
  return new Rejected(
    `${showText(path)} is a symbolic link; gitmoor follows none inside a repository on this machine.`,
    {
      code: 'source/linked-repository',
      hint: `Follow a clone that has its own ${showText(basename(path))}: git clone --mirror --no-local REPOSITORY CLONE`,
    },
  )
}

function notPlain(path: string): Rejected {
  return new Rejected(`${showText(path)} is not a regular file.`, {
    code: 'source/linked-repository',
    hint: 'Check the repository with git fsck.',
  })
}
