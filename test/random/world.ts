// One agent with everything real but time, and the ways to end it: the store on a temporary file, the embedded
// platform, the engine, the use cases.
import { copyFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { Agent } from '../../src/agent/agent.js'
import type { Log } from '../../src/agent/watch/log.js'
import { sharedFetch } from '../../src/source/shared-fetch.js'
import { Engine } from '../../src/engine/engine.js'
import { explainInfluxdbKind, influxdbKinds } from '../../src/kinds/influxdb/influxdb.js'
import { Bug, SyncError, Unavailable } from '../../src/model/errors.js'
import type { StackSpec } from '../../src/model/stack.js'
import { stackDefaults } from '../../src/settings/stack-settings.js'
import { PackageReader } from '../../src/stacks/load-package/package-reader.js'
import { EmbeddedPlatform } from '../../src/platform/embedded/embedded-platform.js'
import type { Connection } from '../../src/platform/platform.js'
import { Keyring } from '../../src/secrets/keyring.js'
import { Redactor } from '../../src/secrets/redact/redact.js'
import type { Source } from '../../src/source/source.js'
import type { RefTips } from '../../src/source/ref-tips.js'
import { openContext } from '../../src/stacks/context.js'
import { HookSecrets } from '../../src/webhooks/hook-secrets.js'
import { openWebhookContext } from '../../src/webhooks/receive-delivery.js'
import { StackInputs } from '../../src/stacks/inputs/inputs.js'
import { Targets } from '../../src/stacks/targets.js'
import { askOver, type Ask } from '../ask.js'
import { SqliteStore } from '../../src/store/sqlite/sqlite-store.js'
import type { Store } from '../../src/store/store.js'
import { ManualClock } from '../manual-clock.js'
import { writeNewDatabase } from '../new-data-directory.js'
import { Dice } from './dice.js'
import { Faults } from './faults.js'
import { Gate, Killed, turn } from './gate.js'
import { ChannelWatch } from './channel-watch.js'
import type { History } from './history.js'
import type { Channel, ChannelMove } from '../../src/model/channel.js'
import type { Notification } from '../../src/model/notification.js'
import type { Blocker } from '../../src/model/blocker.js'
import { sourceRef } from '../../src/model/source-spec.js'
import type { ChannelPolicy } from '../../src/channel/channel-policy.js'
import { Model } from './model.js'
import { watchedPlatform } from './watched-platform.js'
import { WriteWatch } from './write-watch.js'
import { JsonnetSandbox } from '../../src/sandbox/jsonnet/jsonnet-sandbox.js'
import { openRemotes } from '../source/remotes.js'

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
  readonly history: History
  /** Called at every start. */
  readonly openSource: () => Source & { readonly tips: RefTips }
  /** By stack. */
  readonly stacks: Readonly<Record<string, Settings>>
  readonly policies: readonly ChannelPolicy[]
}

/** One process: what lives from a start to the next end. */
interface Incarnation {
  readonly gate: Gate
  readonly store: SqliteStore
  readonly agent: Agent
  readonly useCases: Ask
  readonly ended: AbortController
}

const limits = { runMs: 1_800_000, concurrency: 16, runsKept: 100_000, revisionsKept: 100_000, pollsPerHost: 1_000 }

export class World {
  readonly clock = new ManualClock()
  readonly faults = new Faults()
  readonly model: Model
  readonly history: History
  readonly stacks: WorldOptions['stacks']
  readonly violations: string[] = []
  /** What happened, for whoever reads a failing sequence. */
  readonly story: string[] = []
  /** Run → addresses written forward, of all incarnations. */
  readonly written = new Map<string, readonly string[]>()
  /** Persons who are about to ask something. */
  hesitating = 0
  /** So many calls of the source fail. */
  sourceFails = 0
  readonly #options: WorldOptions
  readonly #dice: Dice
  #file: string
  #files = 0
  #now: Incarnation | undefined
  #killedWith: 'image' | 'close' | undefined

  private constructor(options: WorldOptions) {
    this.#options = options
    this.#dice = new Dice(options.seed)
    this.#file = join(options.directory, 'gitmoor-0.db')
    this.history = options.history
    this.stacks = options.stacks
    this.model = new Model(options.history)
    this.model.policies = options.policies
  }

  static async open(options: WorldOptions): Promise<World> {
    const world = new World(options)
    writeNewDatabase(world.#file)
    await world.start()
    return world
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

  /** Somebody tells of a change at the repository. */
  hint(hint: Notification): void {
    const { agent } = this.#alive
    for (const remote of agent.polls.followers.keys()) void agent.polls.notify(remote, hint)
  }

  /** The configuration file is read again. */
  declare(policies: readonly ChannelPolicy[]): void {
    this.tell(`  policies ${JSON.stringify(policies)}`)
    this.model.policies = policies
    this.#alive.agent.setChannelPolicies(policies)
  }

  pass(ms: number): void {
    this.clock.advance(ms)
    this.model.instants.push(this.clock.now())
  }

  waitsOf(stack: string): readonly Blocker[] {
    return this.#alive.agent.live.blockersOf(stack)
  }

  readonly violated = (what: string): void => {
    this.violations.push(what)
    this.tell(`VIOLATED: ${what}`)
  }

  readonly tell = (what: string): void => {
    this.story.push(what)
  }

  /** Asks something of the agent and does not wait for the answer. A refusal is an answer; a fault of ours is none. */
  readonly ask = (what: string, call: () => Promise<unknown>): void => {
    const { gate } = this.#alive
    call().catch((error: unknown) => {
      if (gate.closed) return
      if (!isAnswer(error))
        this.violated(`${what}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
      else this.tell(`  ${what} was refused: ${error.message}`)
    })
  }

  /** The target as it is, reached past everything that watches or fails. */
  connection(): Promise<Connection> {
    const target = { name: 'by hand', platform: 'embedded', organisation: 'main' }
    return embedded(this.#alive.store).connect(target, this.signal)
  }

  async start(): Promise<void> {
    this.#now = this.#assemble()
    this.#killedWith = undefined
    for (const name of Object.keys(this.stacks)) {
      const suspended = (await this.store.stacks.get(name))?.suspended
      if (suspended == null) this.model.suspended.delete(name)
      else this.model.suspended.set(name, suspended.until ?? Number.POSITIVE_INFINITY)
    }
    const { agent, gate } = this.#now
    await agent.start().catch((error: unknown) => {
      if (!gate.closed) throw error
    })
  }

  /**
   * The process ends here and now. `image`: what was asked of the disk and not yet answered is lost; `close`: it is
   * not.
   */
  kill(how: 'image' | 'close' = this.#dice.pick(['image', 'close'])): void {
    const { gate, ended, agent } = this.#alive
    if (gate.closed) return
    this.tell(`  killed (${how})`)
    gate.close()
    ended.abort(new Killed('dead'))
    if (how === 'image') this.#copyFile()
    this.#killedWith = how
    void agent.park()
  }

  /** After a kill, or after a graceful end. */
  async restart(): Promise<void> {
    const { store, agent, ended, gate } = this.#alive
    if (!this.dead) {
      await agent.park()
      ended.abort(new Killed('parked'))
      gate.close()
    }
    for (let i = 0; i < 10; i++) await turn()
    store[Symbol.dispose]()
    await this.start()
  }

  /** What is remembered of each stack, for the story. */
  async tellStacks(): Promise<void> {
    if (this.dead) await this.restart()
    for (const name of Object.keys(this.stacks)) {
      const stack = await this.store.stacks.get(name)
      if (stack === undefined) continue
      const { observed, applied, failure, suspended, pinned, retryAt } = stack
      this.tell(`stack ${name}: ${JSON.stringify({ observed, applied, failure, suspended, pinned, retryAt })}`)
      const runs = await this.store.runs.list(stack.id, { limit: 12 })
      for (const { id, revision, cause, phase, outcome } of [...runs].reverse())
        this.tell(`  run ${id} ${JSON.stringify({ revision, cause, phase, outcome })}`)
    }
  }

  /** Ends for good. */
  async close(): Promise<void> {
    if (!this.dead) this.kill('close')
    for (let i = 0; i < 10; i++) await turn()
    this.#alive.store[Symbol.dispose]()
  }

  async turns(count: number): Promise<void> {
    for (let i = 0; i < count && !this.dead; i++) await turn()
  }

  /** Until nothing happens any more without time passing. */
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

  #copyFile(): void {
    const from = this.#file
    this.#file = join(this.#options.directory, `gitmoor-${++this.#files}.db`)
    for (const suffix of ['', '-wal']) if (existsSync(from + suffix)) copyFileSync(from + suffix, this.#file + suffix)
  }

  #assemble(): Incarnation {
    const gate = new Gate()
    const { clock, model, faults } = this
    const store = new SqliteStore(this.#file, clock)
    const guarded = this.#guarded(store, gate)
    const watch = new WriteWatch({ store, model, clock, written: this.written, violated: this.violated })
    const around = { gate, faults, dice: this.#dice, watch, kill: () => this.kill() }
    const platform = watchedPlatform(embedded(store), around)
    const names = Object.keys(this.stacks)
    const targets = new Targets(
      names.map((name) => ({ name, platform: 'embedded', organisation: 'main' })),
      [platform],
      { limitMs: 30_000 },
    )
    const engine = new Engine({ journal: guarded.journal, sealer: keyring })
    const opened = this.#options.openSource()
    const sync = {
      source: sharedFetch(this.#source(opened, gate)),
      tips: gate.guard(opened.tips),
      store: guarded,
      engine,
      targets,
      remotes: openRemotes(),
      inputs: new StackInputs({
        keyring,
        redactor: new Redactor(),
        lookup: { directory: '/', environment: () => undefined },
        allowed: { environment: [], files: [], dataDirectory: '/' },
      }),
      sandbox: new JsonnetSandbox(),
      packages: new PackageReader(1_000_000),
      maxDocuments: 1000,
      maxBytes: 10_000_000,
    }
    const agent = new Agent({
      sync,
      clock,
      log: this.#log(gate),
      limits,
      policies: this.model.policies,
      random: () => this.#dice.below(1000) / 1000,
    })
    const context = openWebhookContext(openContext({ sync: agent.sync, scheduler: agent, clock }), noWebhooks)
    const useCases = askOver((useCase, ...args) => useCase(context, ...args))
    return { gate, store, agent, useCases, ended: new AbortController() }
  }

  /** The store behind the gate. What looks make known is written down by the model, too. */
  #guarded(store: SqliteStore, gate: Gate): Store {
    const runs = gate.guard(store.runs)
    const refOfStack = async (id: string): Promise<string> => sourceRef((await store.stacks.get(id))!.spec.sources[0]!)
    const { history, model, clock, violated } = this
    const watch = new ChannelWatch({ store, history, model, clock, violated, refOf: refOfStack })
    const noted: Store['runs'] = Object.assign(Object.create(runs) as Store['runs'], {
      observe: async (...given: Parameters<Store['runs']['observe']>) => {
        if (!gate.closed) await watch.before(given[0], given[1] ?? [])
        const made = await runs.observe(...given)
        this.model.seen.push(...given[0].map(({ stack, revision }) => ({ stack, revision })))
        return made
      },
    })
    return {
      runs: noted,
      stacks: gate.guard(store.stacks),
      ownership: gate.guard(store.ownership),
      files: gate.guard(store.files),
      channels: gate.guard(store.channels),
      deliveries: gate.guard(store.deliveries),
      overrides: gate.guard(store.overrides),
      feed: gate.guard(store.feed),
      journal: gate.guard(store.journal),
      pushes: store.pushes,
      databaseEvents: store.databaseEvents,
      copies: store.copies,
      whyUnwritable: () => store.whyUnwritable(),
      checkFiles: () => store.checkFiles(),
    }
  }

  #source(opened: Source, gate: Gate): Source {
    const source = gate.guard(opened, ['remoteOf', 'watch'])
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
    }
  }

  #log(gate: Gate): Log {
    const tell =
      (level: string) =>
      (message: string, facts: object = {}): void => {
        if (gate.closed) return
        this.tell(`  ${level} ${message} ${JSON.stringify(facts)}`)
        if (level === 'error') this.violated(`${message} ${JSON.stringify(facts)}`)
      }
    return { debug: tell('debug'), info: tell('info'), warn: tell('warn'), error: tell('error') }
  }
}

const noWebhooks = {
  hooks: [],
  secrets: new HookSecrets({ directory: '/', environment: () => undefined }, new Redactor()),
}

const keyring = new Keyring(Buffer.alloc(32, 7))

function embedded(store: SqliteStore): EmbeddedPlatform {
  return new EmbeddedPlatform(store.documents, {
    kinds: influxdbKinds,
    explainUnknownKind: explainInfluxdbKind,
    sealer: keyring,
  })
}

/** An error that a person may be given; not one of ours. */
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
