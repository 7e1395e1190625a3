// The notifier: reports changes of stacks to receivers. Takes the ids of changed stacks, after their transactions;
// gives messages, sent at least once and in order for each stack. Promises: no run, poll or request waits for it;
// a killed process continues from the database.
import { isDeepStrictEqual } from 'node:util'
import { describeError } from '../model/errors.js'
import type { Context } from '../stacks/context.js'
import type { NotificationReceiver, Receivers, StatusReceiver } from './receiver.js'
import { Sender, type SenderDeps } from './sender.js'
import { StackReporter } from './stack-reporter.js'

/** The context of the use cases of notifications. */
export interface NotificationContext extends Context {
  readonly notifier: Notifier
}

export interface NotifierDeps extends Omit<SenderDeps, 'messages' | 'clock' | 'publicUrl' | 'now'> {
  readonly receivers: Receivers
}

/** After an error of the database. */
const retryMs = 5_000

export class Notifier implements AsyncDisposable {
  readonly #context: Context
  readonly #deps: SenderDeps
  readonly #reporter: StackReporter
  readonly #stop = new AbortController()
  readonly #senders = new Map<string, Sender>()
  #receivers: Receivers
  #dirty = new Set<string>()
  #isAllDirty = false
  /** Called after the next comparison of all stacks. */
  #waiting: (() => void)[] = []
  #isOpen = false
  #work: Promise<void> | undefined
  #unsubscribe: (() => void) | undefined

  constructor(context: Context, { receivers, ...deps }: NotifierDeps) {
    const { store, clock } = context
    this.#context = context
    this.#receivers = receivers
    const publicUrl = (): string | undefined => this.#receivers.publicUrl
    this.#deps = { ...deps, messages: store.messages, clock, publicUrl, now: () => clock.now() }
    this.#reporter = new StackReporter({
      context,
      receivers: () => this.#receivers,
      onMessages: (dropped) => this.#messagesStored(dropped),
    })
  }

  get all(): readonly (NotificationReceiver | StatusReceiver)[] {
    return [...this.#receivers.notifications, ...this.#receivers.statuses]
  }

  /** What `sendMessage` works with. */
  get sending(): SenderDeps {
    return this.#deps
  }

  /**
   * Before runs begin: reports what the last process stored and did not report. `hasStarted`: the agent has started, so
   * what only a process knows counts from now on.
   */
  async start(hasStarted: boolean): Promise<void> {
    if (hasStarted) return void this.#compareAll()
    this.#isOpen = true
    this.#unsubscribe = this.#context.scheduler.events.subscribe(undefined, ({ event }) => {
      if ('stack' in event) this.#changed(event.stack)
    }).stop
    if (this.all.length === 0) return this.#context.store.messages.stopWatching()
    this.#openSenders()
    await this.#reporter.reportAll()
  }

  /**
   * Replaces all receivers. Attempts in progress with former settings end and are repeated. Resolves when all stacks
   * are compared, and also when the database failed: what happens from then on is reported to the new receivers.
   */
  async replace(receivers: Receivers): Promise<void> {
    if (isDeepStrictEqual(receivers, this.#receivers)) return
    this.#receivers = receivers
    if (!this.#isOpen) return
    this.#openSenders()
    await this.#compareAll()
  }

  /** There may be a message that is due. `now`: a person asks for it, so a pause of the receiver ends. */
  wake(receiver: string, { now } = { now: false }): void {
    this.#senders.get(receiver)?.wake({ now })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOpen = false
    this.#unsubscribe?.()
    this.#stop.abort()
    await Promise.all([this.#work, ...[...this.#senders.values()].map((sender) => sender[Symbol.asyncDispose]())])
  }

  #changed(stack: string): void {
    if (!this.#isOpen || this.all.length === 0) return
    this.#dirty.add(stack)
    this.#compareSoon()
  }

  async #compareAll(): Promise<void> {
    if (!this.#isOpen) return
    const compared = new Promise<void>((resolve) => this.#waiting.push(resolve))
    this.#isAllDirty = true
    this.#compareSoon()
    await compared
  }

  /** One comparison at a time; what changes meanwhile is compared together after it. */
  #compareSoon(): void {
    this.#work ??= this.#compare()
  }

  async #compare(): Promise<void> {
    await Promise.resolve() // changes that are published together are compared together
    while (this.#isOpen && (this.#isAllDirty || this.#dirty.size > 0)) {
      const [isAll, ids, waiting] = [this.#isAllDirty, this.#dirty, this.#waiting]
      this.#isAllDirty = false
      this.#waiting = []
      this.#dirty = new Set()
      const failed = await this.#compareNow(isAll, ids)
      for (const resolve of waiting) resolve()
      if (!failed || !this.#isOpen) continue
      this.#isAllDirty ||= isAll
      for (const id of ids) this.#dirty.add(id)
      await this.#context.clock.sleep(retryMs, this.#stop.signal).catch(() => {})
    }
    for (const resolve of this.#waiting) resolve()
    this.#work = undefined // here: a change after the last check of the loop begins a new comparison
  }

  /** True: it failed. */
  async #compareNow(isAll: boolean, ids: ReadonlySet<string>): Promise<boolean> {
    try {
      await (isAll ? this.#reporter.reportAll() : this.#reporter.report([...ids]))
      return false
    } catch (error) {
      if (this.#isOpen) this.#deps.log.warn('stacks not reported', { error: describeError(error) })
      return true
    }
  }

  #messagesStored(dropped: ReadonlyMap<string, number>): void {
    for (const [receiver, count] of dropped) {
      this.wake(receiver)
      if (count === 0) continue
      this.#deps.log.error('messages dropped', { receiver, count, hint: 'See why: gitmoor notification list' })
      for (let at = 0; at < count; at++) this.#deps.onResult(receiver, 'dropped')
    }
  }

  #openSenders(): void {
    const wanted = new Map(this.all.map((receiver) => [receiver.name, receiver]))
    for (const [name, sender] of this.#senders) {
      if (isDeepStrictEqual(sender.receiver, wanted.get(name))) continue
      this.#senders.delete(name)
      void sender[Symbol.asyncDispose]()
    }
    for (const [name, receiver] of wanted)
      if (!this.#senders.has(name)) this.#senders.set(name, new Sender(receiver, this.#deps))
  }
}
