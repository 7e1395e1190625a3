// A whole agent in one process: a served git repository, a database file, the embedded platform, and the verbs a person has. Its time stands still.
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach } from 'vitest'
import { Agent } from '../../src/agent/agent.js'
import { Engine } from '../../src/engine/engine.js'
import { explainInfluxdbKind, influxdbKindsWith } from '../../src/kinds/influxdb/influxdb.js'
import type { JsonObject } from '../../src/model/json.js'
import { stackDefaults, type StackSpec } from '../../src/model/stack.js'
import { ignoreFile, isPackageFile, isPackageFileBut, ParsedCache } from '../../src/package/package.js'
import type { Documents } from '../../src/platform/embedded/documents.js'
import { EmbeddedPlatform } from '../../src/platform/embedded/embedded-platform.js'
import { Keyring } from '../../src/secrets/key.js'
import { Redactor } from '../../src/secrets/redact.js'
import { FluxParser } from '../../src/sandbox/flux-parser.js'
import type { ChannelPolicy } from '../../src/source/channel/channel-policy.js'
import { DirectorySource } from '../../src/source/directory/directory-source.js'
import { GitSource, type GitSourceOptions } from '../../src/source/git/git-source.js'
import { InlineSource } from '../../src/source/inline-source.js'
import { Sources } from '../../src/source/sources.js'
import { UrlSource } from '../../src/source/url/url-source.js'
import { openVerbs } from '../../src/stacks/stacks.js'
import type { Verbs } from '../../src/stacks/verbs.js'
import { HookSecrets } from '../../src/stacks/webhooks/hook-secrets.js'
import type { Webhook } from '../../src/stacks/webhooks/webhook.js'
import { Supplies } from '../../src/stacks/supplies.js'
import { Targets } from '../../src/stacks/targets.js'
import type { RunView, StackView } from '../../src/stacks/views.js'
import { SqliteStore } from '../../src/store/sqlite/sqlite-store.js'
import { sharedFetch } from '../../src/agent/looks/shared-fetch.js'
import { makeRepository, startGitServer, type GitServer, type Repository } from '../git-server.js'
import { ManualClock } from '../manual-clock.js'
import { LIMITS, never } from '../source/git-world.js'
import { until } from './until.js'
import { WatchedPlatform } from './watched-platform.js'
import { JsonnetSandbox } from '../../src/sandbox/jsonnet-sandbox.js'
import { sandboxLimits } from '../../src/sandbox/sandbox.js'
import { openAccess } from '../source/access.js'
import { openRemotes } from '../source/remotes.js'

/** One line of the log. */
export interface Told {
  readonly level: 'debug' | 'info' | 'warn' | 'error'
  readonly message: string
  readonly facts: Readonly<Record<string, unknown>>
}

/** The parts that end with a process. */
export interface Running {
  readonly access: AsyncDisposable
  readonly store: SqliteStore
  readonly source: Sources
  readonly platform: WatchedPlatform
  readonly agent: Agent
  readonly verbs: Verbs
  readonly flux: FluxParser
}

export interface WorldOptions {
  readonly source?: Partial<GitSourceOptions>
  readonly runMs?: number
  /** Looks a second at one host. Default: more than any test makes. */
  readonly hostLooks?: number
  /** Where the target keeps its things. Default: in the database. */
  readonly documents?: Documents
  readonly sandbox?: JsonnetSandbox
  readonly webhooks?: readonly Webhook[]
  /** `channels` of the configuration file. */
  readonly channels?: readonly ChannelPolicy[]
}

export class World {
  readonly root: string
  readonly clock = new ManualClock()
  readonly log: Told[] = []
  /** What became of what webhooks were sent, as it is counted. */
  readonly delivered: object[] = []
  readonly server: GitServer
  readonly repository: Repository
  /** What the agent finds in its environment. */
  readonly environment = new Map<string, string>()
  readonly #key = new Uint8Array(32).fill(7)
  #running: Running | undefined

  constructor(root: string, server: GitServer, repository: Repository) {
    this.root = root
    this.server = server
    this.repository = repository
  }

  get running(): Running {
    return this.#running!
  }
  get verbs(): Verbs {
    return this.running.verbs
  }
  get store(): SqliteStore {
    return this.running.store
  }
  get agent(): Agent {
    return this.running.agent
  }
  get platform(): WatchedPlatform {
    return this.running.platform
  }
  /** The repository's address over http. */
  get url(): string {
    return `${this.server.url}/${this.repository.name}`
  }

  async start(given: WorldOptions = {}): Promise<void> {
    const { source: sourceOptions = {}, runMs = 60_000, hostLooks = 1_000, documents, sandbox, webhooks = [], channels = [] } = given
    const store = new SqliteStore(join(this.root, 'gitmoor.db'), this.clock)
    const access = openAccess()
    const options = {
      directory: join(this.root, 'git'),
      limits: LIMITS,
      allow: { directories: [{ path: join(this.root, 'work') }] },
      dataDirectory: join(this.root, 'data'),
      access,
      searchPath: process.env['PATH'] ?? '',
      ...sourceOptions,
    }
    const source = new Sources({
      git: new GitSource(options),
      url: new UrlSource({ ...options, directory: join(this.root, 'url'), networks: [] }),
      directory: new DirectorySource({ ...options, packageFiles: { ignoreFile, isPackageFile, isPackageFileBut } }),
      inline: new InlineSource(store.pushes),
    })
    const keyring = new Keyring(this.#key)
    const flux = new FluxParser()
    const kinds = influxdbKindsWith({ conceal: (value) => keyring.conceal(value), flux })
    const embedded = new EmbeddedPlatform(documents ?? store.documents, {
      kinds,
      explain: explainInfluxdbKind,
      sealer: keyring,
    })
    const platform = new WatchedPlatform(embedded)
    const targets = new Targets(
      [
        { name: 'local', platform: 'embedded', organisation: 'main' },
        { name: 'other', platform: 'embedded', organisation: 'other' },
      ],
      [platform],
      { limitMs: 5_000, onCall: (call) => this.log.push({ level: 'debug', message: 'target called', facts: { ...call } }) },
    )
    const engine = new Engine({ journal: store.journal, sealer: keyring })
    const sync = {
      source: sharedFetch(source),
      tips: source.tips,
      store,
      engine,
      targets,
      remotes: openRemotes({ networks: ['127.0.0.0/8'] }),
      sandbox: sandbox ?? new JsonnetSandbox({ ...sandboxLimits, evaluationMs: 20_000 }),
      parsed: new ParsedCache(1_000_000),
      supplies: new Supplies({
        keyring,
        redactor: new Redactor(),
        lookup: { directory: this.root, environment: (name) => this.environment.get(name) },
      }),
      maxDocuments: 1_000,
      maxBytes: 10_000_000,
    }
    const tell =
      (level: Told['level']) =>
      (message: string, facts = {}): void =>
        void this.log.push({ level, message, facts })
    const agent = new Agent({
      sync,
      clock: this.clock,
      log: { debug: tell('debug'), info: tell('info'), warn: tell('warn'), error: tell('error') },
      random: () => 0.5,
      limits: { runMs, concurrency: 4, runsKept: 100, revisionsKept: 20, hostLooks },
    })
    agent.declareChannels(channels)
    const secrets = new HookSecrets({ directory: this.root, environment: (name) => this.environment.get(name) }, new Redactor())
    const hooks = { hooks: webhooks, secrets, onDelivery: (told: object) => this.delivered.push(told) }
    const verbs = openVerbs({ sync: agent.sync, dispatch: agent, clock: this.clock }, { webhooks: hooks })
    this.#running = { store, access, source, platform, agent, verbs, flux }
    await agent.start()
  }

  async stop(): Promise<void> {
    const running = this.#running
    this.#running = undefined
    if (running === undefined) return
    await running.agent.park()
    await running.access[Symbol.asyncDispose]()
    running.store[Symbol.dispose]()
    running.flux[Symbol.dispose]()
  }

  async restart(options: WorldOptions = {}): Promise<void> {
    await this.stop()
    await this.start(options)
  }

  /** Commits one package file, and moves the tags to it. */
  push(text: string, ...tags: readonly string[]): Promise<string> {
    return this.repository.commit({ files: { 'package.yml': text }, tags })
  }

  spec(name: string, changed: Partial<StackSpec> & { readonly ref?: string; readonly path?: string } = {}): StackSpec {
    const { ref = 'main', path = '', ...rest } = changed
    return { name, ...stackDefaults, sources: [{ kind: 'git', url: this.url, ref, path }], ...rest }
  }

  /** Makes a stack and waits for its first run. */
  async create(name: string, changed: Parameters<World['spec']>[1] = {}): Promise<RunView> {
    const { run } = await this.verbs.create(this.spec(name, changed), 'ann')
    return this.ended(name, run)
  }

  /** What a person does after a push: looks, and waits for what comes of it. */
  async sync(name: string): Promise<RunView> {
    const { id } = await this.verbs.sync(name, 'ann', never)
    return this.ended(name, id)
  }

  async ended(name: string, run: string): Promise<RunView> {
    const view = await this.verbs.run(name, run, { waitMs: 10_000, signal: never })
    if (view.outcome === null) throw new Error(`Run ${run} of ${name} is still ${view.phase}.`)
    await this.agent.exclusively(view.stack === name ? (await this.verbs.get(name)).id : name, never, async () => {})
    return view
  }

  /** The newest run, once it has ended. */
  async lastRun(name: string): Promise<RunView> {
    const id = await until(`${name} has a run`, async () => (await this.verbs.get(name)).lastRun?.id)
    return this.ended(name, id)
  }

  /** The newest run, once there is one newer than `after` and it has ended. */
  async runAfter(name: string, after: string): Promise<RunView> {
    const id = await until(`${name} has a run after ${after}`, async () => {
      const last = (await this.verbs.get(name)).lastRun
      return last !== null && Number(last.id) > Number(after) && last.id
    })
    return this.ended(name, id)
  }

  /** What is on the target, by family and display name, without system buckets: `Bucket/raw`. */
  async live(
    target = 'local',
  ): Promise<Readonly<Record<string, { readonly id: string; readonly live: JsonObject; readonly stack: string | null }>>> {
    const { items } = await this.verbs.resources({ limit: 500, target }, never)
    return Object.fromEntries(
      items
        .filter(({ displayName }) => !displayName.startsWith('_'))
        .map(({ family, displayName, id, live, stack }) => [`${family}/${displayName}`, { id, live: live as JsonObject, stack }]),
    )
  }

  /** The names of what is on the target, label mappings left out. */
  async names(target = 'local'): Promise<readonly string[]> {
    return Object.keys(await this.live(target))
      .filter((name) => !name.startsWith('LabelMapping/'))
      .sort()
  }

  /** The ids of what a stack owns, by address. */
  async ids(name: string): Promise<Readonly<Record<string, string>>> {
    const { resources } = await this.verbs.get(name)
    return Object.fromEntries(resources.map((one) => [`${one.kind}/${one.name}`, one.id]))
  }

  condition(view: StackView): { readonly reason: string; readonly message: string } {
    const { reason, message } = view.conditions.find(({ type }) => type === 'Ready')!
    return { reason, message }
  }
}

/** Makes a world with a running agent before each test of the file, and takes it away after it. */
export function useWorld(options: WorldOptions = {}): () => World {
  let world: World | undefined
  beforeEach(async () => {
    const root = realpathSync(mkdtempSync(join(tmpdir(), 'gitmoor-e2e-')))
    const served = join(root, 'served')
    const repository = await makeRepository(served)
    world = new World(root, await startGitServer(served), repository)
    await world.start(options)
  })
  afterEach(async () => {
    if (world === undefined) return
    await world.stop()
    await world.server.close()
    rmSync(world.root, { recursive: true, force: true })
    world = undefined
  })
  return () => world!
}

export { never }
