// The sessions of the page: a cookie in place of the token. The database stores digests of sessions; codes are in
// memory and work once.
import { createHash, randomBytes } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Clock } from '../../lib/clock.js'
import { fullBucket, takeToken, type Bucket } from '../../lib/token-bucket.js'
import { sessionEnd, type Session } from '../../model/agent/session.js'
import type { SessionTable } from '../../store/session-table.js'
import { RateLimited } from '../http-refusal.js'

export interface SessionDeps {
  readonly table: SessionTable
  readonly clock: Pick<Clock, 'now' | 'elapsed'>
  /** `digestToken(token)` of the API token. Another token ends all sessions. */
  readonly tokenDigest: Uint8Array
}

/** How long a code of `gitmoor page` signs in. */
const codeMs = 60_000

/** Codes that are valid at once; a further one replaces the oldest. */
const mostCodes = 100

/** How often the time of the last request is stored. */
const usedEveryMs = 60_000

/** Attempts to sign in from one address. */
const attemptRate = { burst: 5, perSecond: 5 / 60 }
const mostAddresses = 10_000

export class Sessions {
  /** Of the cookie. Browsers share cookies among ports, so each agent has its own name. */
  readonly cookie: string
  readonly #deps: SessionDeps
  readonly #token: string
  /** By their digests: when codes expire, and who created them. */
  readonly #codes = new LRUCache<string, { readonly expiresAt: number; readonly by: string }>({ max: mostCodes })
  readonly #attempts = new LRUCache<string, Bucket>({ max: mostAddresses })

  constructor(deps: SessionDeps) {
    this.#deps = deps
    this.#token = Buffer.from(deps.tokenDigest).toString('hex')
    this.cookie = `gitmoor-${digest(this.#token).slice(0, 8)}`
  }

  /** Counts an attempt to sign in. Errors: `RateLimited`. */
  attempt(address: string): void {
    const now = this.#deps.clock.elapsed()
    const { bucket, waitMs } = takeToken(this.#attempts.get(address) ?? fullBucket(attemptRate, now), attemptRate, now)
    this.#attempts.set(address, bucket)
    if (waitMs > 0) throw new RateLimited(waitMs)
  }

  /** `value`: of the cookie. It is known only to the browser. */
  async create(name: string): Promise<{ readonly value: string; readonly session: Session }> {
    const value = randomBytes(32).toString('base64url')
    const now = this.#deps.clock.now()
    const session = { digest: digest(value), token: this.#token, name, createdAt: now, usedAt: now }
    await this.#deps.table.add(session)
    return { value, session }
  }

  /** The session of a cookie; undefined: none, or it ended. Extends the session. */
  async find(value: string): Promise<Session | undefined> {
    const { table, clock } = this.#deps
    const session = await table.get(digest(value))
    if (session === undefined || session.token !== this.#token) return undefined
    const now = clock.now()
    if (sessionEnd(session) <= now) return void (await table.remove(session.digest))
    if (now - session.usedAt >= usedEveryMs) await table.use(session.digest, now)
    return { ...session, usedAt: Math.max(session.usedAt, now - usedEveryMs) }
  }

  async list(): Promise<readonly Session[]> {
    const now = this.#deps.clock.now()
    return (await this.#deps.table.list(this.#token)).filter((session) => sessionEnd(session) > now)
  }

  /** Ends the session with this id (`sessionId`). False: there is none. */
  async end(id: string): Promise<boolean> {
    const found = (await this.list()).find((session) => sessionId(session) === id)
    return found !== undefined && this.#deps.table.remove(found.digest)
  }

  /** A code that signs in once, under this name. */
  issueCode(by: string): { readonly code: string; readonly expiresAt: number } {
    const code = randomBytes(24).toString('base64url')
    const expiresAt = this.#deps.clock.now() + codeMs
    this.#codes.set(digest(code), { expiresAt, by })
    return { code, expiresAt }
  }

  /** Who created the code, which is used up; undefined: it is not valid. */
  redeemCode(code: string): string | undefined {
    const key = digest(code)
    const found = this.#codes.get(key)
    this.#codes.delete(key)
    return found !== undefined && found.expiresAt > this.#deps.clock.now() ? found.by : undefined
  }
}

/** Names a session without giving access to it. */
export function sessionId(session: Session): string {
  return session.digest.slice(0, 16)
}

function digest(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex')
}
