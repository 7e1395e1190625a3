// The agent as a process: reads the configuration, opens what it needs in order, serves, and closes in the reverse
// order.
import { existsSync } from 'node:fs'
import { constants } from 'node:os'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import type { AgentOptions } from './cli/invocation.js'
import { describeRun } from './cli/text/describe-run.js'
import { Backups } from './agent/upkeep/backups.js'
import { endOnFault } from './agent/crash/crash.js'
import {
  adminToken,
  formerStart,
  lockAlone,
  openDataDirectory,
  writeAgentFile,
  type AgentFacts,
} from './agent/upkeep/data-directory.js'
import { watchTerminal } from './agent/upkeep/terminal.js'
import type { Log } from './agent/watch/log.js'
import { openLog } from './agent/watch/write-log.js'
import { createApi, type ApiLog, type ApiOptions } from './api/api.js'
import { Sessions, type SessionDeps } from './api/session/sessions.js'
import { digestToken } from './api/server/access.js'
import { serveApi } from './api/server/server.js'
import { environmentVariables } from './config/environment.js'
import { readConfiguration, type Configuration } from './config/config.js'
import type { Reloaded } from './config/reload.js'
import { systemClock } from './lib/clock.js'
import { printable } from './lib/text/printable.js'
import { describeError, SyncError } from './model/errors.js'
import { countProblems, errorsOf, formatProblem, formatWithSeverity, type Problem } from './model/problem.js'
import type { Adapters } from './agent-adapters.js'
import { openAgent, type AgentSurroundings, type OpenAgent } from './open-agent.js'
import { PageFiles } from './page/page.js'
import { Redactor } from './secrets/redact/redact.js'
import { getRun } from './stacks/queries/queries.js'

/**
 * The heap may grow by half before a garbage collection; the default is four times the live memory. Large packages then
 * take half the memory, at no measurable cost.
 */
const heapGrowth = '--heap-growing-percent=50'

/** Provided by main.ts. */
export interface Program {
  readonly version: string
  readonly adapters: Adapters
}

/** The time for work in progress at a shutdown; with closing, less than the 10 s that containers have. */
const parkMs = 8_000

/** `parked`: no work is in progress. */
interface Ending {
  readonly code: number
  readonly parked: boolean
}

/**
 * Returns the exit code; 3 after an invalid configuration, whose problems are all printed. Errors: `SyncError`s of what
 * cannot be opened. Work that does not end in time is interrupted with the process.
 */
export async function runAgent(options: AgentOptions, program: Program): Promise<number> {
  setFlagsFromString(heapGrowth)
  const { code, parked } = await serveUntilStopped(options, program)
  if (!parked) process.exit(code)
  return code
}

async function serveUntilStopped(options: AgentOptions, program: Program): Promise<Ending> {
  const { version, adapters } = program
  const read = (): ReturnType<typeof readConfiguration> =>
    readConfiguration(options.config, { ...options, platforms: adapters.platforms })
  const { value: configuration, problems } = read()
  printProblems(problems)
  if (configuration === undefined) return { code: 3, parked: true }
  process.umask(0o077)
  openDataDirectory(configuration.data)
  using _lock = lockAlone(configuration.data, adapters.lock)
  const redactor = new Redactor()
  const log = openLogFor(configuration, redactor)
  const former = formerStart(configuration.data)
  const damage = new AbortController()
  const onDamage = (error: Error): void => damage.abort(error)
  await using open = openAgent(configuration, adapters, {
    version,
    log,
    redactor,
    onDamage,
    former,
    ...runReporter(configuration),
  })
  using _guard = endOnFault(log, () => open.reads.reading)
  const { agent } = open
  const closed = new AbortController()
  using terminal = watchTerminal(() => closed.abort())
  const stopped = untilSignal(damage.signal, closed.signal)
  // A signal during the start is carried out after it: without a listener, it would end the process.
  let isReloadDue = false
  let onHangUp = (): void => void (isReloadDue = true)
  const hangUp = (): void => (terminal.isClosed() ? closed.abort() : onHangUp())
  process.on('SIGHUP', hangUp)

  const token = adminToken(configuration.data)
  redactor.add(token)
  let onStart = (): void => {}
  const started = new Promise<void>((resolve) => (onStart = resolve))
  const api = agentApi(open, configuration, { program, token, started, log })
  await using served = await serveApi(api, configuration.listen)
  writeStart(options, configuration, { url: served.url, token, version, former })
  log.info('agent started', { url: served.url, data: configuration.data, version })
  await agent.start(() => open.configuration.start())
  onStart()
  logRefusedStacks(open, log)
  open.loop.start()
  onHangUp = (): void => void reload(read, open, log)
  if (isReloadDue) onHangUp()
  const signal = await stopped
  if (signal === undefined) log.error('database lost', damageFacts(damage.signal.reason))
  onHangUp = () => {}
  log.info('agent stops', { signal })
  const [parked] = await Promise.all([agent.park(parkMs), served.close()])
  if (!parked)
    log.warn('shutdown timed out, runs interrupted', {
      hint: 'The journal has the interrupted steps; the next start recovers them.',
    })
  return { code: signal === undefined ? 1 : 0, parked }
}

interface ApiParts {
  readonly program: Program
  readonly token: string
  readonly started: Promise<void>
  readonly log: Log
}

function agentApi(
  { call, store, metrics, loop }: OpenAgent,
  configuration: Configuration,
  { program: { version, adapters }, token, started, log }: ApiParts,
): ReturnType<typeof createApi> {
  const { data, limits } = configuration
  const tokenDigest = digestToken(token)
  return createApi({
    call,
    started,
    backups: new Backups({ store, data, version }),
    tokenDigest,
    ...pageOptions(configuration, { table: store.sessions, clock: systemClock, tokenDigest }),
    hosts: [configuration.listen.host, ...configuration.hosts],
    version,
    extensions: adapters.apiExtensions,
    bodies: { packageBytes: limits.templateBytes },
    receiver: { bodyBytes: limits.webhookBytes },
    metrics: { ...metrics, public: configuration.metrics.public },
    log: apiLog(log),
    during: (request) => loop.track(request),
  })
}

/** Beside the program; absent in sources that were not built. */
const pageDirectory = join(import.meta.dirname, 'web')

function pageOptions({ page }: Configuration, deps: SessionDeps): Pick<ApiOptions, 'sessions' | 'page'> {
  if (!page.enabled || !existsSync(pageDirectory)) return {}
  return { sessions: new Sessions(deps), page: new PageFiles(pageDirectory) }
}

/** Writes how this agent was started, for clients and for the next start. */
function writeStart(
  { listen, log }: AgentOptions,
  { data, file }: Configuration,
  { former, ...served }: Pick<AgentFacts, 'url' | 'token' | 'version' | 'former'>,
): void {
  writeAgentFile(data, {
    ...served,
    pid: process.pid,
    config: file,
    listen,
    log,
    directory: process.cwd(),
    startedAt: new Date().toISOString(),
    former: file === undefined ? former : undefined,
  })
}

function damageFacts(reason: unknown): { readonly problem: string; readonly hint: string } {
  const hint = reason instanceof SyncError ? reason.hint : undefined
  return { problem: describeError(reason), hint: hint ?? 'The next start repairs it.' }
}

/** Beside a text log, prints the result of each run in words. */
function runReporter({ log }: Configuration): Pick<AgentSurroundings, 'onRunEnd'> {
  if (isJson(log.format)) return {}
  return {
    onRunEnd: async (stack, id, call) => {
      const run = await call(getRun, stack, id)
      const lines = describeRun(run, { stream: process.stderr, environment: environmentVariables(), now: Date.now() })
      process.stderr.write(`${lines.join('\n')}\n`)
    },
  }
}

function isJson(format: Configuration['log']['format']): boolean {
  return format === 'json' || (format === 'auto' && !process.stderr.isTTY)
}

function openLogFor({ log: { level, format } }: Configuration, redactor: Redactor): Log {
  return openLog({
    level,
    format: isJson(format) ? 'json' : 'text',
    printedElsewhere: ['run ended', 'run failed', 'run stopped', 'request'],
    write: (line) => process.stderr.write(line),
    redact: (text) => redactor.redact(text),
  })
}

function apiLog(log: Log): ApiLog {
  const logAt =
    (level: 'debug' | 'info' | 'error') =>
    (message: string, facts: object): void =>
      log[level](message, { ...facts })
  return { debug: logAt('debug'), info: logAt('info'), error: logAt('error') }
}

/** An invalid file changes nothing. */
async function reload(read: () => ReturnType<typeof readConfiguration>, open: OpenAgent, log: Log): Promise<void> {
  try {
    logReload(await open.configuration.reload(read), open, log)
  } catch (error) {
    log.error('stacks not declared', { error: describeError(error) })
  }
}

function logReload({ accepted, problems }: Reloaded, open: OpenAgent, log: Log): void {
  const { status, inForce } = open.configuration
  if (inForce.file === undefined)
    return log.warn('nothing to reload', {
      hint: 'The agent was started without a configuration file (--config FILE).',
    })
  for (const problem of problems)
    log[accepted ? 'warn' : 'error'](accepted ? 'configuration warning' : 'configuration refused', {
      problem: formatProblem(problem),
      hint: problem.hint,
    })
  if (!accepted)
    return log.error('the previous configuration stays in use', {
      since: new Date(status.loadedAt).toISOString(),
      hint: 'Fix the file, then send the signal HUP again.',
    })
  logRefusedStacks(open, log)
  const settings = status.needsRestart.join(', ')
  log.info('configuration reloaded', {
    stacks: inForce.stacks.length,
    fleets: inForce.fleets.length,
    channels: inForce.channels.length,
  })
  if (settings !== '') log.warn('changed settings need a restart', { settings, hint: 'Restart the agent to use them.' })
}

function logRefusedStacks({ configuration }: OpenAgent, log: Log): void {
  for (const { message, hint } of configuration.status.refusedStacks)
    log.error('stack refused', { problem: message, hint })
}

function printProblems(problems: readonly Problem[]): void {
  for (const problem of problems) {
    const next = problem.hint === undefined ? '' : `  next: ${printable(problem.hint)}\n`
    process.stderr.write(`${formatWithSeverity(problem)}\n${next}`)
  }
  const errors = countProblems(errorsOf(problems))
  if (errors > 0)
    process.stderr.write(
      `The configuration has ${errors} ${errors === 1 ? 'error' : 'errors'}; the agent did not start.\n`,
    )
}

/**
 * Resolves with the first signal; a second one ends the process at once, with the exit code of a process that it
 * killed. SIGHUP: the terminal is `closed`. undefined: `ended` came first.
 */
function untilSignal(ended: AbortSignal, closed: AbortSignal): Promise<string | undefined> {
  return new Promise((resolve) => {
    let isStopping = false
    const onSignal = (signal: 'SIGTERM' | 'SIGINT'): void => {
      if (isStopping) process.exit(128 + constants.signals[signal])
      isStopping = true
      resolve(signal)
    }
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => onSignal(signal))
    if (ended.aborted) resolve(undefined)
    ended.addEventListener('abort', () => resolve(undefined), { once: true })
    closed.addEventListener('abort', () => resolve('SIGHUP'), { once: true })
  })
}
