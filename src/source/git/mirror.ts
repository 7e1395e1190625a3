// What is kept of a remote: packs, and a mark for each commit that can be read to its last file. A mark is written last
// and removed first.
import { randomUUID } from 'node:crypto'
import { rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { LRUCache } from 'lru-cache'
import { Unavailable } from '../../model/errors.js'
import { Turns } from '../../model/turns.js'
import { checkComplete, rootOf } from './check-complete.js'
import { indexPack } from './index-pack.js'
import { Lock } from '../../model/lock.js'
import { indexOf, makeFolders, markOf, openFiles, packFolder, removePacks, sizesOf } from './mirror-files.js'
import { DamagedMirror, Objects } from './objects.js'
import { damaged } from './packets.js'
import type { Reader } from './read-files.js'
import { storePack } from './store-pack.js'
import { entriesOf } from './tree.js'
import type { Entry, Tree } from './tree.js'

/** Of one repository; where there are so many, one whole pack takes their place. */
export const mostPacks = 20
/** The same where all together are so many times the largest one, which is about what a whole one would be. */
export const mostGrowth = 4
/** Below it, growth is left to `mostPacks`. */
const SMALL_BYTES = 1024 * 1024
const TREE_CACHE_BYTES = 16 * 1024 * 1024
const ENTRY_BYTES = 200
const MOST_KNOWN_TREES = 200_000
/** The indexes of packs stay in memory this long after the last reading. */
const IDLE_MS = 10_000

/** How a pack is had: `held` are commits that are complete here, against which it may be a difference. */
export type AskPack = (held: readonly string[]) => AsyncIterable<Buffer>

export interface MirrorReader extends Reader {
  /** A commit as it is stored. */
  commit(commit: string): Promise<Buffer>
}

export interface Receiving {
  readonly packBytes: number
  readonly ask: AskPack
}

export class Mirror {
  /** Held by whoever changes it. Reading takes no lock: it begins again where what it reads from was replaced. */
  readonly lock = new Lock()
  /** The normalised address of what this is the copy of. */
  readonly remote: string
  readonly #directory: string
  readonly #commits: Set<string>
  readonly #trees: LRUCache<string, Tree, Objects>
  readonly #roots: LRUCache<string, string, Objects>
  #complete = new Set<string>()
  #objects: Objects
  #idle: NodeJS.Timeout | undefined

  private constructor(remote: string, directory: string, commits: readonly string[], packs: readonly string[]) {
    this.remote = remote
    this.#directory = directory
    this.#commits = new Set(commits)
    this.#objects = new Objects(packs)
    this.#roots = new LRUCache<string, string, Objects>({
      max: 1000,
      fetchMethod: (commit, _stale, { context }) => rootOf(commit, context, remote),
    })
    this.#trees = new LRUCache<string, Tree, Objects>({
      maxSize: TREE_CACHE_BYTES,
      sizeCalculation: (tree) => ENTRY_BYTES * (tree.length + 1),
      fetchMethod: (id, _stale, { context }) => readTree(id, context),
    })
  }

  static async open(remote: string, directory: string): Promise<Mirror> {
    const { commits, packs } = await openFiles(directory)
    return new Mirror(remote, directory, commits, packs)
  }

  has(commit: string): boolean {
    return this.#commits.has(commit)
  }

  /** What is read from now. Another one after something was published or thrown away. */
  get objects(): Objects {
    return this.#objects
  }

  /** Reads from `objects`, each tree once as long as it is remembered. */
  reader(objects: Objects): MirrorReader {
    this.#touch(objects)
    return {
      commit: async (commit) => (await objects.read(commit)).bytes,
      root: async (commit) =>
        (await this.#roots.fetch(commit, { context: objects })) ?? rootOf(commit, objects, this.remote),
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
   * Has a commit sent, verifies all of it, and publishes it. Until then nothing that can be seen has changed. The
   * caller holds the lock. With many packs, or large ones, or where what is here turns out not to be what the pack
   * leans on, a complete pack replaces all.
   */
  async receive(commit: string, receiving: Receiving, signal: AbortSignal): Promise<void> {
    const fresh = this.#commits.size === 0 || (await isGrown(this.#objects.packs))
    try {
      await this.#receive(commit, receiving, fresh, signal)
    } catch (error) {
      if (!fresh && lacksBase(error)) return await this.#receive(commit, receiving, true, signal)
      throw error instanceof DamagedMirror ? damaged(this.remote, error) : error
    }
  }

  /**
   * Has objects sent, reads from them, and throws them away: they are no part of this copy. Errors: those of `receive`.
   */
  async glance<T>(
    { packBytes, ask }: Receiving,
    signal: AbortSignal,
    read: (objects: Objects) => Promise<T>,
  ): Promise<T> {
    const { remote } = this
    const file = await this.#arriving()
    try {
      await storePack(ask([]), file, { remote, packBytes })
      await indexPack(file, { remote, packBytes, bases: new Objects([]) }, signal)
      return await read(new Objects([file]))
    } catch (error) {
      throw error instanceof DamagedMirror ? damaged(remote, error) : error
    } finally {
      await removePacks([file])
    }
  }

  /** Forgets everything, if `objects` is still what is read from. The caller holds the lock. */
  async discard(objects: Objects): Promise<void> {
    if (this.#objects !== objects) return
    this.#objects = new Objects([])
    this.#complete = new Set()
    await this.#unmark()
    await removePacks(objects.packs)
  }

  /** Forgets everything, and takes its folder away; what is asked for later is had anew. The caller holds the lock. */
  async remove(): Promise<void> {
    await this.discard(this.#objects)
    await rm(this.#directory, { recursive: true, force: true })
  }

  async #receive(commit: string, { packBytes, ask }: Receiving, fresh: boolean, signal: AbortSignal): Promise<void> {
    const { remote } = this
    const file = await this.#arriving()
    try {
      const sum = await storePack(ask(fresh ? [] : [...this.#commits]), file, { remote, packBytes })
      const base = fresh ? new Objects([]) : this.#objects
      await indexPack(file, { remote, packBytes, bases: base }, signal)
      const objects = new Objects([...base.packs, file])
      const complete = fresh ? new Set<string>() : this.#complete
      const found = await checkComplete(commit, { objects, complete, remote }, signal)
      signal.throwIfAborted()
      await this.#publish(commit, { file, sum, fresh })
      this.#complete = new Set(complete.size > MOST_KNOWN_TREES ? found : [...complete, ...found])
    } finally {
      await removePacks([file])
    }
  }

  async #arriving(): Promise<string> {
    await makeFolders(this.#directory)
    return join(this.#directory, `incoming-${randomUUID()}.pack`)
  }

  /**
   * Pack, then index, then mark. Where it replaces all: the old marks go before the new one comes, the old packs last.
   */
  async #publish(
    commit: string,
    { file, sum, fresh }: { readonly file: string; readonly sum: string; readonly fresh: boolean },
  ): Promise<void> {
    const pack = join(packFolder(this.#directory), `pack-${sum}.pack`)
    const others = this.#objects.packs.filter((path) => path !== pack)
    await rename(file, pack)
    await rename(indexOf(file), indexOf(pack))
    if (fresh) await this.#unmark()
    await writeFile(markOf(this.#directory, commit), '', { mode: 0o600 })
    this.#commits.add(commit)
    this.#objects.drop()
    this.#objects = new Objects(fresh ? [pack] : [...others, pack])
    if (fresh) await removePacks(others)
  }

  async #unmark(): Promise<void> {
    const commits = [...this.#commits]
    this.#commits.clear()
    this.#roots.clear()
    await Promise.all(commits.map((commit) => rm(markOf(this.#directory, commit), { force: true })))
  }

  #touch(objects: Objects): void {
    clearTimeout(this.#idle)
    this.#idle = setTimeout(() => objects.drop(), IDLE_MS).unref()
  }
}

async function readTree(id: string, objects: Objects): Promise<Tree> {
  const { type, bytes } = await objects.read(id)
  if (type !== 'tree') throw new DamagedMirror(id)
  const turns = new Turns()
  const entries: Entry[] = []
  for (const entry of entriesOf(bytes, id)) {
    await turns.took()
    entries.push(entry)
  }
  return entries
}

async function isGrown(packs: readonly string[]): Promise<boolean> {
  if (packs.length >= mostPacks) return true
  const sizes = await sizesOf(packs)
  const all = sizes.reduce((sum, size) => sum + size, 0)
  return all > SMALL_BYTES && all > mostGrowth * Math.max(...sizes)
}

/** What a difference leans on is not here, or what was left out since it should be. */
function lacksBase(error: unknown): boolean {
  return error instanceof DamagedMirror || (error instanceof Unavailable && error.code === 'source/incomplete')
}
