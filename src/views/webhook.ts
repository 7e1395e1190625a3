// A webhook, and the deliveries that it received.
import { z } from '@hono/zod-openapi'
import { providers } from '../model/delivery.js'
import { outcomeSchema } from './run.js'
import { list, orNull, time, type View } from './view.js'

const resultSchema = z
  .enum(['moved', 'known', 'not-visible', 'failed', 'interrupted', 'ignored', 'unfollowed', 'refused', 'error'])
  .nullable()
  .openapi({ description: 'null: gitmoor is polling the remote.' })

const changeSchema = z.object({
  ref: z.string().optional(),
  commit: z
    .string()
    .nullable()
    .optional()
    .openapi({ description: 'A commit or a tag object; null: the ref was deleted.' }),
})

const deliveryShape = {
  hook: z.string(),
  event: z.string(),
  remotes: list(z.string()),
  result: resultSchema,
  message: z.string(),
  runs: list(z.object({ stack: z.string(), run: z.string(), outcome: outcomeSchema.nullable() })),
}

export const deliveryAnswerSchema = z
  .object({
    delivery: z.string(),
    ...deliveryShape,
    repeated: z.boolean().optional().openapi({ description: 'It was received before; this is its result.' }),
  })
  .openapi('DeliveryAnswer', { description: 'What became of a delivery.' })

export type DeliveryAnswer = View<typeof deliveryAnswerSchema>

export const deliverySchema = z
  .object({
    id: z.string(),
    at: time,
    key: z.string().openapi({ description: "The sender's id of the delivery." }),
    changes: list(changeSchema),
    tookMs: z.number(),
    ...deliveryShape,
  })
  .openapi('Delivery', { description: 'A request of a webhook sender, and what became of it.' })

export type DeliveryView = View<typeof deliverySchema>

export const webhookSchema = z
  .object({
    name: z.string(),
    provider: z.enum(providers),
    path: z.string(),
    remotes: list(z.string()),
    last: orNull(deliverySchema),
    proven: list(z.string()).openapi({
      description:
        'Remotes with a change that the webhook reported before polling found it, ' +
        'since the agent started. They are polled less often.',
    }),
    refused: z.number().openapi({ description: 'Deliveries that were refused since the agent started.' }),
  })
  .openapi('Webhook', { description: 'A sender that may report changes of remotes.' })

export type WebhookView = View<typeof webhookSchema>

export const webhookTestSchema = z
  .object({
    webhook: webhookSchema,
    sent: z.object({ repository: z.string(), ref: z.string(), commit: z.string() }),
    delivery: deliverySchema,
  })
  .openapi('WebhookTest', { description: 'A delivery that the agent sent to itself.' })

export type WebhookTestView = View<typeof webhookTestSchema>
