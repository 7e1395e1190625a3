// What refs stand for at a remote, by one listing. Only where nothing is there for a ref is there a second one, to say
// what is.
import { SyncError } from '../../model/errors.js'
import { inTurns } from '../../model/turns.js'
import { readVersionRange } from '../../model/version-range.js'
import type { Resolved } from '../source.js'
import { allRefsRequest, hasAnyRef, readRefs, refsRequest } from './list-refs.js'
import {
  chosenRefSteps,
  emptyRepository,
  isCommit,
  listedNames,
  missingVersionSteps,
  refuseName,
  stateOfCommit,
} from './ref-names.js'
import type { Listed } from './ref-names.js'
import type { Question } from './transport.js'

export interface Looking {
  readonly remote: string
  /** One request to it. */
  readonly ask: (question: Question) => AsyncIterable<Uint8Array>
  /** limits.refsBytes, of one listing. */
  readonly refsBytes: number
}

type Refs = ReadonlyMap<string, Listed>

/** Of each ref what it stands for, or the error in its place. */
export async function lookRefs(
  refs: readonly string[],
  looking: Looking,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Resolved | Error>> {
  const { remote, ask } = looking
  const named = refs.filter((ref) => !isCommit(ref) && refuseName(ref) === undefined)
  const listed: Refs = named.length === 0 ? new Map<string, Listed>() : await list(named, looking)
  // Asked only where nothing that was asked for is there, not even HEAD.
  const empty = named.length > 0 && listed.size === 0 && !(await hasAnyRef(ask(allRefsRequest()), remote))
  const found = new Map<string, Resolved | Error>()
  for (const ref of refs) {
    const known = commitOf(ref) ?? refuseName(ref) ?? (empty ? emptyRepository(remote, ref) : undefined)
    found.set(ref, known ?? (await inTurns(chosenRefSteps(remote, ref, listed), signal)))
  }
  const missing = empty ? [] : missingRanges(found)
  for (const [ref, error] of missing.length === 0 ? [] : await tellVersions(missing, looking, signal))
    found.set(ref, error)
  return found
}

/** Undefined: it is a name. */
function commitOf(ref: string): Resolved | undefined {
  if (!isCommit(ref)) return undefined
  const id = ref.toLowerCase()
  return { name: id, object: id, state: stateOfCommit(id) }
}

function list(refs: readonly string[], { remote, ask, refsBytes }: Looking): Promise<Refs> {
  return readRefs(ask(refsRequest(refs.flatMap(listedNames))), remote, refsBytes)
}

interface MissingRange {
  readonly ref: string
  readonly prefix: string
}

/** The ranges that no version fits. */
function missingRanges(found: ReadonlyMap<string, Resolved | Error>): readonly MissingRange[] {
  const missing: MissingRange[] = []
  for (const [ref, what] of found) {
    const versions = what instanceof Error && refuseName(ref) === undefined ? readVersionRange(ref) : undefined
    if (versions !== undefined) missing.push({ ref, prefix: versions.prefix })
  }
  return missing
}

/** Of these: which versions are there. */
async function tellVersions(
  missing: readonly MissingRange[],
  looking: Looking,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Error>> {
  const listed = await list(
    missing.map(({ prefix }) => `semver:${prefix}:*`),
    looking,
  ).catch(tooMany)
  const errors = new Map<string, Error>()
  for (const { ref } of missing)
    errors.set(ref, await inTurns(missingVersionSteps(looking.remote, ref, listed), signal))
  return errors
}

/** More than may be listed are told as none. */
function tooMany(error: unknown): Refs {
  if (error instanceof SyncError && error.code === 'source/refs-too-large') return new Map()
  throw error
}
