// More requests at once than can be served are told to come again, so that those in hand are served, and memory stays
// bounded.
import type { MiddlewareHandler } from 'hono'
import { Unavailable } from '../../model/errors.js'
import type { ApiContext, ApiEnv } from '../request-context.js'

export interface ConcurrencyLimits {
  /** Requests in hand. */
  readonly requests: number
  /** Those of them that wait for something to happen. */
  readonly waiting: number
}

export const concurrencyLimits: ConcurrencyLimits = { requests: 1_000, waiting: 500 }

/** 503, code `api/crowded`, where there are too many; also on a connection of which the server says so (`crowded`). */
export function limitConcurrency({ requests, waiting }: ConcurrencyLimits): MiddlewareHandler<ApiEnv> {
  let inProgress = 0
  let waitingCount = 0
  return async (c, next) => {
    const wait = isLongPoll(c) ? 1 : 0
    if (c.env?.crowded === true || inProgress >= requests || waitingCount + wait > waiting) throw new Overloaded()
    inProgress++
    waitingCount += wait
    try {
      await next()
    } finally {
      inProgress--
      waitingCount -= wait
    }
  }
}

/** Its sender may come again. */
export class Overloaded extends Unavailable {
  constructor() {
    super('Too many requests are in hand.', {
      code: 'api/crowded',
      hint: 'Ask again in a moment.',
      retryAfterMs: 1_000,
    })
  }
}

/** A question that is answered when something happens. */
function isLongPoll(c: ApiContext): boolean {
  return c.req.query('waitMs') !== undefined || c.req.query('wait') !== undefined || c.req.path.endsWith('/wait')
}
