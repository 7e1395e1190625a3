// A single file behind http(s) as a source: its state is the digest of what was downloaded.
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { BlockList } from 'node:net'
import { systemClock, type Clock } from '../../model/clock.js'
import { Bug, Rejected, Unavailable } from '../../model/errors.js'
import { encodingOf, type Encoding } from '../../model/encoding.js'
import { Lock } from '../../model/lock.js'
import { digitsOf } from '../../model/revision.js'
import type { SourceSpec } from '../../model/source-spec.js'
import { normaliseAddress } from '../../settings/source-address.js'
import { blobId } from '../blob-id.js'
import type { Access } from '../network/authorized-request.js'
import { bareHost, inwardRefused, isRefused, linkLocalRefused, readNetworks, refusedAddress } from '../network/networks.js'
import type { OnRead, Resolved, Source, SourceFile, SourceLimits } from '../source.js'
import { sweepFolder } from '../sweep-folder.js'
import { readCopy, stateOfBody, writeCopy, type UrlCopy } from './url-copy.js'
import { UrlRequest, type UrlBounds } from './url-request.js'

export interface UrlSourceOptions {
  /** Where the newest body of each URL is kept, in one file each; made where it is missing. */
  readonly directory: string
  readonly limits: SourceLimits
  /** Networks that are reached though they would be refused: link-local ones, and private ones behind a redirect. */
  readonly networks: readonly string[]
  readonly access: Access
  readonly clock?: Clock
}

const PREFIX = 'url:'

export const REDIRECTS = 3

export class UrlSource implements Source {
  readonly #directory: string
  readonly #networks: BlockList
  readonly #request: UrlRequest
  readonly #locks = new Map<string, Lock>()

  constructor({ directory, limits, networks, access, clock = systemClock }: UrlSourceOptions) {
    this.#directory = directory
    this.#networks = readNetworks(networks)
    const refusing = { networks: this.#networks, own: linkLocalRefused, led: inwardRefused }
    this.#request = new UrlRequest({ ...refusing, bounds: boundsOf(limits), access, clock })
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
    if (isRefused(bareHost(to), this.#networks)) throw refusedAddress(to.hostname)
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
  async look(
    remote: string,
    refs: readonly string[],
    signal: AbortSignal,
    onRead: OnRead = () => {},
  ): Promise<ReadonlyMap<string, Resolved | Error>> {
    const { state } = await this.#newest(remote, signal, onRead)
    return new Map(refs.map((ref) => [ref, ref === '' || ref === state ? { name: '', state } : otherDigest(addressOf(remote), state, ref)]))
  }

  async fetch(remote: string, state: string, signal: AbortSignal): Promise<void> {
    await this.#copyOf(remote, state, signal)
  }

  async content(remote: string, state: string, path: string, signal = new AbortController().signal): Promise<string | undefined> {
    await this.#copyOf(remote, state, signal)
    return path === '' ? state : undefined
  }

  async files(
    remote: string,
    state: string,
    _path: string,
    wanted: (path: string) => boolean,
    signal: AbortSignal,
  ): Promise<readonly SourceFile[]> {
    const copy = await this.#copyOf(remote, state, signal)
    const path = fileNameOf(addressOf(remote), copy)
    return wanted(path) ? [{ path, id: blobId(copy.body), bytes: copy.body }] : []
  }

  /** What is here where it is of this state, else what the server has now. Throws `Unavailable` where that is another by now. */
  async #copyOf(remote: string, state: string, signal: AbortSignal): Promise<UrlCopy> {
    const kept = await readCopy(this.#fileOf(remote), remote)
    const copy = kept?.state === state ? kept : await this.#newest(remote, signal, () => {})
    if (copy.state === state) return copy
    throw new Unavailable(`${addressOf(remote)} is another file by now: ${copy.state}, not ${state}.`, {
      code: 'source/changed-meanwhile',
      hint: 'The next look sees the newer one by itself.',
    })
  }

  /** Asks the server; downloads only what is new. One at a time for each remote. */
  #newest(remote: string, signal: AbortSignal, onRead: OnRead): Promise<UrlCopy> {
    const lock = this.#locks.get(remote) ?? new Lock()
    this.#locks.set(remote, lock)
    return lock.run(signal, async () => {
      const kept = await readCopy(this.#fileOf(remote), remote)
      onRead({ method: 'url', bytes: 0 })
      const answer = await this.#request.get(addressOf(remote), kept?.validators ?? {}, signal)
      if (answer.unchanged && kept !== undefined) return kept
      if (answer.unchanged)
        throw new Unavailable(`${addressOf(remote)} answered 304 though nothing is here.`, {
          code: 'source/server-error',
          hint: 'gitmoor tries again by itself.',
        })
      const { body, type, validators } = answer
      onRead({ method: 'url', bytes: body.length })
      const copy = { state: stateOfBody(body), type, validators, body }
      await writeCopy(this.#fileOf(remote), remote, copy)
      return copy
    })
  }

  #fileOf(remote: string): string {
    return join(this.#directory, createHash('sha256').update(remote).digest('hex').slice(0, 32))
  }
}

function boundsOf({ gitRequestMs, fetchMs, fileBytes }: SourceLimits): UrlBounds {
  const settings = { silence: 'limits.gitRequest', total: 'limits.fetch', bytes: 'limits.fileBytes' }
  return { silenceMs: gitRequestMs, totalMs: fetchMs, bytes: fileBytes, redirects: REDIRECTS, settings }
}

function addressOf(remote: string): string {
  return remote.slice(PREFIX.length)
}

const extensions: Readonly<Record<Encoding, string>> = { yaml: '.yml', json: '.json', jsonnet: '.jsonnet' }

/** As in its address; where that says no format, the server's word or its first character does (packages D14). */
function fileNameOf(address: string, { type, body }: UrlCopy): string {
  const last = new URL(address).pathname
    .split('/')
    .at(-1)!
    .replace(/[^A-Za-z0-9._-]/g, '-')
    .replace(/^\.+/, '')
  const [, name = '', extension] = /^(.*?)(\.ya?ml|\.json|\.jsonnet)?$/is.exec(last)!
  if (extension !== undefined) return `${name || 'package'}${extension.toLowerCase()}`
  const encoding = encodingOf({ path: address, responseType: type, text: body.toString('utf8', 0, 100) })
  return `${name || 'package'}${extensions[encoding]}`
}

function otherDigest(address: string, state: string, wanted: string): Rejected {
  return new Rejected(
    `${address} is not the file that is wanted: its digest is ${digitsOf(state).slice(0, 12)}…, not ${digitsOf(wanted).slice(0, 12)}….`,
    {
      code: 'source/digest-mismatch',
      hint: `Find out why it changed. If the new file is meant, give its digest: ${state}`,
    },
  )
}
