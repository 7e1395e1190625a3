// Installation tokens of GitHub Apps: requested with a signed JWT, and cached in memory until shortly before they
// expire.
import { createHash, sign } from 'node:crypto'
import type { Clock } from '../lib/clock.js'
import { SyncError } from '../model/errors.js'
import { showAddress } from '../lib/text/printable.js'
import type { GithubApp } from './credential.js'
import type { Redactor } from './redact/redact.js'

/** Sends a POST without a body. Errors: those of the network. */
export type Post = (
  url: string,
  headers: Readonly<Record<string, string>>,
) => Promise<{ readonly status: number; readonly text: string }>

export interface AppTokensDeps {
  readonly post: Post
  readonly clock: Clock
  readonly redactor: Redactor
}

interface CachedToken {
  readonly value: Promise<string>
  /** When it expires, as `clock.elapsed()`; infinite while it is requested. */
  readonly until: number
}

/** The unused last part of its lifetime of one hour. */
const spareMs = 300_000
/** GitHub accepts a JWT for at most ten minutes. It starts earlier, because clocks differ. */
const claimSeconds = 540
const earlierSeconds = 60

export class AppTokens {
  readonly #deps: AppTokensDeps
  readonly #kept = new Map<string, CachedToken>()

  constructor(deps: AppTokensDeps) {
    this.#deps = deps
  }

  /**
   * `app`: with resolved values; another value means another token. Concurrent callers share one request. Errors:
   * `SyncError`.
   */
  token(app: GithubApp): Promise<string> {
    const { clock } = this.#deps
    const name = cacheKey(app)
    const kept = this.#kept.get(name)
    if (kept !== undefined && clock.elapsed() < kept.until) return kept.value
    const value = this.#request(app).then(
      ({ token, validMs }) => {
        this.#kept.set(name, { value, until: clock.elapsed() + validMs - spareMs })
        return token
      },
      (error: unknown) => {
        this.#kept.delete(name)
        throw error
      },
    )
    this.#kept.set(name, { value, until: Number.POSITIVE_INFINITY })
    return value
  }

  /** A server rejected this token. If it is still the cached one, the next call requests a new one. */
  async invalidate(app: GithubApp, token: string): Promise<void> {
    const name = cacheKey(app)
    const kept = this.#kept.get(name)
    if (kept !== undefined && (await kept.value) === token && this.#kept.get(name) === kept) this.#kept.delete(name)
  }

  async #request(app: GithubApp): Promise<{ readonly token: string; readonly validMs: number }> {
    const { post, clock, redactor } = this.#deps
    const claim = signedJwt(app, Math.floor(clock.now() / 1000))
    redactor.add(claim)
    const { status, text } = await post(
      `${app.api.replace(/\/$/, '')}/app/installations/${encodeURIComponent(app.installationId)}/access_tokens`,
      {
        authorization: `Bearer ${claim}`,
        accept: 'application/vnd.github+json',
        'x-github-api-version': '2022-11-28',
        'user-agent': 'gitmoor',
      },
    )
    if (status !== 201) throw refused(app, status)
    const { token, expires_at: until } = parsed(text)
    if (typeof token !== 'string' || typeof until !== 'string' || Number.isNaN(Date.parse(until)))
      throw refused(app, status)
    redactor.add(token)
    return { token, validMs: Date.parse(until) - clock.now() }
  }
}

function cacheKey(app: GithubApp): string {
  return createHash('sha256')
    .update(JSON.stringify([app.api, app.appId, app.installationId, app.privateKey]))
    .digest('hex')
}

/** A JWT (RFC 7519) as GitHub requires it. */
function signedJwt({ appId, privateKey }: GithubApp, now: number): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
  const claims = { iat: now - earlierSeconds, exp: now + claimSeconds, iss: appId }
  const text = `${part({ alg: 'RS256', typ: 'JWT' })}.${part(claims)}`
  return `${text}.${sign('sha256', Buffer.from(text), privateKey).toString('base64url')}`
}

function parsed(text: string): { readonly token?: unknown; readonly expires_at?: unknown } {
  try {
    return Object(JSON.parse(text)) as object
  } catch {
    return {}
  }
}

const reasons: Readonly<Record<number, string>> = {
  201: 'returned no token',
  401: 'rejected its key (401): check that it is the key of this app, and the clock of this machine',
  403: 'denied access (403): the installation is suspended, or there were too many requests',
  404: 'has no such installation (404)',
}

function refused({ api, appId }: GithubApp, status: number): SyncError {
  return new SyncError(
    `Cannot get a token for the GitHub App ${appId}: ${showAddress(api)} ${reasons[status] ?? `answered ${status}`}.`,
    {
      code: 'secrets/github-app',
    },
  )
}
