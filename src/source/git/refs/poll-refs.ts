// Polls refs at a remote with one listing. A second listing only explains why nothing was found.
import { SyncError } from '../../../model/errors.js'
import { inSlices } from '../../../lib/async/steps.js'
import { readVersionRange } from '../../../model/sources/ref.js'
import { isMissingRef } from '../../found-ref.js'
import type { SourceRevision } from '../../source.js'
import { allRefsRequest, hasAnyRef, readRefs, refsRequest } from '../protocol/list-refs.js'
import {
  chosenRefSteps,
  emptyRepository,
  isCommit,
  listedNames,
  missingRef,
  missingVersionSteps,
  refuseName,
  shortName,
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

/** A longer list of names only to explain an error is not read. */
const namesBytes = 64 * 1024

/** Missing refs that are compared with the existing names. */
const mostCompared = 10

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
  for (const [ref, error] of empty ? [] : await explainMissing(found, polling, signal)) found.set(ref, error)
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

/** The errors of missing refs, with the versions, branches and tags that exist. */
async function explainMissing(
  found: ReadonlyMap<string, SourceRevision | Error>,
  polling: RefPolling,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Error>> {
  const missing = [...found].flatMap(([ref, what]) => (isMissingRef(what) ? [ref] : []))
  const ranges = missing.filter((ref) => readVersionRange(ref) !== undefined)
  const names = missing.filter((ref) => readVersionRange(ref) === undefined && ref !== 'HEAD')
  const errors = new Map<string, Error>()
  const tags = ranges.length === 0 ? new Map<string, ListedRef>() : await listVersions(ranges, polling)
  for (const ref of ranges) errors.set(ref, await inSlices(missingVersionSteps(polling.remote, ref, tags), signal))
  const there = names.length === 0 ? [] : await listNames(polling, signal)
  for (const ref of names.slice(0, mostCompared)) errors.set(ref, missingRef(polling.remote, ref, there))
  return errors
}

async function listVersions(ranges: readonly string[], polling: RefPolling): Promise<Refs> {
  const all = ranges.map((ref) => `semver:${readVersionRange(ref)?.prefix ?? ''}:*`)
  return list(all, polling).catch(tooMany)
}

/** The short names of all branches and tags; none if they are many, or the remote does not list them now. */
async function listNames({ remote, request, refsBytes }: RefPolling, signal: AbortSignal): Promise<readonly string[]> {
  try {
    const chunks = request(refsRequest(['refs/heads/', 'refs/tags/']))
    const listed = await readRefs(chunks, remote, Math.min(refsBytes, namesBytes))
    return [...new Set([...listed.keys()].filter((name) => name !== 'HEAD').map(shortName))]
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof SyncError) return []
    throw error
  }
}

/** If the list is too long, no versions are named. */
function tooMany(error: unknown): Refs {
  if (error instanceof SyncError && error.code === 'source/refs-too-large') return new Map()
  throw error
}
