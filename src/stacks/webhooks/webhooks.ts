// What a person, or a sender, can ask of webhooks.
import { abortAfter } from '../../lib/abort-after.js'
import { randomUUID } from 'node:crypto'
import { ok, problem, warning, type Check } from '../../model/check.js'
import { compareText } from '../../lib/compare-text.js'
import { testKeyPrefix, type Delivery } from '../../model/delivery.js'
import { Refused } from '../../model/errors.js'
import { orAborted } from '../../lib/or-aborted.js'
import { sourceRef } from '../../model/source-spec.js'
import type { Desk } from '../desk.js'
import type { Paging, Verbs } from '../verbs.js'
import { time } from '../queries/view-stack.js'
import type { Page } from '../../views/page.js'
import type { RunView } from '../../views/run.js'
import type { DeliveryAnswer, DeliveryView, WebhookTestView, WebhookView } from '../../views/webhook.js'
import { sampleDelivery, type SampleChange } from './sample-delivery.js'
import { isBelow } from '../../source/repository-identity.js'
import type { HookSecrets } from './hook-secrets.js'
import type { HookRequest, Webhook } from './webhook.js'
import { DeliveryReceiver, type ReceivedDelivery, type WebhooksDeps } from './receive-delivery.js'

/** How long an answer waits for what comes of a delivery. */
const waitMs = 30_000
const placeholderChange: SampleChange = {
  repository: 'https://example.com/acme/boards',
  ref: 'refs/heads/main',
  commit: '1'.repeat(40),
}

export class WebhookVerbs implements Pick<Verbs, 'deliver' | 'webhooks' | 'deliveries' | 'redeliver' | 'testWebhook'> {
  readonly #desk: Desk
  readonly #webhooks: DeliveryReceiver
  readonly #secrets: HookSecrets
  readonly #run: Verbs['run']

  /** `run`: one run of a stack, once it has ended. */
  constructor(desk: Desk, deps: WebhooksDeps, run: Verbs['run']) {
    this.#desk = desk
    this.#webhooks = new DeliveryReceiver(desk, deps)
    this.#secrets = deps.secrets
    this.#run = run
  }

  async deliver(
    request: HookRequest,
    { wait }: { readonly wait: boolean },
    signal: AbortSignal,
  ): Promise<DeliveryAnswer> {
    const received = await this.#webhooks.receive(request)
    return this.#answer(received, { wait, signal })
  }

  async webhooks({ limit = 100, after = '' }: Paging): Promise<Page<WebhookView>> {
    const all = [...this.#webhooks.hooks]
      .sort((a, b) => compareText(a.name, b.name))
      .filter(({ name }) => compareText(name, after) > 0)
    const items = await Promise.all(all.slice(0, limit).map((hook) => this.#view(hook)))
    return { items, next: all.length > limit ? (items.at(-1)?.name ?? null) : null }
  }

  async deliveries(hook: string | undefined, { limit = 100, after }: Paging): Promise<Page<DeliveryView>> {
    if (hook !== undefined) this.#named(hook)
    if (after !== undefined && !/^\d{1,15}$/.test(after)) throw new Refused('usage', `${after} is no place in the log.`)
    const found = await this.#desk.store.deliveries.list(hook, { limit, ...(after === undefined ? {} : { after }) })
    return { items: await this.#viewAll(found), next: found.length < limit ? null : (found.at(-1)?.id ?? null) }
  }

  async redeliver(id: string, by: string, signal: AbortSignal): Promise<DeliveryView> {
    const delivery = await this.#desk.store.deliveries.get(id)
    if (delivery === undefined)
      throw new Refused('not-found', `There is no delivery ${id}.`, {
        hint: 'See which there are: gitmoor webhook log',
      })
    const { done } = await this.#webhooks.again(delivery, by)
    return this.#viewOne(await orAborted(done, signal))
  }

  async testWebhook(name: string, { ref }: { readonly ref?: string }, signal: AbortSignal): Promise<WebhookTestView> {
    const hook = this.#named(name)
    const change = (await this.#sample(hook, ref)) ?? placeholderChange
    const [secret] = this.#secrets.of(hook)
    const incoming = sampleDelivery(hook, change, { key: `${testKeyPrefix}${randomUUID()}`, secret })
    const { done } = await this.#webhooks.receive({
      id: hook.id,
      header: incoming.header,
      read: async () => incoming.body,
    })
    const delivery = await this.#viewOne(await orAborted(done, signal))
    return { webhook: await this.#view(hook), sent: { ...change }, delivery }
  }

  /** For the doctor. */
  async checks(): Promise<readonly Check[]> {
    return (await Promise.all(this.#webhooks.hooks.map((hook) => this.#check(hook)))).flat()
  }

  async #check(hook: Webhook): Promise<readonly Check[]> {
    const name = `webhook ${hook.name}`
    const faults = this.#secrets.faults(hook)
    if (faults.length > 0)
      return faults.map((fault) => problem(name, fault, 'See "webhooks" in the configuration file.'))
    const last = await this.#desk.store.deliveries.last(hook.name)
    if (last !== undefined) return [ok(name, `told last at ${time(last.at)}`)]
    const next = `Give its address and its secret to the sender: gitmoor webhook test ${hook.name}`
    return [warning(name, 'Nothing was ever delivered, at least not with the right signature.', next)]
  }

  #named(name: string): Webhook {
    const hook = this.#webhooks.hooks.find((one) => one.name === name)
    if (hook !== undefined) return hook
    const hint =
      'See which there are: gitmoor webhook list. They are declared under "webhooks" in the configuration file.'
    throw new Refused('not-found', `There is no webhook named ${name}.`, { hint })
  }

  /** What would be told of the first remote that it may tell of, at what it is known to be at. */
  async #sample(hook: Webhook, given: string | undefined): Promise<SampleChange | undefined> {
    for (const [remote, stacks] of this.#desk.dispatch.polls.followers) {
      if (hook.remotes.length > 0 && !hook.remotes.some((prefix) => isBelow(remote, prefix))) continue
      const channels = await this.#desk.store.channels.of(remote)
      for (const { spec } of await this.#desk.store.stacks.many([...stacks])) {
        const source = spec.sources.find((one) => one.kind === 'git' && this.#desk.remoteOf(one, spec.name) === remote)
        const channel = source && channels.get(sourceRef(source))
        if (channel?.tip == null) continue
        const { tag, commit } = channel.tip
        const ref = given ?? (tag === undefined ? channel.ref : `refs/tags/${tag}`)
        return { repository: remote, ref: fullName(ref), commit }
      }
    }
    return undefined
  }

  async #answer(
    { delivery, done, repeated }: ReceivedDelivery,
    { wait, signal }: { readonly wait: boolean; readonly signal: AbortSignal },
  ): Promise<DeliveryAnswer> {
    const until = abortAfter(waitMs, signal)
    const seen = wait ? await orAborted(done, until).catch(() => delivery) : delivery
    if (wait) await this.#runsEnded(seen, until)
    const { id, hook, event, remotes, result, message, runs } = await this.#viewOne(seen)
    return { delivery: id, hook, event, remotes, result, message, runs, ...(repeated ? { repeated } : {}) }
  }

  /** Or until nobody waits any longer. */
  async #runsEnded({ runs }: Delivery, until: AbortSignal): Promise<void> {
    const queued = await this.#desk.store.feed.many(runs)
    const ended = queued.map(({ stack, id }): Promise<RunView> => this.#run(stack, id, { waitMs, signal: until }))
    await Promise.allSettled(ended)
  }

  async #view(hook: Webhook): Promise<WebhookView> {
    const last = await this.#desk.store.deliveries.last(hook.name)
    return {
      name: hook.name,
      provider: hook.provider,
      path: `/hooks/${hook.id}`,
      remotes: hook.remotes,
      last: last === undefined ? null : await this.#viewOne(last),
      proven: [...this.#desk.dispatch.polls.provenWebhooks].flatMap(([remote, by]) =>
        by === hook.name ? [remote] : [],
      ),
      refused: this.#webhooks.refusedCount(hook),
    }
  }

  async #viewOne(delivery: Delivery): Promise<DeliveryView> {
    return (await this.#viewAll([delivery]))[0]!
  }

  /** With the runs that are kept still. */
  async #viewAll(deliveries: readonly Delivery[]): Promise<readonly DeliveryView[]> {
    const runs = await this.#desk.store.feed.many([...new Set(deliveries.flatMap((one) => one.runs))].slice(0, 500))
    const stacks = await this.#desk.store.stacks.many([...new Set(runs.map(({ stack }) => stack))])
    const names = new Map(stacks.map(({ id, spec }) => [id, spec.name]))
    const views = new Map(
      runs.map(({ id, stack, outcome }) => [id, { stack: names.get(stack) ?? stack, run: id, outcome }]),
    )
    return deliveries.map((one) => ({
      ...one,
      at: time(one.at),
      result: one.result ?? (this.#webhooks.isInProgress(one.id) ? null : 'interrupted'),
      runs: one.runs.flatMap((id) => views.get(id) ?? []),
    }))
  }
}

function fullName(ref: string): string {
  return ref.startsWith('refs/') ? ref : `refs/heads/${ref === 'HEAD' ? 'main' : ref}`
}
