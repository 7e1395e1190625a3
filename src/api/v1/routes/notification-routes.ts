import { z } from '@hono/zod-openapi'
import { addEndpoint, type Api } from '../endpoint.js'
import { page } from '../../../views/page.js'
import { pagingShape } from '../paging.js'
import { messageSchema, receiverSchema } from '../../../views/notification.js'
import { listMessages, listReceivers, redeliverMessage, testReceiver } from '../../../notifications/notifications.js'
import type { CallUseCase } from '../../../webhooks/call-use-case.js'

const tag = 'notifications'

/** Receivers of notifications and commit statuses, and their messages. */
export function addNotificationRoutes(api: Api, call: CallUseCase): void {
  const name = z.string().min(1).max(100).describe('The name of the receiver.')
  const receivers = {
    method: 'get',
    tag,
    path: '/api/v1/receivers',
    operationId: 'listReceivers',
    role: 'read',
    summary: 'List the receivers of notifications and commit statuses.',
    description: 'Each with its newest message and the number of pending ones.',
  } as const
  addEndpoint(api, { ...receivers, query: z.object(pagingShape), answer: page(receiverSchema) }, ({ query: paging }) =>
    call(listReceivers, paging),
  )

  const log = {
    method: 'get',
    tag,
    path: '/api/v1/messages',
    operationId: 'listMessages',
    role: 'read',
    errors: [404],
    summary: 'List messages to receivers, newest first.',
    description: 'Notifications, commit statuses and tests, with the result of the last attempt.',
  } as const
  const query = z.object({ receiver: name.optional(), ...pagingShape })
  addEndpoint(api, { ...log, query, answer: page(messageSchema) }, (request) => {
    const { receiver, ...paging } = request.query
    return call(listMessages, receiver, paging)
  })

  const again = {
    method: 'post',
    tag,
    path: '/api/v1/messages/{message}/redeliver',
    operationId: 'redeliverMessage',
    role: 'approve',
    errors: [404, 409],
    summary: 'Send a message again, with the same id.',
    description: 'The agent sends it as soon as its receiver has no older pending message.',
  } as const
  const params = z.object({ message: z.string().min(1).max(20).describe('The id of the message.') })
  addEndpoint(api, { ...again, params, answer: messageSchema }, (request) =>
    call(redeliverMessage, request.params.message),
  )

  const test = {
    method: 'post',
    tag,
    path: '/api/v1/receivers/{name}/test',
    operationId: 'testReceiver',
    role: 'approve',
    errors: [404, 409],
    summary: 'Send a test message to a receiver, and answer with its result.',
    description: 'Nothing is retried. Receivers of commit statuses have no test.',
    params: z.object({ name }),
  } as const
  addEndpoint(api, { ...test, answer: messageSchema }, ({ params: { name: receiver }, signal }) =>
    call(testReceiver, receiver, signal),
  )
}
