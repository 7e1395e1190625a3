// The agent on a data directory, wired by `openAgent`, with watched journal and drivers. Nobody sends requests. Its
// package is pushed: a remote would only cost time.
import { mkdirSync } from 'node:fs'
import type { Agent } from '../../src/agent/agent.js'
import { ReadsFile } from '../../src/agent/crash/reads-file.js'
import { liveSystemName } from '../../src/model/resources/live-system.js'
import type { Run } from '../../src/model/stacks/run.js'
import type { Stack, StackSpec } from '../../src/model/stacks/stack.js'
import { openAgent } from '../../src/open-agent.js'
import { jsonDigest } from '../../src/plan/digest.js'
import { openKeyring } from '../../src/secrets/keyring.js'
import { stackDefaults } from '../../src/settings/stack-settings.js'
import { blobId } from '../../src/source/blob-id.js'
import { lockDirectory } from '../../src/store/sqlite/file/lock-directory.js'
import { SqliteStore } from '../../src/store/sqlite/sqlite-store.js'
import { bareAdapters, bareConfiguration, bareSurroundings } from '../bare-agent.js'
import { ManualClock } from '../manual-clock.js'
import { writeNewDataDirectory } from '../new-data-directory.js'
import { overriding } from '../overriding.js'
import { plain, type PlatformUnderTest } from '../plain/under-test.js'
import { mutants, type Mutant } from './mutants.js'
import type { Scenario } from './scenarios.js'
import { halfMade, watchJournal, watchPlans, watchPlatform, type Around } from './watched.js'

/** The stacks of a scenario; the second one only if it has packages for it. */
export const stackNames = ['boards', 'reports'] as const

/** The revision that each stack is to be settled at. */
export type Revisions = Readonly<Record<string, string>>

/** In which the target `local` keeps its resources. */
export const space = 'main'

export interface WorldOptions {
  readonly data: string
  readonly around: Around
  /** Writes under way at once; the platform's own where absent. */
  readonly concurrency?: number
  readonly mutant?: keyof typeof mutants
  readonly scenario?: Scenario
  /** Default: the plain one. */
  readonly on?: PlatformUnderTest
}

/** Everything opened on one data directory. To be closed. */
export interface World extends AsyncDisposable {
  readonly agent: Agent
  /** The store itself: what is read here is not watched. */
  readonly store: SqliteStore
  /** The live system of the target `local`. */
  readonly system: string
  readonly clock: ManualClock
}

export function openWorld({ data, around, concurrency, mutant, scenario, on = plain }: WorldOptions): World {
  if (mkdirSync(data, { recursive: true }) !== undefined) writeNewDataDirectory(data)
  const lock = lockDirectory(data)
  const clock = new WorldClock()
  const broken: Mutant = mutant === undefined ? {} : mutants[mutant]
  const { journal = (own) => own, platform = (own) => own } = broken
  const settings = on.settings(space)
  let opened: SqliteStore | undefined
  let system = ''
  const open = openAgent(
    { ...bareConfiguration(data, on), targets: { local: { platform: on.description.name, settings } } },
    {
      ...bareAdapters(on),
      openStore: (...opening) => {
        const store = (opened = new SqliteStore(...opening))
        return overriding(store, {
          journal: watchJournal(journal(store.journal, openKeyring(data)), around),
          runs: watchPlans(store.runs, around),
        })
      },
      openPlatforms: (documents, secrets) => {
        const whole = platform(on.open(documents, secrets))
        system = liveSystemName(whole.name, whole.systemId(settings))
        return [watchPlatform(scenario?.halfMade === true ? halfMade(whole, on.half) : whole, around, concurrency)]
      },
    },
    { ...bareSurroundings(), clock, log: silent, random: () => 0.5 },
  )
  const close = async (): Promise<void> => {
    await open[Symbol.asyncDispose]()
    lock[Symbol.dispose]()
  }
  return { agent: open.agent, store: opened!, system, clock, [Symbol.asyncDispose]: close }
}

/** Longer than the second of two packages is read later that were being read at a crash. */
const shortMs = 2_000

/** Moved by the test, but short waits pass at once. */
class WorldClock extends ManualClock {
  override sleep(ms: number, signal: AbortSignal): Promise<void> {
    if (ms <= shortMs) setImmediate(() => this.advance(ms))
    return super.sleep(ms, signal)
  }
}

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }

/** Creates a stack and its first run while no agent runs. */
export async function declareStack(
  { store, system }: World,
  name: string,
  onFailure: 'undo' | 'continue',
): Promise<void> {
  const spec: StackSpec = {
    ...stackDefaults,
    name,
    sources: [{ kind: 'inline' }],
    intervalMs: 86_400_000,
    driftIntervalMs: 86_400_000,
    drift: 'ignore',
    onFailure,
    dataLoss: 'allow',
  }
  await store.stacks.create(spec, { managedBy: 'api', target: system, cause: { kind: 'created' } })
}

/** Stores a package for the next poll. Gives its revision. */
export async function push({ store }: World, name: string, text: string): Promise<string> {
  const { id } = (await store.stacks.get(name))!
  const bytes = Buffer.from(text)
  const file = { path: 'boards.json', id: blobId(bytes), bytes }
  const digest = jsonDigest([[file.path, file.id]])
  await store.pushes.put(id, { digest, files: [file], by: 'ann' })
  return `sha256:${digest}`
}

/** Records in the directory what a killed process leaves that was reading the packages of these stacks. */
export function leaveReading(data: string, names: readonly string[]): void {
  using file = new ReadsFile(data)
  file.write({ reading: names.map((name) => `inline:${name}`), crashes: {} })
}

/** A stack, its runs and its journal now. */
export interface StoredState {
  readonly stack: Stack
  /** Oldest first. */
  readonly runs: readonly Run[]
  readonly open: number
}

export async function stored({ store }: Pick<World, 'store'>, name: string): Promise<StoredState> {
  const stack = await store.stacks.get(name)
  if (stack === undefined) throw new Error('There is no stack.')
  const runs = [...(await store.runs.list(stack.id, { limit: 100 }))].reverse()
  return { stack, runs, open: (await store.journal.openEntries(stack.id)).length }
}

/** More than any scenario needs. */
const mostRetries = 10
const settleMs = 60_000

/** Lets the agent continue until its stacks have settled at these revisions; moves the clock to each retry. */
export function untilSettled(world: World, revisions: Revisions): Promise<readonly StoredState[]> {
  return Promise.all(Object.entries(revisions).map(([name, revision]) => untilOneSettled(world, name, revision)))
}

async function untilOneSettled(world: World, name: string, revision: string): Promise<StoredState> {
  const limit = AbortSignal.timeout(settleMs)
  for (let retries = 0; ;) {
    const stack = await world.store.stacks.get(name)
    const changed = world.agent.events.nextChange(stack!.id, limit)
    changed.catch(() => {})
    const now = await stored(world, name)
    if (isSettled(now, revision)) return now
    const leftMs = (now.stack.retryAt ?? 0) - world.clock.now()
    if (leftMs > 0 && ++retries > mostRetries)
      throw new Error(`${name} did not settle within ${mostRetries} retries: ${describe(now)}`)
    world.clock.advance(Math.max(0, leftMs))
    await changed.catch(async () => {
      const { inProgress, stuck } = world.agent.live
      const late = describe(await stored(world, name))
      const busy = `in progress: ${[...inProgress].join(' ')}; stuck: ${JSON.stringify([...stuck])}`
      throw new Error(`${name} did not settle within ${settleMs} ms: ${late}; ${busy}`)
    })
  }
}

function isSettled({ stack, runs, open }: StoredState, revision: string): boolean {
  const last = runs.at(-1)
  if (last === undefined || open > 0 || runs.some((run) => run.outcome === null)) return false
  return last.revision.endsWith(revision) && stack.failure?.retry !== 'soon'
}

function describe({ stack, runs, open }: StoredState): string {
  const texts = runs.map(({ id, cause, phase, outcome }) => `${id} ${cause.kind} ${phase} ${outcome}`)
  return `runs ${texts.join('; ')}; ${open} open entries; failure ${JSON.stringify(stack.failure)}; retry at ${stack.retryAt}`
}
