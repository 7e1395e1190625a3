// A file or an archive behind http(s) as a source: its state is the digest of what was downloaded.
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { BlockList } from 'node:net'
import { systemClock, type Clock } from '../../lib/clock.js'
import { Bug, Rejected, Unavailable } from '../../model/errors.js'
import { detectEncoding, type Encoding } from '../../model/encoding.js'
import { Lock } from '../../lib/lock.js'
import { hashDigits } from '../../model/revision.js'
import { showText } from '../../lib/printable.js'
import type { SourceSpec } from '../../model/source-spec.js'
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
import type { OnRead, SourceRevision, Source, SourceFile, SourceLimits } from '../source.js'
import { sweepFolder } from '../sweep-folder.js'
import { readCopy, readCopyHead, bodyState, writeCopy, type CopyHead, type UrlCopy } from './url-copy.js'
import { UrlRequest, type UrlBounds } from './url-request.js'

export interface UrlSourceOptions {
  /** Where the newest body of each URL is kept, in one file each; made where it is missing. */
  readonly directory: string
  readonly limits: SourceLimits
  /** Networks that are reached though they would be refused: link-local ones, and private ones behind a redirect. */
  readonly networks: readonly string[]
  readonly access: HttpAccess
  readonly clock?: Clock
}

const PREFIX = 'url:'

export const REDIRECTS = 3

/** Archives whose contents are remembered, without their bytes. */
const mostListings = 4

export class UrlSource implements Source {
  readonly #directory: string
  readonly #limits: SourceLimits
  readonly #networks: BlockList
  readonly #request: UrlRequest
  readonly #locks = new Map<string, Lock>()
  readonly #listings = new Map<string, ArchiveListing>()

  constructor({ directory, limits, networks, access, clock = systemClock }: UrlSourceOptions) {
    this.#directory = directory
    this.#limits = limits
    this.#networks = readNetworks(networks)
    const policies = { networks: this.#networks, addressPolicy: noLinkLocal, redirectPolicy: noPrivate }
    this.#request = new UrlRequest({ ...policies, bounds: boundsOf(limits), access, clock })
  }

  remoteOf(source: SourceSpec): string {
    if (source.kind !== 'url') throw new Bug(`A source of kind ${source.kind} is no URL.`)
    const address = normaliseAddress(source.url)
    const to = new URL(address)
    if (to.protocol === 'file:')
      throw new Rejected(`${address} is no http or https address.`, {
        code: 'source/scheme',
        hint: 'Follow its folder as a source of kind directory.',
      })
    if (isForbidden(bareHost(to), this.#networks)) throw forbiddenAddress(to.hostname)
    return PREFIX + address
  }

  keepOnly(remotes: readonly string[]): Promise<number> {
    const files = new Set(remotes.map((remote) => this.#fileOf(remote)))
    return sweepFolder(this.#directory, (name) => files.has(join(this.#directory, name.replace(/\.new$/, ''))))
  }

  /** Nothing tells of changes here: looks find them. */
  watch(): undefined {
    return undefined
  }

  /** A ref is the digest that the file must have, '' for any. */
  async poll(
    remote: string,
    refs: readonly string[],
    signal: AbortSignal,
    onRead: OnRead = () => {},
  ): Promise<ReadonlyMap<string, SourceRevision | Error>> {
    const { state } = await this.#alone(remote, signal, async () => {
      const known = await readCopyHead(this.#fileOf(remote), remote)
      return (await this.#newer(remote, known, signal, onRead)) ?? known!
    })
    return new Map(
      refs.map((ref) => [
        ref,
        ref === '' || ref === state ? { name: '', state } : otherDigest(addressOf(remote), state, ref),
      ]),
    )
  }

  async fetch(remote: string, state: string, signal: AbortSignal): Promise<void> {
    await this.#copyOf(remote, state, signal)
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
    wanted: (path: string) => boolean,
    signal: AbortSignal,
  ): Promise<readonly SourceFile[]> {
    const copy = await this.#copyOf(remote, state, signal)
    const archive = this.#archiveIn(remote, copy)
    if (archive !== undefined) return filesOfArchive(archive, path, wanted, signal)
    refusePath(addressOf(remote), path)
    const name = fileNameOf(addressOf(remote), copy)
    return wanted(name) ? [{ path: name, id: blobId(copy.body), bytes: copy.body }] : []
  }

  /** Undefined: it is no archive. The last few are remembered, for stacks that follow one archive at many paths. */
  async #list(remote: string, state: string, signal: AbortSignal): Promise<ArchiveListing | undefined> {
    const archive = this.#archiveIn(remote, await this.#copyOf(remote, state, signal))
    if (archive === undefined) return undefined
    const listing = await listArchive(archive, signal)
    this.#listings.set(state, listing)
    for (const oldest of [...this.#listings.keys()].slice(0, -mostListings)) this.#listings.delete(oldest)
    return listing
  }

  /** Its bytes say whether it is one; where its name does too, it must be. */
  #archiveIn(remote: string, { body }: UrlCopy): Archive | undefined {
    const shown = addressOf(remote)
    const format = detectArchiveFormat(body)
    if (format !== undefined) return { body, format, shown, limits: this.#limits }
    if (isArchiveName(new URL(shown).pathname)) throw noArchive(shown)
    return undefined
  }

  /**
   * What is here where it is of this state, else what the server has now. Throws `Unavailable` where that is another by
   * now.
   */
  async #copyOf(remote: string, state: string, signal: AbortSignal): Promise<UrlCopy> {
    const copy = await this.#alone(remote, signal, async () => {
      const kept = await readCopy(this.#fileOf(remote), remote)
      return kept?.state === state ? kept : ((await this.#newer(remote, kept, signal, () => {})) ?? kept!)
    })
    if (copy.state === state) return copy
    throw new Unavailable(`${addressOf(remote)} is another file by now: ${copy.state}, not ${state}.`, {
      code: 'source/changed-meanwhile',
      hint: 'The next look sees the newer one by itself.',
    })
  }

  /** Asks the server, and keeps what is new. Undefined: it is as it is known. */
  async #newer(
    remote: string,
    known: CopyHead | undefined,
    signal: AbortSignal,
    onRead: OnRead,
  ): Promise<UrlCopy | undefined> {
    onRead({ method: 'url', bytes: 0 })
    const answer = await this.#request.get(addressOf(remote), known?.validators ?? {}, signal)
    if (answer.unchanged && known !== undefined) return undefined
    if (answer.unchanged)
      throw new Unavailable(`${addressOf(remote)} answered 304 though nothing is here.`, {
        code: 'source/server-error',
        hint: 'gitmoor tries again by itself.',
      })
    const { body, type, validators } = answer
    onRead({ method: 'url', bytes: body.length })
    const copy = { state: bodyState(body), type, validators, body }
    await writeCopy(this.#fileOf(remote), remote, copy)
    return copy
  }

  /** One at a time for each remote. */
  #alone<T>(remote: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const lock = this.#locks.get(remote) ?? new Lock()
    this.#locks.set(remote, lock)
    return lock.run(signal, work)
  }

  #fileOf(remote: string): string {
    return join(this.#directory, createHash('sha256').update(remote).digest('hex').slice(0, 32))
  }
}

function boundsOf({ gitRequestMs, fetchMs, fileBytes, packBytes }: SourceLimits): UrlBounds {
  const settings = { silence: 'limits.gitRequest', total: 'limits.fetch', bytes: 'limits.fileBytes' }
  const archive = { bytes: packBytes, setting: 'limits.packBytes' }
  return { silenceMs: gitRequestMs, totalMs: fetchMs, bytes: fileBytes, archive, redirects: REDIRECTS, settings }
}

function addressOf(remote: string): string {
  return remote.slice(PREFIX.length)
}

const extensions: Readonly<Record<Encoding, string>> = { yaml: '.yml', json: '.json', jsonnet: '.jsonnet' }

/** From the URL; if that names no format, from the content type or the first character. */
function fileNameOf(address: string, { type, body }: UrlCopy): string {
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

function otherDigest(address: string, state: string, wanted: string): Rejected {
  return new Rejected(
    `${address} is not the file that is wanted: its digest is ${hashDigits(state).slice(0, 12)}…, not ${hashDigits(wanted).slice(0, 12)}….`,
    {
      code: 'source/digest-mismatch',
      hint: `Find out why it changed. If the new file is meant, give its digest: ${state}`,
    },
  )
}

function noArchive(address: string): Rejected {
  return new Rejected(`${address} is no archive, though its name says so.`, {
    code: 'source/not-an-archive',
    hint: 'Open the address in a browser: it should give a .tar, .tar.gz or .zip file.',
  })
}

function refusePath(address: string, path: string): void {
  if (path === '') return
  throw new Rejected(`${address} is a single file, in which there is no '${showText(path)}'.`, {
    code: 'source/not-an-archive',
    hint: "Only an archive has a path below it: leave the source's path empty, or give the address of an archive.",
  })
}
