import { realpath, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { fileErrors } from '../errors/file-errors.js'
import { stdinPath } from './input-file.js'

/**
 * The file to write: behind symbolic links. `isReplaceable`: it does not exist, or is a regular file. Errors:
 * `UsageError` for `-`.
 */
export async function outputFile(
  path: string,
  cwd: string,
): Promise<{ readonly file: string; readonly exists: boolean; readonly isReplaceable: boolean }> {
  if (path === stdinPath) throw fileErrors.stdinIsNoOutput()
  const file = resolve(cwd, path)
  const found = await stat(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (found === undefined) return { file, exists: false, isReplaceable: true }
  return { file: await realpath(file), exists: true, isReplaceable: found.isFile() }
}
