// A single Jsonnet file is a package together with what it imports, below its folder.
import { readFile, realpath, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { jsonnetImports } from '../../sandbox/jsonnet/jsonnet-imports.js'
import { symbolicLinkError } from './input-file.js'

/**
 * The file and what it imports, each as a path below `folder`. What is not there is left out: the evaluator says so.
 */
export async function jsonnetFiles(
  folder: string,
  file: string,
  { files, fileBytes }: { readonly files: number; readonly fileBytes: number },
): Promise<string[]> {
  const found = new Set([file])
  const waiting = [file]
  for (let at = waiting.pop(); at !== undefined && found.size <= files; at = waiting.pop()) {
    for (const { file: next, isCode } of jsonnetImports(await readText(join(folder, at), fileBytes), at)) {
      if (found.has(next) || !(await exists(folder, next))) continue
      found.add(next)
      if (isCode) waiting.push(next)
    }
  }
  return [...found]
}

/** Of what is too large: nothing, for it is refused afterwards. */
async function readText(path: string, most: number): Promise<string> {
  return (await stat(path)).size > most ? '' : readFile(path, 'utf8')
}

async function exists(folder: string, path: string): Promise<boolean> {
  const real = await realpath(join(folder, path)).catch(() => undefined)
  if (real === undefined) return false
  if (real !== join(await realpath(folder), path)) throw symbolicLinkError(path)
  return (await stat(real)).isFile()
}
