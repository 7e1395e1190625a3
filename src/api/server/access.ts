import type { MiddlewareHandler } from 'hono'
import { createHash, timingSafeEqual } from 'node:crypto'
import { Refused } from '../../model/errors.js'
import type { ApiContext, ApiEnv } from '../request-context.js'
import { UnknownHost } from '../http-refusal.js'

/** The SHA-256 of a token. The API compares digests, so the time does not depend on the token. */
export function digestToken(token: string): Uint8Array {
  return createHash('sha256').update(token, 'utf8').digest()
}

/** Says who a request without a token comes from; undefined: it needs the token. */
export type Authenticate = (c: ApiContext) => Promise<string | undefined>

/**
 * Requires `Authorization: Bearer TOKEN` (or `Token TOKEN`) with this digest; compared in constant time. Without the
 * header, `authenticate` decides.
 */
export function requireToken(expected: Uint8Array, authenticate?: Authenticate): MiddlewareHandler<ApiEnv> {
  return async (c, next) => {
    const by = c.req.header('authorization') === undefined ? await authenticate?.(c) : undefined
    if (by !== undefined) {
      c.set('by', by)
      return next()
    }
    const given = /^(?:bearer|token) +(\S+) *$/i.exec(c.req.header('authorization') ?? '')?.[1]
    if (given === undefined || !timingSafeEqual(digestToken(given), expected)) {
      throw new Refused('auth', given === undefined ? 'A token is required.' : 'The token is wrong.', {
        code: 'api/token',
        hint: 'Send `Authorization: Bearer TOKEN`. The token is in agent.json in the data directory of the agent.',
      })
    }
    await next()
  }
}

/**
 * Refuses requests whose `Host` is neither a loopback name nor one of `hosts` (`name` for any port, or `name:port`).
 * This protects against DNS rebinding, where a website reaches the agent under the website's own name.
 */
export function requireKnownHost(hosts: readonly string[]): MiddlewareHandler<ApiEnv> {
  const known = new Set(hosts.map((host) => host.toLowerCase()))
  return async (c, next) => {
    const host = (c.req.header('host') ?? new URL(c.req.url).host).toLowerCase()
    if (!isKnownHost(host, known)) throw new UnknownHost()
    await next()
  }
}

export function isKnownHost(host: string, known: ReadonlySet<string>): boolean {
  const name = host.replace(/:\d{1,5}$/, '')
  return isLoopback(name) || known.has(host) || known.has(name)
}

function isLoopback(name: string): boolean {
  return name === 'localhost' || name === '[::1]' || /^127(\.\d{1,3}){3}$/.test(name)
}
