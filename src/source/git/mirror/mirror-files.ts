// The files of a mirror: `objects/pack/pack-<sha1>.{pack,idx}`, `commits/<id>` (the empty mark of a commit), `remote`
// (its address), and `incoming-<uuid>.{pack,idx}` while a pack arrives.
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isFolder, sweepFolder } from '../../sweep-folder.js'

/** Readable content: marked commits, and packs with an index. */
export interface MirrorFiles {
  readonly commits: readonly string[]
  /** Paths that end in .pack. */
  readonly packs: readonly string[]
}

const addressFile = 'remote'
/** The name of the folder of a mirror. */
const mirrorName = /^[0-9a-f]{32}$/

/** Writes the address of the mirror, unless it is there. Without it, the mirror is only kept longer than needed. */
export async function writeAddress(directory: string, remote: string): Promise<void> {
  const path = join(directory, addressFile)
  if ((await addressIn(directory)) !== remote) await writeFile(path, remote, { mode: 0o600 }).catch(() => {})
}

/** The names of the folders below `directory` with mirrors of these remotes, and of those without an address. */
export async function mirrorsOf(remotes: ReadonlySet<string>, directory: string): Promise<readonly string[]> {
  const found: string[] = []
  for (const name of await readdir(directory).catch(() => [])) {
    const remote = mirrorName.test(name) ? await addressIn(join(directory, name)) : undefined
    if (remote === '' || (remote !== undefined && remotes.has(remote))) found.push(name)
  }
  return found
}

/** '': it is not known. */
function addressIn(directory: string): Promise<string> {
  return readFile(join(directory, addressFile), 'utf8').catch(() => '')
}

export function packFolder(directory: string): string {
  return join(directory, 'objects', 'pack')
}

function markFolder(directory: string): string {
  return join(directory, 'commits')
}

export function markPath(directory: string, commit: string): string {
  return join(markFolder(directory), commit)
}

export function indexPath(pack: string): string {
  return pack.replace(/pack$/, 'idx')
}

/** Creates missing folders. Throws file system errors. */
export async function makeFolders(directory: string): Promise<void> {
  await mkdir(packFolder(directory), { recursive: true, mode: 0o700 })
  await mkdir(markFolder(directory), { recursive: true, mode: 0o700 })
}

/**
 * Finds commits and packs, and removes everything else: incomplete packs of ended processes, and files in place of
 * folders.
 */
export async function openFiles(directory: string): Promise<MirrorFiles> {
  const folders = [directory, join(directory, 'objects'), packFolder(directory), markFolder(directory)]
  await removeStrays(folders)
  await makeFolders(directory)
  const found = await filesIn(packFolder(directory))
  const packs = found.filter((name) => name.endsWith('.pack') && found.includes(indexPath(name)))
  const commits = (await filesIn(markFolder(directory))).filter((name) => /^[0-9a-f]{40}$/.test(name))
  const whole = new Set(packs.flatMap((name) => [name, indexPath(name)]))
  await sweepFolder(directory, (name) => name === 'objects' || name === 'commits' || name === addressFile)
  await sweepFolder(packFolder(directory), (name) => whole.has(name))
  await sweepFolder(markFolder(directory), (name) => commits.includes(name))
  return { commits, packs: packs.map((name) => join(packFolder(directory), name)) }
}

/** Removes files and links in place of folders. The content of a linked folder belongs to somebody else. */
async function removeStrays(folders: readonly string[]): Promise<void> {
  for (const folder of folders) if (!(await isFolder(folder))) await rm(folder, { force: true })
}

async function filesIn(directory: string): Promise<readonly string[]> {
  const entries = await readdir(directory, { withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name)
}

export async function removePacks(packs: readonly string[]): Promise<void> {
  const files = packs.flatMap((pack) => [indexPath(pack), pack])
  await Promise.all(files.map((file) => rm(file, { force: true, recursive: true })))
}

/** The size of each pack; 0 if it is missing. */
export function packSizes(packs: readonly string[]): Promise<readonly number[]> {
  return Promise.all(
    packs.map((pack) =>
      stat(pack).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  )
}
