// notifications: reports stacks to people, and runs to Git hosts. This file shows receivers and messages, and sends
// tests.
import { isoTime } from '../lib/text/time-text.js'
import { compareText } from '../lib/text/compare-text.js'
import { ok, problem, warning, type Check } from '../model/agent/check.js'
import type { FullMessage, Message } from '../model/agent/message.js'
import { Refused } from '../model/errors.js'
import { nextCursor, type Paging } from '../stacks/paging.js'
import type { MessageView, ReceiverView } from '../views/notification.js'
import type { Page } from '../views/page.js'
import { messageTitle } from './message-text.js'
import type { NotificationContext } from './notifier.js'
import type { NotificationReceiver, StatusReceiver } from './receiver.js'
import { receiverProblems, sendMessage } from './send-message.js'

export async function listReceivers(
  context: NotificationContext,
  { limit = 100, after = '' }: Paging,
): Promise<Page<ReceiverView>> {
  const all = [...context.notifier.all]
    .sort((a, b) => compareText(a.name, b.name))
    .filter(({ name }) => compareText(name, after) > 0)
  const pending = new Map((await context.store.messages.pending()).map((one) => [one.receiver, one.count]))
  const items = await Promise.all(all.slice(0, limit).map((one) => viewReceiver(context, one, pending)))
  return { items, next: all.length > limit ? (items.at(-1)?.name ?? null) : null }
}

export async function listMessages(
  context: NotificationContext,
  receiver: string | undefined,
  { limit = 100, after }: Paging,
): Promise<Page<MessageView>> {
  if (receiver !== undefined) findReceiver(context, receiver)
  const found = await context.store.messages.list(receiver, { limit, after })
  return { items: found.map(viewMessage), next: nextCursor(found, limit, ({ id }) => id) }
}

/** Sends a test at once, without the queue. Errors: `Refused` for a receiver of commit statuses. */
export async function testReceiver(
  context: NotificationContext,
  name: string,
  signal: AbortSignal,
): Promise<MessageView> {
  const receiver = findReceiver(context, name)
  if ('forge' in receiver)
    throw new Refused('conflict', `${name} gets commit statuses, which belong to a commit of a run.`, {
      code: 'notifications/untestable',
      hint: 'Sync a stack of a matching repository, then see the result: gitmoor notification log',
    })
  const { messages } = context.store
  const message = await messages.addTest(name)
  const { sending } = context.notifier
  const attempt = await sendMessage(receiver, message, { ...sending, publicUrl: sending.publicUrl(), signal })
  const isSent = attempt.result === 'sent'
  const { status } = attempt
  await messages.end(message.id, {
    state: isSent ? 'sent' : 'failed',
    status,
    error: isSent ? '' : attempt.error,
  })
  return viewMessage((await messages.get(message.id)) ?? message)
}

/** Makes an ended message pending again, with the same key. */
export async function redeliverMessage(context: NotificationContext, id: string): Promise<MessageView> {
  const { messages } = context.store
  const message = await messages.get(id)
  if (message === undefined)
    throw new Refused('not-found', `There is no message ${id}.`, {
      code: 'notifications/message-unknown',
      hint: 'List the messages: gitmoor notification log',
    })
  findReceiver(context, message.receiver)
  if (message.state === 'pending' || message.kind === 'test')
    throw new Refused('conflict', `Message ${id} is ${message.state === 'pending' ? 'pending' : 'a test'}.`, {
      code: 'notifications/not-repeatable',
      hint: `See the messages: gitmoor notification log ${message.receiver}`,
    })
  if (!(await messages.again(id)))
    throw new Refused('conflict', `A newer status of the commit of message ${id} exists.`, {
      code: 'notifications/not-repeatable',
      hint: `See the messages: gitmoor notification log ${message.receiver}`,
    })
  context.notifier.wake(message.receiver, { now: true })
  return viewMessage((await messages.get(id)) ?? message)
}

/** For the doctor. */
export async function notificationChecks(context: NotificationContext): Promise<readonly Check[]> {
  return Promise.all(context.notifier.all.map((receiver) => checkReceiver(context, receiver)))
}

async function checkReceiver(
  context: NotificationContext,
  receiver: NotificationReceiver | StatusReceiver,
): Promise<Check> {
  const name = `receiver ${receiver.name}`
  const section = 'forge' in receiver ? 'commitStatus' : 'notifications'
  const [fault] = receiverProblems(receiver, context.notifier.sending)
  if (fault !== undefined) return problem(name, fault, `See "${section}" in the configuration file.`)
  const last = await context.store.messages.lastAttempted(receiver.name)
  if (last === undefined) {
    const next = 'forge' in receiver ? 'It gets one with the next run.' : testHint(receiver)
    return warning(name, 'No message was sent yet.', next)
  }
  if (last.state === 'sent' || last.error === '') return ok(name, `last message at ${isoTime(last.createdAt)}`)
  const message = `The last message was not sent: ${last.error}`
  const next = last.state === 'pending' ? `gitmoor retries at ${isoTime(last.dueAt)}.\n` : ''
  return problem(name, message, `${next}Check "${section}" in the configuration file.`)
}

function testHint({ name }: NotificationReceiver): string {
  return `Send a test: gitmoor notification test ${name}`
}

function findReceiver(context: NotificationContext, name: string): NotificationReceiver | StatusReceiver {
  const receiver = context.notifier.all.find((one) => one.name === name)
  if (receiver !== undefined) return receiver
  throw new Refused('not-found', `There is no receiver named ${name}.`, {
    code: 'notifications/receiver-unknown',
    hint:
      'List the receivers: gitmoor notification list. ' +
      'Declare them under "notifications" and "commitStatus" in the configuration file.',
  })
}

async function viewReceiver(
  context: NotificationContext,
  receiver: NotificationReceiver | StatusReceiver,
  pending: ReadonlyMap<string, number>,
): Promise<ReceiverView> {
  const { name } = receiver
  const last = await context.store.messages.lastAttempted(name)
  return {
    name,
    type: 'forge' in receiver ? receiver.forge : receiver.target.type,
    on: 'forge' in receiver ? [] : receiver.on,
    stacks: 'forge' in receiver ? [] : receiver.stacks,
    match: 'forge' in receiver ? receiver.match : null,
    pending: pending.get(name) ?? 0,
    last: last === undefined ? null : viewMessage(last),
  }
}

function viewMessage(message: Message | FullMessage): MessageView {
  const { id, key, receiver, kind, state, createdAt, dueAt, attempts, endedAt, status, error, counts, commit } = message
  const transitions = 'transitions' in message ? message.transitions : []
  return {
    id,
    key,
    receiver,
    kind,
    state,
    title:
      commit === null
        ? messageTitle({ ...message, transitions })
        : `gitmoor/${commit.stack} is ${commit.state} at ${commit.commit.slice(0, 7)}`,
    createdAt: isoTime(createdAt),
    dueAt: state === 'pending' ? isoTime(dueAt) : null,
    attempts,
    endedAt: endedAt === null ? null : isoTime(endedAt),
    status,
    error,
    counts,
    commit,
  }
}
