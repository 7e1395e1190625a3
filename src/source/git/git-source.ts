// Git as a source: a transport for each scheme, and a mirror for each remote.
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { systemClock, type Clock } from '../../lib/clock.js'
import { Bug, Rejected } from '../../model/errors.js'
import { memoize } from '../../lib/memoize.js'
import { hashDigits } from '../../model/sources/revision.js'
import type { SourceSpec } from '../../model/sources/source-spec.js'
import { sshAddress } from '../../lib/text/ssh-address.js'
import { normaliseAddress } from '../../settings/source-address.js'
import { commitRequest, readPack } from './protocol/fetch-pack.js'
import type { HttpAccess } from '../network/authorized-request.js'
import { allowedDirectory, type AllowedDirectories, type AllowedDirectory } from '../allowed-directory.js'
import { RepositoryViews } from './local/repository-views.js'
import { moveLocalTag } from './local/move-local-tag.js'
import { Mirror, type MirrorReader } from './mirror/mirror.js'
import { mirrorsOf } from './mirror/mirror-files.js'
import {
  bareHost,
  guardedLookup,
  isForbidden,
  readNetworks,
  forbiddenAddress,
  type ResolveHost,
} from '../network/address-policy.js'
import { InProcessLocks } from '../../lib/async/in-process-locks.js'
import { lockNames, withLock, type Locks } from '../../lib/async/locks.js'
import { DamagedMirror } from './pack/packed-objects.js'
import { findEntry, readFiles } from '../tree/read-files.js'
import { pollRefs } from './refs/poll-refs.js'
import { isCommit } from './refs/ref-names.js'
import type { RefTips } from '../ref-tips.js'
import { GitRefTips } from './refs/git-ref-tips.js'
import type { TrustedKeys } from './signatures/signatures.js'
import type { OnRead, SourceRevision, Source, SourceFile, SourceLimits, UsedRemotes } from '../source.js'
import { diskError } from '../disk-error.js'
import { sweepFolder } from '../sweep-folder.js'
import type { SshLogins } from './protocol/ssh-transport.js'
import { exchange, type GitRequest, type Transport } from './protocol/protocol.js'
import { Transports } from './protocol/transports.js'
import type { BlockList } from 'node:net'
import { fileURLToPath } from 'node:url'

export interface GitSourceOptions {
  /** The folder of the mirrors, one subfolder each. Created if missing. */
  readonly directory: string
  readonly limits: SourceLimits
  /** `directories`: roots that may contain `file:` repositories. `networks`: link-local networks that are allowed. */
  readonly allow: { readonly directories: readonly AllowedDirectory[]; readonly networks?: readonly string[] }
  /** Never read as a repository, nor anything below it. */
  readonly dataDirectory: string
  /** The client for HTTP requests, and their authorization. */
  readonly access: HttpAccess
  /**
   * The name of the credential for an address; undefined: none. A mirror that was fetched with one credential is not
   * read with another. Default: none.
   */
  readonly credentialFor?: (url: string) => string | undefined
  /** Called for each ssh connection. Default: no login. */
  readonly sshLogins?: SshLogins
  /** Resolves the names of ssh hosts. Default: the system resolver. */
  readonly resolveHost?: ResolveHost
  /** Search path for `git` and `ssh`, in the format of PATH. Default: /usr/local/bin:/usr/bin:/bin. */
  readonly searchPath?: string
  /** Default: its own. */
  readonly locks?: Locks
  /** Whether pushes to a network address are allowed. Default: no. */
  readonly mayPush?: (url: string) => boolean
  /** Trusted signing keys of tags and commits. Default: none. */
  readonly keys?: TrustedKeys
  readonly clock?: Clock
}

const standardPath = '/usr/local/bin:/usr/bin:/bin'
const READ_ATTEMPTS = 3
const mostAddresses = 5_000

export class GitSource implements Source {
  readonly #directory: string
  readonly #locks: Locks
  readonly #limits: SourceLimits
  readonly #allow: AllowedDirectories
  readonly #networks: BlockList
  readonly #views: RepositoryViews
  readonly #transport: Transport
  readonly #credentialFor: (url: string) => string | undefined
  readonly #addressOf = memoize(mostAddresses, (url) => this.#refuseHost(normaliseAddress(url)))
  /** By folder: with another credential a remote gets another mirror. */
  readonly #mirrors = new Map<string, Promise<Mirror>>()
  /** Facts about ref tips, and promotions. */
  readonly tips: RefTips

  constructor(options: GitSourceOptions) {
    const { directory, limits, allow, dataDirectory, access, sshLogins = () => undefined } = options
    const { searchPath = standardPath, clock = systemClock } = options
    this.#directory = directory
    this.#locks = options.locks ?? new InProcessLocks()
    this.#credentialFor = options.credentialFor ?? ((): undefined => undefined)
    this.#limits = limits
    this.#allow = { directories: allow.directories, dataDirectory }
    this.#views = new RepositoryViews(join(directory, RepositoryViews.newName()))
    this.#networks = readNetworks(allow.networks ?? [])
    const lookup = guardedLookup(this.#networks, options.resolveHost)
    this.#transport = new Transports({
      access,
      sshLogins,
      credentialFor: this.#credentialFor,
      lookup,
      allow: this.#allow,
      views: this.#views,
      searchPath,
      limits,
      clock,
    })
    this.tips = new GitRefTips({
      limits,
      clock,
      keys: options.keys ?? { read: () => [] },
      mayPush: (remote) => remote.startsWith('file:') || options.mayPush?.(remote) === true,
      poll: (remote, refs, signal) => this.poll(remote, refs, signal),
      send: (remote, request, signal) => this.#send(remote, request, signal),
      moveLocalTag: (remote, move, signal) =>
        moveLocalTag(remote, move, { allow: this.#allow, refsBytes: limits.refsBytes }, signal),
      mirror: (remote) => this.#mirror(remote),
      read: (remote, commit, signal, read) => this.#read(remote, commit, signal, read),
    })
  }

  remoteOf(source: SourceSpec): string {
    if (source.kind !== 'git') throw new Bug(`A source of kind ${source.kind} is not git.`)
    return this.#normalise(source.url)
  }

  /** The allowed directories are checked each time, because links can change. */
  #normalise(url: string): string {
    const address = this.#addressOf(url)
    if (address.startsWith('file:')) allowedDirectory(fileURLToPath(address), this.#allow)
    return address
  }

  #refuseHost(address: string): string {
    const host = address.startsWith('file:') ? '' : (sshAddress(address)?.host ?? bareHost(new URL(address)))
    if (isForbidden(host, this.#networks)) throw forbiddenAddress(host)
    return address
  }

  /** Git has no change notifications: only polls find changes. */
  watch(): undefined {
    return undefined
  }

  async poll(
    remote: string,
    refs: readonly string[],
    signal: AbortSignal,
    onRead: OnRead = () => {},
  ): Promise<ReadonlyMap<string, SourceRevision | Error>> {
    const address = this.#normalise(remote)
    const request = (question: GitRequest): AsyncIterable<Uint8Array> => this.#send(address, question, signal, onRead)
    return pollRefs(refs, { remote: address, request, refsBytes: this.#limits.refsBytes }, signal)
  }

  /** Mirrors that are opened meanwhile stay: stacks that are created now may use them. */
  async keepOnly({ remotes, undecided }: UsedRemotes): Promise<number> {
    const folders = new Set([
      ...remotes.map((remote) => this.#mirrorFolder(remote)),
      ...(undecided.length === 0 ? [] : await mirrorsOf(new Set(undecided), this.#directory)),
    ])
    const mirrors = [...this.#mirrors]
    for (const [folder, opened] of mirrors) {
      if (folders.has(folder)) continue
      const mirror = await opened.catch(() => undefined)
      if (mirror !== undefined) await this.#change(mirror, new AbortController().signal, () => mirror.remove())
    }
    const isKept = (name: string): boolean => folders.has(name) || this.#mirrors.has(name) || name === this.#views.name
    return sweepFolder(this.#directory, isKept)
  }

  async fetch(remote: string, state: string, signal: AbortSignal): Promise<void> {
    await this.#fetch(await this.#mirror(remote), hashDigits(state), signal)
  }

  async content(
    remote: string,
    state: string,
    path: string,
    signal = new AbortController().signal,
  ): Promise<string | undefined> {
    const commit = hashDigits(state)
    return this.#read(remote, commit, signal, async (reader) => (await findEntry(reader, commit, path))?.id)
  }

  async files(
    remote: string,
    state: string,
    path: string,
    includes: (path: string) => boolean,
    signal: AbortSignal,
  ): Promise<readonly SourceFile[]> {
    const commit = hashDigits(state)
    const selection = { remote, commit, path, includes, limits: this.#limits }
    return this.#read(remote, commit, signal, (reader) => readFiles(reader, selection, signal))
  }

  #send(remote: string, request: GitRequest, signal: AbortSignal, onRead?: OnRead): AsyncIterable<Uint8Array> {
    const timeouts = { silenceMs: this.#limits.gitRequestMs, totalMs: this.#limits.fetchMs }
    return exchange(this.#transport, { remote, request, timeouts, onRead }, signal)
  }

  async #fetch(mirror: Mirror, commit: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    if (mirror.has(commit)) return
    if (!isCommit(commit)) throw new Rejected(`"${commit}" is not a commit ID.`, { code: 'source/commit-missing' })
    const { remote } = mirror
    const fetch = (haves: readonly string[]): AsyncIterable<Buffer> =>
      readPack(this.#send(remote, commitRequest(commit, haves), signal), remote)
    await this.#change(mirror, signal, async () => {
      if (mirror.has(commit)) return
      await mirror.receive(commit, { packBytes: this.#limits.packBytes, fetch }, signal).catch(diskFailure)
    })
  }

  /**
   * Reads from a complete commit. If the mirror is damaged, or replaced during the read, it is fetched again and the
   * read restarts.
   */
  async #read<T>(
    remote: string,
    commit: string,
    signal: AbortSignal,
    read: (reader: MirrorReader) => Promise<T>,
  ): Promise<T> {
    const mirror = await this.#mirror(remote)
    for (let attempt = 1; ; attempt++) {
      await this.#fetch(mirror, commit, signal)
      const { objects } = mirror
      try {
        return await read(mirror.reader(objects))
      } catch (error) {
        if (!(error instanceof DamagedMirror) || attempt === READ_ATTEMPTS) throw error
        await this.#change(mirror, signal, () => mirror.discard(objects))
      }
    }
  }

  /** Alone among changes of the mirror. Reads take no lock: a read restarts if the packs were replaced. */
  #change(mirror: Mirror, signal: AbortSignal, change: () => Promise<void>): Promise<void> {
    return withLock(this.#locks, lockNames.mirror(mirror.remote), signal, change)
  }

  #mirror(remote: string): Promise<Mirror> {
    return this.#mirrors.get(this.#mirrorFolder(remote)) ?? this.#openMirror(this.#normalise(remote))
  }

  #mirrorFolder(address: string): string {
    const credential = this.#credentialFor(address)
    const hash = createHash('sha256').update(address)
    if (credential !== undefined) hash.update(`\0${credential}`)
    return hash.digest('hex').slice(0, 32)
  }

  #openMirror(address: string): Promise<Mirror> {
    const folder = this.#mirrorFolder(address)
    const known = this.#mirrors.get(folder)
    if (known !== undefined) return known
    const opened = Mirror.open(address, join(this.#directory, folder)).catch((error: unknown) => {
      this.#mirrors.delete(folder)
      return diskFailure(error)
    })
    this.#mirrors.set(folder, opened)
    return opened
  }
}

/** Converts file system errors; throws other errors unchanged. */
function diskFailure(error: unknown): never {
  const { code, syscall } = error as NodeJS.ErrnoException
  if (code === undefined || syscall === undefined) throw error
  throw diskError('store the copy of the repository', error)
}
