// `sync` and `wait` for several stacks.
import { systemClock } from '../../../lib/clock.js'
import type { AwaitedState } from '../../../model/stacks/stack.js'
import { compareText } from '../../../lib/text/compare-text.js'
import { Semaphore } from '../../../lib/async/semaphore.js'
import type { RequestedSync } from '../../../views/requested-sync.js'
import type { RunRow, RunView } from '../../../views/run.js'
import type { StackView } from '../../../views/stack.js'
import { agentErrors } from '../../errors/agent-errors.js'
import { readLines } from '../../client/client.js'
import { exitCode, exitCodeOfRun, exitCodeOfSynced, worstExitCode } from '../../exit-code.js'
import type { Invocation } from '../../invocation.js'
import { startedLine } from '../../text/run-text.js'
import { isNotSynced, runLines, runWord, type StackResult } from '../../text/several-stacks-text.js'
import type { Display } from '../../text/text.js'
import { followRun } from './follow-run.js'
import { sayingPollWaits } from './poll-wait.js'
import { blockedMoveLines } from './report-blockers.js'
import { maySucceed, reachedLine, requestWait, type WaitOptions } from './wait-healthy.js'
import {
  actOnEach,
  finishSeveral,
  printLine,
  refuseNone,
  selectedNames,
  selectedStacks,
  type StackSelection,
} from '../several-stacks.js'
import { overrideBody, type OverrideOptions } from '../shared-options.js'

/** Stacks that are waited for at the same time. */
const waitedAtOnce = 64

/** The time for a stack whose turn comes when the timeout has passed. */
const leastWaitMs = 1_000

export type SyncOptions = StackSelection & OverrideOptions & WaitOptions

/**
 * One request for all: the agent knows which stacks depend on others. It answers with a line for each stack as soon as
 * the run of the stack is queued, so that a slow poll delays no other stack. Waits for each run. `healthMs`: then waits
 * so long until each stack is healthy.
 */
export async function syncAll(cli: Invocation, options: SyncOptions, healthMs: number | undefined): Promise<number> {
  const { selector, fleet } = options
  const body = { selector, fleet, ...overrideBody(options) }
  const request = { body, accept: 'application/x-ndjson' }
  const requested = new Map<string, RequestedSync>()
  const waiting = async (): Promise<readonly string[]> =>
    (await selectedNames(cli, options)).filter((name) => !requested.has(name))
  return sayingPollWaits(cli, waiting, (answered) =>
    cli.client.download('POST', '/api/v1/sync', request, async ({ chunks }) => {
      const names = namesOf(readLines<RequestedSync>(chunks), requested, answered)
      const started = (name: string): RunRow => requestedRun(requested.get(name)!)
      if (options.wait !== false)
        return finishFollowed(cli, options, await followAll(cli, names, { started, healthMs }))
      const results = await actOnEach(cli, names, async (name) => started(name), printLine(cli, startedLine))
      return finishSyncs(cli, results, { options, exit: () => exitCode.ok })
    }),
  )
}

/** The worst exit code of the runs, and of newer moves that channels block. */
async function finishFollowed(
  cli: Invocation,
  options: StackSelection,
  results: readonly StackResult<RunView>[],
): Promise<number> {
  const code = finishSyncs(cli, results, {
    options,
    exit: (run) => (isNotSynced(run) ? exitCode.locked : exitCodeOfRun(run)),
  })
  const synced = new Set(results.flatMap((result) => ('value' in result ? [result.name] : [])))
  if (synced.size === 0) return code
  const stacks = await selectedStacks(cli, options)
  const blocked = stacks.filter((stack) => synced.has(stack.name) && exitCodeOfSynced(stack) !== exitCode.ok)
  if (!cli.out.json)
    for (const stack of blocked) {
      const lines = await blockedMoveLines(cli, stack)
      cli.out.message(() => lines)
    }
  return worstExitCode([code, ...blocked.map(exitCodeOfSynced)])
}

/** The results by name, as the agent lists stacks. */
function finishSyncs<T extends RunRow>(
  cli: Invocation,
  results: readonly StackResult<T>[],
  { options, exit }: { readonly options: StackSelection; readonly exit: (run: T) => number },
): number {
  if (results.length === 0) refuseNone(options)
  const inOrder = results.toSorted((a, b) => compareText(a.name, b.name))
  return finishSeveral(cli, inOrder, { key: 'run', word: runWord, exit })
}

/** The names of the items as they arrive; `known` gets the items. Calls `answered` after the last one. */
async function* namesOf(
  items: AsyncIterable<RequestedSync>,
  known: Map<string, RequestedSync>,
  answered: () => void,
): AsyncGenerator<string> {
  for await (const item of items) {
    known.set(item.name, item)
    yield item.name
  }
  answered()
}

/** Errors: `CliError`, if the agent refused it. */
function requestedRun(item: RequestedSync): RunRow {
  if ('run' in item) return item.run
  throw agentErrors.sent(item.error)
}

interface Followed {
  readonly started: (name: string) => RunRow
  readonly healthMs: number | undefined
}

function followAll(
  cli: Invocation,
  names: AsyncIterable<string>,
  { started, healthMs }: Followed,
): Promise<readonly StackResult<RunView>[]> {
  const waiting = new Semaphore(waitedAtOnce)
  const follow = async (name: string, signal: AbortSignal): Promise<RunView> => {
    const { id } = started(name)
    const finished = async (): Promise<RunView> => {
      const run = await followRun(cli, name, id, () => {})
      if (healthMs !== undefined && maySucceed(run)) await requestWait(cli, name, healthMs, { for: 'healthy' })
      return run
    }
    return waiting.run(finished, signal)
  }
  return actOnEach(cli, names, follow, printLine(cli, runLines))
}

interface Waiting {
  readonly timeoutMs: number
  readonly request: (name: string, timeoutMs: number) => Promise<StackView>
  readonly state: AwaitedState
}

/** All stacks have the same deadline. */
export async function waitForAll(
  cli: Invocation,
  selection: StackSelection,
  { timeoutMs, request, state }: Waiting,
): Promise<number> {
  const names = await selectedNames(cli, selection)
  const waiting = new Semaphore(waitedAtOnce)
  const deadline = systemClock.elapsed() + timeoutMs
  const leftMs = (): number => Math.max(Math.min(leastWaitMs, timeoutMs), Math.round(deadline - systemClock.elapsed()))
  const ended = new Set<string>()
  const requestOne = (name: string): Promise<StackView> => request(name, leftMs()).finally(() => ended.add(name))
  const waitForOne = (name: string, signal: AbortSignal): Promise<StackView> =>
    waiting.run(() => requestOne(name), signal)
  const unanswered = async (): Promise<readonly string[]> => names.filter((name) => !ended.has(name))
  const line = (_: string, stack: StackView, display: Display): string => reachedLine(state, stack, display)
  const results = await sayingPollWaits(cli, unanswered, () => actOnEach(cli, names, waitForOne, printLine(cli, line)))
  return finishSeveral(cli, results, { key: 'stack', word: () => state, exit: () => exitCode.ok })
}
