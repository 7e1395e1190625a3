// A version range as a ref follows the highest matching tag: 'semver:^1.2', or 'semver:boards/v:>=2 <3' for the tags
// boards/v2.0.0, boards/v2.1.0, …
import semver from 'semver'

/** `prefix`: of the tags; '' for none. Ranges are those of npm: https://github.com/npm/node-semver#ranges */
export interface VersionRange {
  readonly prefix: string
  readonly range: string
}

const word = 'semver:'

/** undefined: the ref is a name. (Names contain no colon.) */
export function readVersionRange(ref: string): VersionRange | undefined {
  if (!ref.startsWith(word)) return undefined
  const rest = ref.slice(word.length)
  const colon = rest.indexOf(':')
  return colon < 0 ? { prefix: '', range: rest } : { prefix: rest.slice(0, colon), range: rest.slice(colon + 1) }
}

/** The tag that a version range chose. `name`: its full name. */
export function chosenTag(ref: string, name: string): string | undefined {
  return readVersionRange(ref) === undefined ? undefined : name.replace(/^refs\/tags\//, '')
}

/** The problem of a range, as words that follow the ref; undefined: valid. */
export function rangeProblem(range: string): string | undefined {
  if (range.trim() === '') return 'must say which versions: semver:* stands for all.'
  if (/[^\x20-\x7e]/.test(range))
    return 'must not hold control characters or letters other than those of ASCII in its range.'
  const bad = range.split('||').find((part) => semver.validRange(part) === null)
  if (bad === undefined) return undefined
  const at = bad.split(/\s+/).find((one) => one !== '' && one !== '-' && semver.validRange(one) === null) ?? bad.trim()
  return `must hold a range of versions after semver: — '${at}' is none.`
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
  if (/[\x00-\x20\x7f]/.test(ref)) return 'must not hold blanks or control characters.'
  const bad = /[~^:?*[\\]/.exec(ref)
  if (bad) return `must not hold ${bad[0]} (a name is needed, not an expression).`
  if (ref.startsWith('-')) return 'must not begin with -.'
  if (ref.includes('..')) return 'must not hold two dots in a row.'
  if (ref === '@' || ref.includes('@{')) return 'must not be @ nor hold @{ (a name is needed, not an expression).'
  if (ref.endsWith('.')) return 'must not end with a dot.'
  return partProblem(ref.split('/'))
}

function partProblem(parts: readonly string[]): string | undefined {
  if (parts.some((part) => part === '')) return 'must not begin or end with a slash, nor hold two in a row.'
  if (parts.some((part) => part.startsWith('.'))) return 'must not have a part that begins with a dot.'
  if (parts.some((part) => part.endsWith('.lock'))) return 'must not have a part that ends with .lock.'
  return undefined
}
