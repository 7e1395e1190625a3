// What happened, as clients that watch receive it.
import { z } from '@hono/zod-openapi'
import { moveStateSchema, refTipSchema } from './channel.js'
import { runRowSchema } from './run.js'
import { states } from '../status/status.js'
import { countsByState } from './overview.js'
import { list, orNull, time, type View } from './view.js'

/** `open`: no event was missed; `reset`: some were, so lists must be read again. */
const eventTypes = [
  'open',
  'reset',
  'run.queued',
  'run.phase',
  'run.ended',
  'stack.created',
  'stack.changed',
  'stack.deleted',
  'channel.moved',
  'target.changed',
] as const

const digestRowSchema = z
  .object({
    name: z.string().describe('The name of the stack.'),
    state: z.enum(states).nullable().describe('Its state; null: it was deleted.'),
  })
  .openapi('DigestRow', { description: 'A stack that changed, and its state now.' })

/** The `data` of an event. */
export const eventSchema = z
  .object({
    type: z.enum(eventTypes).describe('`open`: no event was missed; `reset`: some were, so lists must be read again.'),
    at: time,
    stack: z.string().nullable().describe('Its name.'),
    run: orNull(runRowSchema).describe('Of `run.…`.'),
    channel: z
      .object({
        remote: z.string().describe('The address of the repository, without credentials.'),
        ref: z.string().describe('The ref that moved.'),
        from: refTipSchema.describe('What the ref pointed to; null: it did not exist.'),
        to: refTipSchema.describe('What the ref points to; null: it was deleted.'),
        state: moveStateSchema,
      })
      .nullable()
      .describe('Of `channel.moved`.'),
    resource: z
      .object({
        target: z.string().describe('The name of the target.'),
        family: z.string().describe('`Bucket`, `Dashboard`, ….'),
        identity: z.string().describe('The id of the resource on the target.'),
        operation: z.enum(['create', 'update', 'remove']).describe('What the client did.'),
      })
      .nullable()
      .describe('Of `target.changed`: a client changed it on the target itself.'),
  })
  .openapi('Event', {
    description: 'The `data` of a server-sent event. Fields that do not belong to its type are null.',
  })

export const digestSchema = z
  .object({
    type: z.enum(['digest', 'reset']).describe('`reset`: events were missed, so lists must be read again.'),
    at: time,
    counts: countsByState,
    changed: list(digestRowSchema).describe(
      'The stacks that changed: those of `names`, then others. At most 100, and about 4 kB with `channels`.',
    ),
    more: z.int().describe('How many others changed. If lists show them, read them again.'),
    channels: list(z.string()).describe(
      'The channels that moved: `REMOTE#REF`. Not all, if they are longer than about 4 kB.',
    ),
  })
  .openapi('Digest', { description: 'The `data` of an event with `shape=digest`: what changed since the one before.' })

export const heartbeatSchema = z
  .object({
    type: z.literal('heartbeat').describe('It is no change.'),
    intervalMs: z.int().describe('When the next one comes. If none came for 2.5 intervals, connect again.'),
  })
  .openapi('Heartbeat', {
    description: 'The `data` of an event of any stream that says only that the connection works. It has the last `id`.',
  })

export type HeartbeatView = View<typeof heartbeatSchema>

/** `id`: the `after` of a request for the events that follow. */
export type DigestView = View<typeof digestSchema> & { readonly id: string }

/** `id`: the `after` of a request for the events that follow; only this process knows it. */
export type EventView = View<typeof eventSchema> & { readonly id: string }
