// Receives webhook deliveries: POST /hooks/ID. They need no token, but a signature.
import { z } from '@hono/zod-openapi'
import { LRUCache } from 'lru-cache'
import { fullBucket, takeToken, type Bucket, type Rate } from '../lib/token-bucket.js'
import { Refused } from '../model/errors.js'
import type { ApiContext } from './request-context.js'
import { readBounded } from './server/bounded-body.js'
import type { Api } from './v1/endpoint.js'
import { describeLater, errorResponses } from './v1/openapi.js'
import { HttpRefusal, RateLimited, MethodNotAllowed } from './http-refusal.js'
import { deliveryAnswerSchema } from '../views/webhook.js'
import { receiveDelivery } from '../webhooks/webhooks.js'
import type { CallUseCase } from '../webhooks/call-use-case.js'

export interface ReceiverLimits {
  /** The size of a body. Default 1 MiB. */
  readonly bodyBytes: number
  /** The time to receive a body. Default 10,000. */
  readonly bodyMs: number
  /** Bodies of this size that are read at once, before their senders are authenticated. Default 64. */
  readonly bodies: number
  /** Of deliveries to one webhook, and of deliveries from one client. */
  readonly rate: Rate
}

export const receiverLimits: ReceiverLimits = {
  bodyBytes: 1024 * 1024,
  bodyMs: 10_000,
  bodies: 64,
  rate: { burst: 1_000, perSecond: 20 },
}

const path = '/hooks/:id'

/** Checks the rate first, then the size, then the signature; then it reads the content. */
export function addReceiverRoutes(api: Api, call: CallUseCase, limits: ReceiverLimits): void {
  describe(api)
  const rate = new KeyedRateLimit(limits.rate)
  const budget = { bytes: limits.bodies * limits.bodyBytes }
  api.post(path, async (c) => {
    const id = c.req.param('id')
    const read = async (): Promise<Uint8Array> => {
      for (const key of [`hook ${id}`, `client ${c.env?.client ?? ''}`]) countDelivery(rate, key)
      return readBounded(c, { bytes: limits.bodyBytes, ms: limits.bodyMs, budget })
    }
    const header = (name: string): string | undefined => c.req.header(name)
    const answer = await call(receiveDelivery, { id, header, read }, { wait: isWaiting(c) }, c.get('signal')!).catch(
      closing(c),
    )
    c.set('by', `webhook ${answer.hook}`)
    c.set('run', answer.runs[0]?.run)
    return c.json(answer, 202)
  })
  api.all(path, (c) => {
    throw new MethodNotAllowed(c.req.method, ['POST'])
  })
}

/** Keys that are counted; beyond that, the least recently used one is dropped. */
const mostKeys = 10_000

/** Counts requests by key. Times are those of `performance.now()`. */
class KeyedRateLimit {
  readonly #rate: Rate
  #buckets: LRUCache<string, Bucket> | undefined

  constructor(rate: Rate) {
    this.#rate = rate
  }

  /** Counts one request. Gives the milliseconds to wait before a retry; 0: it is allowed. */
  take(key: string, now: number): number {
    const buckets = (this.#buckets ??= new LRUCache({ max: mostKeys })) // it reserves memory for all its keys
    const { bucket, waitMs } = takeToken(buckets.get(key) ?? fullBucket(this.#rate, now), this.#rate, now)
    buckets.set(key, bucket)
    return waitMs
  }
}

function countDelivery(rate: KeyedRateLimit, key: string): void {
  const waitMs = rate.take(key, performance.now())
  if (waitMs > 0) throw new RateLimited(waitMs)
}

/** A refused sender may still be sending: gitmoor closes the connection without reading the rest. */
function closing(c: ApiContext): (error: unknown) => never {
  return (error) => {
    c.header('Connection', 'close')
    throw error instanceof Error ? error : new Refused('failed', 'The delivery was refused.')
  }
}

function describe(api: Api): void {
  describeLater(api, 'none', () => ({
    method: 'post',
    path: '/hooks/{id}',
    operationId: 'receiveDelivery',
    summary: 'Receive a delivery of a webhook, which must be signed.',
    description:
      'The signature authenticates the sender. A delivery only makes the agent poll: ' +
      'the commit always comes from the repository.',
    tags: ['webhooks'],
    security: [],
    request: {
      params: z.object({ id: z.string().describe('The last part of the `path` of the webhook.') }),
      query: z.object({
        wait: z.boolean().optional().describe('true: answers when the resulting runs end, or after 30 s.'),
      }),
    },
    responses: {
      202: { description: 'Accepted.', content: { 'application/json': { schema: deliveryAnswerSchema } } },
      ...errorResponses([400, 401, 404, 408, 409, 413, 415, 421, 422, 429, 500, 503]),
    },
  }))
}

/** Errors: `HttpRefusal` 400. Senders add parameters of their own, so others are ignored. */
function isWaiting(c: ApiContext): boolean {
  const wait = c.req.query('wait') ?? 'false'
  if (wait === 'true' || wait === 'false') return wait === 'true'
  c.header('Connection', 'close')
  throw new HttpRefusal(400, '"wait" must be true or false.', { code: 'api/invalid' })
}
