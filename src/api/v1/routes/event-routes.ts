import { z } from '@hono/zod-openapi'
import { withoutUndefined } from '../../../lib/without-undefined.js'
import { Refused, Unavailable } from '../../../model/errors.js'
import { mostNameCharacters } from '../../../settings/setting-forms.js'
import { strictObject } from '../../../settings/schema/strict-object.js'
import type { ApiContext } from '../../request-context.js'
import { readRequest, type Api } from '../endpoint.js'
import { commonErrors, describeLater, errorResponses } from '../openapi.js'
import { EventStream, type StreamLimits } from '../../server/event-stream.js'
import { digestSchema, eventSchema, heartbeatSchema } from '../../../views/event.js'
import { watchDigests } from '../../../stacks/overview/watch-digests.js'
import { nameList } from '../stack-listing.js'
import { watchEvents } from '../../../stacks/queries/watch-events.js'
import type { CallUseCase } from '../../../webhooks/call-use-case.js'

const path = '/api/v1/events'

const query = z.object({
  stack: z.string().min(1).max(mostNameCharacters).optional().describe('Name or id: only events of this stack.'),
  after: z
    .string()
    .max(100)
    .optional()
    .describe('`id` of the last received event. The header `Last-Event-ID` overrides it.'),
  shape: z
    .enum(['events', 'digest'])
    .default('events')
    .describe('`digest`: what changed, at most four times a second, at most about 4 kB. Not with `stack`.'),
  names: nameList,
})

/** A stream of server-sent events. */
export function addEventRoutes(api: Api, call: CallUseCase, limits: StreamLimits): void {
  describeLater(api, 'read', () => ({
    method: 'get',
    path,
    operationId: 'watchEvents',
    summary: 'Watch events as they happen (server-sent events).',
    description:
      'The stream does not end by itself. Ignore types that you do not know. Pass the last `id` to go on after an interruption.',
    tags: ['events'],
    request: {
      query,
      headers: z.object({ 'Last-Event-ID': z.string().optional().describe('`id` of the last received event.') }),
    },
    responses: {
      200: {
        description: 'An endless stream.',
        content: { 'text/event-stream': { schema: z.union([eventSchema, digestSchema, heartbeatSchema]) } },
      },
      ...errorResponses([...commonErrors, 404]),
    },
  }))
  const strictQuery = strictObject(query.shape)
  let open = 0
  api.get(path, async (c) => {
    const request = await readRequest(c, { query, strictQuery })
    const after = c.req.header('last-event-id') ?? request.query.after
    const { stack, shape, names } = request.query
    if (shape === 'digest' && stack !== undefined) throw digestOfStack()
    if (open >= limits.streams) throw new TooManyStreams()
    let stop = (): void => {}
    open++
    const stream = openStream(c, limits, () => (open--, stop()))
    try {
      stop = await (shape === 'digest'
        ? call(watchDigests, withoutUndefined({ names, after }), (digest) => stream.send(digest))
        : call(watchEvents, withoutUndefined({ stack, after }), (event) => stream.send(event)))
    } catch (error) {
      stream.close()
      throw error
    }
    if (stream.ended) stop()
    return c.body(stream.body, 200, {
      'Content-Type': 'text/event-stream; charset=utf-8',
      Connection: 'close',
      'X-Accel-Buffering': 'no',
    })
  })
}

function openStream(c: ApiContext, limits: StreamLimits, onEnd: () => void): EventStream {
  const signals = [c.req.raw.signal, ...(c.env?.stopping === undefined ? [] : [c.env.stopping])]
  return new EventStream(limits, { signals, drop: c.env?.drop ?? ((): void => {}), onEnd })
}

function digestOfStack(): Refused {
  return new Refused('usage', 'A digest is of all stacks, and `stack` names one.', {
    code: 'api/invalid',
    hint: 'Leave out `stack`, or pass it as `names`: its state comes first.',
  })
}

class TooManyStreams extends Unavailable {
  constructor() {
    super('Too many event streams.', {
      code: 'api/too-many-streams',
      hint: 'Close one, or retry later.',
      retryAfterMs: 10_000,
    })
  }
}
