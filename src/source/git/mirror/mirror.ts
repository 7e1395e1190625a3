// mirror: the local copy of a remote. Takes packs; gives commits, trees and files. Promises: a commit is readable only
// after all of it was verified. Each readable commit has a mark, which is written last and removed first.
import { randomUUID } from 'node:crypto'
import { rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { LRUCache } from 'lru-cache'
import { Unavailable } from '../../../model/errors.js'
import { Slices } from '../../../lib/async/steps.js'
import { checkComplete, rootTreeId } from './check-complete.js'
import { indexPack } from '../pack/index-pack.js'
import {
  indexPath,
  makeFolders,
  markPath,
  openFiles,
  packFolder,
  packSizes,
  removePacks,
  writeAddress,
} from './mirror-files.js'
import { DamagedMirror, PackedObjects } from '../pack/packed-objects.js'
import { damaged } from '../protocol/packets.js'
import type { TreeReader } from '../../tree/read-files.js'
import { storePack } from '../pack/store-pack.js'
import { treeEntries, type TreeEntry, type Tree } from '../../tree/tree.js'

/** The most packs of a mirror. Then one complete pack replaces them. */
export const mostPacks = 20
/** One complete pack also replaces them when together they are this many times larger than the largest one. */
const mostGrowth = 4
/** Below this size, only the number of packs counts. */
const SMALL_BYTES = 1024 * 1024
const TREE_CACHE_BYTES = 16 * 1024 * 1024
const ENTRY_BYTES = 200
const MOST_KNOWN_TREES = 200_000
/** Pack indexes stay in memory for this long after the last read. */
const IDLE_MS = 10_000

/** Fetches a pack. `haves`: complete commits of the mirror, to which it may contain differences. */
export type FetchPack = (haves: readonly string[]) => AsyncIterable<Buffer>

export interface MirrorReader extends TreeReader {
  /** The stored bytes of a commit. */
  commit(commit: string): Promise<Buffer>
}

export interface PackFetch {
  readonly packBytes: number
  readonly fetch: FetchPack
}

export class Mirror {
  /** The normalized address of the remote. */
  readonly remote: string
  readonly #directory: string
  readonly #commits: Set<string>
  readonly #trees: LRUCache<string, Tree, PackedObjects>
  readonly #roots: LRUCache<string, string, PackedObjects>
  #complete = new Set<string>()
  #objects: PackedObjects
  #idle: NodeJS.Timeout | undefined

  private constructor(remote: string, directory: string, commits: readonly string[], packs: readonly string[]) {
    this.remote = remote
    this.#directory = directory
    this.#commits = new Set(commits)
    this.#objects = new PackedObjects(packs)
    this.#roots = new LRUCache<string, string, PackedObjects>({
      max: 1000,
      fetchMethod: (commit, _stale, { context }) => rootTreeId(commit, context, remote),
    })
    this.#trees = new LRUCache<string, Tree, PackedObjects>({
      maxSize: TREE_CACHE_BYTES,
      sizeCalculation: (tree) => ENTRY_BYTES * (tree.length + 1),
      fetchMethod: (id, _stale, { context }) => readTree(id, context),
    })
  }

  static async open(remote: string, directory: string): Promise<Mirror> {
    const { commits, packs } = await openFiles(directory)
    await writeAddress(directory, remote)
    return new Mirror(remote, directory, commits, packs)
  }

  has(commit: string): boolean {
    return this.#commits.has(commit)
  }

  /** The current packs. Replaced after each publish or discard. */
  get objects(): PackedObjects {
    return this.#objects
  }

  /** Reads from `objects`; trees are cached. */
  reader(objects: PackedObjects): MirrorReader {
    this.#restartIdleTimer(objects)
    return {
      commit: async (commit) => (await objects.read(commit)).bytes,
      rootTree: async (commit) =>
        (await this.#roots.fetch(commit, { context: objects })) ?? rootTreeId(commit, objects, this.remote),
      tree: async (id) => (await this.#trees.fetch(id, { context: objects })) ?? readTree(id, objects),
      blob: async (id) => {
        const { type, bytes } = await objects.read(id)
        if (type !== 'blob') throw new DamagedMirror(id)
        return bytes
      },
      size: (id) => objects.size(id),
    }
  }

  /**
   * Fetches a commit, verifies all of it and publishes it. Nothing visible changes before. The caller holds the lock. A
   * complete pack replaces all packs if there are too many or too large ones, or if a base is missing.
   */
  async receive(commit: string, receiving: PackFetch, signal: AbortSignal): Promise<void> {
    const fresh = this.#commits.size === 0 || (await needsRepacking(this.#objects.packs))
    try {
      await this.#receive(commit, receiving, fresh, signal)
    } catch (error) {
      if (!fresh && isMissingBase(error)) return await this.#receive(commit, receiving, true, signal)
      throw error instanceof DamagedMirror ? damaged(this.remote, error) : error
    }
  }

  /**
   * Fetches objects, reads from them and removes them: they do not become part of the mirror. Errors: those of
   * `receive`.
   */
  async withTemporaryPack<T>(
    { packBytes, fetch }: PackFetch,
    signal: AbortSignal,
    read: (objects: PackedObjects) => Promise<T>,
  ): Promise<T> {
    const { remote } = this
    const file = await this.#incomingFile()
    try {
      await storePack(fetch([]), file, { remote, packBytes })
      await indexPack(file, { remote, packBytes, bases: new PackedObjects([]) }, signal)
      return await read(new PackedObjects([file]))
    } catch (error) {
      throw error instanceof DamagedMirror ? damaged(remote, error) : error
    } finally {
      await removePacks([file])
    }
  }

  /** Removes all content, if `objects` is still current. The caller holds the lock. */
  async discard(objects: PackedObjects): Promise<void> {
    if (this.#objects !== objects) return
    this.#objects = new PackedObjects([])
    this.#complete = new Set()
    await this.#unmark()
    await removePacks(objects.packs)
  }

  /** Removes all content and the folder; a later request fetches it again. The caller holds the lock. */
  async remove(): Promise<void> {
    await this.discard(this.#objects)
    await rm(this.#directory, { recursive: true, force: true })
  }

  async #receive(commit: string, { packBytes, fetch }: PackFetch, fresh: boolean, signal: AbortSignal): Promise<void> {
    const { remote } = this
    const file = await this.#incomingFile()
    try {
      const sum = await storePack(fetch(fresh ? [] : [...this.#commits]), file, { remote, packBytes })
      const base = fresh ? new PackedObjects([]) : this.#objects
      await indexPack(file, { remote, packBytes, bases: base }, signal)
      const objects = base.with(file)
      const complete = fresh ? new Set<string>() : this.#complete
      const found = await checkComplete(commit, { objects, complete, remote }, signal)
      signal.throwIfAborted()
      await this.#publish(commit, { file, sum, fresh })
      this.#complete = new Set(complete.size > MOST_KNOWN_TREES ? found : [...complete, ...found])
    } finally {
      this.#restartIdleTimer(this.#objects)
      await removePacks([file])
    }
  }

  async #incomingFile(): Promise<string> {
    await makeFolders(this.#directory)
    await writeAddress(this.#directory, this.remote)
    return join(this.#directory, `incoming-${randomUUID()}.pack`)
  }

  /**
   * Writes the pack, then the index, then the mark. If the pack replaces all others, old marks are removed before the
   * new one is written, and old packs last.
   */
  async #publish(
    commit: string,
    { file, sum, fresh }: { readonly file: string; readonly sum: string; readonly fresh: boolean },
  ): Promise<void> {
    const pack = join(packFolder(this.#directory), `pack-${sum}.pack`)
    const others = this.#objects.packs.filter((path) => path !== pack)
    await rename(file, pack)
    await rename(indexPath(file), indexPath(pack))
    if (fresh) await this.#unmark()
    await writeFile(markPath(this.#directory, commit), '', { mode: 0o600 })
    this.#commits.add(commit)
    const before = this.#objects
    this.#objects = fresh ? new PackedObjects([pack]) : before.with(pack)
    before.clearCache()
    if (fresh) await removePacks(others)
  }

  async #unmark(): Promise<void> {
    const commits = [...this.#commits]
    this.#commits.clear()
    this.#roots.clear()
    await Promise.all(commits.map((commit) => rm(markPath(this.#directory, commit), { force: true })))
  }

  #restartIdleTimer(objects: PackedObjects): void {
    clearTimeout(this.#idle)
    this.#idle = setTimeout(() => objects.clearCache(), IDLE_MS).unref()
  }
}

async function readTree(id: string, objects: PackedObjects): Promise<Tree> {
  const { type, bytes } = await objects.read(id)
  if (type !== 'tree') throw new DamagedMirror(id)
  const turns = new Slices()
  const entries: TreeEntry[] = []
  for (const entry of treeEntries(bytes, id)) {
    await turns.afterStep()
    entries.push(entry)
  }
  return entries
}

async function needsRepacking(packs: readonly string[]): Promise<boolean> {
  if (packs.length >= mostPacks) return true
  const sizes = await packSizes(packs)
  const all = sizes.reduce((sum, size) => sum + size, 0)
  return all > SMALL_BYTES && all > mostGrowth * Math.max(...sizes)
}

/** True if the base of a delta, or an object that the server omitted, is missing. */
function isMissingBase(error: unknown): boolean {
  return error instanceof DamagedMirror || (error instanceof Unavailable && error.code === 'source/incomplete')
}
