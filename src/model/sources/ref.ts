// Refs that a source may follow: a branch, a tag, a full ref, HEAD, a commit, or a version range. A version range
// follows the highest matching tag: 'semver:^1.2', or 'semver:boards/v:>=2 <3' for boards/v2.0.0, boards/v2.1.0, …
import semver from 'semver'
import { quoted } from '../../lib/text/printable.js'

/** `prefix`: of the tags; '' for none. Ranges are those of npm: https://github.com/npm/node-semver#ranges */
export interface VersionRange {
  readonly prefix: string
  readonly range: string
}

const prefixWord = 'semver:'

/** undefined: the ref is a name. A name contains no colon. */
export function readVersionRange(ref: string): VersionRange | undefined {
  if (!ref.startsWith(prefixWord)) return undefined
  const rest = ref.slice(prefixWord.length)
  const colon = rest.indexOf(':')
  return colon < 0 ? { prefix: '', range: rest } : { prefix: rest.slice(0, colon), range: rest.slice(colon + 1) }
}

/** The tag that a version range chose. `name`: its full name. */
export function chosenTag(ref: string, name: string): string | undefined {
  return readVersionRange(ref) === undefined ? undefined : name.replace(/^refs\/tags\//, '')
}

/** The problem of a range, as words that follow the ref; undefined: valid. */
function rangeProblem(range: string): string | undefined {
  if (range.trim() === '') return 'must name a range of versions; semver:* means all.'
  if (/[^\x20-\x7e]/.test(range)) return 'must not contain control characters or non-ASCII letters in its range.'
  const bad = range.split('||').find((one) => semver.validRange(one) === null)
  if (bad === undefined) return undefined
  const at = bad.split(/\s+/).find((one) => one !== '' && one !== '-' && semver.validRange(one) === null) ?? bad.trim()
  return `must contain a valid range of versions after semver: — ${quoted(at)} is not valid.`
}

/**
 * A range that names a prerelease (>=1.2.0-0) includes all prereleases in it; others include none. Errors: `TypeError`
 * where `rangeProblem` finds a problem.
 */
export function compileRange(range: string): semver.Range {
  const namesPrerelease = /\d+\.\d+\.\d+-[0-9a-z]/i.test(range.replaceAll(/\+\S*/g, ''))
  return new semver.Range(range, { includePrerelease: namesPrerelease })
}

/**
 * The problem of a ref, as words that follow it; undefined: valid. A ref is a branch, a tag, a full ref, HEAD, a
 * commit, or a version range over tags.
 */
export function refProblem(ref: string): string | undefined {
  if (ref.length > 255) return 'is longer than 255 characters.'
  const versions = readVersionRange(ref)
  if (versions === undefined) return nameProblem(ref)
  return (versions.prefix === '' ? undefined : nameProblem(`${versions.prefix}1`)) ?? rangeProblem(versions.range)
}

/** The rules of names are those of git: https://git-scm.com/docs/git-check-ref-format */
function nameProblem(ref: string): string | undefined {
  if (ref === '') return 'must not be empty.'
  if (/[\x00-\x20\x7f]/.test(ref)) return 'must not contain blanks or control characters.'
  const bad = /[~^:?*[\\]/.exec(ref)
  if (bad) return `must not contain ${bad[0]} (it must be a name, not an expression).`
  if (ref.startsWith('-')) return 'must not begin with -.'
  if (ref.includes('..')) return 'must not contain two dots in a row.'
  if (ref === '@' || ref.includes('@{')) return 'must not be @ nor contain @{ (it must be a name, not an expression).'
  if (ref.endsWith('.')) return 'must not end with a dot.'
  return segmentProblem(ref.split('/'))
}

function segmentProblem(segments: readonly string[]): string | undefined {
  if (segments.some((segment) => segment === '')) return 'must not begin or end with a slash, nor contain two in a row.'
  if (segments.some((segment) => segment.startsWith('.'))) return 'must not have a segment that begins with a dot.'
  if (segments.some((segment) => segment.endsWith('.lock'))) return 'must not have a segment that ends with .lock.'
  return undefined
}
