// Credentials of the configuration file: which one goes to an address, and its value at this moment.
import { readFileSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { ok, problem, warning, type Check } from '../model/check.js'
import { describeError, SyncError, Unavailable } from '../model/errors.js'
import type { Redactor } from './redact.js'

/** One entry of `credentials`. `token` and `username` may hold `${env:NAME}` and `${file:PATH}`. */
export interface Credential {
  /** Its key in the configuration file. */
  readonly name: string
  /** `https://github.com/acme/`: scheme, host, port and the beginning of the path, in whole segments. */
  readonly match: string
  readonly token: string
  /** Default `x-access-token`. */
  readonly username?: string
  /** Sent without encryption, which an `http:` match needs. Default false. */
  readonly allowHttp?: boolean
}

/** Where `${…}` is looked up. A relative path of `${file:…}` begins at `directory`. */
export interface Lookup {
  readonly directory: string
  environment(name: string): string | undefined
}

const defaultUsername = 'x-access-token'
/** Of a file that holds a secret. */
export const maximumBytes = 65_536
const references = /\$\{([^}]*)\}/g

/** Answers which header goes to an address. Values are looked up again at each use, so that a token may be changed while the agent runs. */
export class Credentials {
  readonly #entries: readonly { readonly credential: Credential; readonly match: URL }[]
  readonly #lookup: Lookup
  readonly #redactor: Redactor

  /** `credentials` have passed `credentialProblem`. Whatever value is looked up, `redactor` learns. */
  constructor(credentials: readonly Credential[], lookup: Lookup, redactor: Redactor) {
    this.#entries = credentials
      .map((credential) => ({ credential, match: new URL(credential.match) }))
      .sort((a, b) => b.match.pathname.length - a.match.pathname.length)
    this.#lookup = lookup
    this.#redactor = redactor
  }

  /**
   * The headers that go to this address (Basic), from the entry with the longest match; none: no entry is for it.
   * Throws `Unavailable` where the entry's value cannot be had now.
   */
  async authorization(address: string): Promise<Readonly<Record<string, string>>> {
    const entry = this.#entryFor(address)
    return entry === undefined ? {} : { authorization: this.#header(entry.credential) }
  }

  /** Of each credential: whether it has a value now, and goes to any of these addresses. */
  checks(addresses: readonly string[]): readonly Check[] {
    const used = new Set(addresses.map((address) => this.#entryFor(address)?.credential.name))
    return this.#entries.map(({ credential }) => this.#check(credential, used.has(credential.name)))
  }

  #check(credential: Credential, used: boolean): Check {
    const name = `credential ${credential.name}`
    try {
      this.#header(credential)
    } catch (error) {
      return problem(name, describeError(error), 'See "credentials" in the configuration file.')
    }
    if (used) return ok(name, `goes to ${credential.match}`)
    return warning(
      name,
      `No stack follows an address below ${credential.match}.`,
      'Correct its `match` in the configuration file, or take it out.',
    )
  }

  #entryFor(address: string): { readonly credential: Credential; readonly match: URL } | undefined {
    if (!URL.canParse(address)) return undefined
    const url = new URL(address)
    return this.#entries.find(({ credential, match }) => covers(match, url) && (url.protocol === 'https:' || credential.allowHttp))
  }

  #header(credential: Credential): string {
    const username = this.#value(credential, credential.username ?? defaultUsername)
    if (username.includes(':')) throw noValue(credential, unresolved('The user name holds a colon.'))
    const token = this.#value(credential, credential.token)
    const basic = Buffer.from(`${username}:${token}`).toString('base64')
    this.#redactor.add(token)
    this.#redactor.add(basic)
    return `Basic ${basic}`
  }

  #value(credential: Credential, text: string): string {
    try {
      return resolveValue(text, this.#lookup)
    } catch (cause) {
      throw noValue(credential, cause)
    }
  }
}

function noValue({ name }: Credential, cause: unknown): Unavailable {
  return new Unavailable(`The credential "${name}" has no value now.`, {
    code: 'secrets/credential-unreadable',
    hint: 'See "credentials" in the configuration file of the agent; the value is looked up again at the next try.',
    cause,
  })
}

/** What is wrong with a match, as words that follow its name; undefined: nothing. Does not repeat it. */
export function matchProblem(match: string, allowHttp: boolean): string | undefined {
  if (!URL.canParse(match)) return 'must be the beginning of an address: https://github.com/acme/'
  const url = new URL(match)
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'must begin with https:// or http://.'
  if (url.username !== '' || url.password !== '') return 'must not hold a user name or password.'
  if (url.search !== '' || url.hash !== '') return 'must not hold ? or #.'
  if (url.protocol === 'http:' && !allowHttp)
    return 'is http, over which a token can be read on its way: say "allowHttp: true" if that is meant.'
  return undefined
}

/** `text` with each `${env:NAME}` and `${file:PATH}` replaced; line ends at a file's end are cut. Throws `SyncError` that names what is not there, never a value. */
export function resolveValue(text: string, lookup: Lookup): string {
  if (text.replaceAll(references, '').includes('${')) throw unresolved('A ${ is not closed by }.')
  const value = text.replaceAll(references, (_, reference: string) => referenced(reference, lookup))
  if (value === '') throw unresolved('The value is empty.')
  return value
}

function referenced(reference: string, lookup: Lookup): string {
  const [, scheme, name] = /^(env|file):(.+)$/s.exec(reference) ?? []
  if (scheme === undefined || name === undefined) throw unresolved('A ${…} is neither ${env:NAME} nor ${file:PATH}.')
  if (scheme === 'file') return fileValue(resolve(lookup.directory, name))
  const value = lookup.environment(name)
  if (value === undefined || value === '') throw unresolved(`The environment variable ${name} is not set.`)
  return value
}

function fileValue(file: string): string {
  const text = readSmallFile(file).replace(/[\r\n]+$/, '')
  if (text === '') throw unresolved(`The file ${file} is empty.`)
  return text
}

function readSmallFile(file: string): string {
  try {
    const status = statSync(file)
    if (!status.isFile() || status.size > maximumBytes) throw unresolved(`${file} is not a file of at most 64 KiB.`)
    return readFileSync(file, 'utf8')
  } catch (cause) {
    if (cause instanceof SyncError) throw cause
    const code = (cause as NodeJS.ErrnoException).code
    throw unresolved(`The file ${file} cannot be read${code === undefined ? '' : ` (${code})`}.`)
  }
}

function unresolved(message: string): SyncError {
  return new SyncError(message, { code: 'secrets/unresolved' })
}

/** Same scheme, host and port, and the path begins with the match's, in whole segments. A path with an encoded slash could mean another on the server: it is covered by a match of the whole host only. */
function covers(match: URL, url: URL): boolean {
  if (match.protocol !== url.protocol || match.host !== url.host) return false
  if (match.pathname === '/') return true
  if (/%2f|%5c/i.test(url.pathname)) return false
  const folder = match.pathname.endsWith('/') ? match.pathname : `${match.pathname}/`
  return url.pathname === match.pathname || url.pathname.startsWith(folder)
}
