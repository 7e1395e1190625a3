// An agent in one process, wired by `openAgent`: git in memory, or behind `git http-backend`, and time that the test
// moves.
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import { adapters } from '../../src/adapters.js'
import type { Agent } from '../../src/agent/agent.js'
import { noMeters } from '../../src/agent/watch/meters.js'
import type { JsonObject } from '../../src/model/json.js'
import type { Problem } from '../../src/model/problem.js'
import type { StackSpec } from '../../src/model/stacks/stack.js'
import { stackDefaults } from '../../src/settings/stack-settings.js'
import type { Adapters } from '../../src/agent-adapters.js'
import { openAgent, type OpenAgent } from '../../src/open-agent.js'
import { ignoreFile, isPackageFile, packageFileFilter } from '../../src/package/package-files.js'
import { Redactor } from '../../src/secrets/redact/redact.js'
import { DirectorySource } from '../../src/source/directory/directory-source.js'
import type { GitSourceOptions } from '../../src/source/git/git-source.js'
import { InlineSource } from '../../src/source/inline/inline-source.js'
import { Sources } from '../../src/source/sources.js'
import { UrlSource } from '../../src/source/url/url-source.js'
import { askOver, type Ask } from '../ask.js'
import type { CallUseCase } from '../../src/webhooks/call-use-case.js'
import type { RunView } from '../../src/views/run.js'
import type { StackView } from '../../src/views/stack.js'
import { SqliteStore } from '../../src/store/sqlite/sqlite-store.js'
import type { GitServer, Repository } from '../git-server.js'
import { ManualClock } from '../manual-clock.js'
import type { MemoryGit } from '../memory-git.js'
import type { AnyRepository, MemoryRepository } from '../memory-repository.js'
import { writeNewDataDirectory } from '../new-data-directory.js'
import { plain, type PlatformUnderTest } from '../plain/under-test.js'
import { never } from '../source/git-world.js'
import { inMemory, served, type Hosting } from './hosting.js'
import { until } from './until.js'
import { WatchedPlatform } from './watched-platform.js'
import { worldConfiguration, type WorldOptions } from './world-configuration.js'

/** One line of the log. */
export interface LogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error'
  readonly message: string
  readonly facts: Readonly<Record<string, unknown>>
}

/** The parts that end with a process. */
interface Running {
  readonly open: OpenAgent
  readonly ask: Ask
  readonly store: SqliteStore
  readonly platform: WatchedPlatform
}

export class World<S = MemoryGit, R extends AnyRepository = MemoryRepository> {
  readonly root: string
  readonly on: PlatformUnderTest
  readonly clock = new ManualClock()
  readonly log: LogLine[] = []
  /** What became of what webhooks were sent, as it is counted. */
  readonly delivered: object[] = []
  /** What the agent finds in its environment. */
  readonly environment = new Map<string, string>()
  readonly #hosting: Hosting<S, R>
  #running: Running | undefined

  constructor(root: string, on: PlatformUnderTest, hosting: Hosting<S, R>) {
    this.root = root
    this.on = on
    this.#hosting = hosting
  }

  get server(): S {
    return this.#hosting.server
  }
  get repository(): R {
    return this.#hosting.repository
  }
  get url(): string {
    return this.#hosting.url
  }
  /** Calls a use case of the agent. */
  get call(): CallUseCase {
    return this.#running!.open.call
  }
  get ask(): Ask {
    return this.#running!.ask
  }
  get store(): SqliteStore {
    return this.#running!.store
  }
  get agent(): Agent {
    return this.#running!.open.agent
  }
  get platform(): WatchedPlatform {
    return this.#running!.platform
  }

  async start(given: WorldOptions = {}): Promise<void> {
    let store: SqliteStore | undefined
    let platform: WatchedPlatform | undefined
    const open = openAgent(
      worldConfiguration(this, given),
      {
        ...adapters,
        platforms: [this.on.description],
        integrity: async () => [], // SQLite does it in a thread; test/agent/upkeep has the real one
        openStore: (...opening) => (store = new SqliteStore(...opening)),
        openPlatforms: (documents, secrets) => {
          const inner = this.on.open(given.documents ?? documents, secrets)
          platform = new WatchedPlatform(inner, this.on.description.name)
          return [platform, ...(given.platforms ?? [])]
        },
        openSource: (options) => this.#openSource(options, given.source),
        openSandbox: (limits) => given.sandbox ?? adapters.openSandbox(limits),
        openMeters: () => ({
          ...noMeters,
          delivered: (delivery) => void this.delivered.push(delivery),
          type: 'text/plain',
          print: async () => '',
        }),
      },
      {
        version: '0.0.0',
        clock: this.clock,
        random: () => 0.5,
        log: {
          debug: this.#note('debug'),
          info: this.#note('info'),
          warn: this.#note('warn'),
          error: this.#note('error'),
        },
        redactor: new Redactor(),
        former: given.formerFile === undefined ? undefined : { data: this.root, config: given.formerFile },
        lookup: { directory: this.root, environment: (name) => this.environment.get(name) },
      },
    )
    this.#running = { open, ask: askOver(open.call), store: store!, platform: platform! }
    await open.agent.start()
  }

  /** Declares the stacks of the configuration file, as after the start. */
  declare(): Promise<void> {
    return this.#running!.open.configuration.start()
  }

  /** Reads the configuration file again, as after SIGHUP: the given settings, or a file with these problems. */
  async reload(given: WorldOptions | readonly Problem[]): Promise<boolean> {
    const problems = Array.isArray(given) ? (given as readonly Problem[]) : []
    const value = problems.length > 0 ? undefined : worldConfiguration(this, given as WorldOptions)
    return (await this.#running!.open.configuration.reload(() => ({ value, problems }))).accepted
  }

  #note(level: LogLine['level']) {
    return (message: string, facts = {}): void => void this.log.push({ level, message, facts })
  }

  #openSource(given: Parameters<Adapters['openSource']>[0], changed: Partial<GitSourceOptions> = {}): Sources {
    const options = { ...given, directory: join(this.root, 'git'), dataDirectory: join(this.root, 'data') }
    return new Sources({
      git: this.#hosting.openSource({ ...options, ...changed }),
      url: new UrlSource({ ...options, directory: join(this.root, 'url'), networks: [] }),
      directory: new DirectorySource({
        ...options,
        packageFiles: { ignoreFile, isPackageFile, isPackageFileBut: packageFileFilter },
      }),
      inline: new InlineSource(given.pushed),
    })
  }

  async stop(): Promise<void> {
    const running = this.#running
    this.#running = undefined
    await running?.open[Symbol.asyncDispose]()
  }

  /** Ends the agent and the server. */
  async close(): Promise<void> {
    await this.stop()
    await this.#hosting.close()
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
    const { run } = await this.ask.createStack(this.spec(name, changed), 'ann')
    return this.ended(name, run)
  }

  /** What a person does after a push: requests a sync, and waits for its run. */
  async sync(name: string): Promise<RunView> {
    const { id } = await this.ask.requestSync(name, 'ann', never)
    return this.ended(name, id)
  }

  async ended(name: string, run: string): Promise<RunView> {
    const view = await this.ask.getRun(name, run, { waitMs: 60_000, signal: never })
    if (view.outcome === null) throw new Error(`Run ${run} of ${name} is still ${view.phase}.`)
    await this.agent.runs.exclusively(
      view.stack === name ? (await this.ask.getStack(name)).id : name,
      never,
      async () => {},
    )
    return view
  }

  /** The newest run, once it has ended. */
  async lastRun(name: string): Promise<RunView> {
    const id = await until(`${name} has a run`, async () => (await this.ask.getStack(name)).lastRun?.id)
    return this.ended(name, id)
  }

  /** The newest run, once there is one newer than `after` and it has ended. */
  async runAfter(name: string, after: string): Promise<RunView> {
    const id = await until(`${name} has a run after ${after}`, async () => {
      const last = (await this.ask.getStack(name)).lastRun
      return last !== null && Number(last.id) > Number(after) && last.id
    })
    return this.ended(name, id)
  }

  /** What is on the target, by family and display name, without system buckets: `Bucket/raw`. */
  async live(
    target = 'local',
  ): Promise<
    Readonly<Record<string, { readonly id: string; readonly live: JsonObject; readonly stack: string | null }>>
  > {
    const { items } = await this.ask.listResources({ limit: 500, target }, never)
    return Object.fromEntries(
      items
        .filter(({ displayName }) => !displayName.startsWith('_'))
        .map(({ family, displayName, id, actual, stack }) => [`${family}/${displayName}`, { id, live: actual, stack }]),
    )
  }

  /** The names of what is on the target, without label mappings. */
  async names(target = 'local'): Promise<readonly string[]> {
    return Object.keys(await this.live(target))
      .filter((name) => !name.startsWith('LabelMapping/'))
      .sort()
  }

  /** The ids of what a stack owns, by address. */
  async ids(name: string): Promise<Readonly<Record<string, string>>> {
    const { resources } = await this.ask.getStack(name)
    return Object.fromEntries(resources.map((one) => [`${one.kind}/${one.name}`, one.id]))
  }

  condition(view: StackView): { readonly reason: string; readonly message: string } {
    const { reason, message } = view.conditions.find(({ type }) => type === 'Ready')!
    return { reason, message }
  }
}

/** A world with a real repository behind `git http-backend`. */
export type ServedWorld = World<GitServer, Repository>

/** Makes a world with a running agent before each test of the file, and removes it after the test. */
export function useWorld(options: WorldOptions = {}, on = plain): () => World {
  return using({ options, on }, inMemory, { before: beforeEach, after: afterEach })
}

/**
 * One world for all tests of the file or the group: for many tests that only read, or each of which has a target of its
 * own. `fill` gives it what they read.
 */
export function useSharedWorld(
  fill: (world: World) => Promise<void> = async () => {},
  { options = {}, on = plain }: { readonly options?: WorldOptions; readonly on?: PlatformUnderTest } = {},
): () => World {
  return using({ options, on }, inMemory, { before: beforeAll, after: afterAll }, fill)
}

/** The same over real git: for what depends on its protocol, its objects or its network. */
export function useServedWorld(options: WorldOptions = {}, on = plain): () => ServedWorld {
  return using({ options, on }, (root) => served(join(root, 'served')), { before: beforeEach, after: afterEach })
}

interface Hooks {
  readonly before: (make: () => Promise<void>) => void
  readonly after: (remove: () => Promise<void>) => void
}

function using<S, R extends AnyRepository>(
  { options, on }: { readonly options: WorldOptions; readonly on: PlatformUnderTest },
  host: (root: string) => Promise<Hosting<S, R>>,
  { before, after }: Hooks,
  fill?: (world: World<S, R>) => Promise<void>,
): () => World<S, R> {
  let world: World<S, R> | undefined
  before(async () => {
    const root = realpathSync(mkdtempSync(join(tmpdir(), 'gitmoor-e2e-')))
    writeNewDataDirectory(root)
    world = new World(root, on, await host(root))
    await world.start(options)
    await fill?.(world)
  })
  after(async () => {
    if (world === undefined) return
    await world.close()
    rmSync(world.root, { recursive: true, force: true })
    world = undefined
  })
  return () => world!
}

export { never }
