// A git repository in memory: commits, trees, branches and tags. Files have the ids that git gives them.
import { createHash } from 'node:crypto'
import type { Authored, RefTipFacts } from '../src/model/sources/channel.js'
import { blobId } from '../src/source/blob-id.js'
import type { TreeReader } from '../src/source/tree/read-files.js'
import type { ListedRef } from '../src/source/git/refs/ref-names.js'
import type { TreeEntry, Tree } from '../src/source/tree/tree.js'
import type { CommitOptions, Repository } from './git-server.js'

interface Commit {
  readonly id: string
  readonly tree: string
  readonly parent: string | null
  readonly author: Authored
}

type Files = ReadonlyMap<string, Pick<TreeEntry, 'kind' | 'id'>>

/** Commits, trees and files by their ids. Repositories and the copies that a source keeps of them share one. */
export class MemoryObjects implements TreeReader {
  readonly commits = new Map<string, Commit>()
  readonly #trees = new Map<string, Tree>()
  readonly #blobs = new Map<string, Uint8Array>()
  #made = 0

  /** A number that no other commit or tag has. */
  next(): number {
    return ++this.#made
  }

  writeBlob(bytes: Uint8Array): string {
    const id = blobId(bytes)
    this.#blobs.set(id, bytes)
    return id
  }

  /** Writes the tree of these files, and those of the folders in it. */
  writeTree(files: Files): string {
    const folders = new Map<string, Map<string, Pick<TreeEntry, 'kind' | 'id'>>>()
    const entries: TreeEntry[] = []
    for (const [path, file] of files) {
      const slash = path.indexOf('/')
      if (slash < 0) entries.push({ name: path, ...file })
      else {
        const name = path.slice(0, slash)
        if (!folders.has(name)) folders.set(name, new Map())
        folders.get(name)!.set(path.slice(slash + 1), file)
      }
    }
    for (const [name, inside] of folders) entries.push({ name, kind: 'folder', id: this.writeTree(inside) })
    return this.keepTree(entries.sort((a, b) => (a.name < b.name ? -1 : 1)))
  }

  /** Keeps a tree as it is, well formed or not. */
  keepTree(tree: Tree): string {
    const id = hash(['tree', tree])
    this.#trees.set(id, tree)
    return id
  }

  /** Every file of a tree, by its path. */
  filesOf(id: string, folder = ''): Map<string, Pick<TreeEntry, 'kind' | 'id'>> {
    const files = new Map<string, Pick<TreeEntry, 'kind' | 'id'>>()
    for (const { name, kind, id: inside } of this.#trees.get(id)!) {
      if (kind !== 'folder') files.set(folder + name, { kind, id: inside })
      else for (const [path, file] of this.filesOf(inside, `${folder}${name}/`)) files.set(path, file)
    }
    return files
  }

  /** Whether `to` has `from` among its ancestors, or is it. */
  isForward(from: string, to: string): boolean {
    for (let at: string | null = to; at !== null; at = this.commits.get(at)?.parent ?? null)
      if (at === from) return true
    return false
  }

  async rootTree(commit: string): Promise<string> {
    return this.commits.get(commit)!.tree
  }
  async tree(id: string): Promise<Tree> {
    return this.#trees.get(id)!
  }
  async blob(id: string): Promise<Uint8Array> {
    return this.#blobs.get(id)!
  }
  async size(id: string): Promise<number> {
    return this.#blobs.get(id)!.length
  }
}

/** What can be done to a repository wherever it is kept. */
export type AnyRepository = Pick<Repository, 'name' | 'commit' | 'tag' | 'branch' | 'remove'>

type TagObject = NonNullable<RefTipFacts['tag']>

/** HEAD leads to main unless a test moves it. */
export class MemoryRepository implements AnyRepository {
  readonly name: string
  /** The full name of the branch that HEAD leads to. */
  head = 'refs/heads/main'
  readonly #objects: MemoryObjects
  readonly #refs = new Map<string, ListedRef>()
  readonly #tags = new Map<string, TagObject>()
  /** Commits that can be fetched. */
  readonly #commits = new Set<string>()
  #at = 1_700_000_000_000

  constructor(name: string, objects: MemoryObjects) {
    this.name = name
    this.#objects = objects
  }

  /** What a listing of all refs says, by full name. */
  get refs(): ReadonlyMap<string, ListedRef> {
    const head = this.#refs.get(this.head)
    return head === undefined ? this.#refs : new Map([['HEAD', { ...head, target: this.head }], ...this.#refs])
  }

  has(commit: string): boolean {
    return this.#commits.has(commit)
  }

  /** Of a tag object; undefined: it is a commit. */
  tagObject(id: string): TagObject | undefined {
    return this.#tags.get(id)
  }

  async commit({
    files = {},
    removed = [],
    message = 'Change',
    branch = 'main',
    from,
    tags = [],
  }: CommitOptions = {}): Promise<string> {
    const parent =
      from === undefined ? (this.#refs.get(`refs/heads/${branch}`)?.commit ?? null) : from && this.#resolve(from)
    const all = parent === null ? new Map() : this.#objects.filesOf(this.#objects.commits.get(parent)!.tree)
    for (const path of removed)
      for (const one of all.keys()) if (one === path || one.startsWith(`${path}/`)) all.delete(one)
    for (const [path, file] of Object.entries(files)) all.set(path, this.#write(file))
    const id = this.#commitOf(this.#objects.writeTree(all), parent, message)
    for (const ref of [`refs/heads/${branch}`, ...tags.map((tag) => `refs/tags/${tag}`)])
      this.#refs.set(ref, { object: id, commit: id })
    return id
  }

  /** Makes a commit of a tree the tip of main. */
  commitTree(tree: string): Promise<void> {
    return this.branch('main', this.#commitOf(tree, null, 'Change'))
  }

  async tag(name: string, commit: string, { annotated = false } = {}): Promise<void> {
    if (annotated) this.annotate(name, commit, { name: 'Test', message: `Tag ${name}` })
    else this.#refs.set(`refs/tags/${name}`, { object: commit, commit })
  }

  /** Moves a tag by a tag object of its own. Gives the id of that. */
  annotate(name: string, commit: string, by: Pick<Authored, 'name' | 'message'>): string {
    const object = hash(['tag', name, commit, this.#objects.next()])
    this.#tags.set(object, { ...this.#author(by.message), name: by.name, tag: name })
    this.#refs.set(`refs/tags/${name}`, { object, commit })
    return object
  }

  async branch(name: string, commit: string): Promise<void> {
    this.#refs.set(`refs/heads/${name}`, { object: commit, commit })
  }

  async remove(...refs: readonly string[]): Promise<void> {
    for (const ref of refs) this.#refs.delete(ref)
  }

  /** Commits that no ref leads to cannot be fetched any more. */
  prune(): void {
    const tips = [...this.#refs.values()].map(({ commit }) => commit)
    for (const id of this.#commits) if (!tips.some((tip) => this.#objects.isForward(id, tip))) this.#commits.delete(id)
  }

  #commitOf(tree: string, parent: string | null, message: string): string {
    const id = hash(['commit', tree, parent, message, this.#objects.next()])
    this.#objects.commits.set(id, { id, tree, parent, author: this.#author(message) })
    this.#commits.add(id)
    return id
  }

  #resolve(name: string): string {
    const ref = this.#refs.get(`refs/heads/${name}`) ?? this.#refs.get(`refs/tags/${name}`)
    return ref?.commit ?? name
  }

  #write(file: NonNullable<CommitOptions['files']>[string]): Pick<TreeEntry, 'kind' | 'id'> {
    if (typeof file === 'string') return { kind: 'file', id: this.#objects.writeBlob(Buffer.from(file)) }
    if (file instanceof Uint8Array) return { kind: 'file', id: this.#objects.writeBlob(file) }
    if ('link' in file) return { kind: 'link', id: this.#objects.writeBlob(Buffer.from(file.link)) }
    return { kind: 'submodule', id: file.submodule }
  }

  #author(message: string): Authored {
    return { name: 'Test', email: 'test@example.com', at: (this.#at += 60_000), message }
  }
}

function hash(value: unknown): string {
  return createHash('sha1').update(JSON.stringify(value)).digest('hex')
}
