import type { Command } from 'commander'
import { printable } from '../../lib/printable.js'
import type { AppliedRow } from '../../views/run.js'
import type { PlanView } from '../../views/plan.js'
import { exitCode } from '../exit-code.js'
import { stackPath } from '../client/stack-path.js'
import { finishRun } from './follow-run.js'
import type { Declare, Invocation } from '../invocation.js'
import { overrideBody, overrideOptions, type OverrideOptions } from './shared-options.js'
import { planLines } from '../text/plan-text.js'
import { age } from '../text/short-forms.js'
import { problemLines } from '../text/problem-text.js'
import { inFull } from '../text/text.js'

interface PlanOptions {
  readonly ref?: string
  readonly out?: string
  readonly full?: true
  readonly detailedExitcode?: true
}

export function addPlanVerb(program: Command, declare: Declare): void {
  const plan = {
    usage: 'plan NAME',
    summary: 'show what a sync would change; writes nothing to the target',
    example: 'plan boards --ref beta',
    notes: 'On a terminal, long values are shortened. Empty fields of new resources are left out.',
    options: [
      ['--ref <REF>', 'plan another ref'],
      ['--out <FILE>', 'save the plan for `gitmoor apply`'],
      ['--full', 'print everything, also long values and empty fields'],
      ['--detailed-exitcode', 'exit with 2 if the plan has changes'],
    ],
  } as const
  declare<PlanOptions>(program, plan, async (cli, [name = ''], options) => {
    const body = options.ref === undefined ? {} : { ref: options.ref }
    const view = await cli.client.request<PlanView>('POST', stackPath(name, 'plan'), { body })
    if (options.out !== undefined) await writePlan(cli, options.out, view)
    showPlan(cli, options, view)
    if (options.out !== undefined) reportSaved(cli, options.out, options.ref)
    return options.detailedExitcode === true && view.changes.length > 0 ? exitCode.changes : exitCode.ok
  })
}

/** A plan of another ref cannot be approved, so it is shown without reasons for approval. */
function previewPlan(plan: PlanView): PlanView {
  return { ...plan, needsApproval: [] }
}

export function addApplyVerb(program: Command, declare: Declare): void {
  const apply = {
    usage: 'apply PLAN',
    summary: 'apply a saved plan; exit code 8 if the plan is stale',
    example: 'apply boards.plan',
    notes: 'PLAN: a file from `gitmoor plan NAME --out FILE`. Applying it approves exactly that plan.',
    options: overrideOptions(),
  }
  declare<OverrideOptions>(program, apply, async (cli, [file = ''], override) => {
    const { readPlanFile } = await import('../files/plan-file.js')
    const { stackName, revision, digest } = readPlanFile(file, cli.cwd)
    const run = await cli.client.request<AppliedRow>('POST', stackPath(stackName, 'apply'), {
      body: { revision, digest, ...overrideBody(override) },
    })
    if (run.already === true) {
      cli.out.answer(run, ({ style, now }) => {
        const when = age(run.finishedAt, now)
        return [`${style.bold(printable(stackName))}: run ${printable(run.id)} already applied this plan ${when}.`]
      })
      return exitCode.ok
    }
    return finishRun(cli, stackName, run)
  })
}

/** Prints a plan, and the warnings of the package to stderr. */
function showPlan(cli: Invocation, { ref, full }: PlanOptions, plan: PlanView): void {
  const shown = ref === undefined ? plan : previewPlan(plan)
  const again = `gitmoor plan ${printable(plan.stackName)}${ref === undefined ? '' : ` --ref ${printable(ref)}`} --full`
  cli.out.answer(plan, (display) => planLines(shown, inFull(display, full), again))
  if (!cli.out.json) cli.out.message(({ style }) => plan.problems.flatMap((problem) => problemLines(problem, style)))
}

async function writePlan(cli: Invocation, file: string, plan: PlanView): Promise<void> {
  const { writePlanFile } = await import('../files/plan-file.js')
  await writePlanFile(file, cli.cwd, plan)
}

/** A plan for another ref applies only after the stack follows it. */
function reportSaved(cli: Invocation, file: string, ref: string | undefined): void {
  const shown = printable(file)
  const when = ref === undefined ? 'Apply it' : `Apply it while the stack follows ${printable(ref)}`
  if (!cli.out.json) cli.out.message(() => [`Saved plan to ${shown}. ${when}: gitmoor apply ${shown}`])
}
