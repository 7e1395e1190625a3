// webhooks: receives deliveries, and shows webhooks and their deliveries. Takes requests of senders and of people;
// gives views. Promises: a delivery only triggers a poll.
import { isoTime } from '../lib/text/time-text.js'
import { abortAfter } from '../lib/async/abort-after.js'
import { randomUUID } from 'node:crypto'
import { ok, problem, warning, type Check } from '../model/agent/check.js'
import { compareText } from '../lib/text/compare-text.js'
import { testKeyPrefix, type Delivery } from '../model/agent/delivery.js'
import { Refused } from '../model/errors.js'
import type { Channel } from '../model/sources/channel.js'
import { orAborted } from '../lib/async/or-aborted.js'
import { sourceRef } from '../model/sources/source-spec.js'
import { nextCursor, type Paging } from '../stacks/paging.js'
import type { Page } from '../views/page.js'
import type { RunView } from '../views/run.js'
import type { DeliveryAnswer, DeliveryView, WebhookTestView, WebhookView } from '../views/webhook.js'
import { sampleDelivery, type SampleChange } from './sample-delivery.js'
import { isBelow } from '../source/repository-identity.js'
import type { HookRequest, Webhook } from './webhook.js'
import type { ReceivedDelivery, WebhookContext } from './receive-delivery.js'
import { getRun } from '../stacks/queries/queries.js'
import { remoteOf } from '../stacks/load-package/remotes.js'

/** How long an answer waits for the runs of a delivery. */
const waitMs = 30_000
const placeholderChange: SampleChange = {
  repository: 'https://example.com/acme/boards',
  ref: 'refs/heads/main',
  commit: '1'.repeat(40),
}

export async function receiveDelivery(
  context: WebhookContext,
  request: HookRequest,
  { wait }: { readonly wait: boolean },
  signal: AbortSignal,
): Promise<DeliveryAnswer> {
  const received = await context.webhooks.receive(request)
  return deliveryAnswer(context, received, { wait, signal })
}

export async function listWebhooks(
  context: WebhookContext,
  { limit = 100, after = '' }: Paging,
): Promise<Page<WebhookView>> {
  const all = [...context.webhooks.hooks]
    .sort((a, b) => compareText(a.name, b.name))
    .filter(({ name }) => compareText(name, after) > 0)
  const items = await Promise.all(all.slice(0, limit).map((hook) => viewWebhook(context, hook)))
  return { items, next: all.length > limit ? (items.at(-1)?.name ?? null) : null }
}

export async function listDeliveries(
  context: WebhookContext,
  hook: string | undefined,
  { limit = 100, after }: Paging,
): Promise<Page<DeliveryView>> {
  if (hook !== undefined) findWebhook(context, hook)
  const found = await context.store.deliveries.list(hook, { limit, after })
  return { items: await viewDeliveries(context, found), next: nextCursor(found, limit, ({ id }) => id) }
}

export async function redeliver(
  context: WebhookContext,
  id: string,
  by: string,
  signal: AbortSignal,
): Promise<DeliveryView> {
  const delivery = await context.store.deliveries.get(id)
  if (delivery === undefined)
    throw new Refused('not-found', `There is no delivery ${id}.`, {
      code: 'webhooks/delivery-unknown',
      hint: 'List the deliveries: gitmoor webhook log',
    })
  const { done } = await context.webhooks.again(delivery, by)
  return viewDelivery(context, await orAborted(done, signal))
}

export async function testWebhook(
  context: WebhookContext,
  name: string,
  { ref }: { readonly ref?: string },
  signal: AbortSignal,
): Promise<WebhookTestView> {
  const hook = findWebhook(context, name)
  const change = (await sampleChange(context, hook, ref)) ?? placeholderChange
  const [secret] = context.webhooks.secrets.of(hook)
  const key = `${testKeyPrefix}${randomUUID()}`
  const incoming = sampleDelivery(hook, change, { key, secret })
  const { done } = await context.webhooks.receive({
    id: hook.id,
    key,
    header: incoming.header,
    read: async () => incoming.body,
  })
  const delivery = await viewDelivery(context, await orAborted(done, signal))
  return { webhook: await viewWebhook(context, hook), sent: { ...change }, delivery }
}

/** For the doctor. */
export async function webhookChecks(context: WebhookContext): Promise<readonly Check[]> {
  return (await Promise.all(context.webhooks.hooks.map((hook) => checkWebhook(context, hook)))).flat()
}

async function checkWebhook(context: WebhookContext, hook: Webhook): Promise<readonly Check[]> {
  const name = `webhook ${hook.name}`
  const faults = context.webhooks.secrets.faults(hook)
  if (faults.length > 0) return faults.map((fault) => problem(name, fault, 'See "webhooks" in the configuration file.'))
  const last = await context.store.deliveries.last(hook.name)
  if (last?.result === 'error')
    return [problem(name, last.message, 'See "request failed" in the log. Meanwhile, polls find the changes.')]
  if (last !== undefined) return [ok(name, `last delivery at ${isoTime(last.at)}`)]
  const next =
    `See the settings of the sender: gitmoor webhook test ${hook.name}\n` +
    'Then push a commit, or redeliver an event from the sender.'
  return [warning(name, 'No delivery with a valid signature was received yet.', next)]
}

function findWebhook(context: WebhookContext, name: string): Webhook {
  const hook = context.webhooks.hooks.find((one) => one.name === name)
  if (hook !== undefined) return hook
  const hint = 'List the webhooks: gitmoor webhook list. Declare them under "webhooks" in the configuration file.'
  throw new Refused('not-found', `There is no webhook named ${name}.`, { code: 'webhooks/unknown', hint })
}

/** A change of the first remote that the webhook may report, to its known commit. */
async function sampleChange(
  context: WebhookContext,
  hook: Webhook,
  given: string | undefined,
): Promise<SampleChange | undefined> {
  for (const [remote, stacks] of context.scheduler.polls.followers) {
    if (hook.remotes.length > 0 && !hook.remotes.some((prefix) => isBelow(remote, prefix))) continue
    const channels = await context.store.channels.of(remote)
    for (const { spec } of await context.store.stacks.many([...stacks])) {
      const source = spec.sources.find((one) => one.kind === 'git' && remoteOf(context, one, spec.name) === remote)
      const channel = source && channels.get(sourceRef(source))
      if (channel?.tip == null) continue
      const named = given === undefined ? channel : channels.get(given)
      const { commit } = named?.tip ?? channel.tip
      return { repository: remote, ref: fullName(given ?? channel.ref, named), commit }
    }
  }
  return undefined
}

async function deliveryAnswer(
  context: WebhookContext,
  { delivery, done, repeated }: ReceivedDelivery,
  { wait, signal }: { readonly wait: boolean; readonly signal: AbortSignal },
): Promise<DeliveryAnswer> {
  const until = abortAfter(waitMs, signal)
  const latest = wait ? await orAborted(done, until).catch(() => delivery) : delivery
  if (wait) await runsEnded(context, latest, until)
  const { id, hook, event, remotes, result, message, runs } = await viewDelivery(context, latest)
  return { delivery: id, hook, event, remotes, result, message, runs, ...(repeated ? { repeated } : {}) }
}

/** Waits for the runs, at most until the signal aborts. */
async function runsEnded(context: WebhookContext, { runs }: Delivery, until: AbortSignal): Promise<void> {
  const queued = await context.store.feed.many(runs)
  const ended = queued.map(({ stack, id }): Promise<RunView> => getRun(context, stack, id, { waitMs, signal: until }))
  await Promise.allSettled(ended)
}

async function viewWebhook(context: WebhookContext, hook: Webhook): Promise<WebhookView> {
  const last = await context.store.deliveries.last(hook.name)
  return {
    name: hook.name,
    provider: hook.provider,
    path: `/hooks/${hook.id}`,
    remotes: hook.remotes,
    last: last === undefined ? null : await viewDelivery(context, last),
    proven: [...context.scheduler.polls.provenWebhooks].flatMap(([remote, by]) => (by === hook.name ? [remote] : [])),
    refused: context.webhooks.refusedCount(hook),
  }
}

async function viewDelivery(context: WebhookContext, delivery: Delivery): Promise<DeliveryView> {
  return (await viewDeliveries(context, [delivery]))[0]!
}

/** With the runs that are still stored. */
async function viewDeliveries(
  context: WebhookContext,
  deliveries: readonly Delivery[],
): Promise<readonly DeliveryView[]> {
  const runs = await context.store.feed.many([...new Set(deliveries.flatMap((one) => one.runs))].slice(0, 500))
  const stacks = await context.store.stacks.many([...new Set(runs.map(({ stack }) => stack))])
  const names = new Map(stacks.map(({ id, spec }) => [id, spec.name]))
  const views = new Map(
    runs.map(({ id, stack, outcome }) => [id, { stack: names.get(stack) ?? stack, run: id, outcome }]),
  )
  return deliveries.map((one) => ({
    ...one,
    at: isoTime(one.at),
    result: one.result ?? (context.webhooks.isInProgress(one.id) ? null : 'interrupted'),
    runs: one.runs.flatMap((id) => views.get(id) ?? []),
  }))
}

/** The full name that the last poll of its channel found. Without a channel, a short name is that of a branch. */
function fullName(ref: string, channel: Channel | undefined): string {
  const { move, tip } = channel ?? {}
  if (move?.name) return move.name
  if (tip?.tag !== undefined) return `refs/tags/${tip.tag}`
  return ref === 'HEAD' || ref.startsWith('refs/') ? ref : `refs/heads/${ref}`
}
