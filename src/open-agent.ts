// Opens the agent in this process: builds its parts from a configuration, without a server and without signal handlers.
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { Adapters } from './agent-adapters.js'
import { Agent, type AgentDeps } from './agent/agent.js'
import { ReadsFile } from './agent/crash/reads-file.js'
import { RemoteReads } from './agent/crash/remote-reads.js'
import { DiskUsage } from './agent/upkeep/disk-usage.js'
import type { Log } from './agent/watch/log.js'
import { LoopMonitor } from './agent/watch/loop-monitor.js'
import { machineChecks } from './agent/upkeep/machine-checks.js'
import type { DeliverySample, MetricsInput } from './agent/watch/meters.js'
import { sharedFetch } from './source/shared-fetch.js'
import { credentialLookup, readEnvironment } from './config/environment.js'
import type { Configuration } from './config/config.js'
import { RunningConfiguration } from './config/reload.js'
import { Engine } from './engine/engine.js'
import { explainInfluxdbKind, influxdbKindsWith } from './kinds/influxdb/influxdb.js'
import { systemClock, type Clock } from './lib/clock.js'
import { shareExecution } from './lib/share-execution.js'
import type { Sealed } from './model/json.js'
import type { Stack } from './model/stack.js'
import type { Platform, Target } from './platform/platform.js'
import { Credentials } from './secrets/credentials.js'
import { openKeyring } from './secrets/keyring.js'
import type { ValueLookup } from './secrets/resolve-value.js'
import { SigningKeys } from './secrets/signing-keys.js'
import type { Redactor } from './secrets/redact/redact.js'
import { redactCall, redactParts, type Redact } from './secrets/redact/redact-facts.js'
import type { HttpAccess } from './source/network/authorized-request.js'
import type { HttpClient, HttpClientOptions } from './source/network/http-client.js'
import { connectionChecks } from './source/network/connection-checks.js'
import { post } from './source/network/post.js'
import { readMetrics } from './stacks/status/metrics.js'
import { declareStacks } from './stacks/changes/declare-stacks.js'
import { declaredElsewhere, notDeclaredHere, targetNotGiven } from './stacks/changes/declared-elsewhere.js'
import { PackageReader } from './stacks/load-package/package-reader.js'
import { openContext } from './stacks/context.js'
import { HookSecrets } from './webhooks/hook-secrets.js'
import { StackInputs } from './stacks/inputs/inputs.js'
import { Targets } from './stacks/targets.js'
import type { CallUseCase } from './webhooks/call-use-case.js'
import { openWebhookContext, type WebhookContext } from './webhooks/receive-delivery.js'
import { webhookChecks } from './webhooks/webhooks.js'
import { sentenceMethods, type Store } from './store/store.js'

/**
 * `onRunEnd`: called at the end of each run. `onDamage`: the database is corrupt; only a new start repairs it.
 */
export interface AgentSurroundings {
  readonly version: string
  readonly log: Log
  /** Default: the system clock. */
  readonly clock?: Clock
  /** 0 to 1, for jitter. */
  readonly random?: () => number
  /** The configuration file of the last agent on the data directory that had one. */
  readonly formerFile?: string | undefined
  /** Where `${env:…}` and `${file:…}` are resolved. Default: the environment and directory of this process. */
  readonly lookup?: ValueLookup
  /** Gets every secret of the configuration. */
  readonly redactor: Redactor
  readonly onRunEnd?: (stack: string, run: string, call: CallUseCase) => Promise<void>
  readonly onDamage?: (error: Error) => void
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

/**
 * Opens a data directory. Nothing runs before `agent.start()`. Disposing parks the agent and closes everything. Errors:
 * `SyncError`s of what cannot be opened.
 */
export function openAgent(
  configuration: Configuration,
  adapters: Adapters,
  { version, log, redactor, onRunEnd, formerFile, onDamage = () => {}, ...around }: AgentSurroundings,
): OpenAgent {
  const { limits, copies } = configuration
  const { clock = systemClock, lookup = credentialLookup(), random = Math.random } = around
  const parts = openSync(configuration, adapters, { log, redactor, clock, lookup, onDamage, formerFile })
  const { sync, store, client, credentials, keys, reads } = parts
  const redact: Redact = (text) => redactor.redact(text)
  const meters = adapters.openMeters(version)
  const reporting = onRunEnd && { onRunEnd: (stack: string, run: string): Promise<void> => onRunEnd(stack, run, call) }
  const declared =
    configuration.file === undefined
      ? { refusal: (stack: Stack) => notDeclaredHere(stack, { former: formerFile, targets: sync.targets }) }
      : { policies: configuration.channels }
  const agent = new Agent({ sync, clock, random, log, limits, copies, meters, ...declared, ...reporting })
  const loop = new LoopMonitor(() => agent.live.inProgress.values())
  const files = { file: configuration.file, former: formerFile }
  const running = new RunningConfiguration(configuration, {
    clock,
    replace: (read, before) => {
      credentials.replace(read.credentials)
      client.replace(read.connections)
      keys.replace(read.keys)
      sync.targets.replace(declaredTargets(read))
      context.webhooks.replace(read.webhooks)
      agent.polls.doubtWebhooks(changedWebhooks(before, read))
      agent.polls.retryFailed()
      if (read.file !== undefined) agent.setChannelPolicies(read.channels)
    },
    declare: async ({ file, stacks }, isStart) => {
      const declaring = { sync: agent.sync, scheduler: agent }
      if (!isStart) return file === undefined ? [] : declareStacks(stacks, declaring)
      const problems = file === undefined ? [] : await declareStacks(stacks, declaring, files)
      for (const { message, next } of await declaredElsewhere(sync, files))
        log.warn(elsewhereMessage(file), { problem: message, hint: next })
      return problems
    },
  })
  const machine = { data: configuration.data, integrity: adapters.integrity, searchPath: readEnvironment().path }
  const inspections = {
    machine: async () => [...(await machineChecks(machine)), loop.check(), ...(await declaredElsewhere(sync, files))],
    access: (addresses: readonly string[]) => [
      ...credentials.checks(addresses.map(plainAddress)),
      ...connectionChecks(running.inForce.connections, clock.now()),
    ],
    webhooks: () => webhookChecks(context),
  }
  const webhooks = {
    hooks: configuration.webhooks,
    secrets: new HookSecrets(lookup, redactor),
    onDelivery: (delivery: DeliverySample): void => meters.delivered(delivery),
  }
  const context: WebhookContext = openWebhookContext(
    openContext({ sync: agent.sync, scheduler: agent, clock, inspections, configuration: () => running.status }),
    webhooks,
  )
  const call: CallUseCase = (useCase, ...args) =>
    redactCall((...given: typeof args) => useCase(context, ...given), args, redact)
  const bytes = new DiskUsage(configuration.data, clock)
  const measured = async (): Promise<MetricsInput> => ({
    metrics: await readMetrics(context),
    bytes: await bytes.read(),
    stallMs: loop.longest?.ms ?? 0,
    configuration: running.status,
  })
  const print = shareExecution(async () => meters.print(await measured()))
  const close = async (): Promise<void> => {
    loop[Symbol.dispose]()
    await agent.park()
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

/** What a sync works with, and what of it a reload replaces. */
interface SyncParts extends AsyncDisposable {
  readonly sync: AgentDeps['sync']
  readonly store: ReturnType<Adapters['openStore']>
  readonly client: HttpClient
  readonly credentials: Credentials
  readonly keys: SigningKeys
  readonly reads: RemoteReads
}

function openSync(
  configuration: Configuration,
  adapters: Adapters,
  {
    log,
    redactor,
    clock,
    lookup,
    onDamage,
    formerFile,
  }: Required<Pick<AgentSurroundings, 'log' | 'redactor' | 'clock' | 'lookup' | 'onDamage'>> &
    Pick<AgentSurroundings, 'formerFile'>,
): SyncParts {
  const { limits, data, allow } = configuration
  const client = openConnections(configuration, { redactor, lookup }, adapters)
  const credentials = new Credentials(configuration.credentials, {
    lookup,
    redactor,
    clock,
    post: (url, headers) => post(client, limits.gitRequestMs, { url, headers }),
  })
  const access: HttpAccess = { client, authorization: (url, refused) => credentials.authorization(url, refused) }
  const sealer = openKeyring(data)
  const isOurs = (sealed: Sealed): boolean => sealer.sealedHere(sealed)
  const store = adapters.openStore(join(data, 'gitmoor.db'), clock, { onDamage, isOurs })
  for (const { code, message } of store.startEvents) log.warn(message, { code })
  const kept: Store = redactParts(store, sentenceMethods, (text) => redactor.redact(text))
  const keys = new SigningKeys(configuration.keys, lookup)
  const source = openSource(configuration, { access, credentials, keys, pushed: store.pushes }, adapters)
  const record = new ReadsFile(data)
  const reads = new RemoteReads({ record, clock })
  for (const [remote, crashes] of reads.suspects)
    log.warn('remote delayed: the agent crashed while it read the remote', { remote, crashes })
  const flux = adapters.openFlux()
  const kinds = influxdbKindsWith({ conceal: (value) => sealer.toSecret(value), flux })
  const platforms = adapters.openPlatforms(store.documents, { kinds, explainUnknownKind: explainInfluxdbKind, sealer })
  const packages = new PackageReader()
  const sync = {
    source: sharedFetch(reads.source(source)),
    tips: reads.refTips(source.tips),
    store: kept,
    engine: new Engine({ journal: kept.journal, sealer }),
    targets: openTargets(configuration, platforms, { log, formerFile }),
    remotes: adapters.openRemotes({ limits, networks: allow.networks, access }),
    sandbox: adapters.openSandbox(limits),
    packages,
    inputs: new StackInputs({
      keyring: sealer,
      redactor,
      lookup,
      allowed: { ...allow.secrets, dataDirectory: data },
    }),
    maxDocuments: limits.documents,
    maxBytes: limits.totalBytes,
  }
  const close = async (): Promise<void> => {
    await client[Symbol.asyncDispose]()
    flux[Symbol.dispose]()
    packages[Symbol.dispose]()
    store[Symbol.dispose]()
    reads[Symbol.dispose]()
    record[Symbol.dispose]()
  }
  return { sync, store, client, credentials, keys, reads, [Symbol.asyncDispose]: close }
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

/** The address of a remote, without the prefix of URL sources. */
function plainAddress(remote: string): string {
  return remote.replace(/^url:/, '')
}

function openTargets(
  configuration: Configuration,
  platforms: readonly Platform[],
  { log, formerFile }: Pick<AgentSurroundings, 'log' | 'formerFile'>,
): Targets {
  const isGiven = configuration.file !== undefined
  return new Targets(declaredTargets(configuration), platforms, {
    calls: {
      limitMs: configuration.limits.driverCallMs,
      onCall: (call) => log.debug('target called', { ...call }),
    },
    ...(isGiven ? {} : { missing: (target, stack) => targetNotGiven(target, formerFile, stack) }),
  })
}

function declaredTargets({ targets }: Configuration): readonly Target[] {
  return Object.entries(targets).map(([name, target]) => ({ name, ...target }))
}

function openConnections(
  { connections, allow }: Configuration,
  known: Pick<HttpClientOptions, 'redactor' | 'lookup'>,
  adapters: Adapters,
): HttpClient {
  const { proxies, extraAuthorities } = readEnvironment()
  return adapters.openConnections({
    entries: connections,
    networks: allow.networks,
    proxies,
    ...(extraAuthorities === undefined ? {} : { extraAuthorities }),
    ...known,
  })
}

function openSource(
  configuration: Configuration,
  {
    access,
    credentials,
    ...known
  }: Pick<Parameters<Adapters['openSource']>[0], 'access' | 'keys' | 'pushed'> & { readonly credentials: Credentials },
  adapters: Adapters,
): ReturnType<Adapters['openSource']> {
  return adapters.openSource({
    ...known,
    directory: join(configuration.data, 'git'),
    limits: configuration.limits,
    allow: configuration.allow,
    dataDirectory: configuration.data,
    access,
    credentialFor: (url) => credentials.nameFor(url),
    sshLogins: (address) => credentials.sshLogin(address),
    mayPush: (address) => credentials.push(address),
    searchPath: readEnvironment().path,
  })
}
