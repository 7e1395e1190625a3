// A webhook, and the deliveries that it received.
import { z } from '@hono/zod-openapi'
import { providers } from '../model/agent/delivery.js'
import { outcomeSchema } from './run.js'
import { list, orNull, time, type View } from './view.js'

const resultSchema = z
  .enum(['moved', 'known', 'not-visible', 'failed', 'interrupted', 'ignored', 'unfollowed', 'refused', 'error'])
  .nullable()
  .describe('null: gitmoor is polling the remote.')

const changeSchema = z.object({
  ref: z.string().optional().describe('The full name of the ref; absent: unknown.'),
  commit: z.string().nullable().optional().describe('A commit or a tag object; null: the ref was deleted.'),
})

const deliveryShape = {
  hook: z.string().describe('The name of the webhook.'),
  event: z.string().describe('The type of event, in the words of the sender.'),
  remotes: list(z.string()).describe('The repositories in it that stacks follow.'),
  result: resultSchema,
  message: z.string().describe('The result in a sentence.'),
  runs: list(
    z.object({
      stack: z.string().describe('The name of the stack.'),
      run: z.string().describe('The id of the run.'),
      outcome: outcomeSchema.nullable().describe('How the run ended; null: it has not ended.'),
    }),
  ).describe('The runs that it caused.'),
}

export const deliveryAnswerSchema = z
  .object({
    delivery: z.string().describe('The id of the delivery.'),
    ...deliveryShape,
    repeated: z.boolean().optional().describe('It was received before; this is its result.'),
  })
  .openapi('DeliveryAnswer', { description: 'What became of a delivery.' })

export type DeliveryAnswer = View<typeof deliveryAnswerSchema>

export const deliverySchema = z
  .object({
    id: z.string().describe('Decimal; a later delivery has a greater one.'),
    at: time.describe('When it arrived: RFC 3339, UTC.'),
    key: z.string().describe("The sender's id of the delivery."),
    changes: list(changeSchema).describe('The refs that it reports.'),
    tookMs: z.number().describe('Milliseconds until the result was known.'),
    ...deliveryShape,
  })
  .openapi('Delivery', { description: 'A request of a webhook sender, and what became of it.' })

export type DeliveryView = View<typeof deliverySchema>

export const webhookSchema = z
  .object({
    name: z.string().describe('As the configuration file declares it.'),
    provider: z.enum(providers).describe('Whose deliveries it understands.'),
    path: z.string().describe('The path of its URL on the agent.'),
    remotes: list(z.string()).describe('The repositories that it may report.'),
    last: orNull(deliverySchema).describe('The newest delivery; null: none.'),
    proven: list(z.string()).describe(
      'Remotes with a change that the webhook reported before polling found it, ' +
        'since the agent started. They are polled less often.',
    ),
    refused: z.number().describe('Deliveries that were refused since the agent started.'),
  })
  .openapi('Webhook', { description: 'A sender that may report changes of remotes.' })

export type WebhookView = View<typeof webhookSchema>

export const webhookTestSchema = z
  .object({
    webhook: webhookSchema,
    sent: z
      .object({
        repository: z.string().describe('The address of the repository.'),
        ref: z.string().describe('The full name of the ref.'),
        commit: z.string().describe('The commit that the delivery reported: 40 hex digits.'),
      })
      .describe('What the delivery reported.'),
    delivery: deliverySchema,
  })
  .openapi('WebhookTest', { description: 'A delivery that the agent sent to itself.' })

export type WebhookTestView = View<typeof webhookTestSchema>
