import type { Command } from 'commander'
import type { RunRow } from '../../views/run.js'
import type { StackRow, StackView } from '../../views/stack.js'
import { CliError } from '../cli-error.js'
import { exitCode } from '../exit-code.js'
import { stackPath } from '../client/stack-path.js'
import { finishRun } from './follow-run.js'
import { choice, type Declare, type Invocation } from '../invocation.js'
import { changeEach, selectedStacks, selectionOptions, selectsSeveral, type StackSelection } from './several-stacks.js'
import type { SyncOptions } from './sync-all.js'
import { overrideBody, overrideOptions, type OverrideOptions, readDuration } from './shared-options.js'
import { startedLine } from '../text/run-text.js'
import { shortRevision } from '../text/short-forms.js'
import type { Display } from '../text/text.js'
import { printable } from '../../lib/printable.js'

export function addSyncVerb(program: Command, declare: Declare): void {
  const sync = {
    usage: 'sync [NAME]',
    summary: 'poll the source, read the target and apply the differences now, of one stack or of several',
    example: 'sync boards',
    notes:
      'With --selector and --all, a stack waits for the stacks that it depends on. If one of them fails, it is not ' +
      'synced. NAME overrides dependencies.',
    options: [...selectionOptions, ['--no-wait', 'do not wait for the run to finish'], ...overrideOptions],
  } as const
  declare<SyncOptions>(program, sync, async (cli, [name = ''], options) => {
    if (selectsSeveral(name, options)) return (await import('./sync-all.js')).syncAll(cli, options)
    const run = await cli.client.request<RunRow>('POST', stackPath(name, 'sync'), { body: overrideBody(options) })
    if (options.wait) {
      const code = await finishRun(cli, name, run)
      if (code === exitCode.ok && !cli.out.json)
        reportBlockedMoves(cli, await cli.client.request<StackView>('GET', stackPath(name)))
      return code
    }
    cli.out.answer(run, () => [startedLine(name, run)])
    return exitCode.ok
  })
}

export function addWaitVerb(program: Command, declare: Declare): void {
  const wait = {
    usage: 'wait [NAME]',
    summary: 'poll the source, then wait until the stack is synced, or several are',
    example: 'wait boards --revision 2f1c9ab --timeout 2m',
    options: [
      choice('--for <STATE>', 'state to wait for', ['synced']).default('synced'),
      ['--revision <COMMIT>', 'synced at this commit (7 or more digits)'],
      ['--timeout <DURATION>', 'maximum time to wait (default: 60s)'],
      ...selectionOptions,
    ],
  } as const
  declare<StackSelection & { revision?: string; timeout?: string }>(
    program,
    wait,
    async (cli, [name = ''], { revision, timeout = '60s', ...selection }) => {
      const timeoutMs = readDuration('--timeout', timeout)
      const about = revision === undefined ? {} : { revision }
      const request = (stack: string, ms: number): Promise<StackView> =>
        cli.client.request('POST', stackPath(stack, 'wait'), {
          body: { timeoutMs: ms, ...about },
          idleTimeoutMs: ms + 60_000,
        })
      if (selectsSeveral(name, selection))
        return (await import('./sync-all.js')).waitForAll(cli, selection, { timeoutMs, request, line: syncedLine })
      const stack = await request(name, timeoutMs)
      cli.out.answer(stack, (display) => [syncedLine(name, stack, display)])
      if (!cli.out.json) reportBlockedMoves(cli, stack)
      return exitCode.ok
    },
  )
}

function syncedLine(_: string, { name, revision, versions }: StackView, { style }: Display): string {
  return `${style.bold(printable(name))} is synced at ${shortRevision(revision.applied, versions)}.`
}

/** A stack can be synced although the newest move of its channel is blocked. */
function reportBlockedMoves(cli: Invocation, { conditions }: StackView): void {
  const blockedMoves = conditions.filter(({ status, reason }) => status && reason.startsWith('Move'))
  if (blockedMoves.length > 0) cli.out.message(() => blockedMoves.map(({ message }) => printable(message)))
}

export function addApproveVerb(program: Command, declare: Declare): void {
  const approve = {
    usage: 'approve NAME DIGEST',
    summary: 'approve a plan and apply it',
    example: 'approve boards 3fa9c0d1e2b4',
    notes:
      'DIGEST: the first 12 or more digits of the digest that `gitmoor plan NAME` shows.\n' +
      'If a sync window is closed, gitmoor applies the plan when the window opens.',
    options: overrideOptions,
  }
  declare<OverrideOptions>(program, approve, async (cli, [name = '', digest = ''], override) => {
    const run = await cli.client.request<RunRow>('POST', stackPath(name, 'approve'), {
      body: { digest, ...overrideBody(override) },
    })
    try {
      return await finishRun(cli, name, run)
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
    summary: 'cancel the run that is queued, in progress or needs approval, of one stack or of several',
    example: 'cancel boards',
    options: selectionOptions,
    notes: '--selector and --all leave alone the stacks without such a run.',
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

function isCancelled({ conditions }: StackView): boolean {
  return conditions.some(({ reason }) => reason === 'Cancelled')
}

function cancelLine(before: RunRow | null, stack: StackView): string {
  return `${printable(stack.name)}: ${cancelText(before, stack)}`
}

/** `before`: the newest run before the request. A newer run may exist since. */
function cancelText(before: RunRow | null, stack: StackView): string {
  const { name, lastRun } = stack
  if (isCancelled(stack))
    return `Cancelled. The next sync starts with a new revision, a changed setting or gitmoor sync ${printable(name)}.`
  if (before === null || before.outcome !== null) return 'No run in progress.'
  const run = `Run ${printable(before.id)}`
  if (lastRun?.id !== before.id) return `${run} ended.`
  return lastRun.outcome === null
    ? `Cannot cancel run ${printable(before.id)}: it is ${lastRun.phase}.`
    : `${run} ended: ${lastRun.outcome}.`
}
