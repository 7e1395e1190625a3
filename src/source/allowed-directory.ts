// Directories of this machine that may be read. Symbolic links are resolved before paths are compared.
import { realpathSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'
import { Rejected } from '../model/errors.js'
import { showText } from '../lib/text/printable.js'

/** An entry of `allow.directories`. */
export interface AllowedDirectory {
  /** Absolute. */
  readonly path: string
  /** The id of a user, besides the agent's and root, that may own repositories below it. */
  readonly owner?: number
}

export interface AllowedDirectories {
  readonly directories: readonly AllowedDirectory[]
  /** Neither it nor anything below it is read. */
  readonly dataDirectory: string
}

const repositoryHint =
  'List it, or a directory above it, in allow.directories of the configuration file, and restart the agent. ' +
  'Or use the http address of the repository.'

/**
 * The real path of a directory below one of the entries. A missing directory is checked by its nearest parent. Throws
 * `Rejected`.
 */
export function allowedDirectory(path: string, allow: AllowedDirectories, hint = repositoryHint): string {
  const real = realPath(path)
  if (isWithin(real, allow.dataDirectory)) {
    throw new Rejected(`${showText(path)} is in gitmoor's own data directory.`, {
      code: 'source/data-directory',
      hint: 'Move the repository or directory elsewhere.',
    })
  }
  if (allowedAbove(real, allow).length > 0) return real
  throw new Rejected(`${showText(path)} is not below a directory of allow.directories.`, {
    code: 'source/directory-not-allowed',
    hint,
  })
}

/** The entries that a real path is below. */
export function allowedAbove(real: string, { directories }: AllowedDirectories): readonly AllowedDirectory[] {
  return directories.filter(({ path }) => isWithin(real, path))
}

/** True for the path itself, and for a real path below it. */
export function isWithin(real: string, path: string): boolean {
  const root = realPath(path)
  return real === root || real.startsWith(root.endsWith(sep) ? root : root + sep)
}

/** Of a missing path, the existing part is resolved. */
export function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    const parent = dirname(path)
    return parent === path ? path : join(realPath(parent), path.slice(parent.length))
  }
}
