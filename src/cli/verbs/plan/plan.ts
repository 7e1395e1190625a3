import { Option, type Command } from 'commander'
import { printable } from '../../../lib/text/printable.js'
import { shellWord } from '../../../lib/text/shell-word.js'
import type { AppliedRow } from '../../../views/run.js'
import type { PlanView } from '../../../views/plan.js'
import type { StackView } from '../../../views/stack.js'
import { usageErrors } from '../../errors/usage-errors.js'
import { exitCode } from '../../exit-code.js'
import { stackPath } from '../../client/stack-path.js'
import { finishApplying, orStoppedWaiting } from '../sync/follow-run.js'
import { sayingPollWait } from '../sync/poll-wait.js'
import { choice, type Declare, type Invocation } from '../../invocation.js'
import type { PlanAllOptions } from './plan-all.js'
import { selectionOptions, selectsSeveral } from '../several-stacks.js'
import { overrideBody, overrideOptions, type OverrideOptions } from '../shared-options.js'
import { asPreview, blockedReasons, planLines } from '../../text/plan/plan-text.js'
import { problemLines } from '../../text/problem-text.js'
import { inFull } from '../../text/text.js'

interface PlanOptions extends PlanAllOptions {
  readonly dir?: string
  readonly out?: string
}

export function addPlanVerb(program: Command, declare: Declare): void {
  const plan = {
    usage: 'plan [NAME]',
    summary: 'show what a sync of one or more stacks would change; writes nothing to the target',
    example: 'plan boards --ref beta',
    notes:
      'On a terminal, long values are shortened. Empty fields of new resources are left out.\n' +
      '--dir: DIR replaces the root of the source, so gitmoor reads the files below the path of the stack in DIR. ' +
      'It sends them to the agent, which plans them with the settings of the stack and stores nothing. ' +
      '.gitmoorignore excludes files; .gitignore does not.',
    options: [
      ['--ref <REF>', 'plan another ref'],
      new Option('--dir <DIR>', 'plan the files of a local directory, such as a clone with uncommitted work').conflicts(
        ['ref', 'out', 'all', 'selector', 'fleet'],
      ),
      new Option('--out <FILE>', 'save the plan for `gitmoor apply FILE`').conflicts(['all', 'selector', 'fleet']),
      ['--full', 'print everything, also long values and empty fields'],
      ['--detailed-exitcode', 'exit with 2 if the plan has changes'],
      choice('-o, --output <FORMAT>', 'markdown: for a pull request', ['text', 'markdown']).default('text'),
      ...selectionOptions,
    ],
  } as const
  declare<PlanOptions>(program, plan, async (cli, [name = ''], options) => {
    if (selectsSeveral(name, options)) return (await import('./plan-all.js')).planAll(cli, options)
    const view = await requestPlan(cli, name, options)
    if (options.out !== undefined && view.uninstall === true) throw usageErrors.savedUninstall(name, view.digest)
    if (options.out !== undefined) await writePlan(cli, options.out, view)
    await showPlan(cli, options, view)
    if (options.out !== undefined) await reportSaved(cli, options.out, view, options.ref)
    return options.detailedExitcode === true && view.changes.length > 0 ? exitCode.changes : exitCode.ok
  })
}

async function requestPlan(cli: Invocation, name: string, { ref, dir }: PlanOptions): Promise<PlanView> {
  if (dir !== undefined) return (await import('./plan-directory.js')).planDirectory(cli, name, dir)
  const request = cli.client.request<PlanView>('POST', stackPath(name, 'plan'), { body: { ref } })
  return sayingPollWait(cli, name, request)
}

export function addApplyVerb(program: Command, declare: Declare): void {
  const apply = {
    usage: 'apply FILE',
    summary: 'apply a saved plan; exit code 8 if the plan is stale',
    example: 'apply boards.plan',
    notes: 'FILE: from `gitmoor plan NAME --out FILE`; -: standard input. Applying it approves exactly that plan.',
    options: overrideOptions,
  }
  declare<OverrideOptions>(program, apply, async (cli, [file = ''], override) => {
    const { readPlanFile } = await import('../../files/plan-file.js')
    const { stackName, revision, digest } = await readPlanFile(file, cli)
    const body = { revision, digest, ...overrideBody(override) }
    const request = cli.client.request<AppliedRow>('POST', stackPath(stackName, 'apply'), { body })
    return finishApplying(cli, stackName, await orStoppedWaiting(cli, stackName, request))
  })
}

/** Prints a plan, and as text the warnings of the package to stderr. */
async function showPlan(cli: Invocation, { ref, dir, full, output }: PlanOptions, plan: PlanView): Promise<void> {
  const shown = ref === undefined && dir === undefined ? plan : asPreview(plan, dir)
  if (output === 'markdown') {
    const { planMarkdown } = await import('../../text/plan/plan-markdown.js')
    return cli.out.answer(plan, () => planMarkdown([{ name: plan.stackName, value: shown }]))
  }
  const source = [...(ref === undefined ? [] : ['--ref', ref]), ...(dir === undefined ? [] : ['--dir', dir])]
  const again = printable(['gitmoor', 'plan', plan.stackName, ...source, '--full'].map(shellWord).join(' '))
  cli.out.answer(plan, (display) => planLines(shown, inFull(display, full), again))
  if (!cli.out.json) cli.out.message(({ style }) => plan.problems.flatMap((problem) => problemLines(problem, style)))
}

async function writePlan(cli: Invocation, file: string, plan: PlanView): Promise<void> {
  const { writePlanFile } = await import('../../files/plan-file.js')
  await writePlanFile(file, cli.cwd, plan)
}

/** `apply` refuses the plan of another ref until the stack follows it, and any plan of a blocked stack. */
async function reportSaved(cli: Invocation, file: string, plan: PlanView, ref: string | undefined): Promise<void> {
  if (cli.out.json) return
  const conditions = [
    ...(ref === undefined ? [] : [`the stack follows ${printable(ref)}`]),
    ...blockedReasons(plan).flatMap((reason) => applyConditions[reason] ?? []),
  ]
  const when = conditions.length === 0 ? 'Apply it' : `Apply it when ${conditions.join(' and ')}`
  const apply = `gitmoor apply ${printable(shellWord(file))}`
  cli.out.message(() => [`Saved plan to ${printable(file)}. ${when}: ${apply}`])
  if (conditions.length > 0 || plan.changes.length === 0 || plan.needsApproval.length > 0) return
  const { spec } = await cli.client.request<StackView>('GET', stackPath(plan.stackName))
  if (spec.apply !== 'auto') return
  const name = printable(plan.stackName)
  cli.out.message(() => [
    `${name} also applies it by itself, soon after it finds the revision.`,
    `  Let every plan wait for approval: gitmoor stack set ${name} --apply approval`,
  ])
}

/** What must be true before `apply` accepts the plan of a stack with this blocker. */
const applyConditions: Readonly<Record<string, string>> = {
  ConfigurationMissing: 'the agent has its configuration file',
  Suspended: 'the stack is resumed',
  Window: 'the window is open',
}
