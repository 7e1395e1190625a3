// Reads facts about ref tips. A small request fetches missing objects; they are removed after reading.
import type { Clock } from '../../../lib/clock.js'
import { SyncError } from '../../../model/errors.js'
import type { CommitRange, Direction, RefTip, RefTipFacts } from '../../../model/sources/channel.js'
import { isMissingRef, refTip } from '../../found-ref.js'
import type { SourceRevision, SourceLimits } from '../../source.js'
import type { Promotion, RefTips } from '../../ref-tips.js'
import { findAncestor } from './find-ancestor.js'
import { malformed, readCommit, readTag } from '../objects/authored.js'
import { rootTreeId } from '../mirror/check-complete.js'
import { historyRequest, readPack, tagRequest, tipRequest } from '../protocol/fetch-pack.js'
import { readRange } from './read-range.js'
import { headersIn, commitParents, parseObject, tagTarget, type Header } from '../objects/git-object.js'
import type { Mirror, MirrorReader } from '../mirror/mirror.js'
import type { PackedObjects } from '../pack/packed-objects.js'
import { damaged } from '../protocol/packets.js'
import { noPush, promoteTag, pushTag, type TagMove } from './promote-tag.js'
import type { GitRequest } from '../protocol/protocol.js'
import { checkSignature, type TrustedKeys } from '../signatures/signatures.js'

export interface GitRefTipsDeps {
  readonly limits: SourceLimits
  readonly keys: TrustedKeys
  readonly clock: Clock
  /** Whether the configuration allows pushes to an address. */
  readonly mayPush: (remote: string) => boolean
  readonly poll: (
    remote: string,
    refs: readonly string[],
    signal: AbortSignal,
  ) => Promise<ReadonlyMap<string, SourceRevision | Error>>
  /** Sends one request. */
  readonly send: (remote: string, request: GitRequest, signal: AbortSignal) => AsyncIterable<Uint8Array>
  /** Moves a tag of a local repository. */
  readonly moveLocalTag: (remote: string, move: TagMove, signal: AbortSignal) => Promise<void>
  readonly mirror: (remote: string) => Promise<Mirror>
  /** Reads from a commit; fetches it if the mirror lacks it. */
  readonly read: <T>(
    remote: string,
    commit: string,
    signal: AbortSignal,
    read: (reader: MirrorReader) => Promise<T>,
  ) => Promise<T>
}

/** The most bytes of a tag with its commit as sent; unpacked, eight times as many. */
const tipBytes = 1024 * 1024
const historyBytes = 8 * 1024 * 1024
const historyDepth = 10_000
/** The longest chain of tags. */
const mostTags = 10

/** The stored bytes of the outermost tag, if any, and of the commit. */
interface TipObjects {
  readonly tag: Buffer | null
  readonly commit: Buffer
}

type TipLocation = RefTip & { readonly remote: string }

interface CommitPair {
  readonly from: string
  readonly to: string
}

export class GitRefTips implements RefTips {
  readonly #deps: GitRefTipsDeps
  /** Remotes that refuse filters, which omit files. */
  readonly #unfiltered = new Set<string>()

  constructor(deps: GitRefTipsDeps) {
    this.#deps = deps
  }

  async describe(
    remote: string,
    { object, commit, ref }: RefTip & { readonly ref: string },
    signal: AbortSignal,
  ): Promise<RefTipFacts> {
    const objects = await this.#objects({ remote, object, commit }, signal)
    const [tag, tip] = [objects.tag && parseObject(objects.tag), parseObject(objects.commit)]
    const signed = tag === null ? { type: 'commit' as const, object: tip } : { type: 'tag' as const, object: tag }
    return {
      tag: tag && readTag(tag, { id: object, remote }),
      commit: readCommit(tip, { id: commit, remote }),
      signature: await checkSignature(signed, ref, { keys: this.#deps.keys, now: this.#deps.clock.now() }),
    }
  }

  async promote(remote: string, promotion: Promotion, signal: AbortSignal): Promise<RefTip> {
    const { poll, clock, mayPush } = this.#deps
    if (!mayPush(remote)) throw noPush(remote)
    return promoteTag(remote, promotion, {
      now: clock.now(),
      move: (move) => this.#move(remote, move, signal),
      readTip: async (ref) => tipAt((await poll(remote, [ref], signal)).get(ref)),
    })
  }

  /** A server rejects a tag of a missing commit. For a local repository this is checked here. */
  async #move(remote: string, move: TagMove, signal: AbortSignal): Promise<void> {
    const { send, moveLocalTag } = this.#deps
    if (!remote.startsWith('file:')) return pushTag(remote, move, (question) => send(remote, question, signal))
    for await (const _ of readPack(send(remote, tipRequest(move.commit), signal), remote));
    return moveLocalTag(remote, move, signal)
  }

  /** Most moves are of one commit, which the mirror shows. Else it asks for the commits between the two. */
  async direction(remote: string, move: CommitPair, signal: AbortSignal): Promise<Direction> {
    const mirror = await this.#deps.mirror(remote)
    const back = { from: move.to, to: move.from }
    if (move.from === move.to || (await this.#isParent(mirror, move, signal))) return 'forward'
    if (await this.#isParent(mirror, back, signal)) return 'back'
    const isForward = await this.#isAncestor(mirror, move, tooLong, signal)
    if (isForward !== false) return isForward === true ? 'forward' : 'unknown'
    const isBack = await this.#isAncestor(mirror, back, tooLongOrGone, signal)
    if (isBack === undefined) return 'unknown'
    return isBack ? 'back' : 'diverged'
  }

  async commitsBetween(
    remote: string,
    { most, ...move }: CommitPair & { readonly most: number },
    signal: AbortSignal,
  ): Promise<CommitRange> {
    if (move.from === move.to) return { commits: [], more: false }
    const mirror = await this.#deps.mirror(remote)
    return this.#withFilterFallback(remote, (commits) =>
      this.#withHistory(mirror, { ...move, depth: most + 1, commits }, signal, (objects, isCut) =>
        readRange(objects, { ...move, most, remote, isCut }),
      ),
    )
  }

  /** Whether the mirror has `to`, and `from` is a parent of it. */
  async #isParent(mirror: Mirror, { from, to }: CommitPair, signal: AbortSignal): Promise<boolean> {
    if (!mirror.has(to)) return false
    const bytes = await this.#deps.read(mirror.remote, to, signal, (reader) => reader.commit(to))
    return commitParents(signedHeaders(bytes))?.includes(from) === true
  }

  /** undefined: this cannot be determined, because of one of these errors or because history was omitted. */
  async #isAncestor(
    mirror: Mirror,
    move: CommitPair,
    unknownAfter: ReadonlySet<string>,
    signal: AbortSignal,
  ): Promise<boolean | undefined> {
    try {
      const search = (commits: boolean): Promise<boolean | undefined> =>
        this.#searchHistory(mirror, move, commits, signal)
      return await this.#withFilterFallback(mirror.remote, search)
    } catch (error) {
      if (error instanceof SyncError && unknownAfter.has(error.code)) return undefined
      throw error
    }
  }

  async #searchHistory(
    mirror: Mirror,
    move: CommitPair,
    commits: boolean,
    signal: AbortSignal,
  ): Promise<boolean | undefined> {
    const asked = { ...move, depth: historyDepth, commits }
    return this.#withHistory(mirror, asked, signal, async (objects, isCut) => {
      const { found, reach } = await findAncestor(move, { parentsOf: readParents(objects), isCut })
      return found || (reach === 'whole' ? false : undefined)
    })
  }

  /** Fetches the history of `to` without that of `from`, reads from it and removes it. */
  #withHistory<T>(
    mirror: Mirror,
    { depth, commits, ...move }: CommitPair & { readonly depth: number; readonly commits: boolean },
    signal: AbortSignal,
    read: (objects: PackedObjects, isCut: (commit: string) => boolean) => Promise<T>,
  ): Promise<T> {
    const cut = new Set<string>()
    const request = historyRequest(move, { depth, commits })
    const packBytes = commits ? Math.min(historyBytes, this.#deps.limits.packBytes) : this.#deps.limits.packBytes
    const fetch = (): AsyncIterable<Buffer> =>
      readPack(this.#deps.send(mirror.remote, request, signal), mirror.remote, (one) => cut.add(one))
    return mirror.withTemporaryPack({ packBytes, fetch }, signal, (objects) => read(objects, (one) => cut.has(one)))
  }

  /** Fetches a missing commit without its files. If the remote refuses that, fetches it with its files and keeps it. */
  async #objects(where: TipLocation, signal: AbortSignal): Promise<TipObjects> {
    const mirror = await this.#deps.mirror(where.remote)
    if (mirror.has(where.commit)) return this.#objectsFromMirror(mirror, where, signal)
    return this.#withFilterFallback(where.remote, (commits) =>
      commits
        ? this.#readTemporarily(mirror, tipRequest(where.object), signal, (objects) => readTip(objects, where))
        : this.#objectsFromMirror(mirror, where, signal),
    )
  }

  /** The commit from the mirror. If the ref points to a tag, only the tag is requested. */
  async #objectsFromMirror(mirror: Mirror, where: TipLocation, signal: AbortSignal): Promise<TipObjects> {
    const { remote, object, commit } = where
    const bytes = await this.#deps.read(remote, commit, signal, (reader) => reader.commit(commit))
    if (object === commit) return { tag: null, commit: bytes }
    const request = tagRequest(object, commit)
    return {
      commit: bytes,
      tag: await this.#readTemporarily(mirror, request, signal, (objects) => readTags(objects, where)),
    }
  }

  #readTemporarily<T>(
    mirror: Mirror,
    request: GitRequest,
    signal: AbortSignal,
    read: (objects: PackedObjects) => Promise<T>,
  ): Promise<T> {
    const fetch = (): AsyncIterable<Buffer> => readPack(this.#deps.send(mirror.remote, request, signal), mirror.remote)
    return mirror.withTemporaryPack({ packBytes: tipBytes, fetch }, signal, read)
  }

  /** First requests commits without their files. A server that does not support filters fails during the exchange. */
  async #withFilterFallback<T>(remote: string, work: (commits: boolean) => Promise<T>): Promise<T> {
    if (this.#unfiltered.has(remote)) return work(false)
    try {
      return await work(true)
    } catch (error) {
      if (!(error instanceof SyncError) || !filterRefusals.has(error.code)) throw error
      const result = await work(false)
      this.#unfiltered.add(remote)
      return result
    }
  }
}

/** null: the ref does not exist; undefined: unknown. */
function tipAt(seen: SourceRevision | Error | undefined): RefTip | null | undefined {
  if (isMissingRef(seen)) return null
  return seen === undefined || seen instanceof Error ? undefined : refTip(seen)
}

/** Error codes of servers that refuse `filter`. */
const filterRefusals = new Set(['source/truncated', 'source/remote-error'])
/** Error codes if the history is too large. */
const tooLong: ReadonlySet<string> = new Set(['source/pack-too-large', 'source/timeout'])
/** The remote may no longer have, or no longer serve, the commit that a ref left. */
const tooLongOrGone: ReadonlySet<string> = new Set([...tooLong, 'source/commit-missing', 'source/remote-error'])

function readParents(objects: PackedObjects): (commit: string) => Promise<readonly string[] | undefined> {
  return async (commit) =>
    (await objects.has(commit)) ? commitParents(signedHeaders((await objects.read(commit)).bytes)) : undefined
}

function signedHeaders(bytes: Buffer): Iterable<Header> {
  return headersIn(bytes.toString('latin1'))
}

async function readTip(objects: PackedObjects, where: TipLocation): Promise<TipObjects> {
  await rootTreeId(where.commit, objects, where.remote)
  const { bytes } = await objects.read(where.commit)
  return { commit: bytes, tag: where.object === where.commit ? null : await readTags(objects, where) }
}

/**
 * The first of the tags that point to the commit. The chain is checked, because a signature covers only the tag and not
 * the listing.
 */
async function readTags(objects: PackedObjects, { remote, object, commit }: TipLocation): Promise<Buffer> {
  const first = await objects.read(object)
  let at = first
  for (let step = 0; step < mostTags; step++) {
    if (at.type !== 'tag') break
    const target = tagTarget(signedHeaders(at.bytes))
    if (target === undefined) throw malformed('tag', object, remote)
    if (target.object === commit && target.type === 'commit') return first.bytes
    at = await objects.read(target.object)
  }
  throw damaged(remote)
}
