// The agent as a process: reads the configuration, opens what it needs in order, serves, and closes in the reverse order.
import { join } from 'node:path'
import type { AgentOptions } from './cli/invocation.js'
import { describeRun } from './cli/describe-run.js'
import { Agent } from './agent/agent.js'
import { adminToken, openDataDirectory, writeAgentFile } from './agent/data-directory.js'
import type { Log } from './agent/log.js'
import { sharedFetch } from './agent/shared-fetch.js'
import { openLog } from './agent/write-log.js'
import { createApi } from './api/api.js'
import { digestToken } from './api/bearer-token.js'
import { serveApi } from './api/server.js'
import { credentialLookup, environmentVariables, readEnvironment } from './config.js'
import { readConfiguration, type Configuration } from './config-file.js'
import { Engine } from './engine/engine.js'
import { explainInfluxdbKind, influxdbKinds } from './kinds/influxdb/influxdb.js'
import { systemClock, type Clock } from './model/clock.js'
import { errorsOf, formatProblem, type Problem } from './model/problem.js'
import { ParsedCache } from './package/package.js'
import type { Documents } from './platform/embedded/documents.js'
import type { Platform } from './platform/platform.js'
import { Credentials } from './secrets/credentials.js'
import { openKeyring } from './secrets/key.js'
import { Redactor } from './secrets/redact.js'
import type { Source, SourceLimits } from './source/source.js'
import { declareStacks } from './stacks/declare-stacks.js'
import { openVerbs } from './stacks/stacks.js'
import type { Verbs } from './stacks/verbs.js'
import { Targets } from './stacks/targets.js'
import type { Store } from './store/store.js'

/** What main.ts knows and this file does not: which adapters there are. */
export interface Adapters {
  readonly version: string
  readonly lock: (directory: string) => Disposable
  readonly openStore: (file: string, clock: Clock) => Store & Disposable & { readonly documents: Documents }
  readonly openSource: (options: {
    readonly directory: string
    readonly limits: SourceLimits
    readonly allow: { readonly directories: readonly string[]; readonly networks: readonly string[] }
    readonly dataDirectory: string
    readonly authorization: (url: string) => { readonly header: string } | undefined
    readonly searchPath: string
  }) => Source & AsyncDisposable
  readonly openPlatforms: (documents: Documents, known: Pick<Platform, 'kinds' | 'explain'>) => readonly Platform[]
}

const parsedBytes = 64 * 1024 * 1024

/** Gives the exit code. Errors: `SyncError`s of what cannot be opened; a bad configuration is told whole and gives 3. */
export async function runAgent(options: AgentOptions, adapters: Adapters): Promise<number> {
  const read = (): ReturnType<typeof readConfiguration> => readConfiguration(options.config, options)
  const { value: configuration, problems } = read()
  tellProblems(problems)
  if (configuration === undefined) return 3
  process.umask(0o077)
  openDataDirectory(configuration.data)
  using _lock = adapters.lock(configuration.data)
  const redactor = new Redactor()
  const log = logOf(configuration, redactor)
  using store = adapters.openStore(join(configuration.data, 'gitmoor.db'), systemClock)
  const credentials = new Credentials(configuration.credentials, credentialLookup(), redactor)
  await using source = openSource(configuration, credentials, adapters)
  const { agent, verbs } = assemble(configuration, { store, source, log }, adapters)

  const token = adminToken(configuration.data)
  redactor.add(token)
  const { host } = configuration.listen
  const api = createApi({
    verbs,
    tokenDigest: digestToken(token),
    hosts: [host, ...configuration.hosts],
    version: adapters.version,
    log: apiLog(log),
  })
  const served = await serveApi(api, configuration.listen)
  writeAgentFile(configuration.data, { url: served.url, token, pid: process.pid, version: adapters.version })
  log.info('agent started', { url: served.url, data: configuration.data, version: adapters.version })
  await agent.start()
  const declare = async (specs: Configuration['stacks']): Promise<void> => {
    for (const { message, hint } of await declareStacks(specs, { sync: agent.sync, dispatch: agent }))
      log.error('stack refused', { problem: message, hint })
  }
  await declare(configuration.stacks)
  const onHangUp = (): void => void readAgain(read, declare, log)
  process.on('SIGHUP', onHangUp)
  const signal = await untilSignal()
  process.off('SIGHUP', onHangUp)
  log.info('agent stops', { signal })
  await Promise.all([served.close(), agent.park()])
  return 0
}

function assemble(
  configuration: Configuration,
  { store, source, log }: { readonly store: Store & { readonly documents: Documents }; readonly source: Source; readonly log: Log },
  adapters: Adapters,
): { readonly agent: Agent; readonly verbs: Verbs } {
  const { limits } = configuration
  const platforms = adapters.openPlatforms(store.documents, { kinds: influxdbKinds, explain: explainInfluxdbKind })
  const targets = new Targets(
    Object.entries(configuration.targets).map(([name, target]) => ({ name, ...target })),
    platforms,
  )
  const engine = new Engine({ journal: store.journal, sealer: openKeyring(configuration.data), driverCallMs: limits.driverCallMs })
  const sync = { source: sharedFetch(source), store, engine, targets, parsed: new ParsedCache(parsedBytes), maxDocuments: limits.documents }
  const tell = narrator(configuration, () => verbs)
  const agent = new Agent({ sync, clock: systemClock, log, limits, ...(tell === undefined ? {} : { onRunEnd: tell }) })
  const verbs = openVerbs({ sync: agent.sync, dispatch: agent, clock: systemClock })
  return { agent, verbs }
}

function openSource(configuration: Configuration, credentials: Credentials, adapters: Adapters): Source & AsyncDisposable {
  return adapters.openSource({
    directory: join(configuration.data, 'git'),
    limits: configuration.limits,
    allow: configuration.allow,
    dataDirectory: configuration.data,
    authorization: (url) => credentials.authorization(url),
    searchPath: readEnvironment().path,
  })
}

/** On a terminal, what came of each run, in words. */
function narrator({ log }: Configuration, verbs: () => Verbs): ((stack: string, run: string) => Promise<void>) | undefined {
  if (isJson(log.format)) return undefined
  return async (stack, id) => {
    const run = await verbs().run(stack, id)
    const lines = describeRun(run, { stream: process.stderr, environment: environmentVariables(), now: Date.now() })
    process.stderr.write(`${lines.join('\n')}\n`)
  }
}

function isJson(format: Configuration['log']['format']): boolean {
  return format === 'json' || (format === 'auto' && !process.stderr.isTTY)
}

function logOf({ log: { level, format } }: Configuration, redactor: Redactor): Log {
  return openLog({
    level,
    format: isJson(format) ? 'json' : 'text',
    toldElsewhere: ['run ended', 'run failed', 'run stopped', 'request'],
    write: (line) => process.stderr.write(line),
    redact: (text) => redactor.redact(text),
  })
}

function apiLog(log: Log): { info(message: string, facts: object): void; error(message: string, facts: object): void } {
  return { info: (message, facts) => log.info(message, { ...facts }), error: (message, facts) => log.error(message, { ...facts }) }
}

/** A bad file changes nothing. What is not a stack takes effect with the next start. */
async function readAgain(
  read: () => ReturnType<typeof readConfiguration>,
  declare: (specs: Configuration['stacks']) => Promise<void>,
  log: Log,
): Promise<void> {
  const { value, problems } = read()
  for (const problem of problems) log.error('configuration refused', { problem: formatProblem(problem) })
  if (value === undefined) return
  await declare(value.stacks)
  log.info('configuration read again', { stacks: value.stacks.length })
}

function tellProblems(problems: readonly Problem[]): void {
  for (const problem of problems) process.stderr.write(`${problem.severity}: ${formatProblem(problem)}\n`)
  const errors = errorsOf(problems).length
  if (errors > 0) process.stderr.write(`The configuration has ${errors} ${errors === 1 ? 'error' : 'errors'}; the agent did not start.\n`)
}

/** The first one is heeded; a second one ends the process as it would without us. */
function untilSignal(): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve(signal))
  })
}
