import ignore from 'ignore'
import type { Finding } from '../model/problem.js'
import { quoted } from '../lib/printable.js'

/** A file at the root of a package with patterns of files to ignore, in the syntax of .gitignore. */
export const ignoreFile = '.gitmoorignore'

export interface IgnoredFiles {
  readonly ignores: (path: string) => boolean
  readonly findings: readonly (Finding & { readonly line: number })[]
}

const starsInSegment = 3
const doubleStars = 2
/** Lines of the file. */
export const mostPatterns = 1_000
/** Characters of a line. */
export const mostCharacters = 1_000

/**
 * Reads a .gitmoorignore. As in git, patterns are case-sensitive. Refused are patterns with more than three stars
 * between two slashes or more than two `**`, because matching could take forever, and lines after the 1,000th, because
 * each is matched with every file.
 */
export function readIgnoreFile(text: string): IgnoredFiles {
  const [lines, more] = firstLines(text)
  const refused = lines.flatMap((pattern, at) => {
    const finding = findingOf(pattern, at + 1)
    return finding === undefined ? [] : [{ line: at + 1, ...finding }]
  })
  const rules = ignore({ ignorecase: false }).add(lines.filter((pattern) => findingOf(pattern, 0) === undefined))
  const findings = more ? [...refused, { line: mostPatterns + 1, ...tooMany }] : refused
  return { findings, ignores: (path) => ignore.isPathValid(path) && rules.ignores(path) }
}

function firstLines(text: string): readonly [lines: readonly string[], more: boolean] {
  const lines = text.replace(/(?:\r?\n)+$/, '').split(/\r?\n/, mostPatterns + 1)
  return [lines.slice(0, mostPatterns), lines.length > mostPatterns]
}

const tooMany: Finding = {
  code: 'package/ignore-pattern',
  message: `${ignoreFile} has more than ${mostPatterns} lines.`,
  hint: 'Write patterns for folders instead of files.',
}

/** The problem of a pattern; undefined: none. */
function findingOf(pattern: string, line: number): Finding | undefined {
  if (pattern.startsWith('#')) return undefined
  if (pattern.length > mostCharacters) return tooLong(line)
  const segments = pattern.split('/')
  const costly = segments.filter((segment) => segment.includes('**')).length > doubleStars
  return costly || segments.some((one) => stars(one) > starsInSegment) ? tooCostly(pattern, line) : undefined
}

function tooLong(line: number): Finding {
  return {
    code: 'package/ignore-pattern',
    message: `Line ${line} of ${ignoreFile} has more than ${mostCharacters} characters.`,
  }
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
