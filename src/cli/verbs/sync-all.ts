// `sync` and `wait` for several stacks.
import { systemClock } from '../../lib/clock.js'
import { Semaphore } from '../../lib/semaphore.js'
import type { RunRow, RunView } from '../../views/run.js'
import type { StackView } from '../../views/stack.js'
import { stackPath } from '../client/stack-path.js'
import { exitCode, exitCodeOfRun } from '../exit-code.js'
import type { Invocation } from '../invocation.js'
import { startedLine } from '../text/run-text.js'
import { runLine, runWord } from '../text/several-stacks-text.js'
import type { Display } from '../text/text.js'
import { followRun } from './follow-run.js'
import { actOnEach, finishSeveral, selectedStacks, type StackSelection } from './several-stacks.js'
import { overrideBody, type OverrideOptions } from './shared-options.js'

/** Requests for a sync at the same time. Each polls the stack's sources first. */
const askedAtOnce = 16

/** Stacks that are waited for at the same time. */
const waitedAtOnce = 64

/** The time for a stack whose turn comes when the timeout has passed. */
const leastWaitMs = 1_000

export interface SyncOptions extends StackSelection, OverrideOptions {
  readonly wait: boolean
}

/** Asks for all at once. Waits for each run from then on. */
export async function syncAll(cli: Invocation, options: SyncOptions): Promise<number> {
  const names = await selectedStacks(cli, options)
  const asking = new Semaphore(askedAtOnce)
  const body = overrideBody(options)
  const ask = (name: string, signal: AbortSignal): Promise<RunRow> =>
    asking.run(() => cli.client.request<RunRow>('POST', stackPath(name, 'sync'), { body }), signal)
  return options.wait ? syncAndWait(cli, names, ask) : startOnly(cli, names, ask)
}

type Ask = (name: string, signal: AbortSignal) => Promise<RunRow>

async function syncAndWait(cli: Invocation, names: readonly string[], ask: Ask): Promise<number> {
  const waiting = new Semaphore(waitedAtOnce)
  const results = await actOnEach<RunView>(
    cli,
    names,
    async (name, signal) => {
      const { id } = await ask(name, signal)
      return waiting.run(() => followRun(cli, name, id, () => {}), signal)
    },
    runLine,
  )
  return finishSeveral(cli, results, { key: 'run', word: runWord, exit: exitCodeOfRun })
}

async function startOnly(cli: Invocation, names: readonly string[], ask: Ask): Promise<number> {
  const results = await actOnEach(cli, names, ask, startedLine)
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
  const names = await selectedStacks(cli, selection)
  const waiting = new Semaphore(waitedAtOnce)
  const deadline = systemClock.elapsed() + timeoutMs
  const leftMs = (): number => Math.max(Math.min(leastWaitMs, timeoutMs), Math.round(deadline - systemClock.elapsed()))
  const results = await actOnEach(
    cli,
    names,
    (name, signal) => waiting.run(() => request(name, leftMs()), signal),
    line,
  )
  return finishSeveral(cli, results, { key: 'stack', word: () => 'synced', exit: () => exitCode.ok })
}
