import { createHash } from 'node:crypto'
import { readdir, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { SourceFile } from '../../source/source.js'
import { UsageError } from '../cli-error.js'
import { fileErrorText, readInputFile, irregularFileError } from './input-file.js'

/** As a source's (`SourceLimits`). */
const limits = { files: 10_000, fileBytes: 4 * 1024 * 1024, totalBytes: 64 * 1024 * 1024, depth: 32 }

/**
 * Files at or below a path of this machine for which `wanted` says yes, by byte order of their paths, as a source gives
 * them; of a single `.jsonnet` file also what it imports. Symbolic links are not followed. Throws `UsageError` where
 * the path is not there, or beyond a limit.
 */
export async function readPackageFiles(
  path: string,
  matches: (path: string) => boolean,
): Promise<readonly SourceFile[]> {
  try {
    return await readAll(path, matches)
  } catch (error) {
    throw error instanceof UsageError ? error : new UsageError(`${path} cannot be read: ${fileErrorText(error)}`)
  }
}

async function readAll(path: string, matches: (path: string) => boolean): Promise<readonly SourceFile[]> {
  if (!(await isSingleFile(path))) return readPaths(path, await walk(path, '', { depth: 0, wanted: matches }))
  if (!path.endsWith('.jsonnet')) return readPaths(path, [''])
  const { jsonnetFiles } = await import('./jsonnet-files.js')
  return readPaths(dirname(path), await jsonnetFiles(dirname(path), basename(path), limits))
}

async function readPaths(path: string, paths: string[]): Promise<readonly SourceFile[]> {
  if (paths.length > limits.files) throw limitError(path, `more than ${limits.files} files`)
  const files: SourceFile[] = []
  let total = 0
  for (const relative of paths.sort(byBytes)) {
    const file = readOne(join(path, relative), relative === '' ? basename(path) : relative)
    total += file.bytes.length
    if (total > limits.totalBytes) throw limitError(path, `more than ${limits.totalBytes} bytes`)
    files.push(file)
  }
  return files
}

/** False: it is a folder. Throws `UsageError` where it is neither. */
export async function isSingleFile(path: string): Promise<boolean> {
  const status = await stat(path)
  if (!status.isFile() && !status.isDirectory()) throw new UsageError(`${path} is not a regular file or a folder.`)
  return status.isFile()
}

async function walk(
  root: string,
  below: string,
  { depth, wanted }: { readonly depth: number; readonly wanted: (path: string) => boolean },
): Promise<string[]> {
  if (depth > limits.depth) throw limitError(root, `folders deeper than ${limits.depth}`)
  const paths: string[] = []
  for (const entry of await readdir(join(root, below), { withFileTypes: true })) {
    const path = below === '' ? entry.name : `${below}/${entry.name}`
    if (entry.isDirectory() && !entry.name.startsWith('.'))
      paths.push(...(await walk(root, path, { depth: depth + 1, wanted })))
    if (entry.isDirectory() || !wanted(path)) continue
    if (!entry.isFile()) throw irregularFileError(path, entry)
    paths.push(path)
  }
  return paths
}

function readOne(path: string, shown: string): SourceFile {
  const bytes = readInputFile(path, path, limits.fileBytes)
  return { path: shown, id: createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex'), bytes }
}

function byBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}

function limitError(path: string, what: string): UsageError {
  return new UsageError(`${path} holds ${what}, which is more than the agent reads.`, 'Name a smaller folder.')
}
