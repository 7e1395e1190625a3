import { createHash, randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { open, rename, rm, type FileHandle } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { Download } from '../client/client.js'
import { CliError, UsageError } from '../cli-error.js'
import { exitCode } from '../exit-code.js'
import { fileErrorText } from './input-file.js'

export interface WrittenBackup {
  readonly file: string
  readonly bytes: number
  /** In hex. */
  readonly sha256: string
}

/** Where a backup goes. Errors: `UsageError` where there is a file already. */
export function backupTarget(path: string, cwd: string, force: boolean): string {
  const target = resolve(cwd, path)
  if (existsSync(target) && !force)
    throw new UsageError(`${path} is there already.`, 'Choose another name, or give --force to replace it.')
  return target
}

/**
 * Writes what comes to a file: 0600, on disk, compared with what the agent says of it, and only then under its name.
 */
export async function writeBackup(target: string, { chunks, headers }: Download): Promise<WrittenBackup> {
  const draft = `${target}.${randomUUID()}.part`
  try {
    const written = await writeChunks(draft, chunks)
    if (written.sha256 !== headers['gitmoor-sha256'] || String(written.bytes) !== headers['content-length'])
      throw incompleteError()
    await rename(draft, target)
    await syncDirectory(dirname(target))
    return { file: target, ...written }
  } catch (error) {
    await rm(draft, { force: true })
    if (error instanceof CliError) throw error
    throw new UsageError(`The backup cannot be written to ${target}: ${fileErrorText(error)}`)
  }
}

async function writeChunks(
  draft: string,
  chunks: AsyncIterable<Buffer>,
): Promise<{ readonly bytes: number; readonly sha256: string }> {
  const hash = createHash('sha256')
  let bytes = 0
  const file = await open(draft, 'wx', 0o600)
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

function incompleteError(): CliError {
  return new CliError(exitCode.error, 'The backup did not come whole.', { hint: 'Try again; nothing was written.' })
}
