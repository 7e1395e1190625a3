// What use cases work with. A use case is a function of a context: `getStack(context, name)`. The context is built
// once, in open-agent.ts.
import type { Clock } from '../lib/clock.js'
import { lockNames, withLock } from '../lib/async/locks.js'
import type { Check } from '../model/agent/check.js'
import type { ForgeMatch } from '../model/sources/forge.js'
import { noConfigurationFile, type ConfigurationStatus } from '../model/agent/configuration-status.js'
import type { Store } from '../store/store.js'
import type { Scheduler } from './scheduler.js'
import type { SyncDeps } from './sync.js'

export interface Context {
  readonly store: Store
  readonly sync: SyncDeps
  readonly scheduler: Scheduler
  readonly clock: Clock
  readonly inspections: Inspections
  readonly configuration: () => ConfigurationStatus
  /** Git hosts that the configuration file names, for web addresses. */
  readonly forges: () => readonly ForgeMatch[]
}

/** What the doctor reports about the surroundings of the agent. */
export interface Inspections {
  /** The machine and the database, and what an agent without its configuration file leaves alone. */
  machine(): Promise<readonly Check[]>
  /** Credentials and connections for these remotes. */
  access(remotes: readonly string[], refused: readonly string[]): readonly Check[]
  /** The declared webhooks. */
  webhooks(): Promise<readonly Check[]>
  /** The receivers of notifications and commit statuses. */
  receivers(): Promise<readonly Check[]>
}

const nothingToInspect: Inspections = {
  machine: async () => [],
  access: () => [],
  webhooks: async () => [],
  receivers: async () => [],
}

export function openContext({
  sync,
  scheduler,
  clock,
  inspections = nothingToInspect,
  configuration = () => noConfigurationFile,
  forges = () => [],
}: Pick<Context, 'sync' | 'scheduler' | 'clock'> &
  Partial<Pick<Context, 'inspections' | 'configuration' | 'forges'>>): Context {
  return { store: sync.store, sync, scheduler, clock, inspections, configuration, forges }
}

/** Runs `work` alone among pushes and deletions on the live system behind the target. */
export function onLiveSystem<T>(
  { sync: { targets, locks } }: Pick<Context, 'sync'>,
  target: string,
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  const system = targets.has(target) ? targets.liveSystem(target) : target
  return withLock(locks, lockNames.system(system), signal, work)
}
