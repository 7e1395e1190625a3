// Evaluates the Jsonnet of one package directory in the same way as a sync of a stack that follows this directory.
import { Rejected } from '../../model/errors.js'
import type { Checked } from '../../model/problem.js'
import { evaluateFiles } from '../../package/evaluated-files.js'
import type { PackageFile } from '../../package/package.js'
import type { Sandbox } from '../../sandbox/sandbox.js'
import { folderOf, readBy, type PackageDirectory } from './package-directories.js'

/**
 * The files directly in the folder; files below it may be imported. Without a Jsonnet sandbox, the folder gets a
 * problem.
 */
export async function evaluateDirectory(
  directory: PackageDirectory,
  all: readonly PackageFile[],
  sandbox: Sandbox,
  signal: AbortSignal,
): Promise<Checked<readonly PackageFile[]>> {
  const isRead = readBy(directory)
  const own = directory.files.filter(({ path }) => isRead(path))
  if (!own.some(({ path }) => isJsonnet(path))) return { value: own, problems: [] }
  const imported = all.filter(({ path }) => isRead(path) && folderOf(path) !== directory.path && !isJsonnet(path))
  try {
    const { value, problems } = await evaluateFiles([...own, ...imported], sandbox, signal)
    return { value: value.filter(({ path }) => folderOf(path) === directory.path), problems }
  } catch (error) {
    if (!(error instanceof Rejected)) throw error
    const { code, message, hint } = error
    const problem = { severity: 'error', code, message, ...(hint === undefined ? {} : { hint }) } as const
    return { value: own.filter(({ path }) => !isJsonnet(path)), problems: [problem] }
  }
}

function isJsonnet(path: string): boolean {
  return path.endsWith('.jsonnet')
}
