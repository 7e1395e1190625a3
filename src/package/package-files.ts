// Which files of a source belong to a package: by their names, and by .gitmoorignore.
import ignore from 'ignore'
import type { Finding } from '../model/problem.js'
import type { Format } from './package-text.js'
import { ignoreFileTooLong, ignoreLineTooLong, tooManyStars } from './package-problems.js'

/** A file at the root of a package with patterns of files to ignore, in the syntax of .gitignore. */
export const ignoreFile = '.gitmoorignore'

export interface IgnoredFiles {
  readonly ignores: (path: string) => boolean
  readonly findings: readonly (Finding & { readonly line: number })[]
}

const starsInSegment = 3
const doubleStars = 2
/** Lines of the file. */
export const mostPatterns = 200
/** Characters of a line. */
export const mostCharacters = 200

/**
 * Reads a .gitmoorignore of any encoding. As in git, patterns are case-sensitive. Refused are patterns with more than
 * three stars between two slashes or more than two `**`, because matching could take forever, and lines after the
 * 200th, because each is matched with every file.
 */
export function readIgnoreFile(bytes: Uint8Array): IgnoredFiles {
  const [lines, more] = firstLines(ignoreText(bytes))
  const refused = lines.flatMap((pattern, at) => {
    const finding = patternProblem(pattern, at + 1)
    return finding === undefined ? [] : [{ line: at + 1, ...finding }]
  })
  const rules = ignore({ ignorecase: false }).add(lines.filter((pattern) => patternProblem(pattern, 0) === undefined))
  const findings = more
    ? [...refused, { line: mostPatterns + 1, ...ignoreFileTooLong(ignoreFile, mostPatterns) }]
    : refused
  return { findings, ignores: (path) => ignore.isPathValid(path) && rules.ignores(path) }
}

/** As every reader of a .gitmoorignore sees it. */
export function ignoreText(bytes: Uint8Array): string {
  return new TextDecoder('utf-8').decode(bytes)
}

function firstLines(text: string): readonly [lines: readonly string[], more: boolean] {
  const lines = text.replace(/(?:\r?\n)+$/, '').split(/\r?\n/, mostPatterns + 1)
  return [lines.slice(0, mostPatterns), lines.length > mostPatterns]
}

/** The problem of a pattern; undefined: none. */
function patternProblem(pattern: string, line: number): Finding | undefined {
  if (pattern.startsWith('#')) return undefined
  if (pattern.length > mostCharacters) return ignoreLineTooLong(ignoreFile, line, mostCharacters)
  const segments = pattern.split('/')
  const manyDoubles = segments.filter((segment) => segment.includes('**')).length > doubleStars
  const isCostly = manyDoubles || segments.some((one) => stars(one) > starsInSegment)
  return isCostly
    ? tooManyStars(ignoreFile, { pattern, line }, { single: starsInSegment, double: doubleStars })
    : undefined
}

function stars(segment: string): number {
  return segment.split('*').length - 1
}

const formats = new Map<string, Format>([
  ['.yml', 'yaml'],
  ['.yaml', 'yaml'],
  ['.json', 'json'],
  ['.jsonnet', 'json'], // evaluated by now
])

/** Files that other files may import. */
const libraries: ReadonlySet<string> = new Set(['.libsonnet', '.flux', '.toml'])

/**
 * Files to read from a source: `.yml`, `.yaml`, `.json` and `.jsonnet` files without a hidden name in their path, files
 * that these may import (`.libsonnet`, `.flux`, `.toml`), and `.gitmoorignore` at the root. A path with a slash at its
 * end is a folder that may have some.
 */
export function isPackageFile(path: string): boolean {
  const isOne = path.endsWith('/') || fileFormat(path) !== undefined || libraries.has(fileExtension(path))
  return path === ignoreFile || (isOne && !/(?:^|\/)\./.test(path))
}

/** True for a file that declares resources, by its name. */
export function isDeclaring(path: string): boolean {
  return fileFormat(path) !== undefined
}

/** Files to read, without those that `.gitmoorignore` at the root excludes. undefined: there is none. */
export function packageFileFilter(ignoreBytes: Uint8Array | undefined): (path: string) => boolean {
  if (ignoreBytes === undefined) return isPackageFile
  const { ignores } = readIgnoreFile(ignoreBytes)
  return (path) => isPackageFile(path) && (path === ignoreFile || !ignores(path))
}

/** True at the root, and at the root of each source of a stack with several sources. */
export function isIgnoreFile(path: string): boolean {
  return path === ignoreFile || path.endsWith(`/${ignoreFile}`)
}

/** The format of a file that declares resources, by its name; undefined: another file. */
export function fileFormat(path: string): Format | undefined {
  return formats.get(fileExtension(path))
}

function fileExtension(path: string): string {
  return path.slice(path.lastIndexOf('.'))
}
