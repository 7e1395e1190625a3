// Says whether dist is a build of the sources as they are now. The stamp in dist has a digest of everything a build
// reads, and one of dist itself: dates are not enough, because a file that was removed, renamed or restored has none
// that is newer than dist.
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** What a build reads. The lock file in `node_modules` says which packages are installed. */
const inputs = [
  'src',
  'web',
  'scripts',
  'tsconfig.json',
  'tsconfig.build.json',
  'package.json',
  'package-lock.json',
  'node_modules/.package-lock.json',
]

const stamp = 'dist/build-stamp'

export function inputDigest(root = '.') {
  return digest(root, inputs)
}

/** `input`: the digest from before the build. If a source changed during the build, dist is not fresh. */
export function writeStamp(input, root = '.') {
  writeFileSync(join(root, stamp), `${input} ${digest(root, ['dist'])}\n`)
}

/** True if a build would give what is in dist. */
export function isFresh(root = '.') {
  if (!existsSync(join(root, stamp))) return false
  return readFileSync(join(root, stamp), 'utf8') === `${inputDigest(root)} ${digest(root, ['dist'])}\n`
}

/** Of the paths and contents of all files. */
function digest(root, paths) {
  const hash = createHash('sha256')
  for (const file of paths.flatMap((path) => filesAt(root, path)).filter((file) => file !== stamp)) {
    const bytes = readFileSync(join(root, file))
    hash.update(`${file} ${bytes.length}\n`).update(bytes)
  }
  return hash.digest('hex')
}

/** The file, or the files below the folder in a fixed order; paths are relative to `root`. */
function filesAt(root, path) {
  const found = statSync(join(root, path), { throwIfNoEntry: false })
  if (found === undefined) return []
  if (!found.isDirectory()) return [path]
  return readdirSync(join(root, path))
    .sort()
    .flatMap((name) => filesAt(root, `${path}/${name}`))
}
