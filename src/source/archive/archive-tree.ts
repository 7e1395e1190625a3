// The entries of an archive as folders, in the form of git's trees, so that the same code and rules read both.
import { createHash } from 'node:crypto'
import { compareUtf8 } from '../../lib/text/compare-text.js'
import type { TreeReader } from '../tree/read-files.js'
import type { Tree } from '../tree/tree.js'

/** The entry at a path. `bytes`: for a file that was kept. */
export interface Leaf {
  readonly kind: 'file' | 'link'
  readonly id: string
  readonly size: number
  readonly bytes?: Uint8Array
}

type Folder = Map<string, Folder | Leaf>

/** Fill it with `addFolder` and `addLeaf`, then read it. */
export class ArchiveTree {
  readonly #top: Folder = new Map()

  /** False: a file has this path. A folder may be added repeatedly. */
  addFolder(names: readonly string[]): boolean {
    return this.#folder(names) !== undefined
  }

  /** False: the path exists, or a file is in its path. */
  addLeaf(names: readonly string[], leaf: Leaf): boolean {
    const folder = this.#folder(names.slice(0, -1))
    const name = names.at(-1)!
    if (folder === undefined || folder.has(name)) return false
    folder.set(name, leaf)
    return true
  }

  /** The names of the top-level folders. */
  get folders(): readonly string[] {
    return [...this.#top].filter(([, entry]) => isFolder(entry)).map(([name]) => name)
  }

  /** A reader of the tree. Folder IDs are equal only for the same names and contents. */
  reader(): TreeReader {
    const trees = new Map<string, Tree>()
    const leaves = new Map<string, Leaf>()
    const root = number(this.#top, trees, leaves)
    return {
      rootTree: async () => root,
      tree: async (id) => trees.get(id)!,
      blob: async (id) => leaves.get(id)!.bytes!,
      size: async (id) => leaves.get(id)!.size,
    }
  }

  #folder(names: readonly string[]): Folder | undefined {
    let at = this.#top
    for (const name of names) {
      const next = at.get(name) ?? new Map<string, Folder | Leaf>()
      if (!isFolder(next)) return undefined
      at.set(name, next)
      at = next
    }
    return at
  }
}

function isFolder(entry: Folder | Leaf): entry is Folder {
  return entry instanceof Map
}

/** Returns the ID of a folder, and stores its tree and everything below. */
function number(folder: Folder, trees: Map<string, Tree>, leaves: Map<string, Leaf>): string {
  const tree = [...folder].map(([name, entry]) => {
    if (isFolder(entry)) return { name, kind: 'folder' as const, id: number(entry, trees, leaves) }
    // Of two equal files, one may not have been kept.
    if (leaves.get(entry.id)?.bytes === undefined) leaves.set(entry.id, entry)
    return { name, kind: entry.kind, id: entry.id }
  })
  const sorted = tree.toSorted((a, b) => compareUtf8(a.name, b.name))
  const id = `sha256:${createHash('sha256')
    .update(JSON.stringify(sorted.map(({ name, kind, id: of }) => [name, kind, of])))
    .digest('hex')}`
  trees.set(id, sorted)
  return id
}
