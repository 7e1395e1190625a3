// A file or an archive at a URL as a source. Its revision is the digest of the downloaded bytes.
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { BlockList } from 'node:net'
import { systemClock, type Clock } from '../../lib/clock.js'
import { Bug, Rejected, Unavailable } from '../../model/errors.js'
import { detectEncoding, type Encoding } from '../../model/encoding.js'
import { InProcessLocks } from '../../lib/async/in-process-locks.js'
import { lockNames, withLock, type Locks } from '../../lib/async/locks.js'
import { hashDigits } from '../../model/sources/revision.js'
import { showText } from '../../lib/text/printable.js'
import type { SourceSpec } from '../../model/sources/source-spec.js'
import { normaliseAddress } from '../../settings/source-address.js'
import { filesOfArchive, listArchive, type Archive, type ArchiveListing } from '../archive/archive.js'
import { detectArchiveFormat, isArchiveName } from '../archive/archive-format.js'
import { blobId } from '../blob-id.js'
import type { HttpAccess } from '../network/authorized-request.js'
import {
  bareHost,
  noPrivate,
  isForbidden,
  noLinkLocal,
  readNetworks,
  forbiddenAddress,
} from '../network/address-policy.js'
import type { OnRead, SourceRevision, Source, SourceFile, SourceLimits, UsedRemotes } from '../source.js'
import { sweepFolder } from '../sweep-folder.js'
import { readCopy, readCopyHead, bodyState, writeCopy, type CopyHead, type UrlCopy } from './url-copy.js'
import { UrlRequest, type UrlBounds } from './url-request.js'

export interface UrlSourceOptions {
  /** The folder with the newest body of each URL, one file each. Created if missing. */
  readonly directory: string
  readonly limits: SourceLimits
  /** Networks that are allowed: link-local ones, and private ones as targets of redirects. */
  readonly networks: readonly string[]
  readonly access: HttpAccess
  readonly clock?: Clock
  /** Default: its own. */
  readonly locks?: Locks
}

const PREFIX = 'url:'

export const REDIRECTS = 3

/** Cached archive listings, without the bytes. */
const mostListings = 4

export class UrlSource implements Source {
  readonly #directory: string
  readonly #limits: SourceLimits
  readonly #networks: BlockList
  readonly #request: UrlRequest
  /** One operation at a time for each remote. */
  readonly #locks: Locks
  readonly #listings = new Map<string, ArchiveListing>()

  constructor({ directory, limits, networks, access, clock = systemClock, ...options }: UrlSourceOptions) {
    this.#locks = options.locks ?? new InProcessLocks()
    this.#directory = directory
    this.#limits = limits
    this.#networks = readNetworks(networks)
    const policies = { networks: this.#networks, addressPolicy: noLinkLocal, redirectPolicy: noPrivate }
    this.#request = new UrlRequest({ ...policies, bounds: toUrlBounds(limits), access, clock })
  }

  remoteOf(source: SourceSpec): string {
    if (source.kind !== 'url') throw new Bug(`A source of kind ${source.kind} is not a URL.`)
    const address = normaliseAddress(source.url)
    const to = new URL(address)
    if (to.protocol === 'file:')
      throw new Rejected(`${address} is not an http or https URL.`, {
        code: 'source/scheme',
        hint: 'Use its folder as a source of kind directory.',
      })
    if (isForbidden(bareHost(to), this.#networks)) throw forbiddenAddress(to.hostname)
    return PREFIX + address
  }

  keepOnly({ remotes, undecided }: UsedRemotes): Promise<number> {
    const files = new Set([...remotes, ...undecided].map((remote) => this.#copyPath(remote)))
    return sweepFolder(this.#directory, (name) => files.has(join(this.#directory, name.replace(/\.new$/, ''))))
  }

  /** URLs have no change notifications: only polls find changes. */
  watch(): undefined {
    return undefined
  }

  /** A ref is the required digest of the file, '' for any. */
  async poll(
    remote: string,
    refs: readonly string[],
    signal: AbortSignal,
    onRead: OnRead = () => {},
  ): Promise<ReadonlyMap<string, SourceRevision | Error>> {
    const { state } = await withLock(this.#locks, lockNames.copy(remote), signal, async () => {
      const known = await readCopyHead(this.#copyPath(remote), remote)
      return (await this.#newer(remote, known, signal, onRead)) ?? known!
    })
    return new Map(
      refs.map((ref) => [
        ref,
        ref === '' || ref === state ? { name: '', state } : otherDigest(remoteAddress(remote), state, ref),
      ]),
    )
  }

  async fetch(remote: string, state: string, signal: AbortSignal): Promise<void> {
    await this.#loadCopy(remote, state, signal)
  }

  async content(
    remote: string,
    state: string,
    path: string,
    signal = new AbortController().signal,
  ): Promise<string | undefined> {
    const listing = this.#listings.get(state) ?? (await this.#list(remote, state, signal))
    if (listing !== undefined) return listing.contentAt(path)
    return path === '' ? state : undefined
  }

  async files(
    remote: string,
    state: string,
    path: string,
    includes: (path: string) => boolean,
    signal: AbortSignal,
  ): Promise<readonly SourceFile[]> {
    const copy = await this.#loadCopy(remote, state, signal)
    const archive = this.#archiveIn(remote, copy)
    if (archive !== undefined) return filesOfArchive(archive, path, includes, signal)
    refusePath(remoteAddress(remote), path)
    const name = packageFileName(remoteAddress(remote), copy)
    return includes(name) ? [{ path: name, id: blobId(copy.body), bytes: copy.body }] : []
  }

  /**
   * Undefined: it is not an archive. The last few listings are cached, for stacks that use one archive at many paths.
   */
  async #list(remote: string, state: string, signal: AbortSignal): Promise<ArchiveListing | undefined> {
    const archive = this.#archiveIn(remote, await this.#loadCopy(remote, state, signal))
    if (archive === undefined) return undefined
    const listing = await listArchive(archive, signal)
    this.#listings.set(state, listing)
    for (const oldest of [...this.#listings.keys()].slice(0, -mostListings)) this.#listings.delete(oldest)
    return listing
  }

  /** Detects an archive by its bytes. If the name says that it is one, it must be. */
  #archiveIn(remote: string, { body }: UrlCopy): Archive | undefined {
    const shown = remoteAddress(remote)
    const format = detectArchiveFormat(body)
    if (format !== undefined) return { body, format, shown, limits: this.#limits }
    if (isArchiveName(new URL(shown).pathname)) throw noArchive(shown)
    return undefined
  }

  /**
   * The stored body if it has this revision, else the current one of the server. Throws `Unavailable` if that is
   * another one.
   */
  async #loadCopy(remote: string, state: string, signal: AbortSignal): Promise<UrlCopy> {
    const copy = await withLock(this.#locks, lockNames.copy(remote), signal, async () => {
      const kept = await readCopy(this.#copyPath(remote), remote)
      return kept?.state === state ? kept : ((await this.#newer(remote, kept, signal, () => {})) ?? kept!)
    })
    if (copy.state === state) return copy
    throw new Unavailable(`${remoteAddress(remote)} has changed: ${copy.state}, not ${state}.`, {
      code: 'source/changed-meanwhile',
      hint: 'The next poll finds the new file.',
    })
  }

  /** Requests the file and stores it if it changed. Undefined: it is unchanged. */
  async #newer(
    remote: string,
    known: CopyHead | undefined,
    signal: AbortSignal,
    onRead: OnRead,
  ): Promise<UrlCopy | undefined> {
    onRead({ method: 'url', bytes: 0 })
    const answer = await this.#request.get(remoteAddress(remote), known?.validators ?? {}, signal)
    if (answer.unchanged && known !== undefined) return undefined
    if (answer.unchanged)
      throw new Unavailable(`${remoteAddress(remote)} answered 304 although nothing was requested conditionally.`, {
        code: 'source/server-error',
      })
    const { body, type, validators } = answer
    onRead({ method: 'url', bytes: body.length })
    const copy = { state: bodyState(body), type, validators, body }
    await writeCopy(this.#copyPath(remote), remote, copy)
    return copy
  }

  #copyPath(remote: string): string {
    return join(this.#directory, createHash('sha256').update(remote).digest('hex').slice(0, 32))
  }
}

function toUrlBounds({ gitRequestMs, fetchMs, fileBytes, packBytes }: SourceLimits): UrlBounds {
  const settings = { silence: 'limits.gitRequest', total: 'limits.fetch', bytes: 'limits.fileBytes' }
  const archive = { bytes: packBytes, setting: 'limits.packBytes' }
  return { silenceMs: gitRequestMs, totalMs: fetchMs, bytes: fileBytes, archive, redirects: REDIRECTS, settings }
}

function remoteAddress(remote: string): string {
  return remote.slice(PREFIX.length)
}

const extensions: Readonly<Record<Encoding, string>> = { yaml: '.yml', json: '.json', jsonnet: '.jsonnet' }

/** The file name from the URL. If it has no extension, the content type or the first character decides. */
function packageFileName(address: string, { type, body }: UrlCopy): string {
  const last = new URL(address).pathname
    .split('/')
    .at(-1)!
    .replace(/[^A-Za-z0-9._-]/g, '-')
    .replace(/^\.+/, '')
  const [, name = '', extension] = /^(.*?)(\.ya?ml|\.json|\.jsonnet)?$/is.exec(last)!
  if (extension !== undefined) return `${name || 'package'}${extension.toLowerCase()}`
  const encoding = detectEncoding({ path: address, responseType: type, text: body.toString('utf8', 0, 100) })
  return `${name || 'package'}${extensions[encoding]}`
}

function otherDigest(address: string, state: string, required: string): Rejected {
  return new Rejected(
    `${address} does not have the required digest: it is ${hashDigits(state).slice(0, 12)}…, not ` +
      `${hashDigits(required).slice(0, 12)}….`,
    {
      code: 'source/digest-mismatch',
      hint: `Find out why the file changed. If the new file is correct, set its digest: ${state}`,
    },
  )
}

function noArchive(address: string): Rejected {
  return new Rejected(`${address} is not an archive, although its name says so.`, {
    code: 'source/not-an-archive',
    hint: 'Open the address in a browser: it must return a .tar, .tar.gz or .zip file.',
  })
}

function refusePath(address: string, path: string): void {
  if (path === '') return
  throw new Rejected(`${address} is a single file, so it has no path "${showText(path)}".`, {
    code: 'source/not-an-archive',
    hint: 'Only an archive has paths: remove the path of the source, or use the address of an archive.',
  })
}
