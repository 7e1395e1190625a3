// What happened, as clients that watch receive it.
import { z } from '@hono/zod-openapi'
import { moveStateSchema, refTipSchema } from './channel.js'
import { runRowSchema } from './run.js'
import { orNull, time, type View } from './view.js'

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

/** `id`: the `after` of a request for the events that follow; only this process knows it. */
export type EventView = View<typeof eventSchema> & { readonly id: string }
