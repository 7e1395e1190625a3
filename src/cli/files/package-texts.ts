// Package files in the form of the API: paths and texts.
import { isUtf8 } from 'node:buffer'
import { ignoreFile, ignoreText, isDeclaring } from '../../package/package-files.js'
import { fileErrors } from '../errors/file-errors.js'
import { readPackageFiles } from './package-files.js'

export interface TextFile {
  readonly path: string
  readonly text: string
}

/** The files of `readPackageFiles` as texts. Errors: `UsageError`, also for a file that is not UTF-8. */
export async function readPackageTexts(path: string): Promise<readonly TextFile[]> {
  const files = await readPackageFiles(path)
  return files.map((file) => ({
    path: file.path,
    text: file.path === ignoreFile ? ignoreText(file.bytes) : decodeUtf8(file.path, file.bytes),
  }))
}

/** The name of a package from standard input. Text that begins with a bracket is JSON; anything else is YAML. */
export function stdinPackage(text: string): string {
  return /^\s*[[{]/.test(text) ? 'stdin.json' : 'stdin.yml'
}

/** Errors: `UsageError` if no file declares resources. `shown`: the directory or file, for the message. */
export function refuseNoPackage(files: readonly TextFile[], shown: string): void {
  if (!files.some(({ path }) => isDeclaring(path))) throw fileErrors.noPackageFile(shown)
}

/** Errors: `UsageError`. `shown`: the file, for the message. */
export function decodeUtf8(shown: string, bytes: Uint8Array): string {
  if (!isUtf8(bytes)) throw fileErrors.notUtf8(shown)
  return Buffer.from(bytes).toString('utf8')
}
