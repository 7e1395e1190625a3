// A single Jsonnet file forms a package with the files that it imports from its directory.
import { readFile, realpath, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { jsonnetImports } from '../../sandbox/jsonnet/jsonnet-imports.js'
import { fileErrors } from '../errors/file-errors.js'

/** A file and its imports, as paths below `folder`. Skips missing imports: the evaluator reports them. */
export async function jsonnetFiles(
  folder: string,
  file: string,
  { files, fileBytes }: { readonly files: number; readonly fileBytes: number },
): Promise<string[]> {
  const found = new Set([file])
  const unread = [file]
  for (let path = unread.pop(); path !== undefined && found.size <= files; path = unread.pop()) {
    for (const { file: imported, isCode } of jsonnetImports(await readText(join(folder, path), fileBytes), path)) {
      if (found.has(imported) || !(await exists(folder, imported))) continue
      found.add(imported)
      if (isCode) unread.push(imported)
    }
  }
  return [...found]
}

/** '' for a file that is too large: the caller refuses it. */
async function readText(path: string, maximumBytes: number): Promise<string> {
  return (await stat(path)).size > maximumBytes ? '' : readFile(path, 'utf8')
}

async function exists(folder: string, path: string): Promise<boolean> {
  const real = await realpath(join(folder, path)).catch(() => undefined)
  if (real === undefined) return false
  if (real !== join(await realpath(folder), path)) throw fileErrors.symbolicLink(path)
  return (await stat(real)).isFile()
}
