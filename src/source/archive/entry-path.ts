import { Rejected } from '../../model/errors.js'
import { showText } from '../../lib/text/printable.js'

/** The longest path, as on most systems. */
export const mostPathBytes = 4096

/**
 * The names of an entry's path, none for the top. Throws `Rejected` for a path that leads elsewhere on some system.
 * Single names are checked when they are read: see file-names.ts.
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
  return new Rejected(`"${showText(path)}" in ${shown} ${why}.`, {
    code: 'source/unsafe-archive',
    path: showText(path),
    hint: 'Recreate the archive without that entry. git archive creates valid archives.',
  })
}
