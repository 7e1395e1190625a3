// Moves a tag of a local repository without git, which would run programs from the repository's configuration. Writes
// one object, and one ref under its lock.
import { randomUUID } from 'node:crypto'
import { lstat, mkdir, open, rename, rm, rmdir, type FileHandle } from 'node:fs/promises'
import { deflateSync } from 'node:zlib'
import { faultText } from '../../../lib/text/fault-text.js'
import { Rejected, SyncError, Unavailable } from '../../../model/errors.js'
import { showText } from '../../../lib/text/printable.js'
import type { TagMove } from '../refs/promote-tag.js'
import { unlessMissing, type OpenDirectory } from './open-directory.js'
import { openRepository, type LocalLimits, type LocalRepository } from './local-repository.js'

/**
 * Moves the tag if it is at the expected object. Throws `Rejected`, or `Unavailable` if another process holds the lock
 * of the ref.
 */
export async function moveLocalTag(
  remote: string,
  move: TagMove,
  limits: LocalLimits,
  signal: AbortSignal,
): Promise<void> {
  await using repository = await openRepository(remote, limits, signal)
  const place = { remote, ref: move.ref }
  try {
    const packed = await packedRefs(repository, limits.refsBytes, place)
    await using folder = await openFolder(repository.refs, move.ref.split('/').slice(1, -1))
    await underLock(folder, { move, packed, place }, () => storeObject(repository.objects, move.tag))
  } catch (error) {
    throw error instanceof SyncError ? error : notMoved(place, faultText(error), error)
  }
}

interface TagLocation {
  readonly remote: string
  readonly ref: string
}

interface Locked {
  readonly move: TagMove
  readonly packed: string
  readonly place: TagLocation
}

async function underLock(
  folder: OpenDirectory,
  { move, packed, place }: Locked,
  storeTag: () => Promise<void>,
): Promise<void> {
  const name = move.ref.slice(move.ref.lastIndexOf('/') + 1)
  const lock = folder.entry(`${name}.lock`)
  const file = await open(lock, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'EEXIST' ? locked(place, `${folder.path}/${name}.lock`) : error
  })
  try {
    const at = (await looseRef(folder, name, place)) ?? packedRef(packed, place)
    if (at !== move.from) throw notMoved(place, `it is at ${at ?? 'no commit'} now`)
    await storeTag()
    await finish(file, folder, { text: `${move.tag.id}\n`, mode: 0o666 })
    await replace(lock, folder.entry(name))
  } catch (error) {
    await rm(lock, { force: true })
    throw error
  } finally {
    await file.close()
  }
}

/** An empty directory with the same name is removed; one with refs is in the way. */
async function replace(lock: string, path: string): Promise<void> {
  await rename(lock, path).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EISDIR') throw error
    await rmdir(path)
    await rename(lock, path)
  })
}

/** A directory is not a ref: git leaves empty ones behind. */
async function looseRef(folder: OpenDirectory, name: string, place: TagLocation): Promise<string | undefined> {
  const found = await lstat(folder.entry(name)).catch(unlessMissing)
  if (found === undefined || found.isDirectory()) return undefined
  const text = await folder.text(name)
  if (text !== undefined && /^[0-9a-f]{40}$/.test(text)) return text
  throw notMoved(place, 'it is a symbolic ref, or damaged')
}

/** The content of `packed-refs`: each line has an ID, a space and a name. */
async function packedRefs(
  { packedRefs: file }: LocalRepository,
  refsBytes: number,
  place: TagLocation,
): Promise<string> {
  if (file === undefined) return ''
  const { size } = await file.stat()
  if (size > refsBytes) throw notMoved(place, `packed-refs is larger than ${refsBytes} bytes (limits.refsBytes)`)
  const { bytesRead, buffer } = await file.read(Buffer.alloc(size), 0, size, 0)
  return buffer.toString('latin1', 0, bytesRead)
}

function packedRef(packed: string, place: TagLocation): string | undefined {
  const ref = Buffer.from(place.ref).toString('latin1')
  const steps = ref.split('/')
  const above = steps.slice(3).map((_, at) => steps.slice(0, 3 + at).join('/'))
  const inTheWay = packed.includes(` ${ref}/`) || above.some((one) => packed.includes(` ${one}\n`))
  if (inTheWay) throw notMoved(place, 'another tag is a prefix of its name, or has it as a prefix')
  const end = packed.indexOf(` ${ref}\n`)
  return end < 40 ? undefined : packed.slice(end - 40, end)
}

/** Opens the folder of a ref; creates it if missing. */
async function openFolder(refs: OpenDirectory, names: readonly string[]): Promise<OpenDirectory> {
  let at = await refs.directory('.')
  for (const name of names) {
    await using above = at
    at = await below(above, name)
  }
  return at
}

async function below(above: OpenDirectory, name: string): Promise<OpenDirectory> {
  const isNew = await mkdir(above.entry(name)).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') return false
      throw error
    },
  )
  const folder = await above.directory(name)
  if (isNew) await copyFolderAccess(folder.handle, above, 0o7777)
  return folder
}

async function storeObject(objects: OpenDirectory, { id, bytes }: TagMove['tag']): Promise<void> {
  await using folder = await below(objects, id.slice(0, 2))
  const temporary = folder.entry(`tmp_obj_${randomUUID()}`) // git gc removes it after a crash
  const file = await open(temporary, 'wx', 0o600)
  try {
    await finish(file, folder, {
      text: deflateSync(Buffer.concat([Buffer.from(`tag ${bytes.length}\0`), bytes])),
      mode: 0o444,
    })
    await rename(temporary, folder.entry(id.slice(2)))
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  } finally {
    await file.close()
  }
}

async function finish(
  file: FileHandle,
  folder: OpenDirectory,
  what: { readonly text: string | Buffer; readonly mode: number },
): Promise<void> {
  await file.writeFile(what.text)
  await copyFolderAccess(file, folder, what.mode)
  await file.sync()
}

/**
 * Gives a new file the access of its folder: the same bits for group and others, and the same owner if the agent is
 * root.
 */
async function copyFolderAccess(file: FileHandle, folder: OpenDirectory, mode: number): Promise<void> {
  const like = await folder.handle.stat()
  if (process.geteuid!() === 0) await file.chown(like.uid, like.gid)
  await file.chmod(like.mode & mode)
}

function notMoved({ remote, ref }: TagLocation, why: string, cause?: unknown): Rejected {
  return new Rejected(`Cannot move ${ref} of ${remote}: ${showText(why)}.`, {
    code: 'source/push-refused',
    hint:
      'The tag was not moved. Check the repository with git fsck, and ' +
      'that the user of the agent can write its refs and objects.',
    cause,
  })
}

function locked({ remote, ref }: TagLocation, path: string): Unavailable {
  return new Unavailable(`Cannot move ${ref} of ${remote}: another process is writing it.`, {
    code: 'source/push-refused',
    hint: `Retry. If no git process is running there, remove ${showText(path)}.`,
  })
}
