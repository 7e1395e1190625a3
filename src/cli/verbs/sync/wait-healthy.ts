// `--wait healthy`: after the sync, waits until the resources of the stack work.
import { printable } from '../../../lib/text/printable.js'
import { awaitedStates, type AwaitedState } from '../../../model/stacks/stack.js'
import { waitRange } from '../../../settings/schema/interval.js'
import type { RunView } from '../../../views/run.js'
import type { StackView } from '../../../views/stack.js'
import { stackPath } from '../../client/stack-path.js'
import { usageErrors } from '../../errors/usage-errors.js'
import { exitCode, exitCodeOfRun } from '../../exit-code.js'
import { choice, type Invocation } from '../../invocation.js'
import { shortRevision } from '../../text/short-forms.js'
import type { Display } from '../../text/text.js'
import { readDuration } from '../shared-options.js'
import { orStoppedWaiting } from './follow-run.js'
import { finishSynced } from './report-blockers.js'

/** As typed. `wait`: false with `--no-wait`. */
export interface WaitOptions {
  readonly wait: AwaitedState | false
  readonly timeout?: string | undefined
}

/** `noWait`: what `--no-wait` leaves out. */
export function waitOptions(noWait: string) {
  return [
    choice('--wait <STATE>', 'healthy: also wait until its resources work', awaitedStates).default('synced'),
    ['--timeout <DURATION>', 'with --wait healthy: maximum time to wait for that (default: 60s)'],
    ['--no-wait', noWait],
  ] as const
}

/** How long to wait until a stack is healthy, in milliseconds; undefined: not at all. Errors: `UsageError`. */
export function readHealthWait({ wait, timeout }: WaitOptions): number | undefined {
  if (wait === 'healthy') return readDuration('--timeout', timeout ?? '60s', waitRange)
  if (timeout !== undefined) throw usageErrors.timeoutOfNothing()
  return undefined
}

/** Has the agent wait until a stack is in this state. Errors: those of the agent, such as a timeout. */
export function requestWait(
  cli: Invocation,
  stack: string,
  timeoutMs: number,
  about: { readonly for: AwaitedState; readonly revision?: string },
): Promise<StackView> {
  return cli.client.request('POST', stackPath(stack, 'wait'), {
    body: { timeoutMs, ...about },
    idleTimeoutMs: timeoutMs + 60_000,
  })
}

/** True if the health of a stack is of interest after this run: the run did not fail, and needs no approval. */
export function maySucceed(run: RunView): boolean {
  return exitCodeOfRun(run) === exitCode.ok
}

/** The end of a command that synced a stack, as `finishSynced`. `healthMs`: first waits until the stack is healthy. */
export async function finishHealthy(
  cli: Invocation,
  stack: StackView,
  run: RunView,
  healthMs: number | undefined,
): Promise<number> {
  if (healthMs === undefined || !maySucceed(run)) return finishSynced(cli, stack, run)
  cli.out.progress('waiting until its resources work …')
  const request = requestWait(cli, stack.name, healthMs, { for: 'healthy' })
  const healthy = await orStoppedWaiting(cli, stack.name, request)
  if (!cli.out.json) cli.out.lines((display) => [reachedLine('healthy', healthy, display)])
  return finishSynced(cli, healthy, run)
}

/** `boards is healthy at v1@1f0c2ab.` */
export function reachedLine(
  state: AwaitedState,
  { name, revision, versions }: StackView,
  { style }: Pick<Display, 'style'>,
): string {
  return `${style.bold(printable(name))} is ${state} at ${shortRevision(revision.applied, versions)}.`
}
