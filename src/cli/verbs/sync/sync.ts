import type { Command } from 'commander'
import type { AppliedRow, RunRow } from '../../../views/run.js'
import type { StackRow, StackView } from '../../../views/stack.js'
import { CliError } from '../../errors/cli-error.js'
import { usageErrors } from '../../errors/usage-errors.js'
import { exitCode } from '../../exit-code.js'
import { stackPath } from '../../client/stack-path.js'
import { finishApplying, finishedRun, orStoppedWaiting } from './follow-run.js'
import { reportBlockers } from './report-blockers.js'
import { sayingPollWait } from './poll-wait.js'
import { finishHealthy, reachedLine, readHealthWait, requestWait, waitOptions } from './wait-healthy.js'
import { choice, type Declare } from '../../invocation.js'
import { changeEach, selectedStacks, selectionOptions, selectsSeveral, type StackSelection } from '../several-stacks.js'
import type { SyncOptions } from './sync-all.js'
import { overrideBody, overrideOptions, type OverrideOptions, readDuration } from '../shared-options.js'
import { startedLine } from '../../text/run-text.js'
import { printable } from '../../../lib/text/printable.js'
import { awaitedStates, type AwaitedState } from '../../../model/stacks/stack.js'
import { waitRange } from '../../../settings/schema/interval.js'

export function addSyncVerb(program: Command, declare: Declare): void {
  const sync = {
    usage: 'sync [NAME]',
    summary: 'poll the sources of one or more stacks, read their targets and apply the differences now',
    example: 'sync boards',
    notes:
      'With --selector and --all, a stack waits for the stacks that it depends on. If one of them fails, it is not ' +
      'synced. NAME overrides dependencies.\n' +
      'Exit code 7 also if a policy, a veto or a missing approval keeps the newest commit from the stack.',
    options: [...selectionOptions, ...waitOptions('do not wait for the run to finish'), ...overrideOptions],
  } as const
  declare<SyncOptions>(program, sync, async (cli, [name = ''], options) => {
    const healthMs = readHealthWait(options)
    if (selectsSeveral(name, options)) return (await import('./sync-all.js')).syncAll(cli, options, healthMs)
    const request = cli.client.request<RunRow>('POST', stackPath(name, 'sync'), { body: overrideBody(options) })
    const run = await orStoppedWaiting(cli, name, sayingPollWait(cli, name, request))
    if (options.wait !== false) {
      const ended = await finishedRun(cli, name, run)
      return finishHealthy(cli, await cli.client.request<StackView>('GET', stackPath(name)), ended, healthMs)
    }
    cli.out.answer(run, () => [startedLine(name, run)])
    return exitCode.ok
  })
}

export function addWaitVerb(program: Command, declare: Declare): void {
  const wait = {
    usage: 'wait [NAME]',
    summary: 'poll the sources of one or more stacks, then wait until they are synced or healthy',
    example: 'wait boards --revision 2f1c9ab --timeout 2m',
    notes:
      'synced: the newest revision and the newest settings are applied. Health does not count.\n' +
      'healthy: synced, and a check after that found no unhealthy resource. Until then, gitmoor checks the stack every ' +
      '5 s.\n' +
      'While gitmoor continues by itself, the command waits: for retries, sync windows, dependencies, and moves that ' +
      'are not released yet. Otherwise it ends at once, with the reason and the next step.\n' +
      'With --revision, blocked newer moves are ignored.\n\n' +
      'Exit code:\n' +
      '   0  the stack is synced, or healthy\n' +
      '   1  its run failed: package or settings\n' +
      '   5  its run failed: source\n' +
      '   5  an inline stack without a package\n' +
      '   6  its run failed: target\n' +
      '   7  a plan or a move needs approval\n' +
      '   7  a pin, a policy or a veto keeps it at another commit\n' +
      '   7  another stack owns a resource, drift is only reported,\n' +
      '      or no sync window opens later\n' +
      '  10  the stack is suspended\n' +
      '  10  it waits for a stack that will not become ready\n' +
      '  11  timeout\n' +
      '  12  somebody cancelled its run',
    options: [
      choice('--for <STATE>', 'state to wait for', awaitedStates).default('synced'),
      ['--revision <COMMIT>', 'synced at this commit (7 or more digits)'],
      ['--timeout <DURATION>', 'maximum time to wait (default: 60s)'],
      ...selectionOptions,
    ],
  } as const
  declare<StackSelection & { for: AwaitedState; revision?: string; timeout?: string }>(
    program,
    wait,
    async (cli, [name = ''], { for: state, revision, timeout = '60s', ...selection }) => {
      const timeoutMs = readDuration('--timeout', timeout, waitRange)
      if (revision !== undefined && revision.length < 7) throw usageErrors.shortRevision('--revision', revision)
      const about = { for: state, ...(revision === undefined ? {} : { revision }) }
      const request = (stack: string, ms: number): Promise<StackView> => requestWait(cli, stack, ms, about)
      if (selectsSeveral(name, selection))
        return (await import('./sync-all.js')).waitForAll(cli, selection, { timeoutMs, request, state })
      const stack = await orStoppedWaiting(cli, name, sayingPollWait(cli, name, request(name, timeoutMs)))
      cli.out.answer(stack, (display) => [reachedLine(state, stack, display)])
      await reportBlockers(cli, stack)
      return exitCode.ok
    },
  )
}

export function addApproveVerb(program: Command, declare: Declare): void {
  const approve = {
    usage: 'approve NAME DIGEST',
    summary: 'approve a plan and apply it',
    example: 'approve boards 3fa9c0d1e2b4',
    notes:
      'DIGEST: the first 12 or more digits of the digest that `gitmoor plan NAME` shows.\n' +
      'If a sync window is closed, gitmoor applies the plan when the window opens. Approving it again changes nothing.',
    options: overrideOptions,
  }
  declare<OverrideOptions>(program, approve, async (cli, [name = '', digest = ''], override) => {
    if (!/^[0-9a-f]{12,64}$/.test(digest)) throw usageErrors.invalidDigest(name, digest)
    const body = { digest, ...overrideBody(override) }
    const request = cli.client.request<AppliedRow>('POST', stackPath(name, 'approve'), { body })
    const run = await orStoppedWaiting(cli, name, request)
    try {
      return await finishApplying(cli, name, run)
    } catch (error) {
      if (run.outcome === null || !(error instanceof CliError && error.exit === exitCode.notFound)) throw error
      // The approved plan uninstalled and deleted the stack.
      cli.out.answer(run, () => [`Uninstalled and deleted ${printable(name)}.`])
      return exitCode.ok
    }
  })
}

export function addCancelVerb(program: Command, declare: Declare): void {
  const cancel = {
    usage: 'cancel [NAME]',
    summary: 'cancel the run of one or more stacks: queued, in progress or waiting for approval',
    example: 'cancel boards',
    options: selectionOptions,
    notes: 'Stacks without such a run are skipped.',
  }
  declare<StackSelection>(program, cancel, async (cli, [name = ''], options) => {
    const request = (one: string): Promise<StackView> => cli.client.request('POST', stackPath(one, 'cancel'))
    if (selectsSeveral(name, options)) {
      const stacks = await selectedStacks(cli, options, { and: ' and has a run to cancel', includes: isCancellable })
      const before = new Map(stacks.map((stack) => [stack.name, stack.lastRun]))
      const line = (one: string, stack: StackView): string => cancelLine(before.get(one) ?? null, stack)
      return changeEach(cli, stacks, { request, line, word: (stack) => (isCancelled(stack) ? 'cancelled' : 'ended') })
    }
    const { lastRun } = await cli.client.request<StackView>('GET', stackPath(name))
    const stack = await request(name)
    cli.out.answer(stack, () => [cancelLine(lastRun, stack)])
    return exitCode.ok
  })
}

/** Its run is queued, in progress or needs approval. */
function isCancellable({ phase }: StackRow): boolean {
  return phase !== 'done'
}

function isCancelled({ status: { reason, also } }: StackView): boolean {
  return [reason, ...also].includes('Cancelled')
}

function cancelLine(before: RunRow | null, stack: StackView): string {
  return `${printable(stack.name)}: ${cancelText(before, stack)}`
}

/** `before`: the newest run before the request. A newer run may exist since. */
function cancelText(before: RunRow | null, stack: StackView): string {
  const { name, lastRun } = stack
  if (before?.outcome === 'cancelled' && lastRun?.id === before.id) return 'its run was cancelled already.'
  if (isCancelled(stack))
    return `cancelled. The next sync starts with a new revision, a changed setting or gitmoor sync ${printable(name)}.`
  // A cancelled uninstall leaves the stack as it was.
  if (before?.outcome === 'needs-approval' && lastRun?.id === before.id && lastRun.outcome === 'cancelled')
    return 'the plan is cancelled. Nothing was changed.'
  if (before === null || before.outcome !== null) return 'no run in progress.'
  const run = `run ${printable(before.id)}`
  if (lastRun?.id !== before.id) return `${run} ended.`
  return lastRun.outcome === null
    ? `cannot cancel ${run}: it is ${lastRun.phase}.`
    : `${run} ended: ${lastRun.outcome}.`
}
