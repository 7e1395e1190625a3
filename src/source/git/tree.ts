// Git's trees: names and what they stand for. A tree is read as bytes first: a name is only text once it has been checked.
import { Rejected } from '../../model/errors.js'
import { showText } from '../../model/show-text.js'

export interface Entry {
  readonly name: string
  readonly kind: 'folder' | 'file' | 'link' | 'submodule'
  readonly id: string
}

export type Tree = readonly Entry[]

/** Of one name, as on most file systems. */
export const mostNameBytes = 255

/** Throws `Rejected` for a tree that is not well formed. `id` is for the message. */
export function parseTree(bytes: Buffer, id: string): Tree {
  const entries: Entry[] = []
  for (let at = 0; at < bytes.length;) {
    const space = bytes.indexOf(32, at)
    const zero = bytes.indexOf(0, at)
    const kind = kindOf(bytes.toString('latin1', at, space))
    if (space < 0 || zero < space || zero + 21 > bytes.length || kind === undefined) throw badTree(id)
    entries.push({ name: nameOf(bytes.subarray(space + 1, zero)), kind, id: bytes.toString('hex', zero + 1, zero + 21) })
    at = zero + 21
  }
  return entries
}

function kindOf(mode: string): Entry['kind'] | undefined {
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
  return new Rejected(`Tree ${id} is not well formed.`, { code: 'source/unsafe-tree', hint: 'Check the repository with git fsck.' })
}

/** Throws `Rejected` for names that mean something else on some file system, or that two entries share there. `folder`: '' or ending in a slash. */
export function refuseUnsafe(tree: Tree, folder: string): void {
  const seen = new Map<string, string>()
  for (const { name } of tree) {
    const why = unsafe(name)
    if (why !== undefined) throw unsafeEntry(folder + name, why)
    const folded = name.normalize('NFC').toLowerCase().normalize('NFC')
    const other = seen.get(folded)
    if (other !== undefined) throw unsafeEntry(folder + name, `is the same name as '${showText(other)}' on some file systems`)
    seen.set(folded, name)
  }
}

function unsafe(name: string): string | undefined {
  if (name === '' || name === '.' || name === '..') return 'is no name'
  if (/[/\\\0]/.test(name)) return 'has a separator in its name'
  if (name.includes('\uFFFD')) return 'is not UTF-8'
  if (Buffer.byteLength(name) > mostNameBytes) return `has a name of more than ${mostNameBytes} bytes`
  return isGitDirectory(name) ? "stands for '.git' on some file systems" : undefined
}

/** As git does (is_hfs_dotgit, is_ntfs_dotgit): characters that HFS+ ignores, trailing dots, spaces and streams of NTFS, its short name. */
function isGitDirectory(name: string): boolean {
  const bare = name.replace(/[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g, '').toLowerCase()
  return /^(\.git|git~1)[. ]*(:.*)?$/s.test(bare)
}

function unsafeEntry(path: string, why: string): Rejected {
  return new Rejected(`'${showText(path)}' ${why}.`, {
    code: 'source/unsafe-tree',
    path: showText(path),
    hint: 'Rename it or take it out of the repository; gitmoor reads no folder that has such an entry.',
  })
}
