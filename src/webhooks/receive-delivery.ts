// Receives deliveries of webhooks. Takes requests; polls the remotes that they name, and stores the results. Promises:
// a payload is read only after its signature is verified; a delivery only triggers a poll; its body is not stored.
import { randomBytes } from 'node:crypto'
import { describeError, Refused } from '../model/errors.js'
import { testKeyPrefix, type Delivery, type DeliveryResult } from '../model/agent/delivery.js'
import type { NotificationOutcome } from '../model/agent/notification.js'
import type { NotificationContext } from '../notifications/notifier.js'
import type { HookSecrets } from './hook-secrets.js'
import { notifiedRemotes, type NotifiedRemote } from './notified-remotes.js'
import { isSigned } from './signature.js'
import { deliveryKey, readDelivery, type DeliveryContent } from './delivery-content.js'
import type { HookRequest, Incoming, Webhook } from './webhook.js'

export interface WebhooksDeps {
  readonly hooks: readonly Webhook[]
  readonly secrets: HookSecrets
  /** Called for every delivery when its result is known. `hook`: its name, or `unknown`. */
  readonly onDelivery?: (delivery: { readonly hook: string; readonly result: DeliveryResult | 'repeated' }) => void
}

/**
 * A received delivery. `done`: resolves when its result is known; never rejects. `repeated`: it was delivered before.
 */
export interface ReceivedDelivery {
  readonly delivery: Delivery
  readonly done: Promise<Delivery>
  readonly repeated: boolean
}

/** One refused delivery of a webhook is stored per minute. */
const sampleMs = 60_000
/** Requests to an unknown address are verified against this, so they take as long as others. */
const decoy: Webhook = {
  name: 'unknown',
  id: '',
  provider: 'github',
  secret: randomBytes(24).toString('hex'),
  remotes: [],
  generic: { header: 'x-signature-256', prefix: '' },
}

export function openWebhookContext(context: NotificationContext, deps: WebhooksDeps): WebhookContext {
  return { ...context, webhooks: new DeliveryReceiver(context, deps) }
}

/** The context of the use cases of webhooks. */
export interface WebhookContext extends NotificationContext {
  readonly webhooks: DeliveryReceiver
}

class DeliveryReceiver {
  readonly secrets: HookSecrets
  readonly #context: NotificationContext
  readonly #deps: WebhooksDeps
  #byId: ReadonlyMap<string, Webhook>
  readonly #inProgress = new Map<string, Promise<Delivery>>()
  readonly #refused = new Map<string, { readonly count: number; readonly writtenAt: number; readonly since: number }>()

  constructor(context: NotificationContext, deps: WebhooksDeps) {
    this.#context = context
    this.secrets = deps.secrets
    this.#deps = deps
    this.#byId = new Map(deps.hooks.map((hook) => [hook.id, hook]))
  }

  get hooks(): readonly Webhook[] {
    return [...this.#byId.values()]
  }

  /** Replaces all webhooks. Deliveries in progress finish. */
  replace(hooks: readonly Webhook[]): void {
    this.#byId = new Map(hooks.map((hook) => [hook.id, hook]))
  }

  /** How many were refused since the agent started. */
  refusedCount({ name }: Webhook): number {
    return this.#refused.get(name)?.count ?? 0
  }

  /**
   * True while the delivery's remotes are polled. A delivery without a result that is not in progress was interrupted
   * by a shutdown.
   */
  isInProgress(id: string): boolean {
    return this.#inProgress.has(id)
  }

  /** Errors: those of `read`; `Refused` auth, not-found, failed; `Unavailable`, if the secret has no value. */
  async receive({ id, header, read, ...rest }: HookRequest): Promise<ReceivedDelivery> {
    const hook = this.#byId.get(id)
    let isVerified = false
    try {
      const incoming = { header, body: await read(), ...rest }
      this.#verify(hook, incoming)
      isVerified = true
      return await this.accept(hook!, incoming)
    } catch (error) {
      if (isVerified && !(error instanceof Refused)) await this.#fail(hook!, error)
      else await this.#refuse(hook ?? decoy, error)
      throw error
    }
  }

  /** Takes a verified delivery. Errors: `Refused` failed, if it cannot be read. */
  async accept(hook: Webhook, incoming: Incoming): Promise<ReceivedDelivery> {
    const began = this.#context.clock.elapsed()
    const content = readDelivery(hook, incoming)
    const notified = content.changes.length === 0 ? [] : await notifiedRemotes(hook, content, this.#context)
    const { key = deliveryKey(hook, incoming), body } = incoming
    return this.#record(hook, { content, notified, began, key, body })
  }

  /** Polls the remotes of a delivery again. */
  async again({ hook, event, remotes, id }: Delivery, by: string): Promise<ReceivedDelivery> {
    const content = { event, repositories: [], changes: [{}] }
    const notified = remotes
      .filter((remote) => this.#context.scheduler.polls.followers.has(remote))
      .map((remote) => ({ remote, changes: [{}] }))
    if (notified.length === 0)
      throw new Refused('conflict', `No stack follows a remote of delivery ${id}.`, {
        hint: 'List the refs that stacks follow: gitmoor channel list',
      })
    return this.#record(
      { name: hook },
      { content, notified, began: this.#context.clock.elapsed(), key: '', note: `delivery ${id}, repeated by ${by}` },
    )
  }

  #verify(hook: Webhook | undefined, incoming: Incoming): void {
    const secrets = hook === undefined ? [decoy.secret, decoy.secret] : this.secrets.of(hook)
    const isRight = isSigned(hook ?? decoy, incoming, { secrets, now: this.#context.clock.now() })
    if (hook === undefined)
      throw new Refused('not-found', 'There is no webhook at this address.', { code: 'api/webhook-unknown' })
    if (isRight) return
    const hint =
      `Set the secret of "webhooks.${hook.name}" at the sender. ` +
      `It must sign with SHA-256, as ${hook.provider} does.`
    throw new Refused('auth', 'The signature is missing or wrong.', { code: 'api/webhook-signature', hint })
  }

  async #record(hook: Pick<Webhook, 'name'>, found: DeliveryRecord): Promise<ReceivedDelivery> {
    const { content, began, key, body, note } = found
    const notified = found.notified.filter(({ changes }) => changes.length > 0)
    const result: DeliveryResult | null =
      content.changes.length === 0 ? 'ignored' : notified.length === 0 ? 'unfollowed' : null
    const { event, changes } = content
    const written = {
      hook: hook.name,
      at: this.#context.clock.now(),
      key,
      event,
      remotes: notified.map(({ remote }) => remote),
      changes: changes.slice(0, changesKept),
      result,
      message: result === null ? (note ?? '') : resultMessage(result, found),
      runs: [],
      tookMs: this.#took(began),
    }
    const { delivery, repeated } = await this.#context.store.deliveries.add(written, body)
    if (repeated) this.#count(hook, 'repeated')
    else if (result !== null) this.#count(hook, result)
    const done =
      repeated || result !== null
        ? (this.#inProgress.get(delivery.id) ?? Promise.resolve(delivery))
        : this.#poll(delivery, found)
    return { delivery, done, repeated }
  }

  #poll(delivery: Delivery, { notified, began, key, note }: DeliveryRecord): Promise<Delivery> {
    const { id, hook } = delivery
    const isSent = note === undefined && !key.startsWith(testKeyPrefix)
    const by = {
      detectedBy: 'webhook',
      note: `reported by the webhook ${hook}, delivery ${id}`,
      ...(isSent ? { hook } : {}),
    } as const
    const outcomes = notified.flatMap(({ remote, changes }) =>
      changes.map((change) => this.#context.scheduler.polls.notify(remote, { ...change, ...by })),
    )
    const done = Promise.all(outcomes).then((all) => this.#finish(delivery, all, began))
    this.#inProgress.set(delivery.id, done)
    void done.finally(() => this.#inProgress.delete(delivery.id))
    return done
  }

  /** If the result cannot be stored, the poll still happened. */
  async #finish(delivery: Delivery, outcomes: readonly NotificationOutcome[], began: number): Promise<Delivery> {
    const { result, why } = combinedOutcome(outcomes)
    const runs = [...new Set(outcomes.flatMap((one) => one.runs.map(({ id }) => id)))]
    const message = [delivery.message, why ?? resultText[result]].filter((text) => text !== '').join(': ')
    const end = { result, runs, message, tookMs: this.#took(began) }
    this.#count({ name: delivery.hook }, result)
    if (result !== 'interrupted') await this.#context.store.deliveries.finish(delivery.id, end).catch(() => {})
    return { ...delivery, ...end }
  }

  /** Each is counted; one per minute and webhook is stored, so requests cannot fill the database. */
  async #refuse(hook: Webhook, error: unknown): Promise<void> {
    const now = this.#context.clock.now()
    const { count, writtenAt, since } = this.#refused.get(hook.name) ?? {
      count: 0,
      writtenAt: Number.NEGATIVE_INFINITY,
      since: 0,
    }
    const isWritten = hook !== decoy && Math.abs(now - writtenAt) >= sampleMs
    this.#refused.set(hook.name, {
      count: count + 1,
      writtenAt: isWritten ? now : writtenAt,
      since: isWritten ? 0 : since + 1,
    })
    this.#count(hook, 'refused')
    if (!isWritten) return
    const message =
      since === 0 ? describeError(error) : `${describeError(error)} (and ${since} more since the last stored one)`
    await this.#context.store.deliveries.add({ ...unread, hook: hook.name, at: now, result: 'refused', message })
  }

  /** Stores a valid delivery that gitmoor could not process. The store itself may be what failed. */
  async #fail({ name: hook }: Webhook, error: unknown): Promise<void> {
    this.#count({ name: hook }, 'error')
    const message = `${resultText.error} ${describeError(error)}`
    const at = this.#context.clock.now()
    await this.#context.store.deliveries.add({ ...unread, hook, at, result: 'error', message }).catch(() => {})
  }

  #count({ name }: Pick<Webhook, 'name'>, result: DeliveryResult | 'repeated'): void {
    this.#deps.onDelivery?.({ hook: name, result })
  }

  #took(began: number): number {
    return Math.round(this.#context.clock.elapsed() - began)
  }
}

/** `body`: absent for a redelivery. `note`: who requested it, if not the sender. */
interface DeliveryRecord {
  readonly content: DeliveryContent
  readonly notified: readonly NotifiedRemote[]
  readonly began: number
  readonly key: string
  readonly body?: Uint8Array
  readonly note?: string
}

/** What is stored of a delivery without content. */
const unread = { key: '', event: '', remotes: [], changes: [], runs: [], tookMs: 0 } as const

/** Of one delivery. */
const changesKept = 20

const resultText: Readonly<Record<DeliveryResult, string>> = {
  moved: 'The remote changed.',
  known: 'The change was known already.',
  'not-visible': 'The remote did not show the change within a minute.',
  failed: 'The remote is unreachable.',
  interrupted: 'The agent stopped meanwhile. It polls every remote when it starts.',
  ignored: 'The delivery reports no changed branch or tag.',
  unfollowed: 'No stack follows that repository.',
  refused: 'The delivery was refused.',
  error: 'gitmoor failed to process the delivery.',
}

function resultMessage(result: DeliveryResult, { notified }: DeliveryRecord): string {
  return result === 'unfollowed' && notified.length > 0
    ? 'Stacks follow that repository, but not the changed refs.'
    : resultText[result]
}

/** The result of several notifications: the best one, unless a remote was unreachable. */
function combinedOutcome(outcomes: readonly NotificationOutcome[]): Pick<NotificationOutcome, 'result' | 'why'> {
  const order = ['moved', 'failed', 'interrupted', 'not-visible', 'known', 'unfollowed'] as const
  const result = order.find((one) => outcomes.some((outcome) => outcome.result === one)) ?? 'known'
  const why = result === 'failed' ? outcomes.find((outcome) => outcome.why !== undefined)?.why : undefined
  return { result, ...(why === undefined ? {} : { why }) }
}
