// The package directories of a repository: all folders with package files, nested ones too. Pure.
import { compareText } from '../../lib/text/compare-text.js'
import { ignoreFile, isPackageFile, packageFileFilter } from '../../package/package-files.js'
import type { PackageFile } from '../../package/package.js'

export interface PackageDirectory {
  /** '' is the root of the search. */
  readonly path: string
  /** Files directly in it, with `.gitmoorignore`. Paths start at the root. */
  readonly files: readonly PackageFile[]
}

/** True for package files, and for `.gitmoorignore` in any folder. */
export function isDiscoverable(path: string): boolean {
  return isPackageFile(path) || (path.endsWith(`/${ignoreFile}`) && isPackageFile(path.slice(0, -ignoreFile.length)))
}

/** By path. */
export function packageDirectories(files: readonly PackageFile[]): readonly PackageDirectory[] {
  const byFolder = new Map<string, PackageFile[]>()
  for (const file of files) {
    const folder = folderOf(file.path)
    const known = byFolder.get(folder)
    if (known === undefined) byFolder.set(folder, [file])
    else known.push(file)
  }
  const directories = [...byFolder].map(([path, inside]) => ({ path, files: inside }))
  return directories.sort((a, b) => compareText(a.path, b.path))
}

/** The files that a stack of the folder would read, at or below it. Paths start at the root of the search. */
export function readBy({ path, files }: PackageDirectory): (file: string) => boolean {
  const below = path === '' ? '' : `${path}/`
  const isIncluded = packageFileFilter(files.find((file) => file.path === below + ignoreFile)?.bytes)
  return (file) => file.startsWith(below) && isIncluded(file.slice(below.length))
}

/** True if a stack of the folder `path` would also read the folder `below`. */
export function readsBelow(path: string, below: PackageDirectory, all: readonly PackageDirectory[]): boolean {
  if (path === below.path) return false
  const isRead = readBy(all.find((one) => one.path === path) ?? { path, files: [] })
  return below.files.some((file) => isRead(file.path))
}

export function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')))
}
