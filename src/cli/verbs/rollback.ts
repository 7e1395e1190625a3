import { Argument, type Command } from 'commander'
import { printable } from '../../lib/text/printable.js'
import type { Page } from '../../views/page.js'
import type { RunRow, RunVeto, RunView } from '../../views/run.js'
import type { PlanView } from '../../views/plan.js'
import type { StackView } from '../../views/stack.js'
import { CliError, type UsageError } from '../errors/cli-error.js'
import { usageErrors } from '../errors/usage-errors.js'
import { confirm, type ConfirmOptions } from '../confirm.js'
import { exitCode, exitCodeOfRun } from '../exit-code.js'
import { stackPath } from '../client/stack-path.js'
import { CheckedArgument } from '../help.js'
import { finishedRun, finishRun } from './sync/follow-run.js'
import type { Declare, Invocation } from '../invocation.js'
import { asPreview, planLines } from '../text/plan/plan-text.js'
import { needsApproval } from '../text/run-text.js'
import { shortRevision, showTime } from '../text/short-forms.js'
import type { Style } from '../text/text.js'
import { overrideBody, overrideOptions, readRunId, yesOption, type OverrideOptions } from './shared-options.js'

export function addRollbackVerb(program: Command, declare: Declare): void {
  const rollback = {
    usage: 'rollback NAME RUN',
    arguments: [new Argument('<NAME>'), new CheckedArgument('RUN')],
    summary:
      'apply again what an earlier run applied, and stay there until `unpin` or until a new revision changes the package',
    example: 'rollback boards 12 --why "the CPU chart is wrong"',
    notes:
      'Shows the plan and asks for confirmation.\n' +
      'Confirming is not approving: a plan that needs approval then waits for `gitmoor approve NAME DIGEST`.',
    options: [yesOption, ...overrideOptions],
  } as const
  declare<OverrideOptions & ConfirmOptions>(program, rollback, async (cli, [name = '', run = ''], options) => {
    const { why = '', yes, ...override } = options
    if (run === '') throw await noRun(cli, name)
    readRunId(name, run)
    if (yes !== true) await confirmRollback(cli, name, run)
    const body = { ...overrideBody(override), run, why }
    const begun = await cli.client.request<RunRow>('POST', stackPath(name, 'rollback'), { body })
    const ended = await finishedRun(cli, name, begun)
    const { pinned, versions } = await cli.client.request<StackView>('GET', stackPath(name))
    // A new revision may have ended the pin meanwhile.
    if (pinned === null) return exitCodeOfRun(ended)
    if (pinned.run !== run) throw replacedRollback(name, pinned)
    if (!cli.out.json) reportPin(cli, name, { pinned, versions, veto: begun.veto, isPending: needsApproval(ended) })
    return exitCodeOfRun(ended)
  })
}

interface ReportedPin {
  readonly pinned: NonNullable<StackView['pinned']>
  readonly versions: StackView['versions'] | undefined
  readonly veto: RunVeto | undefined
  /** Its plan needs approval: nothing is applied yet. */
  readonly isPending: boolean
}

function reportPin(cli: Invocation, name: string, { pinned, versions, veto, isPending }: ReportedPin): void {
  const [stack, revision] = [printable(name), shortRevision(pinned.revision, versions)]
  const at = isPending
    ? `Nothing is applied yet. ${stack} moves to ${revision} once the plan is approved, and stays there`
    : `${stack} is pinned at ${revision}`
  cli.out.message(({ style }) => [
    ...vetoLines(veto, style),
    `${at} until a revision changes its package. Follow the ref again: gitmoor unpin ${stack}`,
  ])
}

function replacedRollback(name: string, { run, by }: ReportedPin['pinned']): CliError {
  return new CliError(exitCode.error, `${by} rolled ${name} back to run ${run} meanwhile.`, {
    code: 'cli/replaced',
    status: 'conflict',
    hint: `See both: gitmoor history ${name}`,
  })
}

function vetoLines(veto: RunVeto | undefined, style: Style): readonly string[] {
  return veto === undefined ? [] : [`${style.yellow('vetoed:')} ${printable(vetoText(veto))}`]
}

function vetoText({ move, by, why }: RunVeto): string {
  return `Its commit was vetoed by ${by} (move ${move})${why === '' ? '' : `: ${why}`}.`
}

/** Shows the plan. A plan would wait for a run in progress, which the rollback stops: then there is none. */
async function confirmRollback(cli: Invocation, name: string, run: string): Promise<void> {
  const { lastRun } = await cli.client.request<StackView>('GET', stackPath(name))
  const { veto } = await cli.client.request<RunView>('GET', stackPath(name, 'runs', run))
  const to = `Roll back ${name} to run ${run}, and pin it there?`
  const question = veto === undefined ? to : `${vetoText(veto)} ${to}`
  if (lastRun?.outcome === null) return confirm(cli, `${question} Run ${lastRun.id} is ${lastRun.phase}, and ends.`, {})
  const plan = await cli.client.request<PlanView>('POST', stackPath(name, 'plan'), { body: { run } })
  if (!cli.out.json)
    cli.out.message((display) => [
      ...vetoLines(veto, display.style),
      ...planLines(asPreview(plan), display),
      ...dataNote(plan),
    ])
  return confirm(cli, question, {})
}

function dataNote({ counts }: PlanView): readonly string[] {
  return counts.create === 0 ? [] : ['A rollback creates deleted resources again, but not the data that was in them.']
}

const runsRead = 50
const runsShown = 3

/** Names the command for each of the last runs that applied something, except the newest one. */
async function noRun(cli: Invocation, name: string): Promise<UsageError> {
  const { items, next } = await cli.client.request<Page<RunRow>>('GET', stackPath(name, 'runs'), {
    query: { limit: runsRead },
  })
  const [newest, ...earlier] = items.filter(({ outcome, revision }) => outcome === 'applied' && revision !== '')
  const commands = (await packageRuns(cli, name, earlier))
    .map(({ id, revision, createdAt, veto }) => {
      const at = `${shortRevision(revision)} of ${showTime(createdAt)}${veto === undefined ? '' : ' (vetoed)'}`
      return `To ${at}: gitmoor rollback ${name} ${id}`
    })
    .join('. ')
  if (commands !== '') return usageErrors.noRun(name, commands)
  return usageErrors.noEarlierRun(name, { newest: newest?.id, isWhole: next === null })
}

/** The first runs that applied a package: others uninstalled the stack, or changed ownership. */
async function packageRuns(cli: Invocation, name: string, runs: readonly RunRow[]): Promise<readonly RunRow[]> {
  const found: RunRow[] = []
  for (const run of runs) {
    if (found.length === runsShown) break
    const { intent } = await cli.client.request<RunView>('GET', stackPath(name, 'runs', run.id))
    if (intent === 'sync') found.push(run)
  }
  return found
}

export function addUnpinVerb(program: Command, declare: Declare): void {
  const unpin = {
    usage: 'unpin NAME',
    summary: 'end a rollback and follow the ref again',
    example: 'unpin boards',
    options: overrideOptions,
  }
  declare<OverrideOptions>(program, unpin, async (cli, [name = ''], override) => {
    const { stack, run } = await cli.client.request<{ stack: StackView; run: string | null }>(
      'POST',
      stackPath(name, 'unpin'),
      { body: overrideBody(override) },
    )
    if (run !== null) return finishRun(cli, name, { id: run })
    cli.out.answer(stack, () => [`Unpinned ${printable(stack.name)}.`])
    return exitCode.ok
  })
}
