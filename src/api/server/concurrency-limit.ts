// Limits concurrent requests, so requests in progress finish and memory stays bounded. Further requests get 503.
import type { MiddlewareHandler } from 'hono'
import { Unavailable } from '../../model/errors.js'
import type { ApiContext, ApiEnv } from '../request-context.js'

export interface ConcurrencyLimits {
  /** Requests in progress. */
  readonly requests: number
  /** Long polls among them. */
  readonly waiting: number
}

export const concurrencyLimits: ConcurrencyLimits = { requests: 1_000, waiting: 500 }

/** Refuses further requests with 503 `api/overloaded`, and all requests on connections over the server's limit. */
export function limitConcurrency({ requests, waiting }: ConcurrencyLimits): MiddlewareHandler<ApiEnv> {
  let inProgress = 0
  let waitingCount = 0
  return async (c, next) => {
    const wait = isLongPoll(c) ? 1 : 0
    if (c.env?.overloaded === true || inProgress >= requests || waitingCount + wait > waiting) throw new Overloaded()
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

/** The client may retry. */
export class Overloaded extends Unavailable {
  constructor() {
    super('Too many concurrent requests.', {
      code: 'api/overloaded',
      hint: 'Retry in a moment.',
      retryAfterMs: 1_000,
    })
  }
}

/** A request that is answered when something happens. */
function isLongPoll(c: ApiContext): boolean {
  return c.req.query('waitMs') !== undefined || c.req.query('wait') !== undefined || c.req.path.endsWith('/wait')
}
