// Version tags: which of them must be listed for a version range, and which one the range selects. A version has three
// numbers, with an optional leading v.
import semver from 'semver'
import type { Steps } from '../../../lib/async/steps.js'
import { compileRange, type VersionRange } from '../../../model/sources/ref.js'

const digits = Array.from({ length: 10 }, (_, digit) => String(digit))
/** Up to this many numbers are listed one by one; otherwise all are listed. */
const mostNumbers = 10

/** The prefixes of the full names of all tags that can match, and of few others. */
export function tagPrefixes({ prefix, range }: VersionRange): readonly string[] {
  const compiled = compileRange(range)
  const beginnings = compiled.set.map((comparators) => versionPrefixes(comparators, compiled.includePrerelease))
  const all = beginnings.includes('any') ? digits : beginnings.flat()
  return [...new Set(all)].flatMap((beginning) => [
    `refs/tags/${prefix}${beginning}`,
    `refs/tags/${prefix}v${beginning}`,
  ])
}

/**
 * The full name of the highest matching version. Of equal versions, the one with the greater build metadata wins, then
 * the later name in byte order (v1.2.0 before 1.2.0). A list may have hundreds of thousands of names.
 */
export function* chosenVersionSteps(
  names: Iterable<string>,
  { prefix, range }: VersionRange,
): Steps<string | undefined> {
  const compiled = compileRange(range)
  let best: VersionTag | undefined
  for (const name of names) {
    yield
    const tag = versionTag(name, prefix)
    if (tag === undefined || (best !== undefined && compareTags(tag, best) < 0)) continue
    if (compiled.test(tag.version)) best = tag
  }
  return best?.name
}

/** The short names of the highest versions, the highest one first. */
export function* highestVersionSteps(names: Iterable<string>, prefix: string, most: number): Steps<readonly string[]> {
  const highest: VersionTag[] = []
  for (const name of names) {
    yield
    const tag = versionTag(name, prefix)
    if (tag === undefined) continue
    const lower = highest.findIndex((other) => compareTags(tag, other) > 0)
    highest.splice(lower < 0 ? highest.length : lower, 0, tag)
    if (highest.length > most) highest.pop()
  }
  return highest.map(({ name }) => name.slice('refs/tags/'.length))
}

interface VersionTag {
  readonly name: string
  readonly version: semver.SemVer
}

function versionTag(name: string, prefix: string): VersionTag | undefined {
  const before = `refs/tags/${prefix}`
  const version = name.startsWith(before) ? semver.parse(name.slice(before.length)) : null
  return version === null ? undefined : { name, version }
}

function compareTags(a: VersionTag, b: VersionTag): number {
  return semver.compareBuild(a.version, b.version) || (a.name < b.name ? -1 : 1)
}

/** The common prefixes of versions between two bounds. */
function versionPrefixes(comparators: readonly semver.Comparator[], prereleases: boolean): readonly string[] | 'any' {
  const low = lowest(comparators)
  const high = highest(comparators, prereleases)
  if (high === undefined) return 'any'
  if (low.major !== high.major) return numbers(low.major, high.major)?.map((major) => `${major}.`) ?? 'any'
  return numbers(low.minor, high.minor)?.map((minor) => `${low.major}.${minor}.`) ?? [`${low.major}.`]
}

interface Bound {
  readonly major: number
  readonly minor: number
}

function lowest(comparators: readonly semver.Comparator[]): Bound {
  const bounds = versionsIn(comparators, ['>', '>=', '']).sort(semver.compare)
  return bounds.at(-1) ?? { major: 0, minor: 0 }
}

/** Inclusive. `minor` is Infinity if it is unbounded. */
function highest(comparators: readonly semver.Comparator[], prereleases: boolean): Bound | undefined {
  const below = versionsIn(comparators, ['<']).map((version) => justBelow(version, prereleases))
  const all = [...below, ...versionsIn(comparators, ['<=', ''])]
  return all.sort((a, b) => a.major - b.major || a.minor - b.minor)[0]
}

/** The bound before 2.0.0 is 1.Infinity, unless 2.0.0-beta counts. */
function justBelow({ major, minor, patch, prerelease }: semver.SemVer, prereleases: boolean): Bound {
  const isWhole = patch === 0 && (!prereleases || prerelease[0] === 0)
  if (!isWhole) return { major, minor }
  return minor === 0 ? { major: major - 1, minor: Infinity } : { major, minor: minor - 1 }
}

function versionsIn(comparators: readonly semver.Comparator[], operators: readonly string[]): semver.SemVer[] {
  return comparators.flatMap(({ operator, semver: version }) =>
    operators.includes(operator) && version instanceof semver.SemVer ? [version] : [],
  )
}

function numbers(from: number, to: number): readonly number[] | undefined {
  if (to - from >= mostNumbers) return undefined
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, at) => from + at)
}
