// Finds a path in a commit, and reads the files below it. Nothing is checked out: only trees and blobs are read.
import { Rejected } from '../../model/errors.js'
import type { SourceFile, SourceLimits } from '../source.js'
import { compareUtf8 } from '../../lib/text/compare-text.js'
import { showText } from '../../lib/text/printable.js'
import { similarWord, suggestion } from '../../settings/did-you-mean.js'
import { inSlices, Slices } from '../../lib/async/steps.js'
import { memoizeByObject } from '../../lib/memoize.js'
import { refuseUnsafe, unsafeSteps } from '../file-names.js'
import type { TreeEntry, Tree } from './tree.js'

/** Reads a commit. The results are verified. */
export interface TreeReader {
  /** The ID of a commit's tree. */
  rootTree(commit: string): Promise<string>
  tree(id: string): Promise<Tree>
  blob(id: string): Promise<Uint8Array>
  /** The size of a blob. */
  size(id: string): Promise<number>
}

/** The walked entries for each file that can be included. Limits folders that contain the same folder many times. */
export const walkedPerFile = 20

/** Made once for a tree: many stacks look for their folders in the same one. Only a malformed tree repeats a name. */
const entriesByName = memoizeByObject((tree: Tree) => {
  const named = new Map<string, TreeEntry[]>()
  for (const entry of tree) {
    const found = named.get(entry.name)
    if (found === undefined) named.set(entry.name, [entry])
    else found.push(entry)
  }
  return named
})

/**
 * The folder or file at a path. Undefined: nothing is there. Throws `Rejected` if the path is, or leads through, a
 * symbolic link or submodule.
 */
export async function findEntry(reader: TreeReader, commit: string, path: string): Promise<TreeEntry | undefined> {
  let at: TreeEntry = { name: '', kind: 'folder', id: await reader.rootTree(commit) }
  const names = pathNames(path)
  for (const [index, name] of names.entries()) {
    if (at.kind !== 'folder') return undefined
    const found = entriesByName(await reader.tree(at.id)).get(name) ?? []
    const [next] = found
    if (next === undefined) return undefined
    const so = names.slice(0, index + 1).join('/')
    refuseUnsafe(found, so.slice(0, so.length - name.length))
    refuseIndirect(next, so)
    at = next
  }
  return at
}

function pathNames(path: string): readonly string[] {
  const names = path.split('/').filter((name) => name !== '' && name !== '.')
  if (!names.includes('..')) return names
  throw new Rejected(`The path "${showText(path)}" leaves the repository.`, {
    code: 'source/bad-path',
    hint: 'Write the path from the top of the repository, without "..".',
  })
}

function refuseIndirect({ kind }: TreeEntry, path: string): void {
  if (kind === 'link') throw symbolicLink(path)
  if (kind === 'submodule') throw submodule(path)
}

function submodule(path: string): Rejected {
  return new Rejected(`"${showText(path)}" is a submodule: gitmoor does not follow submodules.`, {
    code: 'source/submodule',
    path: showText(path),
    hint: "Use the submodule's own repository as a source, and list the submodule in .gitmoorignore.",
  })
}

export function symbolicLink(path: string): Rejected {
  return new Rejected(`"${showText(path)}" is a symbolic link: gitmoor does not follow symbolic links.`, {
    code: 'source/symbolic-link',
    path: showText(path),
    hint: 'Replace the link with the file, or list the link in .gitmoorignore.',
  })
}

export interface FileSelection {
  readonly remote: string
  readonly commit: string
  readonly path: string
  readonly includes: (path: string) => boolean
  readonly limits: SourceLimits
}

/**
 * The included files at or below a path, in byte order of their paths. Throws `Rejected` if nothing is at the path, for
 * an unsafe name, and over a limit.
 */
export async function readFiles(
  reader: TreeReader,
  selection: FileSelection,
  signal: AbortSignal,
): Promise<readonly SourceFile[]> {
  const top = await findEntry(reader, selection.commit, selection.path)
  if (top === undefined) throw await pathMissing(reader, selection)
  const found =
    top.kind === 'folder'
      ? await walk(reader, top, selection, signal)
      : [top].filter((file) => selection.includes(file.name))
  const files: SourceFile[] = []
  const turns = new Slices(signal)
  let totalBytes = 0
  for (const { name, id } of found.toSorted((a, b) => compareUtf8(a.name, b.name))) {
    signal.throwIfAborted()
    await turns.afterStep()
    const size = await reader.size(id)
    totalBytes += size
    refuseSize(name, size, totalBytes, selection.limits)
    const bytes = await reader.blob(id)
    refusePointer(name, bytes)
    files.push({ path: name, id, bytes })
  }
  return files
}

/** Every included file below a folder; `name` is its path from there. */
async function walk(
  reader: TreeReader,
  top: TreeEntry,
  { path, includes, limits }: FileSelection,
  signal: AbortSignal,
): Promise<readonly TreeEntry[]> {
  const found: TreeEntry[] = []
  const open = [{ id: top.id, folder: '', depth: 0 }]
  const turns = new Slices(signal)
  let walked = 0
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    signal.throwIfAborted()
    const tree = await reader.tree(at.id)
    walked += tree.length
    if (walked > limits.files * walkedPerFile)
      throw tooManyFiles(path, `${limits.files * walkedPerFile} entries (${walkedPerFile} times limits.files)`)
    await inSlices(unsafeSteps(tree, at.folder), signal)
    for (const entry of tree) {
      await turns.afterStep()
      const name = at.folder + entry.name
      if (entry.kind === 'folder')
        open.push({ id: entry.id, folder: `${name}/`, depth: nextDepth(at.depth, name, limits) })
      else if (entry.kind === 'submodule') refuseSubmodule(`${name}/`, includes)
      else if (includes(name)) found.push({ ...refuseLink(entry, name), name })
    }
    if (found.length > limits.files) throw tooManyFiles(path, `${limits.files} files (limits.files)`)
  }
  return found
}

/** Rejects a submodule: its files are unknown, and moving files into it would look like deleting them. */
function refuseSubmodule(path: string, includes: (path: string) => boolean): void {
  if (includes(path)) throw submodule(path.slice(0, -1))
}

function refuseLink(entry: TreeEntry, path: string): TreeEntry {
  if (entry.kind === 'link') throw symbolicLink(path)
  return entry
}

export function nextDepth(depth: number, folder: string, limits: SourceLimits): number {
  if (depth < limits.depth) return depth + 1
  throw new Rejected(`"${showText(folder)}" is deeper than ${limits.depth} folders (limits.depth).`, {
    code: 'source/too-deep',
    hint: 'Flatten the package, set a deeper path for the stack, or raise limits.depth.',
  })
}

/** Throws `Rejected` over a limit. `totalBytes`: of all files up to this one. */
export function refuseSize(path: string, bytes: number, totalBytes: number, limits: SourceLimits): void {
  const shown = showText(path)
  if (bytes > limits.fileBytes) {
    throw new Rejected(`"${shown}" is larger than ${limits.fileBytes} bytes (limits.fileBytes).`, {
      code: 'source/file-too-large',
      path: shown,
      hint: 'Split it, or raise limits.fileBytes.',
    })
  }
  if (totalBytes > limits.totalBytes) {
    throw new Rejected(`The files up to "${shown}" are larger than ${limits.totalBytes} bytes (limits.totalBytes).`, {
      code: 'source/files-too-large',
      hint: 'Set a path with fewer files, or raise limits.totalBytes.',
    })
  }
}

/** Rejects a Git LFS pointer. */
export function refusePointer(path: string, bytes: Uint8Array): void {
  const shown = showText(path)
  if (
    bytes.length < 1024 &&
    Buffer.from(bytes.subarray(0, 42)).toString('latin1') === 'version https://git-lfs.github.com/spec/v1'
  ) {
    throw new Rejected(`"${shown}" is stored in Git LFS: the repository contains only a pointer to it.`, {
      code: 'source/lfs-pointer',
      path: shown,
      hint: 'Move it out of Git LFS (git lfs migrate export), or list it in .gitmoorignore.',
    })
  }
}

export function tooManyFiles(path: string, what: string): Rejected {
  return new Rejected(`There are more than ${what} below "${showText(path) || '/'}".`, {
    code: 'source/too-many-files',
    hint: 'Set a path that contains only the package, list other files in .gitmoorignore, or raise limits.files.',
  })
}

const foldersShown = 5
const mostCompared = 1_000

/** Names the folder at that level that was probably meant: a similar one, or the only one. Else the folders there. */
async function pathMissing(reader: TreeReader, { remote, commit, path }: FileSelection): Promise<Rejected> {
  const names = pathNames(path)
  let at = 0
  let folder = await findEntry(reader, commit, '')
  for (let next = folder; next?.kind === 'folder' && at < names.length; at++) {
    folder = next
    next = await findEntry(reader, commit, names.slice(0, at + 1).join('/'))
  }
  const above = names.slice(0, at - 1)
  const entries = folder?.kind === 'folder' ? await reader.tree(folder.id) : []
  const folders = entries.flatMap(({ name, kind }) => (kind === 'folder' && !name.startsWith('.') ? [name] : []))
  const only = folders.length === 1 ? folders[0] : undefined
  const near = similarWord(names[at - 1] ?? '', folders.slice(0, mostCompared)) ?? only
  const similar = near === undefined ? undefined : [...above, near, ...names.slice(at)].join('/')
  const isThere = similar !== undefined && (await findEntry(reader, commit, similar)) !== undefined
  const where = above.length === 0 ? 'The repository' : `"${showText(above.join('/'))}"`
  const shown = folders.slice(0, foldersShown).map((name) => showText(name))
  const more = folders.length > foldersShown ? ` and ${folders.length - foldersShown} more` : ''
  const existing = folders.length === 0 ? 'has no folders' : `has the folders ${shown.join(', ')}${more}`
  return new Rejected(`There is nothing at ${showText(path)} in commit ${commit.slice(0, 7)} of ${remote}.`, {
    code: 'source/path-missing',
    path: showText(path),
    ...(isThere
      ? { hint: suggestion(similar), suggestion: similar }
      : { hint: `${where} ${existing}. Push a commit that has the path.` }),
  })
}
