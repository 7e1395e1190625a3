// Evaluates the Jsonnet of a package. After that an entry point contains the resulting JSON, and is read as JSON.
import { isUtf8 } from 'node:buffer'
import { printable } from '../lib/text/printable.js'
import { inSlices, type Steps } from '../lib/async/steps.js'
import type { Checked, Problem } from '../model/problem.js'
import type { JsonnetProblem, Sandbox } from '../sandbox/sandbox.js'
import { blobId } from '../source/blob-id.js'
import { ignoreFile, isPackageFile, packageFileFilter } from './package-files.js'
import type { PackageFile } from './package.js'

/** Files that Jsonnet may import, and that are not part of a package by themselves. */
const library = /\.(?:libsonnet|flux|toml)$/
const evaluated = /\.jsonnet$/

/**
 * The files of a package without what its Jsonnet imports, each entry point as JSON under its own name. Files with
 * problems are left out. Errors: `Rejected` if there is no Jsonnet evaluator; the signal's reason.
 */
export async function evaluateFiles(
  files: readonly PackageFile[],
  sandbox: Sandbox,
  signal: AbortSignal,
): Promise<Checked<readonly PackageFile[]>> {
  if (!files.some(({ path }) => evaluated.test(path)))
    return { value: files.filter(({ path }) => !library.test(path)), problems: [] }
  const kept = await inSlices(notIgnored(files), signal)
  const { texts, imported, problems: errors } = await sandbox.jsonnet(decodedTexts(kept), signal)
  const problems = [...kept.filter(isUnreadable).map(unreadable), ...errors.map(jsonnetProblem)]
  const value = kept
    .filter(({ path }) => !library.test(path) && !imported.has(path))
    .flatMap((file) => (evaluated.test(file.path) ? evaluatedFiles(file.path, texts.get(file.path)) : [file]))
  return { value, problems }
}

function* notIgnored(files: readonly PackageFile[]): Steps<readonly PackageFile[]> {
  const rules = files.find(({ path }) => path === ignoreFile)
  if (rules === undefined) return files
  const isIncluded = packageFileFilter(rules.bytes)
  const kept: PackageFile[] = []
  for (const file of files) {
    yield
    if (isIncluded(file.path) || !isPackageFile(file.path)) kept.push(file)
  }
  return kept
}

function decodedTexts(files: readonly PackageFile[]): ReadonlyMap<string, string> {
  const decoder = new TextDecoder('utf-8')
  return new Map(files.filter(({ bytes }) => isUtf8(bytes)).map(({ path, bytes }) => [path, decoder.decode(bytes)]))
}

function evaluatedFiles(path: string, text: string | undefined): readonly PackageFile[] {
  if (text === undefined) return []
  const bytes = Buffer.from(text)
  return [{ path, id: blobId(bytes), bytes }]
}

function isUnreadable({ path, bytes }: PackageFile): boolean {
  return evaluated.test(path) && !isUtf8(bytes)
}

function unreadable({ path }: PackageFile): Problem {
  return jsonnetProblem({
    file: path,
    line: 1,
    code: 'package/encoding',
    message: 'it is not UTF-8 text.',
    hint: 'Save it as UTF-8.',
  })
}

function jsonnetProblem({ file, line, code, message, hint }: JsonnetProblem): Problem {
  const place = { file, index: 0, pointer: '', line }
  return {
    severity: 'error',
    code,
    message: `${printable(file)}:${line}: ${message}`,
    place,
    ...(hint === undefined ? {} : { hint }),
  }
}
