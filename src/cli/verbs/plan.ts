import type { Command } from 'commander'
import { printable } from '../../lib/printable.js'
import type { AppliedRow } from '../../views/run.js'
import type { PlanView } from '../../views/plan.js'
import { exitCode } from '../exit-code.js'
import { finishRun, stackPath } from './follow-run.js'
import type { Declare, Invocation } from '../invocation.js'
import { overrideBody, overrideOptions, type OverrideOptions } from './shared-options.js'
import { planLines } from '../text/plan-text.js'
import { age } from '../text/short-forms.js'
import { problemLines } from '../text/problem-text.js'

export function addPlanVerb(program: Command, declare: Declare): void {
  const plan = {
    usage: 'plan NAME',
    summary: 'what a sync would do now; writes nothing to the target',
    example: 'plan boards --ref beta',
    options: [
      ['--ref <REF>', 'of another ref than the one it follows'],
      ['--out <FILE>', 'write the plan to a file, for `gitmoor apply`'],
      ['--detailed-exitcode', 'end with 2 if there is something to change'],
    ],
  } as const
  declare<{ ref?: string; out?: string; detailedExitcode?: true }>(program, plan, async (at, [name = ''], options) => {
    const body = options.ref === undefined ? {} : { ref: options.ref }
    const view = await at.client.request<PlanView>('POST', stackPath(name, 'plan'), { body })
    if (options.out !== undefined) await writePlan(at, options.out, view)
    showPlan(at, options.ref === undefined ? view : previewPlan(view), view)
    return options.detailedExitcode === true && view.changes.length > 0 ? exitCode.changes : exitCode.ok
  })
}

/** A plan of a ref that the stack does not follow is only looked at: nobody can approve it. */
function previewPlan(plan: PlanView): PlanView {
  return { ...plan, needsApproval: [] }
}

export function addApplyVerb(program: Command, declare: Declare): void {
  const apply = {
    usage: 'apply PLAN',
    summary: 'carry out exactly the plan in a file; refused (8) where something else would be done now',
    example: 'apply boards.plan',
    notes: 'PLAN: a file that `gitmoor plan NAME --out FILE` wrote. It is consent to exactly that plan.',
    options: overrideOptions(),
  }
  declare<OverrideOptions>(program, apply, async (at, [file = ''], override) => {
    const { readPlanFile } = await import('../files/plan-file.js')
    const { stackName, revision, digest } = readPlanFile(file, at.cwd)
    const run = await at.client.request<AppliedRow>('POST', stackPath(stackName, 'apply'), {
      body: { revision, digest, ...overrideBody(override) },
    })
    if (run.already === true) {
      const said = `this plan was carried out already, by run ${printable(run.id)}`
      at.out.answer(run, (look) => [
        `${look.style.bold(printable(stackName))}: ${said} ${age(run.finishedAt, look.now)}; nothing is left to do.`,
      ])
      return exitCode.ok
    }
    return finishRun(at, stackName, run)
  })
}

/** Prints a plan (`value` with `--json`); the package's warnings go to stderr. */
export function showPlan(at: Invocation, plan: PlanView, value: object): void {
  at.out.answer(value, (look) => planLines(plan, look))
  if (!at.out.json) at.out.message(({ style }) => plan.problems.flatMap((problem) => problemLines(problem, style)))
}

async function writePlan(at: Invocation, file: string, plan: PlanView): Promise<void> {
  const { writePlanFile } = await import('../files/plan-file.js')
  await writePlanFile(file, at.cwd, plan)
  at.out.progress(`written to ${file}; carry it out with: gitmoor apply ${file}`)
}
