import type { Command } from 'commander'
import { printable } from '../../../lib/printable.js'
import type { PlanView } from '../../../views/plan.js'
import type { RunView } from '../../../views/run.js'
import { exitCode } from '../../exit-code.js'
import { reportRun, stackPath } from '../follow-run.js'
import type { Declare, Invocation } from '../../invocation.js'
import { overrideBody, overrideOptions, overrideQuery, type OverrideOptions } from '../shared-options.js'
import { planLines } from '../../text/plan-text.js'

/** stack uninstall, delete. */
export function addRemovalVerbs(stack: Command, declare: Declare): void {
  addUninstall(stack, declare)
  addDelete(stack, declare)
}

function addUninstall(stack: Command, declare: Declare): void {
  const uninstall = {
    usage: 'uninstall NAME',
    summary: 'remove what a stack owns, and keep the stack, suspended: shows the plan and asks',
    example: 'stack uninstall boards',
    options: [['--yes', 'do not ask'], ...overrideOptions()],
    notes: 'It comes back with `gitmoor resume NAME`, or with the next package that is pushed to it.',
  } as const
  declare<OverrideOptions & { yes?: true }>(stack, uninstall, async (at, [name = ''], { yes, ...override }) => {
    const { digest } = await confirmedPlan(at, name, yes === true, (target) => `Remove this from target ${target}?`)
    const answer = await at.client.request<{ run: RunView }>('POST', stackPath(name, 'uninstall'), {
      body: { digest, ...overrideBody(override) },
    })
    return reportRun(at, name, answer.run, { uninstalled: name, ...answer })
  })
}

function addDelete(stack: Command, declare: Declare): void {
  const remove = {
    usage: 'delete NAME',
    summary: 'forget a stack; what it owns stays, unless --uninstall removes it first',
    example: 'stack delete boards --uninstall',
    options: [
      ['--uninstall', 'remove what it owns: shows the plan and asks'],
      ['--yes', 'do not ask'],
      ...overrideOptions(),
    ],
  } as const
  declare<OverrideOptions & { uninstall?: true; yes?: true }>(
    stack,
    remove,
    async (at, [name = ''], { uninstall, yes, ...override }) => {
      if (uninstall === true) return deleteUninstalled(at, name, { yes: yes === true, ...override })
      const answer = await at.client.request<{ run?: RunView }>('DELETE', stackPath(name))
      at.out.answer({ deleted: name, ...answer }, () => [
        `${printable(name)} is forgotten; what it owned stays on its target.`,
      ])
      return exitCode.ok
    },
  )
}

async function deleteUninstalled(
  at: Invocation,
  name: string,
  { yes, ...override }: OverrideOptions & { readonly yes: boolean },
): Promise<number> {
  const plan = await confirmedPlan(at, name, yes, (target) => `Remove this from target ${target} and forget ${name}?`)
  const answer = await at.client.request<{ run?: RunView }>('DELETE', stackPath(name), {
    query: { uninstall: plan.digest, ...overrideQuery(override) },
  })
  if (answer.run !== undefined) return reportRun(at, name, answer.run, { deleted: name, ...answer })
  at.out.answer({ deleted: name }, () => [`${printable(name)} is forgotten.`])
  return exitCode.ok
}

/** The plan that takes everything away, shown and agreed to. Errors: `CliError` where it is not. */
async function confirmedPlan(
  at: Invocation,
  name: string,
  yes: boolean,
  question: (target: string) => string,
): Promise<PlanView> {
  const plan = await at.client.request<PlanView>('POST', stackPath(name, 'plan'), { body: { uninstall: true } })
  if (yes) return plan
  const { confirm } = await import('../../confirm.js')
  if (!at.out.json) at.out.message((look) => planLines({ ...plan, needsApproval: [] }, look))
  await confirm(at, question(plan.target))
  return plan
}
