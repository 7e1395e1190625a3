import { z } from '@hono/zod-openapi'
import { addEndpoint, type Api } from '../endpoint.js'
import { page } from '../../../views/page.js'
import { pagingShape } from '../paging.js'
import { deliverySchema, webhookSchema, webhookTestSchema } from '../../../views/webhook.js'
import { listDeliveries, listWebhooks, redeliver, testWebhook } from '../../../webhooks/webhooks.js'
import type { CallUseCase } from '../../../webhooks/call-use-case.js'

const tag = 'webhooks'

/** Webhooks and their deliveries. webhook-receiver.ts receives deliveries. */
export function addWebhookRoutes(api: Api, call: CallUseCase): void {
  const name = z.string().min(1).max(100).describe('The name of the webhook.')
  const webhooks = {
    method: 'get',
    tag,
    path: '/api/v1/webhooks',
    operationId: 'listWebhooks',
    role: 'read',
    summary: 'List webhooks.',
    description: 'Each with its newest delivery and the repositories that it may report.',
  } as const
  addEndpoint(api, { ...webhooks, query: z.object(pagingShape), answer: page(webhookSchema) }, ({ query: paging }) =>
    call(listWebhooks, paging),
  )

  const log = {
    method: 'get',
    tag,
    path: '/api/v1/deliveries',
    operationId: 'listDeliveries',
    role: 'read',
    errors: [404],
    summary: 'List deliveries, newest first.',
    description: 'Bodies and signatures are not stored.',
  } as const
  const query = z.object({ webhook: name.optional(), ...pagingShape })
  addEndpoint(api, { ...log, query, answer: page(deliverySchema) }, (request) => {
    const { webhook, ...paging } = request.query
    return call(listDeliveries, webhook, paging)
  })

  const again = {
    method: 'post',
    tag,
    path: '/api/v1/deliveries/{delivery}/redeliver',
    operationId: 'redeliverDelivery',
    role: 'approve',
    errors: [404],
    summary: 'Repeat a delivery: poll its remotes again.',
    description: 'The agent uses the stored delivery; the sender takes no part.',
  } as const
  const params = z.object({ delivery: z.string().min(1).max(20).describe('The id of the delivery.') })
  addEndpoint(api, { ...again, params, answer: deliverySchema }, (request) =>
    call(redeliver, request.params.delivery, request.by, request.signal),
  )

  const test = {
    method: 'post',
    tag,
    path: '/api/v1/webhooks/{name}/test',
    operationId: 'testWebhook',
    role: 'approve',
    errors: [404, 409],
    summary: 'Test a webhook with a delivery that the agent sends itself.',
    description: 'The delivery reports a known commit, so gitmoor applies nothing.',
    params: z.object({ name }),
    body: z.object({
      ref: z.string().min(1).max(255).optional().describe('The ref to report; absent: one that stacks follow.'),
    }),
  } as const
  addEndpoint(api, { ...test, answer: webhookTestSchema }, ({ params: { name: webhook }, body: { ref }, signal }) =>
    call(testWebhook, webhook, ref === undefined ? {} : { ref }, signal),
  )
}
