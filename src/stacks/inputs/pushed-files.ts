// Files that a client sends, as files of a package.
import { encodeText } from '../../lib/text/encode-text.js'
import { quoted } from '../../lib/text/printable.js'
import { inSlices, type Steps } from '../../lib/async/steps.js'
import { InvalidPackage } from '../../model/errors.js'
import type { Problem } from '../../model/problem.js'
import { isPackageFile } from '../../package/package-files.js'
import { blobIdSteps } from '../../source/blob-id.js'
import type { PackageFileRow } from '../../store/file-table.js'
import type { PushedFile } from './pushed-package.js'

const mostPathCharacters = 1024

/** In byte order of their paths. */
export function packageFiles(pushed: readonly PushedFile[]): Promise<readonly PackageFileRow[]> {
  return inSlices(fileSteps(pushed))
}

function* fileSteps(pushed: readonly PushedFile[]): Steps<readonly PackageFileRow[]> {
  const files: PackageFileRow[] = []
  for (const { path, text } of pushed) {
    yield
    const bytes = yield* encodeText(text)
    files.push({ path, id: yield* blobIdSteps(bytes), bytes })
  }
  return files.sort((a, b) => Buffer.compare(Buffer.from(a.path), Buffer.from(b.path)))
}

/** Errors: `InvalidPackage` with every path that cannot be one of a package. */
export function refusePaths(files: readonly PushedFile[]): void {
  const seen = new Map<string, string>()
  const wrong = files.flatMap(({ path }) => {
    const folded = path.normalize('NFC').toLowerCase().normalize('NFC')
    const twin = seen.get(folded)
    seen.set(folded, path)
    const what = twin === undefined ? pathProblem(path) : `is the same name as ${quoted(twin)} on some file systems.`
    return what === undefined ? [] : [badPush(`The path ${quoted(path)} ${what}`)]
  })
  if (wrong.length > 0) throw new InvalidPackage(wrong)
}

function pathProblem(path: string): string | undefined {
  if (path === '' || path.length > mostPathCharacters) return `must have 1 to ${mostPathCharacters} characters.`
  if (/[\x00-\x1f\x7f\\]/.test(path)) return 'must not contain backslashes or control characters.'
  if (path.split('/').some((part) => part === '' || part === '.' || part === '..'))
    return 'must be relative, without `.`, `..` or empty segments.'
  return isPackageFile(path)
    ? undefined
    : 'is not a package file: .yml, .yaml, .json, .jsonnet, a file that these import, or .gitmoorignore at the root.'
}

export function badPush(message: string): Problem {
  return {
    severity: 'error',
    code: 'package/bad-push',
    message,
    hint: 'Push package files, with paths relative to the root of the package.',
  }
}
