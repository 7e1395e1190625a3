// What happened, as clients that watch receive it.
import { z } from '@hono/zod-openapi'
import { moveStateSchema, refTipSchema } from './channel.js'
import { runRowSchema } from './run.js'
import { orNull, time, type View } from './view.js'

/** `open`: no event was missed; `reset`: some were, so lists must be read again. */
export const eventTypes = [
  'open',
  'reset',
  'run.queued',
  'run.phase',
  'run.ended',
  'stack.created',
  'stack.changed',
  'stack.deleted',
  'channel.moved',
] as const

/** The `data` of an event. */
export const eventSchema = z
  .object({
    type: z.enum(eventTypes),
    at: time,
    stack: z.string().nullable().openapi({ description: 'Its name.' }),
    run: orNull(runRowSchema).openapi({ description: 'Of `run.…`.' }),
    channel: z
      .object({ remote: z.string(), ref: z.string(), from: refTipSchema, to: refTipSchema, state: moveStateSchema })
      .nullable()
      .openapi({ description: 'Of `channel.moved`.' }),
  })
  .openapi('Event', {
    description: 'The `data` of a server-sent event. Fields that do not belong to its type are null.',
  })

/** `id`: the `after` of a request for the events that follow; only this process knows it. */
export type EventView = View<typeof eventSchema> & { readonly id: string }
