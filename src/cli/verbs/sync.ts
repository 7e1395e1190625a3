import type { Command } from 'commander'
import type { RunRow } from '../../views/run.js'
import type { StackView } from '../../views/stack.js'
import { CliError } from '../cli-error.js'
import { exitCode } from '../exit-code.js'
import { finishRun, stackPath } from './follow-run.js'
import { choice, type Declare, type Invocation } from '../invocation.js'
import { overrideBody, overrideOptions, type OverrideOptions, readDuration } from './shared-options.js'
import { shortRevision } from '../text/short-forms.js'
import { printable } from '../../lib/printable.js'

export function addSyncVerb(program: Command, declare: Declare): void {
  const sync = {
    usage: 'sync NAME',
    summary: 'look at the source and the target now, and bring the target there',
    example: 'sync boards',
    options: [['--no-wait', 'do not wait for the run to end'], ...overrideOptions()],
  } as const
  declare<OverrideOptions & { wait: boolean }>(program, sync, async (at, [name = ''], { wait, ...override }) => {
    const run = await at.client.request<RunRow>('POST', stackPath(name, 'sync'), { body: overrideBody(override) })
    if (wait) {
      const code = await finishRun(at, name, run)
      if (code === exitCode.ok && !at.out.json)
        reportBlockedMoves(at, await at.client.request<StackView>('GET', stackPath(name)))
      return code
    }
    at.out.answer(run, () => [`Run ${printable(run.id)} of ${printable(name)} is ${run.phase}.`])
    return exitCode.ok
  })
}

export function addWaitVerb(program: Command, declare: Declare): void {
  const wait = {
    usage: 'wait NAME',
    summary: 'look at the source, then wait until the stack is synced',
    example: 'wait boards --revision 2f1c9ab --timeout 2m',
    options: [
      choice('--for <state>', 'what to wait for', ['synced']).default('synced'),
      ['--revision <SHA>', 'synced at this commit (7 digits or more)'],
      ['--timeout <time>', 'at most so long (default: 60s)'],
    ],
  } as const
  declare<{ revision?: string; timeout?: string }>(
    program,
    wait,
    async (at, [name = ''], { revision, timeout = '60s' }) => {
      const timeoutMs = readDuration('--timeout', timeout)
      const body = { timeoutMs, ...(revision === undefined ? {} : { revision }) }
      const stack = await at.client.request<StackView>('POST', stackPath(name, 'wait'), {
        body,
        idleTimeoutMs: timeoutMs + 60_000,
      })
      at.out.answer(stack, ({ style }) => [
        `${style.bold(printable(stack.name))} is synced at ${shortRevision(stack.revision.applied)}.`,
      ])
      if (!at.out.json) reportBlockedMoves(at, stack)
      return exitCode.ok
    },
  )
}

/** What is synced may not be what was pushed last. */
function reportBlockedMoves(at: Invocation, { conditions }: StackView): void {
  const blockedMoves = conditions.filter(({ status, reason }) => status && reason.startsWith('Move'))
  if (blockedMoves.length > 0) at.out.message(() => blockedMoves.map(({ message }) => printable(message)))
}

export function addApproveVerb(program: Command, declare: Declare): void {
  const approve = {
    usage: 'approve NAME DIGEST',
    summary: 'consent to the plan that waits, and carry it out',
    example: 'approve boards 3fa9c0d1e2b4',
    notes:
      'DIGEST: at least 12 digits of the digest that `gitmoor plan NAME` shows. While a sync window is closed, the approval is kept until it opens.',
    options: overrideOptions(),
  }
  declare<OverrideOptions>(program, approve, async (at, [name = '', digest = ''], override) => {
    const run = await at.client.request<RunRow>('POST', stackPath(name, 'approve'), {
      body: { digest, ...overrideBody(override) },
    })
    try {
      return await finishRun(at, name, run)
    } catch (error) {
      if (run.outcome === null || !(error instanceof CliError && error.exit === exitCode.notFound)) throw error
      // What was approved was to uninstall it.
      at.out.answer(run, () => [`${printable(name)} is uninstalled and forgotten.`])
      return exitCode.ok
    }
  })
}

export function addCancelVerb(program: Command, declare: Declare): void {
  const cancel = { usage: 'cancel NAME', summary: 'end what is queued, held or in hand', example: 'cancel boards' }
  declare(program, cancel, async (at, [name = '']) => {
    const before = await at.client.request<StackView>('GET', stackPath(name))
    const stack = await at.client.request<StackView>('POST', stackPath(name, 'cancel'))
    at.out.answer(stack, () => [`${printable(stack.name)}: ${cancelText(before.lastRun, stack)}`])
    return exitCode.ok
  })
}

/** `before`: the newest run as it was when it was asked for. The stack may have gone on since. */
function cancelText(before: RunRow | null, { conditions, lastRun }: StackView): string {
  if (conditions.some(({ reason }) => reason === 'Cancelled'))
    return 'Cancelled; it waits for a new revision, a changed setting or a sync.'
  if (before === null || before.outcome !== null) return 'Nothing was under way.'
  const run = `Run ${printable(before.id)}`
  if (lastRun?.id !== before.id) return `${run} is ended.`
  return lastRun.outcome === null
    ? `${run} is ${lastRun.phase}; that is not cancelled.`
    : `${run} is ended: ${lastRun.outcome}.`
}
