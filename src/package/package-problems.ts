// The problems of files and documents of a package: their codes and their wording. Those of texts: parse-error.ts.
import { printable, quoted, shortened } from '../lib/text/printable.js'
import type { Finding, Problem } from '../model/problem.js'
import type { ParseError } from './parse-error.js'

/** A problem of a document, at a pointer into it. */
export type DocumentFinding = Finding & { readonly pointer: string }

/** Characters of the reason why a file cannot be read. */
const mostReason = 300

/** A limit of the whole package is exceeded. */
export function tooMuch(message: string): Problem {
  return {
    severity: 'error',
    code: 'package/too-large',
    message,
    hint: 'Split it into several packages, each with a stack of its own.',
  }
}

/** A file whose text cannot be parsed. `first`: the line of the first place, if the error is about two places. */
export function unreadableFile(
  path: string,
  { code, message, hint }: ParseError,
  { line, column, first }: { readonly line: number; readonly column: number; readonly first: number | undefined },
): Finding {
  const file = printable(path)
  const reason = shortened(printable(message), mostReason)
  const other = first === undefined ? '' : `, first at ${file}:${first}`
  return {
    code,
    message: `${file}:${line}:${column} cannot be read: ${reason}${other}.`,
    ...(hint === undefined ? {} : { hint }),
  }
}

/** A file without an apiVersion or a kind in it. */
export function notAPackage(path: string, ignoreFile: string): Finding {
  const message = `${printable(path)} is skipped: nothing in it has an apiVersion or a kind.`
  return { code: 'package/skipped', message, hint: `To suppress this warning, list the file in ${ignoreFile}.` }
}

export function missingKind(index: number): DocumentFinding {
  return {
    pointer: '/kind',
    code: 'package/no-kind',
    message: `${documentNumber(index)} has no kind.`,
    hint: 'Write one, such as `kind: Bucket`.',
  }
}

export function notAMap(index: number): DocumentFinding {
  const message = `${documentNumber(index)} is not a map with apiVersion, kind, metadata and spec.`
  return { pointer: '/kind', code: 'package/not-a-map', message }
}

export function documentTooLarge(index: number, most: number): DocumentFinding {
  const message = `${documentNumber(index)} has more than ${most} values.`
  return { pointer: '', code: 'package/too-large', message, hint: 'Split it into several documents.' }
}

/** Messages count documents from 1; `root[i]` counts from 0. */
function documentNumber(index: number): string {
  return `Document ${index + 1}`
}

export function ignoreFileTooLong(file: string, most: number): Finding {
  return {
    code: 'package/ignore-pattern',
    message: `${file} has more than ${most} lines.`,
    hint: 'Write patterns for folders instead of files.',
  }
}

export function ignoreLineTooLong(file: string, line: number, most: number): Finding {
  return { code: 'package/ignore-pattern', message: `Line ${line} of ${file} has more than ${most} characters.` }
}

export function tooManyStars(
  file: string,
  { pattern, line }: { readonly pattern: string; readonly line: number },
  { single, double }: { readonly single: number; readonly double: number },
): Finding {
  return {
    code: 'package/ignore-pattern',
    message: `The pattern ${quoted(pattern)} at line ${line} of ${file} has too many stars.`,
    hint: `At most ${single} stars are allowed between two slashes, and ${double} times **.`,
  }
}
