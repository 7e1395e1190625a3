// All that looks at remotes, put together: what stacks follow, when it is looked at, what the gate lets through, what
// was told of it.
import type { Clock } from '../../model/clock.js'
import type { Stack } from '../../model/stack.js'
import type { ChannelPolicy } from '../../source/channel/channel-policy.js'
import type { Source } from '../../source/source.js'
import type { Tips } from '../../source/tips.js'
import type { Store } from '../../store/store.js'
import type { Log } from '../log.js'
import type { Meters } from '../meters.js'
import type { Timekeeper } from '../timekeeper.js'
import { ChannelGate, type Looked } from './channel-gate.js'
import { heedingSource } from './heeding-source.js'
import { Hints } from './hints.js'
import { KnownTips } from './known-tips.js'
import { MoveFacts } from './move-facts.js'
import { Poller, type PollerDeps } from './poller.js'
import { RemoteHealth } from './remote-health.js'
import { RemoteLooks } from './remote-looks.js'

export interface LookingDeps extends Pick<PollerDeps, 'onMoved' | 'onRun' | 'onChanged' | 'keep'> {
  readonly source: Source
  readonly tips: Tips
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  readonly meters: Meters
  /** 0 to 1, for jitter. */
  readonly random: () => number
  readonly timetable: Timekeeper
  /** Looks at one host in a second. */
  readonly hostLooks: number
  /** The agent stops: ends what is under way. */
  readonly stop: AbortSignal
  /** Why a stack is left alone, whatever it follows. Default: none is. */
  readonly refusal?: (stack: Stack) => Error | undefined
}

export class Looking {
  readonly #keep: LookingDeps['keep']
  readonly #refusal: (stack: Stack) => Error | undefined
  /** It notes what a host asks for, whoever asked it. */
  readonly source: Source
  readonly health = new RemoteHealth()
  readonly gate: ChannelGate
  readonly poller: Poller
  readonly looks: RemoteLooks
  readonly hints: Hints

  constructor(deps: LookingDeps) {
    const { store, clock, log, hostLooks } = deps
    this.#keep = deps.keep
    this.#refusal = deps.refusal ?? ((): undefined => undefined)
    const source = heedingSource(deps.source, (remote, error) => this.looks.unavailable(remote, error))
    this.source = source
    const tips = new KnownTips(deps.tips)
    this.gate = new ChannelGate({ store, clock, log, tips })
    const shared = { ...deps, source, health: this.health, gate: this.gate }
    this.poller = new Poller({ ...shared, facts: new MoveFacts({ store, source, log, tips }) })
    this.looks = new RemoteLooks({
      ...shared,
      poller: this.poller,
      hintsOf: (remote) => this.hints.of(remote),
      hostLooks,
    })
    this.hints = new Hints({ ...deps, look: (remote, signal) => this.looks.look(remote, signal) })
  }

  /** False: a source of it is refused. */
  follow(stack: Stack, isStart = false): boolean {
    try {
      this.looks.follow(stack, this.#remotesOf(stack), isStart)
    } catch (error) {
      this.looks.unfollow(stack.id)
      this.#keep(this.poller.refuse(stack, error))
      return false
    }
    return true
  }

  forget(stack: string): void {
    this.looks.unfollow(stack)
    this.poller.forget(stack)
  }

  /**
   * From now on these policies count, also for an agent that is started without the file. What is held back is decided
   * again by them.
   */
  declareChannels(policies: readonly ChannelPolicy[]): void {
    for (const remote of this.gate.configure(policies)) this.#keep(this.looks.channelsDue(remote))
    this.#keep(this.gate.store(policies))
  }

  /** At all remotes of a stack. Throws why one was not seen. */
  async look(stack: Stack, signal: AbortSignal): Promise<void> {
    await Promise.all(this.#remotesOf(stack).map((remote) => this.looks.look(remote, signal)))
    const failed = this.poller.whyUnseen(stack.id)
    if (failed !== undefined) throw failed.error
  }

  /** What stacks would be offered of these refs now; nothing is written down. */
  async offered(remote: string, refs: readonly string[], signal: AbortSignal): Promise<Looked> {
    const seen = await this.source.look(remote, refs, signal)
    return (await this.gate.pass(remote, seen, () => 'person', signal)).offered
  }

  /** Throws what is refused. */
  #remotesOf(stack: Stack): readonly string[] {
    const { spec } = stack
    const refused = this.#refusal(stack)
    if (refused !== undefined) throw refused
    return [...new Set(spec.sources.map((source) => this.source.remoteOf(source, spec.name)))]
  }
}
