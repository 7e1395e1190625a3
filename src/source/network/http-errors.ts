// Converts failed HTTP responses and connections to errors.
import { BlockList } from 'node:net'
import { faultText } from '../../lib/text/fault-text.js'
import { mostRetryAfterMs, Rejected, SyncError, Unavailable, tooManyOpen } from '../../model/errors.js'
import { showAddress, showText } from '../../lib/text/printable.js'
import { tlsError, type Validity } from './tls-errors.js'
import { bareHost, isForbidden } from './address-policy.js'

const NO_NETWORKS = new BlockList()

export interface ResponseHead {
  readonly statusCode: number
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
}

/** The error for an answer that is no part of a repository. */
export function repositoryError(remote: string, answer: ResponseHead, context: RequestContext): SyncError {
  return (
    statusError(remote, answer, { ...context, what: 'repository' }) ?? notGit(remote, `answered ${answer.statusCode}`)
  )
}

/** `authorized`: the request was sent with a credential. `credential`: its name. `now`: for a `Retry-After` date. */
interface RequestContext {
  readonly authorized: boolean
  readonly credential?: string | undefined
  readonly now: number
}

/** The error for 401, 403, 404, 410, 429 and 5xx; undefined for another status. */
export function statusError(
  remote: string,
  { statusCode: status, headers }: ResponseHead,
  { now, ...sent }: RequestContext & { readonly what: 'repository' | 'file' },
): SyncError | undefined {
  const says = `${remote} answered ${status}`
  if (status === 401 || status === 403) return unauthorized(says, remote, sent)
  if (status === 404 || status === 410) {
    return new Rejected(`${says}: there is no such ${sent.what}, or it is private.`, {
      code: 'source/not-found',
      hint:
        'Check the address. Many servers also answer like this if a credential is missing: ' +
        'see credentials in the configuration file.',
    })
  }
  if (status === 429 || status >= 500) {
    const retryAfterMs = readRetryAfter(headers['retry-after'], now)
    return new Unavailable(`${says}${status === 429 ? ': too many requests' : ''}.`, {
      ...(status === 429 ? limited : ofServer),
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    })
  }
  return undefined
}

const limited = {
  code: 'source/too-many-requests',
  hint: 'Raise the interval of its stacks, or use a credential for which the server permits more requests.',
}
const ofServer = { code: 'source/server-error', hint: 'The fault is on the server: look at its log or status page.' }

export function notGit(remote: string, what: string): Rejected {
  return new Rejected(`${remote} is not a git repository over smart HTTP: it ${what}.`, {
    code: 'source/not-git',
    hint: 'Use the address for git clone, not that of a page about the repository.',
  })
}

function unauthorized(
  says: string,
  remote: string,
  { authorized, credential, what }: Omit<RequestContext, 'now'> & { readonly what: string },
): Rejected {
  const code = 'source/unauthorized'
  if (!authorized) return new Rejected(`${says}: a credential is missing.`, { code, hint: credentialHint(remote) })
  const [named, entry] =
    credential === undefined
      ? ['', 'the credential for this address']
      : [` "${credential}"`, `\`credentials.${credential}\``]
  return new Rejected(`${says}: the credential${named} is wrong, or lacks access to this ${what}.`, {
    code,
    hint:
      `Check ${entry} in the configuration file: its token, and the permissions of the token. ` +
      `If you change the file, reload it: kill -HUP ${process.pid} on the machine of the agent.`,
  })
}

function credentialHint(remote: string): string {
  if (!URL.canParse(remote)) return 'Add a credential for this address to the configuration file.'
  const { origin, protocol } = new URL(remote)
  const allowHttp = protocol === 'http:' ? ', allowHttp: true' : ''
  const credential = `{match: '${origin}/', token: '\${file:PATH}'${allowHttp}}`
  return (
    `Add to the configuration file: credentials: {NAME: ${credential}}. ` +
    `Then write the token to PATH, and reload the configuration: kill -HUP ${process.pid} on the machine of the agent.`
  )
}

/** Seconds, or a date (RFC 9110, 10.2.3). Returns milliseconds, at most 15 minutes. */
export function readRetryAfter(value: string | readonly string[] | undefined, now: number): number | undefined {
  if (typeof value !== 'string') return undefined
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - now
  return Number.isNaN(ms) ? undefined : Math.min(mostRetryAfterMs, Math.max(0, ms))
}

/** The address that a redirect leads to; undefined: it is missing or invalid. */
export function redirectAddress({ location }: ResponseHead['headers'], from: string): URL | undefined {
  return typeof location === 'string' && URL.canParse(location, from) ? new URL(location, from) : undefined
}

/** The target of a redirect (301, 302, 303, 307, 308). Only within scheme, host and port. Throws `Rejected`. */
export function redirectTarget(remote: string, from: string, { headers }: ResponseHead): URL {
  const to = redirectAddress(headers, from)
  if (to === undefined) throw notGit(remote, 'redirects without a valid address')
  if (to.origin === new URL(from).origin && to.username === '' && to.password === '') return to
  const shown = showAddress(`${to.protocol}//${to.host}${to.pathname}`).replace(/\/(git-upload-pack|info\/refs)$/, '')
  throw new Rejected(`${remote} redirects to ${shown}, which gitmoor does not follow.`, {
    code: 'source/redirected',
    hint: hintFor(new URL(from), to, shown),
  })
}

function hintFor(from: URL, to: URL, shown: string): string {
  if (from.protocol === 'https:' && to.protocol === 'http:') {
    return 'The redirect leads from https to http, which is not encrypted. Configure the server to redirect to https.'
  }
  if (!['http:', 'https:'].includes(to.protocol) || isForbidden(bareHost(to), NO_NETWORKS)) {
    return 'That address cannot serve a repository. Check what answers at the original address.'
  }
  return `If the repository moved there, use ${shown} as its address.`
}

export function tooManyRedirects(remote: string, most: number): Rejected {
  return new Rejected(`${remote} redirects more than ${most} times.`, {
    code: 'source/redirected',
    hint: 'Open the address in a browser and use the final address.',
  })
}

/** The code of undici for a status of 000 or an unexpected 101. Its message is source code. */
const notAllowedHere = 'ERR_ASSERTION'

/**
 * Converts a failure below HTTP: of the connection, of TLS, or of the host name. Our own errors stay unchanged.
 * `validity`: that of the certificate.
 */
export function networkError(remote: string, error: unknown, validity?: Validity): SyncError {
  for (let at = error; at instanceof Error; at = at.cause) if (at instanceof SyncError) return at
  const fault = tooManyOpen(error) ?? tlsError(remote, error, validity)
  if (fault !== undefined) return fault
  const isInvalidStatus = (error as { code?: unknown } | null)?.code === notAllowedHere
  const said = error instanceof Error ? showText(faultText(error)) : 'unknown'
  const why = isInvalidStatus ? 'the response has an invalid status' : said
  return new Unavailable(`Cannot reach ${remote}: ${why}.`, {
    code: 'source/unreachable',
    hint: closedAtOnce(remote, error) ? wantsCertificate : 'Check the address and the network of this machine.',
    ...(isInvalidStatus ? {} : { cause: error }),
  })
}

const wantsCertificate =
  'Servers that require a client certificate may fail like this: configure one under ' +
  'connections in the configuration file.'

/**
 * With TLS 1.3, a server may reject a missing client certificate only after the handshake, by closing the connection.
 */
function closedAtOnce(remote: string, error: unknown): boolean {
  const { code, socket } = error as { readonly code?: unknown; readonly socket?: { readonly bytesRead?: number } }
  return remote.startsWith('https:') && code === 'UND_ERR_SOCKET' && socket?.bytesRead === 0
}
