// One agent, wired by `openAgent`, and the ways to end it. Everything is real but the source, time, and the target's
// failures: the store on a temporary file, the platform, the engine, the use cases.
import { cpSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Log } from '../../src/agent/watch/log.js'
import type { ChannelPolicy } from '../../src/channel/channel-policy.js'
import type { Configuration } from '../../src/config/config.js'
import type { Blocker } from '../../src/model/stacks/blocker.js'
import type { Channel, ChannelMove } from '../../src/model/sources/channel.js'
import { Bug, SyncError, Unavailable } from '../../src/model/errors.js'
import type { Kind } from '../../src/model/resources/kind.js'
import type { Notification } from '../../src/model/agent/notification.js'
import type { Checked } from '../../src/model/problem.js'
import { hashDigits, sameRevision } from '../../src/model/sources/revision.js'
import { sourceRef } from '../../src/model/sources/source-spec.js'
import type { StackSpec } from '../../src/model/stacks/stack.js'
import { openAgent, type OpenAgent } from '../../src/open-agent.js'
import type { Connection, Platform } from '../../src/platform/platform.js'
import { stackDefaults } from '../../src/settings/stack-settings.js'
import type { RefTips } from '../../src/source/ref-tips.js'
import type { Source } from '../../src/source/source.js'
import { SqliteStore } from '../../src/store/sqlite/sqlite-store.js'
import type { StackObservation } from '../../src/store/run-table.js'
import type { Store } from '../../src/store/store.js'
import { askOver, type Ask } from '../ask.js'
import { bareAdapters, bareConfiguration, bareSurroundings } from '../bare-agent.js'
import { ManualClock } from '../manual-clock.js'
import { writeNewDataDirectory } from '../new-data-directory.js'
import { overriding } from '../overriding.js'
import type { PlatformUnderTest } from '../plain/under-test.js'
import { ChannelWatch } from './channel-watch.js'
import { Dice } from './dice.js'
import { Faults } from './faults.js'
import { Gate, Killed, turn } from './gate.js'
import { commitNamed, type History } from './history.js'
import { Model } from './model.js'
import { watchedPlatform } from './watched-platform.js'
import { WriteWatch } from './write-watch.js'

export type Settings = Partial<
  Pick<
    StackSpec,
    | 'apply'
    | 'adopt'
    | 'dataLoss'
    | 'drift'
    | 'maxDeletes'
    | 'onFailure'
    | 'ignore'
    | 'protect'
    | 'windows'
    | 'dependsOn'
  >
> & {
  readonly ref: string
}

export interface WorldOptions {
  readonly directory: string
  readonly seed: number
  readonly on: PlatformUnderTest
  readonly history: History
  /** Called at every start. */
  readonly openSource: () => Source & { readonly tips: RefTips }
  /** By stack. */
  readonly stacks: Readonly<Record<string, Settings>>
  readonly policies: readonly ChannelPolicy[]
}

/** One process: from a start to its end. */
interface Incarnation {
  readonly gate: Gate
  readonly open: OpenAgent
  readonly store: SqliteStore
  readonly platform: Platform
  readonly useCases: Ask
  readonly ended: AbortController
}

export class World {
  readonly clock = new ManualClock()
  readonly faults = new Faults()
  readonly model: Model
  readonly history: History
  readonly stacks: WorldOptions['stacks']
  readonly violations: string[] = []
  /** What happened, for people who read a failing sequence. */
  readonly story: string[] = []
  /** Run → addresses written forward, of all incarnations. */
  readonly written = new Map<string, readonly string[]>()
  /** People who are about to send a request. */
  hesitating = 0
  /** So many calls of the source fail. */
  sourceFails = 0
  readonly #options: WorldOptions
  readonly #dice: Dice
  #data: string
  #images = 0
  #now: Incarnation | undefined
  #killedWith: 'image' | 'close' | undefined

  private constructor(options: WorldOptions) {
    this.#options = options
    this.#dice = new Dice(options.seed)
    this.#data = join(options.directory, 'data-0')
    this.history = options.history
    this.stacks = options.stacks
    this.model = new Model(options.history)
    this.model.policies = options.policies
  }

  static async open(options: WorldOptions): Promise<World> {
    const world = new World(options)
    mkdirSync(world.#data)
    writeNewDataDirectory(world.#data)
    await world.start()
    return world
  }

  /** The live system of its targets. */
  get system(): string {
    return `${this.#options.on.description.name}/main`
  }

  get kinds(): readonly Kind[] {
    return this.#alive.platform.kinds!
  }

  get useCases(): Ask {
    return this.#alive.useCases
  }

  /** The store itself, not behind the gate. */
  get store(): Store {
    return this.#alive.store
  }

  get dead(): boolean {
    return this.#killedWith !== undefined
  }

  /** Ends with the process. */
  get signal(): AbortSignal {
    return this.#alive.ended.signal
  }

  async channels(): Promise<readonly Channel[]> {
    return this.store.channels.list({ limit: 500 })
  }

  /** The newest five of each channel. */
  async moves(): Promise<readonly ChannelMove[]> {
    const all = await Promise.all(
      (await this.channels()).map(({ remote, ref }) => this.store.channels.moves(remote, ref, { limit: 5 })),
    )
    return all.flat()
  }

  /** A webhook notifies the agent of a change in the repository. */
  hint(hint: Notification): void {
    const { polls } = this.#alive.open.agent
    for (const remote of polls.followers.keys()) void polls.notify(remote, hint)
  }

  /** The configuration file is reloaded with these policies. */
  declare(policies: readonly ChannelPolicy[]): void {
    this.report(`  policies ${JSON.stringify(policies)}`)
    const read = (): Checked<Configuration> => {
      this.model.policies = policies
      return { value: this.#configuration(), problems: [] }
    }
    this.ask('reload', () => this.#alive.open.configuration.reload(read))
  }

  pass(ms: number): void {
    this.clock.advance(ms)
    this.model.instants.push(this.clock.now())
  }

  blockersOf(stack: string): readonly Blocker[] {
    return this.#alive.open.agent.live.blockersOf(stack)
  }

  readonly violated = (what: string): void => {
    this.violations.push(what)
    this.report(`VIOLATED: ${what}`)
  }

  readonly report = (what: string): void => {
    this.story.push(what)
  }

  /** Sends a request and does not wait for its result. The agent may refuse it, but not fail. */
  readonly ask = (what: string, call: () => Promise<unknown>): void => {
    const { gate } = this.#alive
    call().catch((error: unknown) => {
      if (gate.closed) return
      if (!isAnswer(error))
        this.violated(`${what}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
      else this.report(`  ${what} was refused: ${error.message}`)
    })
  }

  /** The target itself, past everything that watches or fails. */
  connection(): Promise<Connection> {
    const { on } = this.#options
    const target = { name: 'by hand', platform: on.description.name, settings: on.settings('main') }
    return this.#alive.platform.connect(target, this.signal)
  }

  async start(): Promise<void> {
    this.#now = this.#assemble()
    this.#killedWith = undefined
    for (const name of Object.keys(this.stacks)) {
      const suspended = (await this.store.stacks.get(name))?.suspended
      if (suspended == null) this.model.suspended.delete(name)
      else this.model.suspended.set(name, suspended.until ?? Number.POSITIVE_INFINITY)
    }
    const { open, gate } = this.#now
    await open.agent.start().catch((error: unknown) => {
      if (!gate.closed) throw error
    })
  }

  /**
   * Ends the process at once. `image`: commits that the disk has not confirmed are lost; `close`: they are not.
   */
  kill(how: 'image' | 'close' = this.#dice.pick(['image', 'close'])): void {
    const { gate, ended, open } = this.#alive
    if (gate.closed) return
    this.report(`  killed (${how})`)
    gate.close()
    ended.abort(new Killed('dead'))
    if (how === 'image') this.#copyData()
    this.#killedWith = how
    void open.agent.park()
  }

  /** After a kill, or after a graceful end. */
  async restart(): Promise<void> {
    const { open, ended, gate } = this.#alive
    if (!this.dead) {
      await open.agent.park()
      ended.abort(new Killed('parked'))
      gate.close()
    }
    await this.#end()
    await this.start()
  }

  /** What is stored of each stack, for the story. */
  async tellStacks(): Promise<void> {
    if (this.dead) await this.restart()
    for (const name of Object.keys(this.stacks)) {
      const stack = await this.store.stacks.get(name)
      if (stack === undefined) continue
      const { observed, applied, failure, suspended, pinned, retryAt } = stack
      this.report(`stack ${name}: ${JSON.stringify({ observed, applied, failure, suspended, pinned, retryAt })}`)
      const runs = await this.store.runs.list(stack.id, { limit: 12 })
      for (const { id, revision, cause, phase, outcome } of [...runs].reverse())
        this.report(`  run ${id} ${JSON.stringify({ revision, cause, phase, outcome })}`)
    }
  }

  /** Ends for good. */
  async close(): Promise<void> {
    if (!this.dead) this.kill('close')
    await this.#end()
  }

  /** Closes everything that a process leaves open, once calls in progress have ended. */
  async #end(): Promise<void> {
    for (let i = 0; i < 10; i++) await turn()
    await this.#alive.open[Symbol.asyncDispose]()
  }

  async turns(count: number): Promise<void> {
    for (let i = 0; i < count && !this.dead; i++) await turn()
  }

  /** Until nothing more happens without time passing. */
  async idle(): Promise<void> {
    const { gate } = this.#alive
    let quiet = 0
    let waited = 0
    for (let i = 0; quiet < 4 && !this.dead; i++) {
      const before = gate.passed
      await (gate.inFlight > 0 && waited > 10 ? briefly() : turn())
      waited = gate.passed === before ? waited + 1 : 0
      quiet = gate.passed === before && gate.inFlight === 0 && this.hesitating === 0 ? quiet + 1 : 0
      if (i > 20_000) return this.violated('the agent does not come to rest')
    }
  }

  get #alive(): Incarnation {
    return this.#now!
  }

  #copyData(): void {
    const from = this.#data
    this.#data = join(this.#options.directory, `data-${++this.#images}`)
    cpSync(from, this.#data, { recursive: true, filter: (path) => !path.endsWith('-shm') })
  }

  #configuration(): Configuration {
    const bare = bareConfiguration(this.#data, this.#options.on)
    const targets = Object.keys(this.stacks).map((name) => [
      name,
      { platform: this.#options.on.description.name, settings: this.#options.on.settings('main') },
    ])
    return {
      ...bare,
      file: join(this.#options.directory, 'gitmoor.yaml'),
      limits: { ...bare.limits, runsKept: 100_000, revisionsKept: 100_000, pollsPerHost: 1_000 },
      targets: Object.fromEntries(targets) as Configuration['targets'],
      channels: this.model.policies,
    }
  }

  #assemble(): Incarnation {
    const gate = new Gate()
    const { clock, model, faults, written, violated } = this
    let store: SqliteStore | undefined
    let platform: Platform | undefined
    const open = openAgent(
      this.#configuration(),
      {
        ...bareAdapters(this.#options.on),
        openStore: (...opening) => this.#guarded((store = new SqliteStore(...opening)), gate),
        openPlatforms: (documents, secrets) => {
          platform = this.#options.on.open(documents, secrets)
          const watch = new WriteWatch({ store: store!, model, clock, written, violated, system: this.system })
          return [watchedPlatform(platform, { gate, faults, dice: this.#dice, watch, kill: () => this.kill() })]
        },
        openSource: () => this.#source(this.#options.openSource(), gate),
      },
      { ...bareSurroundings(), clock, log: this.#log(gate), random: () => this.#dice.below(1000) / 1000 },
    )
    return {
      gate,
      open,
      store: store!,
      platform: platform!,
      useCases: askOver(open.call),
      ended: new AbortController(),
    }
  }

  /** The store behind the gate. Each transaction with observations is checked, and noted for the model. */
  #guarded(store: SqliteStore, gate: Gate): SqliteStore {
    const runs = gate.guard(store.runs)
    const refOf = async (id: string): Promise<string> => sourceRef((await store.stacks.get(id))!.spec.sources[0]!)
    const { history, model, clock, violated } = this
    const watch = new ChannelWatch({ store, history, model, clock, violated, refOf })
    const observe: Store['runs']['observe'] = async (observations, changes) => {
      if (!gate.closed) await watch.before(observations, changes)
      const kept = observations.filter(({ content }) => content !== undefined)
      for (const { stack, revision } of kept) await this.#checkKeptPin(store, stack, revision)
      const made = await runs.observe(observations, changes)
      for (const one of observations)
        if (!kept.includes(one) && (await isStored(store, one, made)))
          model.seen.push({ stack: one.stack, revision: one.revision })
      return made
    }
    return overriding(store, {
      runs: overriding(runs, { observe }),
      stacks: gate.guard(store.stacks),
      ownership: gate.guard(store.ownership),
      files: gate.guard(store.files),
      channels: gate.guard(store.channels),
      deliveries: gate.guard(store.deliveries),
      messages: gate.guard(store.messages),
      overrides: gate.guard(store.overrides),
      feed: gate.guard(store.feed),
      journal: gate.guard(store.journal),
    })
  }

  /**
   * A new revision that has no run, because the stack stays pinned, has the package of the revision before it. An unpin
   * after the poll compared them has a run of its own.
   */
  async #checkKeptPin(store: SqliteStore, id: string, revision: string): Promise<void> {
    const { spec, pinned, observed } = (await store.stacks.get(id))!
    const text = (one: string): string | undefined => commitNamed(this.history, hashDigits(one))?.texts[spec.name]
    const wasUnpinned = (await store.runs.last([id])).get(id)?.cause.decision === 'unpin'
    const isPinned = pinned !== null || wasUnpinned
    if (!isPinned || observed === null || text(observed.revision) !== text(revision))
      this.violated(`${revision} changes the package of ${spec.name} and has no run (promise 1)`)
  }

  #source(opened: Source & { readonly tips: RefTips }, gate: Gate): Source & { readonly tips: RefTips } {
    const source = gate.guard<Source>(opened, ['remoteOf', 'watch'])
    const unlessAway = (): void => {
      if (this.sourceFails-- > 0) throw new Unavailable('The remote is away.', { code: 'source/unreachable' })
    }
    return {
      remoteOf: (...given) => source.remoteOf(...given),
      poll: async (...given) => (unlessAway(), source.poll(...given)),
      fetch: async (...given) => (unlessAway(), source.fetch(...given)),
      content: (...given) => source.content(...given),
      files: (...given) => source.files(...given),
      keepOnly: (...given) => source.keepOnly(...given),
      watch: (...given) => source.watch(...given),
      tips: gate.guard(opened.tips),
    }
  }

  #log(gate: Gate): Log {
    const report =
      (level: string) =>
      (message: string, facts: object = {}): void => {
        if (gate.closed) return
        this.report(`  ${level} ${message} ${JSON.stringify(facts)}`)
        if (level === 'error') this.violated(`${message} ${JSON.stringify(facts)}`)
      }
    return { debug: () => {}, info: report('info'), warn: report('warn'), error: report('error') }
  }
}

/** True for an error that people may get; false for a defect of gitmoor. */
function isAnswer(error: unknown): error is SyncError {
  return error instanceof SyncError && !(error instanceof Bug) && error.code !== 'store/failed'
}

function briefly(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 1))
}

export function specOf(name: string, { history, stacks }: Pick<World, 'history' | 'stacks'>): StackSpec {
  const { ref, ...settings } = stacks[name]!
  return {
    ...stackDefaults,
    name,
    ...settings,
    target: name,
    sources: [{ kind: 'git', url: history.url, ref, path: name }],
  }
}

/** False for what a poll found for a stack that was pinned or changed meanwhile: the next poll finds it again. */
async function isStored(
  store: SqliteStore,
  { stack, revision }: StackObservation,
  made: Awaited<ReturnType<Store['runs']['observe']>>,
): Promise<boolean> {
  if (made.runs.some((run) => run.stack === stack)) return true
  return sameRevision((await store.stacks.get(stack))?.observed?.revision, revision)
}
