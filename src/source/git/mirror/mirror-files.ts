// The files of a mirror: `objects/pack/pack-<sha1>.{pack,idx}`, `commits/<id>` (the empty mark of a commit), and
// `incoming-<uuid>.{pack,idx}` while a pack arrives.
import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { isFolder, sweepFolder } from '../../sweep-folder.js'

/** Readable content: marked commits, and packs with an index. */
export interface MirrorFiles {
  readonly commits: readonly string[]
  /** Paths that end in .pack. */
  readonly packs: readonly string[]
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
  await sweepFolder(directory, (name) => name === 'objects' || name === 'commits')
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
  await Promise.all(packs.flatMap((pack) => [rm(indexPath(pack), { force: true }), rm(pack, { force: true })]))
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
