// A git server in memory and the source that reads it, for tests of what gitmoor decides about commits.
// How commits are transferred is tested in test/source, with real git.
import { InProcessLocks } from '../src/lib/async/in-process-locks.js'
import { withLock } from '../src/lib/async/locks.js'
import { Bug, Refused, type SyncError } from '../src/model/errors.js'
import { orAborted } from '../src/lib/async/or-aborted.js'
import { memoize } from '../src/lib/memoize.js'
import type { Authored, CommitRange } from '../src/model/sources/channel.js'
import { hashDigits } from '../src/model/sources/revision.js'
import { finish } from '../src/lib/async/steps.js'
import { normaliseAddress } from '../src/settings/source-address.js'
import { noPush } from '../src/source/git/refs/promote-tag.js'
import { findEntry, readFiles } from '../src/source/tree/read-files.js'
import { chosenRefSteps, emptyRepository, isCommit, refuseName, commitState } from '../src/source/git/refs/ref-names.js'
import { remoteError } from '../src/source/git/protocol/protocol.js'
import { networkError, repositoryError } from '../src/source/network/http-errors.js'
import type { OnRead, SourceRevision, Source, SourceLimits, UsedRemotes } from '../src/source/source.js'
import type { RefTips } from '../src/source/ref-tips.js'
import { MemoryObjects, MemoryRepository } from './memory-repository.js'

/** `list`: refs; `fetch`: a commit with its files; `describe`: a tip alone; `history`: how two commits are related. */
export interface MemoryRequest {
  readonly kind: 'list' | 'fetch' | 'describe' | 'history' | 'push'
  readonly remote: string
  /** What is asked for, where it is one commit. */
  readonly commit?: string
}

/** Called before a request is answered: to wait, or to throw in place of the answer. */
export type MemoryIntercept = (request: MemoryRequest) => Promise<void> | void

export interface MemorySourceOptions {
  readonly limits: SourceLimits
  /** Whether a tag may be promoted. Default: no. */
  readonly mayPush?: (remote: string) => boolean
}

/** Answers each request as a server over HTTP with this status does. */
export function answering(status: number, headers: Readonly<Record<string, string>> = {}): MemoryIntercept {
  return ({ remote }) => {
    throw repositoryError(remote, { statusCode: status, headers }, { authorized: false, now: 0 })
  }
}

/** Answers no request: nothing listens. */
export const unreachable: MemoryIntercept = ({ remote }) => {
  throw networkError(remote, Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }))
}

/** The repositories of one host, and the copies that sources keep: copies survive a restart, as those on a disk do. */
export class MemoryGit {
  readonly url = 'https://git.example'
  readonly objects = new MemoryObjects()
  readonly #repositories = new Map<string, MemoryRepository>()
  readonly #copies = new Map<string, Set<string>>()
  #seen: MemoryRequest[] = []
  #intercept: MemoryIntercept = () => {}

  /** Makes an empty repository, in place of another of this name. */
  makeRepository(name = 'repository'): MemoryRepository {
    const repository = new MemoryRepository(`${name}.git`, this.objects)
    this.#repositories.set(`${this.url}/${repository.name}`, repository)
    return repository
  }

  /** A repository is answered for at another address, too. */
  alias(remote: string, repository: MemoryRepository): void {
    this.#repositories.set(remote, repository)
  }

  openSource(options: MemorySourceOptions): Source & { readonly tips: RefTips } {
    return new MemorySource(this, options)
  }

  /** Requests since the last `reset`, in order. */
  get seen(): readonly MemoryRequest[] {
    return this.#seen
  }

  reset(): void {
    this.#seen = []
  }

  /** undefined: requests are answered again. */
  intercept(fn: MemoryIntercept | undefined): void {
    this.#intercept = fn ?? ((): void => {})
  }

  /** From now on nothing answers. */
  async close(): Promise<void> {
    this.#intercept = unreachable
  }

  /** The repository that answers a request. Errors: those of `Source`. */
  async ask(request: MemoryRequest, signal: AbortSignal): Promise<MemoryRepository> {
    signal.throwIfAborted()
    this.#seen.push(request)
    await orAborted(Promise.resolve(this.#intercept(request)), signal)
    const repository = this.#repositories.get(request.remote)
    if (repository === undefined)
      throw repositoryError(request.remote, { statusCode: 404, headers: {} }, { authorized: false, now: 0 })
    if (request.commit !== undefined && !repository.has(request.commit))
      throw commitMissing(request.remote, request.commit)
    return repository
  }

  copyOf(remote: string): Set<string> {
    const copy = this.#copies.get(remote) ?? new Set()
    this.#copies.set(remote, copy)
    return copy
  }

  keepOnly(remotes: readonly string[]): number {
    const gone = [...this.#copies.keys()].filter((remote) => !remotes.includes(remote))
    for (const remote of gone) this.#copies.delete(remote)
    return gone.length
  }
}

function commitMissing(remote: string, commit: string): SyncError {
  return remoteError(remote, `upload-pack: not our ref ${commit}`)
}

class MemorySource implements Source {
  readonly #git: MemoryGit
  readonly #options: MemorySourceOptions
  readonly #locks = new InProcessLocks()
  readonly #addressOf = memoize(1_000, normaliseAddress)

  constructor(git: MemoryGit, options: MemorySourceOptions) {
    this.#git = git
    this.#options = options
  }

  remoteOf(source: Parameters<Source['remoteOf']>[0]): string {
    if (source.kind !== 'git') throw new Bug(`A source of kind ${source.kind} is not git.`)
    return this.#addressOf(source.url)
  }

  watch(): undefined {
    return undefined
  }

  async keepOnly({ remotes, undecided }: UsedRemotes): Promise<number> {
    return this.#git.keepOnly([...remotes, ...undecided])
  }

  async poll(
    remote: string,
    refs: readonly string[],
    signal: AbortSignal,
    onRead: OnRead = () => {},
  ): ReturnType<Source['poll']> {
    const named = refs.filter((ref) => !isCommit(ref) && refuseName(ref) === undefined)
    if (named.length === 0) return new Map(refs.map((ref) => [ref, refuseName(ref) ?? resolvedCommit(ref)]))
    onRead({ method: 'git-http', bytes: 0 })
    const { refs: listed } = await this.#git.ask({ kind: 'list', remote }, signal)
    onRead({ method: 'git-http', bytes: 60 * listed.size })
    const resolve = (ref: string): SourceRevision | Error => {
      if (isCommit(ref)) return resolvedCommit(ref)
      return (
        refuseName(ref) ??
        (listed.size === 0 ? emptyRepository(remote, ref) : finish(chosenRefSteps(remote, ref, listed)))
      )
    }
    return new Map(refs.map((ref) => [ref, resolve(ref)]))
  }

  async fetch(remote: string, state: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    const commit = hashDigits(state)
    if (this.#git.copyOf(remote).has(commit)) return
    await withLock(this.#locks, remote, signal, async () => {
      if (this.#git.copyOf(remote).has(commit)) return
      await this.#git.ask({ kind: 'fetch', remote, commit }, signal)
      this.#git.copyOf(remote).add(commit)
    })
  }

  async content(
    remote: string,
    state: string,
    path: string,
    signal = new AbortController().signal,
  ): Promise<string | undefined> {
    await this.fetch(remote, state, signal)
    return (await findEntry(this.#git.objects, hashDigits(state), path))?.id
  }

  async files(...[remote, state, path, includes, signal]: Parameters<Source['files']>): ReturnType<Source['files']> {
    await this.fetch(remote, state, signal)
    const { limits } = this.#options
    return readFiles(this.#git.objects, { remote, commit: hashDigits(state), path, includes, limits }, signal)
  }

  readonly tips: RefTips = {
    describe: async (remote, { object, commit }, signal) => {
      const isHere = object === commit && this.#git.copyOf(remote).has(commit)
      const repository = isHere ? undefined : await this.#git.ask({ kind: 'describe', remote, commit }, signal)
      const { author } = this.#git.objects.commits.get(commit)!
      return { tag: repository?.tagObject(object) ?? null, commit: author, signature: { state: 'none' } }
    },
    direction: async (remote, { from, to }, signal) => {
      const { objects } = this.#git
      const copy = this.#git.copyOf(remote)
      const isChild = (parent: string, child: string): boolean =>
        copy.has(child) && objects.commits.get(child)?.parent === parent
      if (from === to || isChild(from, to)) return 'forward'
      if (isChild(to, from)) return 'back'
      const repository = await this.#git.ask({ kind: 'history', remote, commit: to }, signal)
      if (objects.isForward(from, to)) return 'forward'
      if (!repository.has(from)) return 'unknown'
      return objects.isForward(to, from) ? 'back' : 'diverged'
    },
    commitsBetween: async (remote, { from, to, most }, signal) => {
      const { objects } = this.#git
      await this.#git.ask({ kind: 'history', remote, commit: to }, signal)
      const commits: CommitRange['commits'][number][] = []
      for (let id: string | null = to; id !== null && id !== from;) {
        const found: { readonly author: Authored; readonly parent: string | null } = objects.commits.get(id)!
        if (commits.length === most) return { commits, more: true }
        commits.push({ id, ...found.author })
        id = found.parent
      }
      return { commits, more: false }
    },
    promote: async (remote, { tag, expected, commit, by, note }, signal) => {
      if (this.#options.mayPush?.(remote) !== true) throw noPush(remote)
      const repository = await this.#git.ask({ kind: 'push', remote, commit }, signal)
      const at = repository.refs.get(`refs/tags/${tag}`)
      if (at?.object !== expected?.object)
        throw new Refused('conflict', `The tag ${tag} of ${remote} moved meanwhile.`, { code: 'source/tag-moved' })
      return { object: repository.annotate(tag, commit, { name: by, message: note }), commit }
    },
  }
}

function resolvedCommit(ref: string): SourceRevision {
  const id = ref.toLowerCase()
  return { name: id, object: id, state: commitState(id) }
}
