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
