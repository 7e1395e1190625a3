// Which directories of this machine may be read as repositories. Symbolic links are followed before anything is compared.
import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { dirname, join, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Rejected } from '../model/errors.js'
import { showText } from '../model/show-text.js'

export interface AllowedDirectories {
  /** `allow.directories`: roots, absolute. */
  readonly directories: readonly string[]
  /** Never read, nor anything below it. */
  readonly dataDirectory: string
}

const repositoryHint =
  'List a directory above it in allow.directories of the configuration file, or use the http address of the repository.'

/** The real path of a directory below one of the roots; what does not exist (yet) is judged by its nearest parent. Throws `Rejected`. */
export function allowedDirectory(path: string, allow: AllowedDirectories, hint = repositoryHint): string {
  const real = realPath(path)
  if (isBelow(real, realPath(allow.dataDirectory))) {
    throw new Rejected(`${showText(path)} is in gitmoor's own data directory.`, {
      code: 'source/data-directory',
      hint: 'Keep what is followed somewhere else.',
    })
  }
  if (allow.directories.some((root) => isBelow(real, realPath(root)))) return real
  throw new Rejected(`${showText(path)} is not below a directory that gitmoor may read.`, {
    code: 'source/directory-not-allowed',
    hint,
  })
}

/**
 * Where the repository at a `file:` address keeps its objects: the directory itself where it is bare, else its `.git`; a `.git` that leads
 * elsewhere is followed, and held to the same roots. Throws `Rejected`.
 */
export function gitDirectory(remote: string, allow: AllowedDirectories): string {
  const top = allowedDirectory(fileURLToPath(remote), allow)
  const inside = join(top, '.git')
  const found = existsSync(inside) ? allowedDirectory(followGitFile(inside), allow) : top
  const common = readLink(join(found, 'commondir'), '')
  if (common !== undefined) allowedDirectory(resolve(found, common), allow)
  if (existsSync(join(found, 'HEAD'))) return found
  throw new Rejected(`There is no git repository at ${showText(top)}.`, {
    code: 'source/not-found',
    hint: 'Check the path, and that gitmoor may read it.',
  })
}

function followGitFile(path: string): string {
  if (!statSync(path).isFile()) return path
  return resolve(dirname(path), readLink(path, 'gitdir: ') ?? '.git')
}

function readLink(path: string, prefix: string): string | undefined {
  if (!existsSync(path) || statSync(path).size > 4096) return undefined
  const text = readFileSync(path, 'utf8').trim()
  return text.startsWith(prefix) ? text.slice(prefix.length) : undefined
}

function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    const parent = dirname(path)
    return parent === path ? path : join(realPath(parent), path.slice(parent.length))
  }
}

function isBelow(path: string, root: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : root + sep)
}
