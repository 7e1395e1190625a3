// Receivers of notifications and commit statuses, and the messages for them.
import { z } from '@hono/zod-openapi'
import { messageStates, transitionKinds } from '../model/agent/message.js'
import { list, orNull, time, type View } from './view.js'

const counts = z
  .object({
    failed: z.number().optional().describe('Stacks that failed.'),
    'needs-approval': z.number().optional().describe('Plans that need approval.'),
    drifted: z.number().optional().describe('Stacks that drifted.'),
    recovered: z.number().optional().describe('Stacks that recovered.'),
  })
  .describe('How many transitions it reports, by kind.')

const messageShape = {
  id: z.string().describe('Decimal; a later message has a greater one.'),
  key: z.string().describe('A UUID that each attempt carries: `X-Gitmoor-Delivery`, `Message-ID`.'),
  receiver: z.string().describe('The name of the receiver.'),
  kind: z.enum(['notification', 'status', 'test']).describe('What it reports.'),
  state: z
    .enum(messageStates)
    .describe(
      'pending: not sent yet, or retried; failed: refused, or retried for a day; dropped: too many were pending; ' +
        'superseded: a newer status of the commit took its place.',
    ),
  title: z.string().describe('What it reports, in a line.'),
  createdAt: time.describe('When it was stored: RFC 3339, UTC.'),
  dueAt: time.nullable().describe('When a pending message is sent or tried again; null: it is not pending.'),
  attempts: z.number().describe('How often it was sent.'),
  endedAt: time.nullable().describe('When it was sent or given up; null: it is pending.'),
  status: z.number().nullable().describe('HTTP or SMTP status of the last attempt; null: there was no answer.'),
  error: z.string().describe('Why the last attempt failed; empty: it did not.'),
  counts,
  commit: z
    .object({
      stack: z.string().describe('The name of the stack.'),
      remote: z.string().describe('The address of the repository.'),
      commit: z.string().describe('40 hex digits.'),
      state: z.enum(['pending', 'success', 'failure', 'canceled']).describe('The state of the commit.'),
      description: z.string().describe('The state in a sentence.'),
      run: z.string().describe('The id of the run.'),
    })
    .nullable()
    .describe('The commit status; null: the message is of another kind.'),
}

export const messageSchema = z
  .object(messageShape)
  .openapi('Message', { description: 'A message for a receiver, and what became of it.' })

export type MessageView = View<typeof messageSchema>

export const receiverSchema = z
  .object({
    name: z.string().describe('As the configuration file declares it.'),
    type: z
      .enum(['webhook', 'slack', 'email', 'github', 'gitlab', 'gitea', 'forgejo'])
      .describe('Where its messages go: the Git hosts get commit statuses.'),
    on: list(z.enum(transitionKinds)).describe('The transitions that it gets; empty: it gets commit statuses.'),
    stacks: list(z.string()).describe('Names of stacks, with `*`; empty: all.'),
    match: z.string().nullable().describe('The repositories whose commits it gets; null: it gets notifications.'),
    pending: z.number().describe('Messages that are not sent yet.'),
    last: orNull(messageSchema).describe('The newest message with an attempt; null: none.'),
  })
  .openapi('Receiver', { description: 'Where notifications or commit statuses go.' })

export type ReceiverView = View<typeof receiverSchema>
