import ignore from 'ignore'
import type { Finding } from '../model/problem.js'
import { quoted } from '../model/printable.js'

/** Where a package says what is no part of it, in the syntax of .gitignore, at the root of its path. */
export const ignoreFile = '.gitmoorignore'

export interface IgnoredFiles {
  readonly ignores: (path: string) => boolean
  readonly findings: readonly (Finding & { readonly line: number })[]
}

const starsInSegment = 3
const doubleStars = 2

/**
 * Reads a .gitmoorignore. As in git, letters differ by case. A pattern with more than three stars between two slashes, or more than two `**`, is
 * refused: matching it may take for ever.
 */
export function readIgnoreFile(text: string): IgnoredFiles {
  const lines = text.split(/\r?\n/)
  const refused = lines.flatMap((pattern, at) => (isCostly(pattern) ? [{ line: at + 1, ...tooCostly(pattern, at + 1) }] : []))
  const rules = ignore({ ignorecase: false }).add(lines.filter((pattern) => !isCostly(pattern)))
  return { findings: refused, ignores: (path) => ignore.isPathValid(path) && rules.ignores(path) }
}

function isCostly(pattern: string): boolean {
  if (pattern.startsWith('#')) return false
  const segments = pattern.split('/')
  return segments.filter((segment) => segment.includes('**')).length > doubleStars || segments.some((one) => stars(one) > starsInSegment)
}

function stars(segment: string): number {
  return segment.split('*').length - 1
}

function tooCostly(pattern: string, line: number): Finding {
  return {
    code: 'package/ignore-pattern',
    message: `The pattern ${quoted(pattern)} at line ${line} of ${ignoreFile} has too many stars.`,
    hint: `At most ${starsInSegment} stars between two slashes, and ${doubleStars} times **.`,
  }
}
