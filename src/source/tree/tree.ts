// Git's trees: names and what they stand for. A tree is read as bytes first: a name is only text once it has been
// checked.
import { Rejected } from '../../model/errors.js'

export interface TreeEntry {
  readonly name: string
  readonly kind: 'folder' | 'file' | 'link' | 'submodule'
  readonly id: string
}

export type Tree = readonly TreeEntry[]

/** Throws `Rejected` for a tree that is not well formed. `id` is for the message. */
export function parseTree(bytes: Buffer, id: string): Tree {
  return [...treeEntries(bytes, id)]
}

/** The same, one by one. */
export function* treeEntries(bytes: Buffer, id: string): Generator<TreeEntry> {
  for (let at = 0; at < bytes.length;) {
    const space = bytes.indexOf(32, at)
    const zero = bytes.indexOf(0, at)
    const kind = kindOf(bytes.toString('latin1', at, space))
    if (space < 0 || zero < space || zero + 21 > bytes.length || kind === undefined) throw badTree(id)
    yield { name: nameOf(bytes.subarray(space + 1, zero)), kind, id: bytes.toString('hex', zero + 1, zero + 21) }
    at = zero + 21
  }
}

function kindOf(mode: string): TreeEntry['kind'] | undefined {
  if (/^0?40000$/.test(mode)) return 'folder'
  if (/^100[0-7]{3}$/.test(mode)) return 'file'
  if (mode === '120000') return 'link'
  return mode === '160000' ? 'submodule' : undefined
}

/** A name that is not UTF-8 keeps its bytes as U+FFFD, and is refused by `refuseUnsafe` where it matters. */
function nameOf(bytes: Buffer): string {
  return bytes.toString('utf8')
}

function badTree(id: string): Rejected {
  return new Rejected(`Tree ${id} is not well formed.`, {
    code: 'source/unsafe-tree',
    hint: 'Check the repository with git fsck.',
  })
}
