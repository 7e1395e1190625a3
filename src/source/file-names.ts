// Refuses unsafe file names of all sources: git, directories, archives.
import { Rejected } from '../model/errors.js'
import { finish, type Steps } from '../lib/async/steps.js'
import { showText } from '../lib/text/printable.js'

/** The limit of a name on most file systems. */
export const mostNameBytes = 255
/** HFS+ ignores these characters in names. */
const ignorable = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g

/**
 * Throws `Rejected` for names that some file system interprets differently, or that are equal there for two entries.
 * `folder`: '' or ending in a slash.
 */
export function refuseUnsafe(entries: readonly { readonly name: string }[], folder: string): void {
  finish(unsafeSteps(entries, folder))
}

/** The same, in a step for each name. */
export function* unsafeSteps(entries: readonly { readonly name: string }[], folder: string): Steps<void> {
  const seen = new Map<string, string>()
  for (const { name } of entries) {
    yield
    const why = whyUnsafe(name)
    if (why !== undefined) throw unsafeEntry(folder + name, why)
    const folded = foldedName(name)
    const other = seen.get(folded)
    if (other !== undefined)
      throw unsafeEntry(folder + name, `is the same name as "${showText(other)}" on some file systems`)
    seen.set(folded, name)
  }
}

/** Equal for names that are equal on file systems that ignore case and Unicode normalisation (APFS, HFS+, NTFS). */
function foldedName(name: string): string {
  return name.replace(ignorable, '').normalize('NFD').toUpperCase().toLowerCase().normalize('NFC')
}

function whyUnsafe(name: string): string | undefined {
  if (name === '' || name === '.' || name === '..') return 'is not a valid name'
  if (/[/\\\0]/.test(name)) return 'has a separator in its name'
  if (name.includes('\uFFFD')) return 'is not UTF-8'
  if (/\p{Cc}/u.test(name)) return 'has a control character in its name'
  if (Buffer.byteLength(name) > mostNameBytes) return `has a name of more than ${mostNameBytes} bytes`
  return isGitDirectory(name) ? 'means ".git" on some file systems' : undefined
}

/**
 * As git does (is_hfs_dotgit, is_ntfs_dotgit): characters that HFS+ ignores, trailing dots, spaces and streams of NTFS,
 * its short name.
 */
function isGitDirectory(name: string): boolean {
  const bare = name.replace(ignorable, '').toLowerCase()
  return /^(\.git|git~1)[. ]*(:.*)?$/s.test(bare)
}

function unsafeEntry(path: string, why: string): Rejected {
  return new Rejected(`"${showText(path)}" ${why}.`, {
    code: 'source/unsafe-tree',
    path: showText(path),
    hint: 'Rename or remove it: gitmoor reads no folder with such an entry.',
  })
}
