// `sync` and `wait` for several stacks.
import { systemClock } from '../../lib/clock.js'
import { Semaphore } from '../../lib/semaphore.js'
import type { RequestedSync, RequestedSyncs } from '../../views/requested-sync.js'
import type { RunRow, RunView } from '../../views/run.js'
import type { StackView } from '../../views/stack.js'
import { CliError } from '../cli-error.js'
import { stackErrors } from '../cli-errors.js'
import { exitCode, exitCodeOfRun, exitCodeOfStatus } from '../exit-code.js'
import type { Invocation } from '../invocation.js'
import { startedLine } from '../text/run-text.js'
import { runLine, runWord } from '../text/several-stacks-text.js'
import type { Display } from '../text/text.js'
import { followRun } from './follow-run.js'
import { actOnEach, finishSeveral, printLine, selectedNames, type StackSelection } from './several-stacks.js'
import { overrideBody, type OverrideOptions } from './shared-options.js'

/** Stacks that are waited for at the same time. */
const waitedAtOnce = 64

/** The time for a stack whose turn comes when the timeout has passed. */
const leastWaitMs = 1_000

export interface SyncOptions extends StackSelection, OverrideOptions {
  readonly wait: boolean
}

/** One request for all: the agent knows which stacks depend on others. Then waits for each run. */
export async function syncAll(cli: Invocation, options: SyncOptions): Promise<number> {
  const { selector } = options
  const body = { selector, ...overrideBody(options) }
  const { items } = await cli.client.request<RequestedSyncs>('POST', '/api/v1/sync', { body })
  if (items.length === 0 && selector !== undefined) throw stackErrors.noneSelected(selector)
  const requested = new Map(items.map((item) => [item.name, item]))
  const names = [...requested.keys()]
  const started = (name: string): RunRow => requestedRun(requested.get(name)!)
  return options.wait ? followAll(cli, names, started) : reportStarted(cli, names, started)
}

/** Errors: `CliError`, if the agent refused it. */
function requestedRun(item: RequestedSync): RunRow {
  if ('run' in item) return item.run
  throw new CliError(exitCodeOfStatus(item.error.status), item.error.message, item.error)
}

type Started = (name: string) => RunRow

async function followAll(cli: Invocation, names: readonly string[], started: Started): Promise<number> {
  const waiting = new Semaphore(waitedAtOnce)
  const follow = async (name: string, signal: AbortSignal): Promise<RunView> => {
    const { id } = started(name)
    return waiting.run(() => followRun(cli, name, id, () => {}), signal)
  }
  const results = await actOnEach(cli, names, follow, printLine(cli, runLine))
  return finishSeveral(cli, results, { key: 'run', word: runWord, exit: exitCodeOfRun })
}

async function reportStarted(cli: Invocation, names: readonly string[], started: Started): Promise<number> {
  const results = await actOnEach(cli, names, async (name) => started(name), printLine(cli, startedLine))
  return finishSeveral(cli, results, { key: 'run', word: runWord, exit: () => exitCode.ok })
}

interface Waiting {
  readonly timeoutMs: number
  readonly request: (name: string, timeoutMs: number) => Promise<StackView>
  readonly line: (name: string, stack: StackView, display: Display) => string
}

/** All stacks have the same deadline. */
export async function waitForAll(
  cli: Invocation,
  selection: StackSelection,
  { timeoutMs, request, line }: Waiting,
): Promise<number> {
  const names = await selectedNames(cli, selection)
  const waiting = new Semaphore(waitedAtOnce)
  const deadline = systemClock.elapsed() + timeoutMs
  const leftMs = (): number => Math.max(Math.min(leastWaitMs, timeoutMs), Math.round(deadline - systemClock.elapsed()))
  const results = await actOnEach(
    cli,
    names,
    (name, signal) => waiting.run(() => request(name, leftMs()), signal),
    printLine(cli, line),
  )
  return finishSeveral(cli, results, { key: 'stack', word: () => 'synced', exit: () => exitCode.ok })
}
