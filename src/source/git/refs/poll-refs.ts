// Polls refs at a remote with one listing. A second listing only explains why nothing was found.
import { SyncError } from '../../../model/errors.js'
import { inSlices } from '../../../lib/steps.js'
import { readVersionRange } from '../../../model/ref.js'
import type { SourceRevision } from '../../source.js'
import { allRefsRequest, hasAnyRef, readRefs, refsRequest } from '../protocol/list-refs.js'
import {
  chosenRefSteps,
  emptyRepository,
  isCommit,
  listedNames,
  missingVersionSteps,
  refuseName,
  commitState,
  type ListedRef,
} from './ref-names.js'
import type { GitRequest } from '../protocol/protocol.js'

export interface RefPolling {
  readonly remote: string
  /** Sends one request to the remote. */
  readonly request: (question: GitRequest) => AsyncIterable<Uint8Array>
  /** limits.refsBytes, for one listing. */
  readonly refsBytes: number
}

type Refs = ReadonlyMap<string, ListedRef>

/** The tip of each ref, or the error in its place. */
export async function pollRefs(
  refs: readonly string[],
  polling: RefPolling,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, SourceRevision | Error>> {
  const { remote, request } = polling
  const named = refs.filter((ref) => !isCommit(ref) && refuseName(ref) === undefined)
  const listed: Refs = named.length === 0 ? new Map<string, ListedRef>() : await list(named, polling)
  // Requested only if no ref was found, not even HEAD.
  const empty = named.length > 0 && listed.size === 0 && !(await hasAnyRef(request(allRefsRequest()), remote))
  const found = new Map<string, SourceRevision | Error>()
  for (const ref of refs) {
    const known = namedCommit(ref) ?? refuseName(ref) ?? (empty ? emptyRepository(remote, ref) : undefined)
    found.set(ref, known ?? (await inSlices(chosenRefSteps(remote, ref, listed), signal)))
  }
  const missing = empty ? [] : missingRanges(found)
  for (const [ref, error] of missing.length === 0 ? [] : await addAvailableVersions(missing, polling, signal))
    found.set(ref, error)
  return found
}

/** Undefined: it is a name, not a commit. */
function namedCommit(ref: string): SourceRevision | undefined {
  if (!isCommit(ref)) return undefined
  const id = ref.toLowerCase()
  return { name: id, object: id, state: commitState(id) }
}

function list(refs: readonly string[], { remote, request, refsBytes }: RefPolling): Promise<Refs> {
  return readRefs(request(refsRequest(refs.flatMap(listedNames))), remote, refsBytes)
}

interface MissingRange {
  readonly ref: string
  readonly prefix: string
}

/** The version ranges without a matching tag. */
function missingRanges(found: ReadonlyMap<string, SourceRevision | Error>): readonly MissingRange[] {
  const missing: MissingRange[] = []
  for (const [ref, what] of found) {
    const versions = what instanceof Error && refuseName(ref) === undefined ? readVersionRange(ref) : undefined
    if (versions !== undefined) missing.push({ ref, prefix: versions.prefix })
  }
  return missing
}

/** Their errors, with the versions that exist. */
async function addAvailableVersions(
  missing: readonly MissingRange[],
  polling: RefPolling,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Error>> {
  const listed = await list(
    missing.map(({ prefix }) => `semver:${prefix}:*`),
    polling,
  ).catch(tooMany)
  const errors = new Map<string, Error>()
  for (const { ref } of missing)
    errors.set(ref, await inSlices(missingVersionSteps(polling.remote, ref, listed), signal))
  return errors
}

/** If the list is too long, no versions are named. */
function tooMany(error: unknown): Refs {
  if (error instanceof SyncError && error.code === 'source/refs-too-large') return new Map()
  throw error
}
