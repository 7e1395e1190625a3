// What an HTTP answer that is not a git answer means, as an error of ours.
import { BlockList } from 'node:net'
import { mostRetryAfterMs, Rejected, SyncError, Unavailable } from '../../model/errors.js'
import { tooManyOpen } from '../../model/machine-errors.js'
import { showAddress, showText } from '../../lib/printable.js'
import { tlsError, type Validity } from './tls-errors.js'
import { bareHost, isForbidden } from './address-policy.js'

const NO_NETWORKS = new BlockList()

export interface ResponseHead {
  readonly status: number
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
}

/** `authorized`: a credential was sent with the request. `now`: for a Retry-After that is a date. */
export function repositoryError(remote: string, answer: ResponseHead, asked: RequestContext): SyncError {
  return statusError(remote, answer, { ...asked, what: 'repository' }) ?? notGit(remote, `answered ${answer.status}`)
}

interface RequestContext {
  readonly authorized: boolean
  readonly now: number
}

/** What 401, 403, 404, 410, 429 and 5xx mean, whatever was asked for; undefined for another status. */
export function statusError(
  remote: string,
  { status, headers }: ResponseHead,
  { authorized, now, what }: RequestContext & { readonly what: 'repository' | 'file' },
): SyncError | undefined {
  const says = `${remote} answered ${status}`
  if (status === 401 || status === 403) return unauthorized(says, authorized, what)
  if (status === 404 || status === 410) {
    return new Rejected(`${says}: there is no such ${what}, or it is private.`, {
      code: 'source/not-found',
      hint: 'Check the address. Many servers answer like this where a credential is missing: see credentials in the configuration file.',
    })
  }
  if (status === 429 || status >= 500) {
    const retryAfterMs = readRetryAfter(headers['retry-after'], now)
    return new Unavailable(`${says}${status === 429 ? ': too many requests' : ''}.`, {
      code: status === 429 ? 'source/too-many-requests' : 'source/server-error',
      hint: 'gitmoor tries again by itself.',
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    })
  }
  return undefined
}

export function notGit(remote: string, what: string): Rejected {
  return new Rejected(`${remote} is not a git repository over smart HTTP: it ${what}.`, {
    code: 'source/not-git',
    hint: 'Give the address that git clone takes, not that of a page about the repository.',
  })
}

function unauthorized(says: string, authorized: boolean, what: string): Rejected {
  return new Rejected(`${says}: credentials are ${authorized ? `wrong, or do not reach this ${what}` : 'missing'}.`, {
    code: 'source/unauthorized',
    hint: authorized
      ? 'Check the entry under credentials in the configuration file that matches this address: its token, and what the token may read.'
      : 'Add an entry under credentials in the configuration file whose match begins this address.',
  })
}

/** Seconds, or a date (RFC 9110, 10.2.3). In milliseconds, at most a quarter of an hour. */
function readRetryAfter(value: string | readonly string[] | undefined, now: number): number | undefined {
  if (typeof value !== 'string') return undefined
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - now
  return Number.isNaN(ms) ? undefined : Math.min(mostRetryAfterMs, Math.max(0, ms))
}

/** Where an answer of 301, 302, 303, 307 or 308 leads; only within scheme, host and port. Throws `Rejected`. */
export function redirectTarget(remote: string, from: string, { headers }: ResponseHead): URL {
  const location = headers['location']
  const to = typeof location === 'string' && URL.canParse(location, from) ? new URL(location, from) : undefined
  if (to === undefined) throw notGit(remote, 'redirects to nowhere')
  if (to.origin === new URL(from).origin && to.username === '' && to.password === '') return to
  const shown = showAddress(`${to.protocol}//${to.host}${to.pathname}`).replace(/\/(git-upload-pack|info\/refs)$/, '')
  throw new Rejected(`${remote} redirects to ${shown}, which gitmoor does not follow.`, {
    code: 'source/redirected',
    hint: hintFor(new URL(from), to, shown),
  })
}

function hintFor(from: URL, to: URL, shown: string): string {
  if (from.protocol === 'https:' && to.protocol === 'http:') {
    return 'It leads from https to http, where anybody on the way can read and change what is sent. Let the server redirect to https.'
  }
  if (!['http:', 'https:'].includes(to.protocol) || isForbidden(bareHost(to), NO_NETWORKS)) {
    return 'That is no place for a repository: look at what answers under the address, and at who runs it.'
  }
  return `If that is where the repository is now, use ${shown} as its address.`
}

export function tooManyRedirects(remote: string): Rejected {
  return new Rejected(`${remote} redirects more than 3 times.`, {
    code: 'source/redirected',
    hint: 'Open the address in a browser and use the one where it ends.',
  })
}

/** Of undici, for a status of 000 or an unexpected 101; its message is code. */
const notAllowedHere = 'ERR_ASSERTION'

const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was reset',
  EPIPE: 'the connection was closed',
  UND_ERR_SOCKET: 'the connection was closed in the middle of the answer',
  UND_ERR_CONNECT_TIMEOUT: 'no connection came about in time',
  ETIMEDOUT: 'no connection came about in time',
  ENOTFOUND: 'the name of the host is not known',
  EAI_AGAIN: 'the name of the host could not be looked up',
  UND_ERR_HEADERS_OVERFLOW: 'the head of its answer is too large',
  [notAllowedHere]: 'it answered with a status that HTTP/1.1 does not allow here',
  EHOSTUNREACH: 'there is no way to the host',
  ENETUNREACH: 'there is no way to the network',
}

/**
 * A failure below HTTP: the connection, its encryption, the name of the host. What is ours already stays as it is.
 * `validity`: of the certificate.
 */
export function networkError(remote: string, error: unknown, validity?: Validity): SyncError {
  for (let at = error; at instanceof Error; at = at.cause) if (at instanceof SyncError) return at
  const fault = tooManyOpen(error) ?? tlsError(remote, error, validity)
  if (fault !== undefined) return fault
  const code = (error as { code?: unknown } | null)?.code
  const said = error instanceof Error ? showText(error.message) : 'unknown'
  const why = typeof code === 'string' ? (WORDS[code] ?? `${said} (${code})`) : said
  return new Unavailable(`${remote} could not be reached: ${why}.`, {
    code: 'source/unreachable',
    hint: closedAtOnce(remote, error)
      ? wantsCertificate
      : 'gitmoor tries again by itself. Check the address, and that this machine reaches it.',
    ...(code === notAllowedHere ? {} : { cause: error }),
  })
}

const wantsCertificate =
  'gitmoor tries again by itself. Servers that want a client certificate may end like this: give it under connections in the configuration file.'

/** Under TLS 1.3 a server may refuse who shows no certificate only after the handshake, and without a word. */
function closedAtOnce(remote: string, error: unknown): boolean {
  const { code, socket } = error as { readonly code?: unknown; readonly socket?: { readonly bytesRead?: number } }
  return remote.startsWith('https:') && code === 'UND_ERR_SOCKET' && socket?.bytesRead === 0
}
