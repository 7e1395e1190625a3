import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

/** Removes what stands in a folder but for what is kept, by name. Gives how many. What cannot be removed stays. */
export async function sweepFolder(directory: string, isKept: (name: string) => boolean): Promise<number> {
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
