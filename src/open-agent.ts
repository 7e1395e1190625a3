// Opens the agent in this process: builds its parts from a configuration, without a server and without signal handlers.
import { isDeepStrictEqual } from 'node:util'
import type { Adapters } from './agent-adapters.js'
import { Agent } from './agent/agent.js'
import { RemoteReads } from './agent/crash/remote-reads.js'
import { DiskUsage } from './agent/upkeep/disk-usage.js'
import { LoopMonitor } from './agent/watch/loop-monitor.js'
import { machineChecks } from './agent/upkeep/machine-checks.js'
import type { DeliverySample, MetricsInput } from './agent/watch/meters.js'
import { credentialLookup, readEnvironment } from './config/environment.js'
import type { Configuration } from './config/config.js'
import { RunningConfiguration } from './config/reload.js'
import { systemClock } from './lib/clock.js'
import { shareExecution } from './lib/async/share-execution.js'
import type { SyncError } from './model/errors.js'
import type { Problem } from './model/problem.js'
import type { Stack } from './model/stacks/stack.js'
import { redactCall, type Redact } from './secrets/redact/redact-facts.js'
import { connectionChecks } from './source/network/connection-checks.js'
import { readMetrics } from './stacks/status/metrics.js'
import { declareStacks } from './stacks/changes/declare-stacks.js'
import { declaredElsewhere, notDeclaredHere, type UsedFiles } from './stacks/changes/declared-elsewhere.js'
import { declareFleets } from './stacks/fleets/declare-fleets.js'
import { openContext } from './stacks/context.js'
import { Notifier } from './notifications/notifier.js'
import { notificationChecks } from './notifications/notifications.js'
import { sendWhole } from './source/network/whole-request.js'
import { HookSecrets } from './webhooks/hook-secrets.js'
import type { CallUseCase } from './webhooks/call-use-case.js'
import { openWebhookContext, type WebhookContext } from './webhooks/receive-delivery.js'
import { webhookChecks } from './webhooks/webhooks.js'
import type { Store } from './store/store.js'
import { declaredTargets, openSync, type SyncParts, type SyncSurroundings } from './open-sync.js'

/**
 * `clock`: the system clock, if absent; `lookup`: the environment and directory of this process; `random`: 0 to 1, for
 * jitter. `onRunEnd`: called at the end of each run.
 */
export interface AgentSurroundings
  extends Pick<SyncSurroundings, 'log' | 'redactor'>, Partial<Omit<SyncSurroundings, 'log' | 'redactor'>> {
  readonly version: string
  readonly random?: () => number
  readonly onRunEnd?: (stack: string, run: string, call: CallUseCase) => Promise<void>
}

export interface OpenAgent extends AsyncDisposable {
  readonly agent: Agent
  /** Calls a use case; secrets are redacted in what it answers, throws and reports. */
  readonly call: CallUseCase
  readonly store: Store
  /** Declares the stacks of the configuration, in `agent.start`, and reloads it. */
  readonly configuration: RunningConfiguration
  /** Remotes that are being read. */
  readonly reads: RemoteReads
  /** Measures after its `start`. */
  readonly loop: LoopMonitor
  /** The metrics page. */
  readonly metrics: { readonly type: string; print(): Promise<string> }
}

interface ConfigurationDeps extends Pick<SyncSurroundings, 'clock' | 'log'> {
  readonly parts: SyncParts
  readonly agent: Agent
  readonly files: UsedFiles
  /** Those of the context, which is opened later. */
  readonly webhooks: () => WebhookContext['webhooks']
  readonly notifier: () => Notifier
}

/**
 * Opens a data directory. Nothing runs before `agent.start()`. Disposing parks the agent and closes everything. Errors:
 * `SyncError`s of what cannot be opened.
 */
export function openAgent(
  configuration: Configuration,
  adapters: Adapters,
  { version, log, redactor, onRunEnd, onDamage = () => {}, ...given }: AgentSurroundings,
): OpenAgent {
  const { limits, copies } = configuration
  const { clock = systemClock, lookup = credentialLookup(), random = Math.random } = given
  const { former = { data: configuration.data } } = given
  const parts = openSync(configuration, adapters, { log, redactor, clock, lookup, onDamage, former })
  const { sync, store, credentials, reads } = parts
  const redact: Redact = (text) => redactor.redact(text)
  const meters = adapters.openMeters(version)
  const reporting = onRunEnd && { onRunEnd: (stack: string, run: string): Promise<void> => onRunEnd(stack, run, call) }
  const refusal = (stack: Stack): SyncError | undefined =>
    notDeclaredHere(stack, { former, targets: sync.targets, isFleetOfFile: (fleet) => agent.fleets.isOfFile(fleet) })
  const isFileGiven = configuration.file !== undefined
  const declared = isFileGiven ? { policies: configuration.channels } : { isFileGiven, refusal }
  const readWaitMs = (remote: string): number => reads.waitMs(remote)
  const around = { sync, clock, random, log, lookup, limits, copies, meters, readWaitMs }
  const observing = { onStart: (hasStarted: boolean) => notifier.start(hasStarted) }
  const agent: Agent = new Agent({ ...around, ...declared, ...reporting, ...observing })
  const loop = new LoopMonitor(() => agent.live.inProgress.values())
  const files = { file: configuration.file, former }
  const running = runConfiguration(configuration, {
    parts,
    agent,
    files,
    clock,
    log,
    webhooks: () => context.webhooks,
    notifier: () => notifier,
  })
  const machine = { data: configuration.data, integrity: adapters.integrity, searchPath: readEnvironment().path }
  const inspections = {
    machine: async () => [...(await machineChecks(machine)), loop.check(), ...(await declaredElsewhere(sync, files))],
    access: (addresses: readonly string[], refused: readonly string[]) => [
      ...credentials.checks(
        addresses.map(plainAddress),
        new Map(refused.map((remote) => [plainAddress(remote), `remote ${remote}`])),
      ),
      ...connectionChecks(running.inForce.connections, clock.now()),
    ],
    webhooks: () => webhookChecks(context),
    receivers: () => notificationChecks(context),
  }
  const webhooks = {
    hooks: configuration.webhooks,
    secrets: new HookSecrets(lookup, redactor),
    onDelivery: (delivery: DeliverySample): void => meters.delivered(delivery),
  }
  const base = openContext({
    sync: agent.sync,
    scheduler: agent,
    clock,
    inspections,
    configuration: () => running.status,
    forges: () => running.inForce.receivers.statuses,
  })
  const notifier: Notifier = new Notifier(base, {
    log,
    lookup,
    redactor,
    receivers: configuration.receivers,
    send: (request, signal) => sendWhole(parts.client, request, signal),
    openSocket: (server, signal) => parts.client.openSocket(server, signal),
    token: (credential) => credentials.token(credential),
    onResult: (receiver, result) => meters.messageEnded({ receiver, result }),
  })
  const context: WebhookContext = openWebhookContext({ ...base, notifier }, webhooks)
  const call: CallUseCase = (useCase, ...args) =>
    redactCall((...given: typeof args) => useCase(context, ...given), args, redact)
  const bytes = new DiskUsage(configuration.data, clock)
  const measured = async (): Promise<MetricsInput> => ({
    metrics: await readMetrics(context),
    bytes: await bytes.read(),
    stallMs: loop.longest?.ms ?? 0,
    configuration: running.status,
    pendingMessages: await store.messages.pending(),
  })
  const print = shareExecution(async () => meters.print(await measured()))
  const close = async (): Promise<void> => {
    loop[Symbol.dispose]()
    await agent.park()
    await notifier[Symbol.asyncDispose]()
    await parts[Symbol.asyncDispose]()
  }
  return {
    agent,
    call,
    store,
    configuration: running,
    reads,
    loop,
    metrics: { type: meters.type, print },
    [Symbol.asyncDispose]: close,
  }
}

/** The configuration in force: what a reload replaces, and how its stacks and fleets are declared. */
function runConfiguration(
  configuration: Configuration,
  { parts, agent, files, clock, log, webhooks, notifier }: ConfigurationDeps,
): RunningConfiguration {
  const { sync, store, client, credentials, keys } = parts
  let compared: Promise<void> = Promise.resolve()
  const declaring = { sync: agent.sync, scheduler: agent }
  return new RunningConfiguration(configuration, {
    clock,
    prepare: async () => sync.targets.bind(await store.stacks.boundSystems()),
    replace: (read, before) => {
      credentials.replace(read.credentials)
      client.replace(read.connections)
      keys.replace(read.keys)
      sync.targets.replace(declaredTargets(read))
      agent.targets.changed(changedTargets(before, read))
      webhooks().replace(read.webhooks)
      compared = notifier().replace(read.receivers)
      agent.polls.doubtWebhooks(changedWebhooks(before, read))
      agent.polls.retryFailed()
      if (read.file !== undefined) agent.setChannelPolicies(read.channels)
    },
    declare: async ({ file, stacks, fleets }, isStart) => {
      await compared // runs that begin from now on are reported to new receivers
      sync.targets.bind(await store.stacks.boundSystems()) // also of stacks that were created since `prepare`
      for (const { message, hint } of sync.targets.declared.flatMap(({ name }) => sync.targets.refusal(name) ?? []))
        log.warn('target refused', { problem: message, hint })
      const declareAll = async (): Promise<readonly Problem[]> => [
        ...(await declareStacks(stacks, declaring, isStart ? files : undefined)),
        ...(await declareFleets(fleets, declaring)),
      ]
      const problems = file === undefined ? [] : await declareAll()
      if (!isStart) return problems
      for (const { message, next } of await declaredElsewhere(sync, files))
        log.warn(elsewhereMessage(file), { problem: message, hint: next })
      return problems
    },
  })
}

function elsewhereMessage(file: string | undefined): string {
  return file === undefined ? 'configuration file not given' : 'stacks of another configuration file suspended'
}

/** The names of webhooks that are removed, or are declared differently. */
function changedWebhooks(before: Configuration, { webhooks }: Configuration): ReadonlySet<string> {
  const now = new Map(webhooks.map((hook) => [hook.name, hook]))
  const changed = before.webhooks.filter((hook) => !isDeepStrictEqual(hook, now.get(hook.name)))
  return new Set(changed.map(({ name }) => name))
}

/** The names of targets with another platform or other settings. New ones are not among them. */
function changedTargets(before: Configuration, { targets }: Configuration): ReadonlySet<string> {
  const isSame = (name: string): boolean => {
    const [former, now] = [before.targets[name], targets[name]!]
    return former === undefined || isDeepStrictEqual([former.platform, former.settings], [now.platform, now.settings])
  }
  return new Set(Object.keys(targets).filter((name) => !isSame(name)))
}

/** The address of a remote, without the prefix of URL sources. */
function plainAddress(remote: string): string {
  return remote.replace(/^url:/, '')
}
