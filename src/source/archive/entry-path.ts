import { Rejected } from '../../model/errors.js'
import { showText } from '../../lib/printable.js'

/** Of a whole path, as on most systems. */
export const mostPathBytes = 4096

/**
 * The names on the way to an entry, none for the top itself. Throws `Rejected` for a path that leads elsewhere on some
 * system. What is refused of a single name is so where it is read: see file-names.ts.
 */
export function entryNames(path: string, shown: string): readonly string[] {
  const plain = path.replace(/^(?:\.\/)+/, '').replace(/\/$/, '')
  if (plain === '' || plain === '.') return []
  const names = plain.split('/')
  const why = unsafePath(plain, names)
  if (why !== undefined) throw unsafeEntry(path, why, shown)
  return names
}

function unsafePath(path: string, names: readonly string[]): string | undefined {
  if (Buffer.byteLength(path) > mostPathBytes) return `has a path of more than ${mostPathBytes} bytes`
  if (path.startsWith('/') || /^[a-z]:/i.test(path)) return 'is an absolute path'
  if (path.includes('\\')) return 'has a backslash in its name'
  if (path.includes('\0')) return 'has a zero byte in its name'
  if (names.includes('..')) return 'leaves the archive'
  return names.some((name) => name === '' || name === '.') ? 'has an empty name in its path' : undefined
}

export function unsafeEntry(path: string, why: string, shown: string): Rejected {
  return new Rejected(`'${showText(path)}' in ${shown} ${why}.`, {
    code: 'source/unsafe-archive',
    path: showText(path),
    hint: 'Make the archive anew, without that entry: git archive makes one that is good.',
  })
}
