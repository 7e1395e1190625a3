import { lstat, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Removes what is in a folder, except what is kept, by name. Gives how many. What cannot be removed stays; behind a
 * link nothing is removed.
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

/** A folder, and no link to one. */
export function isFolder(path: string): Promise<boolean> {
  return lstat(path).then(
    (status) => status.isDirectory(),
    () => false,
  )
}
