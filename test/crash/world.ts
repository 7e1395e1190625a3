// The agent as it is put together in main.ts, on a data directory, with watched journal and drivers. No door: nobody
// asks, the agent does by itself.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Agent } from '../../src/agent/agent.js'
import { sharedFetch } from '../../src/source/shared-fetch.js'
import { Engine } from '../../src/engine/engine.js'
import { explainInfluxdbKind, influxdbKinds } from '../../src/kinds/influxdb/influxdb.js'
import type { Run } from '../../src/model/run.js'
import type { Stack, StackSpec } from '../../src/model/stack.js'
import { stackDefaults } from '../../src/settings/stack-settings.js'
import { PackageReader } from '../../src/stacks/load-package/package-reader.js'
import { EmbeddedPlatform } from '../../src/platform/embedded/embedded-platform.js'
import { openKeyring } from '../../src/secrets/keyring.js'
import { Redactor } from '../../src/secrets/redact/redact.js'
import { GitSource } from '../../src/source/git/git-source.js'
import { StackInputs } from '../../src/stacks/inputs/inputs.js'
import { Targets } from '../../src/stacks/targets.js'
import { lockDirectory } from '../../src/store/sqlite/file/lock-directory.js'
import { SqliteStore } from '../../src/store/sqlite/sqlite-store.js'
import { ManualClock } from '../manual-clock.js'
import { honest, mutants, type Parts } from './mutants.js'
import type { Scenario } from './scenarios.js'
import { halfMade, watchJournal, watchPlatform, type Around } from './watched.js'
import { JsonnetSandbox } from '../../src/sandbox/jsonnet/jsonnet-sandbox.js'
import type { HttpAccess } from '../../src/source/network/authorized-request.js'
import { openAccess } from '../source/access.js'
import { openRemotes } from '../source/remotes.js'

export const stackName = 'boards'
export const organisation = 'main'

const sourceLimits = {
  gitRequestMs: 30_000,
  fetchMs: 60_000,
  packBytes: 32 * 1024 * 1024,
  fileBytes: 4 * 1024 * 1024,
  files: 1_000,
  totalBytes: 64 * 1024 * 1024,
  depth: 32,
  refsBytes: 16 * 1024 * 1024,
}

export interface WorldOptions {
  readonly data: string
  /** The repository; below it the source may read. */
  readonly repository: string
  readonly around: Around
  /** Writes under way at once; the platform's own where absent. */
  readonly concurrency?: number
  readonly mutant?: keyof typeof mutants
  readonly scenario?: Scenario
}

/** Everything opened on one data directory. To be closed. */
export interface World extends AsyncDisposable {
  readonly agent: Agent
  readonly store: SqliteStore
  readonly source: GitSource
  readonly clock: ManualClock
}

export function openWorld({ data, repository, around, concurrency, mutant, scenario }: WorldOptions): World {
  mkdirSync(data, { recursive: true })
  const lock = lockDirectory(data)
  const clock = new ManualClock()
  const store = new SqliteStore(join(data, 'gitmoor.db'), clock)
  const access = openAccess()
  const source = openSource(data, repository, access)
  const platform = new EmbeddedPlatform(store.documents, {
    kinds: influxdbKinds,
    explainUnknownKind: explainInfluxdbKind,
    sealer: openKeyring(data),
  })
  const whole: Parts = {
    journal: store.journal,
    platform,
    sealer: openKeyring(data),
    engine: (parts) => new Engine(parts),
  }
  const parts = mutant === undefined ? honest(whole) : mutants[mutant](whole)
  const engine = parts.engine({ journal: watchJournal(parts.journal, around), sealer: parts.sealer })
  const target = { name: 'local', platform: platform.name, organisation }
  const targets = new Targets(
    [target],
    [watchPlatform(scenario?.halfMade === true ? halfMade(parts.platform) : parts.platform, around, concurrency)],
    { limitMs: 30_000 },
  )
  const sync = {
    source: sharedFetch(source),
    tips: source.tips,
    store,
    engine,
    targets,
    remotes: openRemotes(),
    sandbox: new JsonnetSandbox(),
    packages: new PackageReader(1_000_000),
    inputs: new StackInputs({
      keyring: openKeyring(data),
      redactor: new Redactor(),
      lookup: { directory: '/', environment: () => undefined },
    }),
    maxDocuments: 1_000,
    maxBytes: 10_000_000,
  }
  const limits = { runMs: 600_000, concurrency: 4, runsKept: 100, revisionsKept: 20, pollsPerHost: 1_000 }
  const agent = new Agent({ sync, clock, log: silent, limits, random: () => 0.5 })
  const close = async (): Promise<void> => {
    await agent.park()
    await access[Symbol.asyncDispose]()
    store[Symbol.dispose]()
    lock[Symbol.dispose]()
  }
  return { agent, store, source, clock, [Symbol.asyncDispose]: close }
}

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }

function openSource(data: string, repository: string, access: HttpAccess): GitSource {
  return new GitSource({
    directory: join(data, 'git'),
    limits: sourceLimits,
    allow: { directories: [{ path: repository }] },
    dataDirectory: data,
    access,
    searchPath: process.env['PATH'] ?? '',
  })
}

/** The stack and its first run, as if a person had asked for it while no agent ran. */
export async function declareStack(
  { store }: World,
  repository: string,
  onFailure: 'undo' | 'continue' = 'undo',
): Promise<void> {
  const spec: StackSpec = {
    ...stackDefaults,
    name: stackName,
    sources: [{ kind: 'git', url: pathToFileURL(repository).href, ref: 'main', path: '' }],
    intervalMs: 86_400_000,
    driftIntervalMs: 86_400_000,
    drift: 'ignore',
    onFailure,
    dataLoss: 'allow',
  }
  await store.stacks.create(spec, { managedBy: 'api', target: `embedded/${organisation}`, cause: { kind: 'created' } })
}

/** What the stack's records say now. */
export interface Standing {
  readonly stack: Stack
  /** Oldest first. */
  readonly runs: readonly Run[]
  readonly open: number
}

export async function standing({ store }: Pick<World, 'store'>): Promise<Standing> {
  const stack = await store.stacks.get(stackName)
  if (stack === undefined) throw new Error('There is no stack.')
  const runs = [...(await store.runs.list(stack.id, { limit: 100 }))].reverse()
  return { stack, runs, open: (await store.journal.openEntries(stack.id)).length }
}

/** More than any scenario needs. */
const mostRetries = 10
const settleMs = 20_000

/** Lets the agent continue until it has settled at this commit; moves the clock to each retry. */
export async function untilSettled(world: World, commit: string): Promise<Standing> {
  const limit = AbortSignal.timeout(settleMs)
  for (let retries = 0; ;) {
    const stack = await world.store.stacks.get(stackName)
    const changed = world.agent.events.nextChange(stack!.id, limit)
    changed.catch(() => {})
    const now = await standing(world)
    if (isSettled(now, commit)) return now
    const leftMs = (now.stack.retryAt ?? 0) - world.clock.now()
    if (leftMs > 0 && ++retries > mostRetries)
      throw new Error(`The stack did not settle within ${mostRetries} retries: ${describe(now)}`)
    world.clock.advance(Math.max(0, leftMs))
    await changed.catch(() => {
      throw new Error(`The stack did not settle within ${settleMs} ms: ${describe(now)}`)
    })
  }
}

function isSettled({ stack, runs, open }: Standing, commit: string): boolean {
  const last = runs.at(-1)
  if (last === undefined || open > 0 || runs.some((run) => run.outcome === null)) return false
  return last.revision.endsWith(commit) && stack.failure?.retry !== 'soon'
}

function describe({ stack, runs, open }: Standing): string {
  const told = runs.map(({ id, cause, phase, outcome }) => `${id} ${cause.kind} ${phase} ${outcome}`)
  return `runs ${told.join('; ')}; ${open} open entries; failure ${JSON.stringify(stack.failure)}; retry at ${stack.retryAt}`
}
