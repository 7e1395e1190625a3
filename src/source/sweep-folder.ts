import { lstat, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Deletes the entries of a folder, except kept ones, by name. Resolves with their number. Entries that cannot be
 * deleted stay; a link to a folder is not followed.
 */
export async function sweepFolder(directory: string, isKept: (name: string) => boolean): Promise<number> {
  if (!(await isFolder(directory))) return 0
  const names = (await readdir(directory).catch(() => [])).filter((name) => !isKept(name))
  const removed = await Promise.all(
    names.map((name) =>
      rm(join(directory, name), { recursive: true, force: true }).then(
        () => 1,
        () => 0,
      ),
    ),
  )
  return removed.reduce((sum, one) => sum + one, 0)
}

/** True for a folder, false for a link to one. */
export function isFolder(path: string): Promise<boolean> {
  return lstat(path).then(
    (status) => status.isDirectory(),
    () => false,
  )
}
