import type { MiddlewareHandler } from 'hono'
import { createHash, timingSafeEqual } from 'node:crypto'
import { Refused } from '../model/errors.js'
import type { ApiEnv } from './asked.js'

/** sha256 of a token: what the API compares, so that length and content cost the same time. */
export function digestToken(token: string): Uint8Array {
  return createHash('sha256').update(token, 'utf8').digest()
}

/** Wants `Authorization: Bearer TOKEN` (or `Token TOKEN`) whose digest is `expected`; compared in constant time. */
export function bearerToken(expected: Uint8Array): MiddlewareHandler<ApiEnv> {
  return async (c, next) => {
    const given = /^(?:bearer|token) +(\S+) *$/i.exec(c.req.header('authorization') ?? '')?.[1]
    if (given === undefined || !timingSafeEqual(digestToken(given), expected)) {
      throw new Refused('auth', given === undefined ? 'This needs a token.' : 'The token is not right.', {
        code: 'api/token',
        hint: 'Send `Authorization: Bearer TOKEN`; the token is in agent.json in the data directory of the agent.',
      })
    }
    await next()
  }
}
