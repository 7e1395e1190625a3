import { lstat, readdir, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { compareUtf8 } from '../../lib/text/compare-text.js'
import { ignoreFile, packageFileFilter } from '../../package/package-files.js'
import { blobId } from '../../source/blob-id.js'
import type { SourceFile } from '../../source/source.js'
import { UsageError } from '../errors/cli-error.js'
import { fileErrors } from '../errors/file-errors.js'
import { readInputFile } from './input-file.js'

/** The same as `SourceLimits`. */
const limits = { files: 10_000, fileBytes: 4 * 1024 * 1024, totalBytes: 64 * 1024 * 1024, depth: 32 }

/**
 * The package files of a directory without those that its `.gitmoorignore` excludes, or a single file, in byte order of
 * their paths, as a source gives them. Includes the imports of a single `.jsonnet` file. Does not follow symbolic
 * links. Errors: `UsageError` for a missing path and for input over a limit.
 */
export async function readPackageFiles(path: string): Promise<readonly SourceFile[]> {
  try {
    return await readAll(path)
  } catch (error) {
    throw error instanceof UsageError ? error : fileErrors.unreadable(path, error)
  }
}

async function readAll(path: string): Promise<readonly SourceFile[]> {
  if (!(await isSingleFile(path))) {
    const includes = packageFileFilter(await readIgnoreBytes(path))
    return readPaths(path, await listFiles(path, '', { depth: 0, includes }))
  }
  if (!path.endsWith('.jsonnet')) return readPaths(path, [''])
  const { jsonnetFiles } = await import('./jsonnet-files.js')
  return readPaths(dirname(path), await jsonnetFiles(dirname(path), basename(path), limits))
}

/** undefined: the directory has no `.gitmoorignore`. */
async function readIgnoreBytes(directory: string): Promise<Uint8Array | undefined> {
  const path = join(directory, ignoreFile)
  const status = await lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (status?.isFile() === false) throw fileErrors.irregular(path, status)
  return status && readOne(path, ignoreFile).bytes
}

async function readPaths(path: string, paths: string[]): Promise<readonly SourceFile[]> {
  if (paths.length > limits.files) throw limitError(path, `more than ${limits.files} files`)
  const files: SourceFile[] = []
  let total = 0
  for (const relative of paths.sort(compareUtf8)) {
    const file = readOne(join(path, relative), relative === '' ? basename(path) : relative)
    total += file.bytes.length
    if (total > limits.totalBytes) throw limitError(path, `more than ${limits.totalBytes} bytes`)
    files.push(file)
  }
  return files
}

/** False for a directory. Errors: `UsageError` for anything but a regular file or a directory. */
export async function isSingleFile(path: string): Promise<boolean> {
  const status = await stat(path)
  if (!status.isFile() && !status.isDirectory()) throw fileErrors.neitherFileNorDirectory(path)
  return status.isFile()
}

async function listFiles(
  root: string,
  below: string,
  { depth, includes }: { readonly depth: number; readonly includes: (path: string) => boolean },
): Promise<string[]> {
  if (depth > limits.depth) throw limitError(root, `directories nested deeper than ${limits.depth} levels`)
  const paths: string[] = []
  for (const entry of await readdir(join(root, below), { withFileTypes: true })) {
    const path = below === '' ? entry.name : `${below}/${entry.name}`
    if (entry.isDirectory() && !entry.name.startsWith('.'))
      paths.push(...(await listFiles(root, path, { depth: depth + 1, includes })))
    if (entry.isDirectory() || !includes(path)) continue
    if (!entry.isFile()) throw fileErrors.irregular(join(root, path), entry)
    paths.push(path)
  }
  return paths
}

function readOne(path: string, shown: string): SourceFile {
  const bytes = readInputFile(path, path, limits.fileBytes)
  return { path: shown, id: blobId(bytes), bytes }
}

function limitError(path: string, limit: string): UsageError {
  return fileErrors.tooLarge(path, limit, 'Pass a smaller directory.')
}
