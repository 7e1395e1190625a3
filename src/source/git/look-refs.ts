// What refs stand for at a remote, by one listing. Only where nothing is there for a ref is there a second one, to say what is.
import { SyncError } from '../../model/errors.js'
import { readVersionRange } from '../../model/version-range.js'
import type { Resolved } from '../source.js'
import { allRefsRequest, hasAnyRef, readRefs, refsRequest } from './list-refs.js'
import { chooseRef, emptyRepository, isCommit, listedNames, missingVersion, refuseName, stateOfCommit } from './ref-names.js'
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
export async function lookRefs(refs: readonly string[], looking: Looking): Promise<ReadonlyMap<string, Resolved | Error>> {
  const { remote, ask } = looking
  const named = refs.filter((ref) => !isCommit(ref) && refuseName(ref) === undefined)
  const listed: Refs = named.length === 0 ? new Map<string, Listed>() : await list(named, looking)
  // Asked only where nothing that was asked for is there, not even HEAD.
  const empty = named.length > 0 && listed.size === 0 && !(await hasAnyRef(ask(allRefsRequest()), remote))
  const found = refs.map((ref): readonly [string, Resolved | Error] => {
    const id = ref.toLowerCase()
    if (isCommit(ref)) return [ref, { name: id, object: id, state: stateOfCommit(id) }]
    return [ref, refuseName(ref) ?? (empty ? emptyRepository(remote, ref) : chooseRef(remote, ref, listed))]
  })
  return empty ? new Map(found) : tellVersions(new Map(found), looking)
}

function list(refs: readonly string[], { remote, ask, refsBytes }: Looking): Promise<Refs> {
  return readRefs(ask(refsRequest(refs.flatMap(listedNames))), remote, refsBytes)
}

/** Where no version fits: which ones are there. */
async function tellVersions(
  found: ReadonlyMap<string, Resolved | Error>,
  looking: Looking,
): Promise<ReadonlyMap<string, Resolved | Error>> {
  const missing = [...found].flatMap(([ref, what]) => {
    const versions = what instanceof Error && refuseName(ref) === undefined ? readVersionRange(ref) : undefined
    return versions === undefined ? [] : [{ ref, prefix: versions.prefix }]
  })
  if (missing.length === 0) return found
  const listed = await list(
    missing.map(({ prefix }) => `semver:${prefix}:*`),
    looking,
  ).catch(tooMany)
  return new Map([...found, ...missing.map(({ ref }) => [ref, missingVersion(looking.remote, ref, listed)] as const)])
}

/** More than may be listed are told as none. */
function tooMany(error: unknown): Refs {
  if (error instanceof SyncError && error.code === 'source/refs-too-large') return new Map()
  throw error
}
