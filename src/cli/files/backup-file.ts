import { createHash, randomUUID } from 'node:crypto'
import { open, rename, rm, type FileHandle } from 'node:fs/promises'
import { dirname } from 'node:path'
import { CliError } from '../errors/cli-error.js'
import { agentErrors } from '../errors/agent-errors.js'
import { fileErrors } from '../errors/file-errors.js'
import type { Download } from '../client/client.js'
import { outputFile } from './output-file.js'

export interface WrittenBackup {
  readonly file: string
  readonly bytes: number
  /** In hex. */
  readonly sha256: string
}

/**
 * The absolute path of a backup, behind symbolic links. Errors: `UsageError` if the file exists, unless `force`, and if
 * it is not a regular file: it would be replaced.
 */
export async function backupTarget(path: string, cwd: string, force: boolean): Promise<string> {
  const { file, exists, isReplaceable } = await outputFile(path, cwd)
  if (exists && !force) throw fileErrors.exists(path)
  if (!isReplaceable) throw fileErrors.notReplaceable(path)
  return file
}

/** Writes a download to a file with mode 0600. The file gets its name after its size and checksum were verified. */
export async function writeBackup(target: string, { chunks, headers }: Download): Promise<WrittenBackup> {
  const temporary = `${target}.${randomUUID()}.part`
  try {
    const written = await writeChunks(temporary, chunks)
    if (written.sha256 !== headers['gitmoor-sha256'] || String(written.bytes) !== headers['content-length'])
      throw agentErrors.incompleteBackup()
    await rename(temporary, target)
    await syncDirectory(dirname(target))
    return { file: target, ...written }
  } catch (error) {
    await rm(temporary, { force: true })
    if (error instanceof CliError) throw error
    throw fileErrors.unwritable(target, error)
  }
}

async function writeChunks(
  path: string,
  chunks: AsyncIterable<Buffer>,
): Promise<{ readonly bytes: number; readonly sha256: string }> {
  const hash = createHash('sha256')
  let bytes = 0
  const file = await open(path, 'wx', 0o600)
  try {
    for await (const chunk of chunks) {
      hash.update(chunk)
      bytes += chunk.length
      await writeAll(file, chunk)
    }
    await file.sync()
  } finally {
    await file.close()
  }
  return { bytes, sha256: hash.digest('hex') }
}

async function writeAll(file: FileHandle, chunk: Buffer): Promise<void> {
  for (let at = 0; at < chunk.length;) at += (await file.write(chunk, at)).bytesWritten
}

async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
