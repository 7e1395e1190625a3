// tree: a folder's entries, as git stores them. Takes the bytes of a git tree; gives its entries. Also archives are
// read as trees. A name is text only after it was checked.
import { Rejected } from '../../model/errors.js'

export interface TreeEntry {
  readonly name: string
  readonly kind: 'folder' | 'file' | 'link' | 'submodule'
  readonly id: string
}

export type Tree = readonly TreeEntry[]

/** One entry at a time. Throws `Rejected` for a malformed tree. `id`: for the message. */
export function* treeEntries(bytes: Buffer, id: string): Generator<TreeEntry> {
  for (let at = 0; at < bytes.length;) {
    const space = bytes.indexOf(32, at)
    const zero = bytes.indexOf(0, at)
    const kind = entryKind(bytes.toString('latin1', at, space))
    if (space < 0 || zero < space || zero + 21 > bytes.length || kind === undefined) throw badTree(id)
    yield { name: decodeName(bytes.subarray(space + 1, zero)), kind, id: bytes.toString('hex', zero + 1, zero + 21) }
    at = zero + 21
  }
}

function entryKind(mode: string): TreeEntry['kind'] | undefined {
  if (/^0?40000$/.test(mode)) return 'folder'
  if (/^100[0-7]{3}$/.test(mode)) return 'file'
  if (mode === '120000') return 'link'
  return mode === '160000' ? 'submodule' : undefined
}

/** Invalid UTF-8 becomes U+FFFD; `refuseUnsafe` rejects it if the name matters. */
function decodeName(bytes: Buffer): string {
  return bytes.toString('utf8')
}

function badTree(id: string): Rejected {
  return new Rejected(`Tree ${id} is malformed.`, {
    code: 'source/unsafe-tree',
    hint: 'Check the repository with git fsck.',
  })
}
