// A local repository. It is accessed by descriptors, so gitmoor reads exactly what it checked, even if the owner
// replaces files.
import { type FileHandle, readlink, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { faultText } from '../../../lib/text/fault-text.js'
import { Rejected, SyncError, Unavailable } from '../../../model/errors.js'
import { showText } from '../../../lib/text/printable.js'
import { allowedDirectory, allowedAbove, type AllowedDirectories } from '../../allowed-directory.js'
import { otherFormat } from '../protocol/protocol.js'
import { checkEntries, checkLooseObjects, checkRefs } from './check-entries.js'
import { OpenDirectory, unlessMissing } from './open-directory.js'

export interface LocalLimits {
  readonly allow: AllowedDirectories
  /** limits.refsBytes, for all loose refs, and for packed refs that are read here. */
  readonly refsBytes: number
}

export interface LocalRepository extends AsyncDisposable {
  /** The content of HEAD. */
  readonly head: string
  readonly objects: OpenDirectory
  readonly packs: OpenDirectory
  readonly refs: OpenDirectory
  readonly packedRefs: FileHandle | undefined
  readonly shallow: FileHandle | undefined
}

/** Git reads no more of HEAD either. */
const headBytes = 256
const configBytes = 64 * 1024
/** The user ID that Linux shows in a user namespace for an unmapped user. */
const unmappedOwner = 65_534

/**
 * Opens the repository at a `file:` address: the directory itself if it is bare, else its `.git`. A `.git` that leads
 * elsewhere is followed and checked in the same way. Throws `Rejected` if the path is not allowed, belongs to another
 * user, borrows objects, or contains links or pipes.
 */
export async function openRepository(
  remote: string,
  limits: LocalLimits,
  signal: AbortSignal,
): Promise<LocalRepository> {
  const opened: AsyncDisposable[] = []
  const close = async (): Promise<void> => {
    for (const one of opened) await one[Symbol.asyncDispose]()
  }
  const register = <T extends AsyncDisposable | undefined>(one: T): T => {
    if (one !== undefined) opened.push(one)
    return one
  }
  try {
    return { ...(await openParts(remote, limits, { register, signal })), [Symbol.asyncDispose]: close }
  } catch (error) {
    await close()
    throw error instanceof SyncError || signal.aborted ? error : notOpened(fileURLToPath(remote), error)
  }
}

type Register = <T extends AsyncDisposable | undefined>(one: T) => T

async function openParts(
  remote: string,
  limits: LocalLimits,
  { register, signal }: { readonly register: Register; readonly signal: AbortSignal },
): Promise<Omit<LocalRepository, keyof AsyncDisposable>> {
  const { allow, refsBytes } = limits
  const top = register(await openAllowed(fileURLToPath(remote), allow))
  const directory = await gitDirectory(top, allow, register)
  const common = await commonDirectory(directory, allow, register)
  const head = await readHead(directory)
  if (head === undefined) throw notFound(top.path)
  await refuseOtherFormats(remote, head, common)
  const objects = register(await common.directory('objects'))
  const packs = register(await objects.directory('pack'))
  const refs = register(await common.directory('refs'))
  for (const one of [directory, common, objects, packs, refs]) await refuseOtherOwner(one, allow)
  for (const one of [objects, packs]) await checkEntries(one, signal)
  await checkLooseObjects(objects, signal)
  await checkRefs(refs, refsBytes, signal)
  await refuseAlternates(objects, top.path)
  return {
    head,
    objects,
    packs,
    refs,
    packedRefs: register(await common.file('packed-refs')),
    shallow: register(await common.file('shallow')),
  }
}

/** Checks the path again after opening, because a link could have been inserted in between. */
async function openAllowed(path: string, allow: AllowedDirectories): Promise<OpenDirectory> {
  const opened = await OpenDirectory.open(allowedDirectory(path, allow))
  try {
    allowedDirectory(opened.path, allow)
    return opened
  } catch (error) {
    await opened[Symbol.asyncDispose]()
    throw error
  }
}

async function gitDirectory(top: OpenDirectory, allow: AllowedDirectories, register: Register): Promise<OpenDirectory> {
  const inside = top.entry('.git')
  const link = await readlink(inside).catch(() => undefined)
  if (link !== undefined) return register(await openAllowed(resolve(top.path, link), allow))
  const found = await stat(inside).catch(unlessMissing)
  if (found === undefined) return top
  if (found.isDirectory()) return register(await top.directory('.git'))
  const [, path] = /^gitdir: (.+)$/s.exec((await top.text('.git')) ?? '') ?? []
  if (path === undefined) throw notFound(top.path)
  return register(await openAllowed(resolve(top.path, path), allow))
}

/** In a linked work tree: the directory of everything except HEAD. */
async function commonDirectory(
  directory: OpenDirectory,
  allow: AllowedDirectories,
  register: Register,
): Promise<OpenDirectory> {
  const path = await directory.text('commondir')
  return path === undefined ? directory : register(await openAllowed(resolve(directory.path, path), allow))
}

/** Old versions of git write HEAD as a link to the branch. */
async function readHead(directory: OpenDirectory): Promise<string | undefined> {
  const link = await readlink(directory.entry('HEAD')).catch(() => '')
  const head = link.startsWith('refs/') ? `ref: ${link}` : await directory.text('HEAD', headBytes)
  return head !== undefined && /^(?:ref: refs\/[^\0\n]+|[0-9a-f]{40}|[0-9a-f]{64})$/.test(head) ? head : undefined
}

/** Reads the configuration as text, only to detect the formats. Git never reads it. */
async function refuseOtherFormats(remote: string, head: string, common: OpenDirectory): Promise<void> {
  const isSha256 = /^\s*objectformat\s*=\s*"?sha256/im.test((await common.text('config', configBytes)) ?? '')
  if (isSha256 || head.length === 64) throw otherFormat(remote, 'sha256')
  if (head !== 'ref: refs/heads/.invalid') return
  throw new Rejected(`${showText(common.path)} uses the reftable format; gitmoor supports only refs in files.`, {
    code: 'source/ref-format',
    hint: 'Convert it: git refs migrate --ref-format=files',
  })
}

async function refuseOtherOwner({ handle, path }: OpenDirectory, allow: AllowedDirectories): Promise<void> {
  const { uid } = await handle.stat()
  const own = process.geteuid!()
  const entries = allowedAbove(path, allow)
  if (uid === own || uid === 0 || entries.some(({ owner }) => owner === uid)) return
  throw new Rejected(`${showText(path)} belongs to user ${uid}; gitmoor runs as user ${own}.`, {
    code: 'source/other-owner',
    hint:
      uid === unmappedOwner
        ? 'The agent cannot see which user this is. Disable PrivateUsers in its systemd unit.'
        : 'Check that this user may decide what the stacks deploy. Then add the user to the configuration file: ' +
          `allow: {directories: [{path: '${entries[0]?.path}', owner: ${uid}}]}`,
  })
}

async function refuseAlternates(objects: OpenDirectory, path: string): Promise<void> {
  const info = await objects.directory('info').catch(unlessMissing)
  try {
    if (((await info?.text('alternates')) ?? '') === '' && ((await info?.text('http-alternates')) ?? '') === '') return
  } finally {
    await info?.[Symbol.asyncDispose]()
  }
  throw new Rejected(`${showText(path)} borrows objects from another repository (objects/info/alternates).`, {
    code: 'source/borrowed-objects',
    hint: `Use a clone that has all its objects: git clone --mirror --no-local ${showText(path)} CLONE`,
  })
}

const absent = new Set(['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM'])

function notOpened(path: string, error: unknown): SyncError {
  const { code = '' } = error as NodeJS.ErrnoException
  if (absent.has(code)) return notFound(path, error)
  return new Unavailable(`Cannot read ${showText(path)}: ${faultText(error)}.`, {
    code: 'source/directory-unreadable',
    hint: 'Check that the user of the agent has read access.',
    cause: error,
  })
}

function notFound(path: string, cause?: unknown): Rejected {
  return new Rejected(`There is no git repository at ${showText(path)}.`, {
    code: 'source/not-found',
    hint: 'Check the path, and that the user of the agent has read access.',
    cause,
  })
}
