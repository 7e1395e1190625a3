// The agent on a data directory, with watched journal and drivers. Nobody sends requests. Its package is pushed: a
// remote would only cost time.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
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
import { InlineSource } from '../../src/source/inline/inline-source.js'
import type { RefTips } from '../../src/source/ref-tips.js'
import { blobId } from '../../src/source/blob-id.js'
import { Bug } from '../../src/model/errors.js'
import { jsonDigest } from '../../src/plan/digest.js'
import { StackInputs } from '../../src/stacks/inputs/inputs.js'
import { Targets } from '../../src/stacks/targets.js'
import { lockDirectory } from '../../src/store/sqlite/file/lock-directory.js'
import { SqliteStore } from '../../src/store/sqlite/sqlite-store.js'
import { ManualClock } from '../manual-clock.js'
import { honest, mutants, type Parts } from './mutants.js'
import type { Scenario } from './scenarios.js'
import { halfMade, watchJournal, watchPlatform, type Around } from './watched.js'
import { JsonnetSandbox } from '../../src/sandbox/jsonnet/jsonnet-sandbox.js'

export const stackName = 'boards'
export const organisation = 'main'

export interface WorldOptions {
  readonly data: string
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
  readonly clock: ManualClock
}

export function openWorld({ data, around, concurrency, mutant, scenario }: WorldOptions): World {
  mkdirSync(data, { recursive: true })
  const lock = lockDirectory(data)
  const clock = new ManualClock()
  const store = new SqliteStore(join(data, 'gitmoor.db'), clock)
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
    source: sharedFetch(new InlineSource(store.pushes)),
    tips: noTips,
    store,
    engine,
    targets,
    remotes: { fetch: () => Promise.reject(new Bug('A pushed package names no other one.')) },
    sandbox: new JsonnetSandbox(),
    packages: new PackageReader(1_000_000),
    inputs: new StackInputs({
      keyring: openKeyring(data),
      redactor: new Redactor(),
      lookup: { directory: '/', environment: () => undefined },
      allowed: { environment: [], files: [], dataDirectory: '/' },
    }),
    maxDocuments: 1_000,
    maxBytes: 10_000_000,
  }
  const limits = { runMs: 600_000, concurrency: 4, runsKept: 100, revisionsKept: 20, pollsPerHost: 1_000 }
  const agent = new Agent({ sync, clock, log: silent, limits, random: () => 0.5 })
  const close = async (): Promise<void> => {
    await agent.park()
    store[Symbol.dispose]()
    lock[Symbol.dispose]()
  }
  return { agent, store, clock, [Symbol.asyncDispose]: close }
}

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }

const noTips: RefTips = {
  describe: () => Promise.reject(new Bug('A pushed package has no ref.')),
  isForward: () => Promise.reject(new Bug('A pushed package has no ref.')),
  promote: () => Promise.reject(new Bug('A pushed package has no ref.')),
}

/** The stack and its first run, as if a person had asked for it while no agent ran. */
export async function declareStack({ store }: World, onFailure: 'undo' | 'continue' = 'undo'): Promise<void> {
  const spec: StackSpec = {
    ...stackDefaults,
    name: stackName,
    sources: [{ kind: 'inline' }],
    intervalMs: 86_400_000,
    driftIntervalMs: 86_400_000,
    drift: 'ignore',
    onFailure,
    dataLoss: 'allow',
  }
  await store.stacks.create(spec, { managedBy: 'api', target: `embedded/${organisation}`, cause: { kind: 'created' } })
}

/** Stores a package for the next poll. Gives its revision. */
export async function push({ store }: World, text: string): Promise<string> {
  const { id } = (await store.stacks.get(stackName))!
  const bytes = Buffer.from(text)
  const file = { path: 'boards.json', id: blobId(bytes), bytes }
  const digest = jsonDigest([[file.path, file.id]])
  await store.pushes.put(id, { digest, files: [file], by: 'ann' })
  return `sha256:${digest}`
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

/** Lets the agent continue until it has settled at this revision; moves the clock to each retry. */
export async function untilSettled(world: World, revision: string): Promise<Standing> {
  const limit = AbortSignal.timeout(settleMs)
  for (let retries = 0; ;) {
    const stack = await world.store.stacks.get(stackName)
    const changed = world.agent.events.nextChange(stack!.id, limit)
    changed.catch(() => {})
    const now = await standing(world)
    if (isSettled(now, revision)) return now
    const leftMs = (now.stack.retryAt ?? 0) - world.clock.now()
    if (leftMs > 0 && ++retries > mostRetries)
      throw new Error(`The stack did not settle within ${mostRetries} retries: ${describe(now)}`)
    world.clock.advance(Math.max(0, leftMs))
    await changed.catch(() => {
      throw new Error(`The stack did not settle within ${settleMs} ms: ${describe(now)}`)
    })
  }
}

function isSettled({ stack, runs, open }: Standing, revision: string): boolean {
  const last = runs.at(-1)
  if (last === undefined || open > 0 || runs.some((run) => run.outcome === null)) return false
  return last.revision.endsWith(revision) && stack.failure?.retry !== 'soon'
}

function describe({ stack, runs, open }: Standing): string {
  const told = runs.map(({ id, cause, phase, outcome }) => `${id} ${cause.kind} ${phase} ${outcome}`)
  return `runs ${told.join('; ')}; ${open} open entries; failure ${JSON.stringify(stack.failure)}; retry at ${stack.retryAt}`
}
