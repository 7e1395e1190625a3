// Resolves a written ref: a full name, HEAD, a commit, the short name of a branch or tag, or a version range.
import { Ambiguous, Rejected } from '../../../model/errors.js'
import { refProblem, readVersionRange } from '../../../model/sources/ref.js'
import { showText } from '../../../lib/text/printable.js'
import { similarWord, suggestion } from '../../../settings/did-you-mean.js'
import type { Steps } from '../../../lib/async/steps.js'
import type { SourceRevision } from '../../source.js'
import { chosenVersionSteps, highestVersionSteps, tagPrefixes } from './version-tags.js'

/**
 * What the remote lists for a full name. `commit`: the peeled commit. `target`: the branch of HEAD, if the remote sends
 * it.
 */
export interface ListedRef {
  readonly object: string
  readonly commit: string
  readonly target?: string
}

const versionsTold = 5
const noCommit = '0'.repeat(40)

/** `sha1:<commit>` */
export function commitState(commit: string): string {
  return `sha1:${commit}`
}

export function isCommit(ref: string): boolean {
  return /^[0-9a-f]{40}$/i.test(ref)
}

/** The possible full names of a ref that is a name. */
function fullNames(ref: string): readonly string[] {
  return ref === 'HEAD' || ref.startsWith('refs/') ? [ref] : [`refs/heads/${ref}`, `refs/tags/${ref}`]
}

/** The prefixes that must be listed to resolve `ref`. */
export function listedNames(ref: string): readonly string[] {
  const versions = readVersionRange(ref)
  return versions === undefined ? fullNames(ref) : tagPrefixes(versions)
}

/** The error if `ref` is invalid. */
export function refuseName(ref: string): Rejected | undefined {
  const problem = refProblem(ref)
  if (problem === undefined) return undefined
  return new Rejected(`The ref "${showText(ref)}" ${problem}`, {
    code: 'source/bad-ref',
    hint: 'Use a branch, a tag, refs/…, HEAD, a commit ID with 40 digits, or a version range such as semver:^1.2.',
  })
}

/** Resolves `ref` among the listed refs, or returns the error in its place. */
export function* chosenRefSteps(
  remote: string,
  ref: string,
  listed: ReadonlyMap<string, ListedRef>,
): Steps<SourceRevision | Error> {
  const versions = readVersionRange(ref)
  if (versions === undefined) return chooseName(remote, ref, listed)
  const name = yield* chosenVersionSteps(listed.keys(), versions)
  if (name === undefined) return yield* missingVersionSteps(remote, ref, listed)
  return unlessDamaged(remote, refTipAt(name, listed.get(name)!))
}

function chooseName(remote: string, ref: string, listed: ReadonlyMap<string, ListedRef>): SourceRevision | Error {
  const [first, second] = fullNames(ref).flatMap((name): SourceRevision[] => {
    const found = listed.get(name)
    return found === undefined ? [] : [refTipAt(name, found)]
  })
  if (first === undefined) return missingRef(remote, ref)
  if (second === undefined) return unlessDamaged(remote, first)
  return new Ambiguous(`"${ref}" is both a branch and a tag of ${remote}.`, {
    code: 'source/ref-ambiguous',
    hint: `Use ${first.name} or ${second.name}.`,
  })
}

function refTipAt(listed: string, { commit, object, target: name = listed }: ListedRef): SourceRevision {
  return { name, state: commitState(commit), object }
}

/** Git lists a ref with a damaged file with an ID of zeros. */
function unlessDamaged(remote: string, resolved: SourceRevision): SourceRevision | Rejected {
  const { name, state } = resolved
  if (state !== commitState(noCommit)) return resolved
  return new Rejected(`The file of ${showText(name)} in ${remote} is damaged: it contains no commit ID.`, {
    code: 'source/ref-damaged',
    hint: `Repair it in the repository: git update-ref ${showText(name)} COMMIT. Or push the ref again.`,
  })
}

/** `listed`: the tags that were searched. */
export function* missingVersionSteps(
  remote: string,
  ref: string,
  listed: ReadonlyMap<string, ListedRef>,
): Steps<Rejected> {
  const { prefix = '' } = readVersionRange(ref) ?? {}
  const highest = yield* highestVersionSteps(listed.keys(), prefix, versionsTold)
  const there = highest.map((tag) => showText(tag)).join(', ')
  const what =
    there === ''
      ? `No tag ${prefix === '' ? '' : `that starts with ${showText(prefix)} `}is a version with three numbers.`
      : `The highest versions are ${there}.`
  return new Rejected(`No tag of ${remote} matches ${showText(ref)}.`, {
    code: 'source/ref-missing',
    hint: `${what} Push a matching tag.`,
  })
}

const namesShown = 5

/** `there`: the short names of the branches and tags that exist, as far as they are known. */
export function missingRef(remote: string, ref: string, there: readonly string[] = []): Rejected {
  const what =
    ref === 'HEAD'
      ? 'HEAD points to no branch'
      : `there is no ${ref.startsWith('refs/') ? ref : `branch or tag "${ref}"`}`
  const code = 'source/ref-missing'
  if (/^[0-9a-f]{7,39}$/i.test(ref))
    return new Rejected(`In ${remote} ${what}, and a commit ID needs all 40 digits.`, {
      code,
      hint: `To print all digits, in a clone: git rev-parse ${ref}`,
    })
  const similar = similarWord(shortName(ref), there)
  return new Rejected(`In ${remote} ${what}.`, {
    code,
    ...(similar === undefined
      ? {
          hint: there.length === 0 ? 'Push it.' : `${existingNames(there)}Choose one of them, or push the missing one.`,
        }
      : { hint: suggestion(similar), suggestion: similar }),
  })
}

/** The first names that exist. */
function existingNames(there: readonly string[]): string {
  const more = there.length - namesShown
  const shown = there.slice(0, namesShown).map((name) => showText(name))
  return `The repository has ${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}. `
}

/** `stable` for `refs/tags/stable`. */
export function shortName(name: string): string {
  return name.replace(/^refs\/(?:heads|tags)\//, '')
}

export function emptyRepository(remote: string, ref: string): Rejected {
  return new Rejected(`${remote} is empty: it has no branches and no tags, so "${showText(ref)}" does not exist.`, {
    code: 'source/ref-missing',
    hint: 'Push a commit to it.',
  })
}
