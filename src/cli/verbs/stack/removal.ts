import type { Command } from 'commander'
import { printable } from '../../../lib/printable.js'
import type { PlanView } from '../../../views/plan.js'
import type { RunView } from '../../../views/run.js'
import type { StackView } from '../../../views/stack.js'
import { exitCode } from '../../exit-code.js'
import { stackPath } from '../../client/stack-path.js'
import { reportRun } from '../follow-run.js'
import type { Declare, Invocation } from '../../invocation.js'
import { overrideBody, overrideOptions, overrideQuery, type OverrideOptions } from '../shared-options.js'
import { planLines } from '../../text/plan-text.js'
import { numberOf } from '../../text/short-forms.js'

/** stack uninstall and delete. */
export function addRemovalVerbs(stack: Command, declare: Declare): void {
  addUninstall(stack, declare)
  addDelete(stack, declare)
}

function addUninstall(stack: Command, declare: Declare): void {
  const uninstall = {
    usage: 'uninstall NAME',
    summary: 'delete the resources of a stack, and suspend the stack',
    example: 'stack uninstall boards',
    options: [['--yes', 'skip the confirmation'], ...overrideOptions],
    notes:
      'Shows the plan and asks for confirmation.\n`gitmoor resume NAME` ' +
      'or the next pushed package creates the resources again.',
  } as const
  declare<OverrideOptions & { yes?: true }>(stack, uninstall, async (cli, [name = ''], { yes, ...override }) => {
    const { digest } = await confirmedPlan(
      cli,
      name,
      yes === true,
      (target) => `Delete these resources from target ${target}?`,
    )
    const answer = await cli.client.request<{ run: RunView }>('POST', stackPath(name, 'uninstall'), {
      body: { digest, ...overrideBody(override) },
    })
    return reportRun(cli, name, answer.run, { uninstalled: name, ...answer })
  })
}

function addDelete(stack: Command, declare: Declare): void {
  const remove = {
    usage: 'delete NAME',
    summary: 'delete a stack; its resources stay, unless --uninstall deletes them first',
    notes: 'Asks for confirmation on a terminal.',
    example: 'stack delete boards --uninstall',
    options: [
      ['--uninstall', 'delete its resources first: shows the plan and asks for confirmation'],
      ['--yes', 'skip the confirmation'],
      ...overrideOptions,
    ],
  } as const
  declare<OverrideOptions & { uninstall?: true; yes?: true }>(
    stack,
    remove,
    async (cli, [name = ''], { uninstall, yes, ...override }) => {
      if (uninstall === true) return deleteUninstalled(cli, name, { yes: yes === true, ...override })
      return deleteKeeping(cli, name, yes === true)
    },
  )
}

/** Deletes the stack and keeps its resources. Asks on a terminal only, so that scripts need no option. */
async function deleteKeeping(cli: Invocation, name: string, yes: boolean): Promise<number> {
  const { resources, target } = await cli.client.request<StackView>('GET', stackPath(name))
  const stay = staying(resources.length, printable(target))
  if (cli.interactive && !yes) {
    const { confirm } = await import('../../confirm.js')
    await confirm(cli, `Delete ${name}? ${stay}`)
  }
  const answer = await cli.client.request<{ run?: RunView }>('DELETE', stackPath(name))
  cli.out.answer({ deleted: name, ...answer }, () => [
    `Deleted ${printable(name)}. ${stay}`,
    ...(resources.length === 0 ? [] : [adoptAgain(printable(name))]),
  ])
  return exitCode.ok
}

function staying(count: number, target: string): string {
  if (count === 0) return 'It has no resources.'
  return count === 1
    ? `1 resource stays on target ${target} without an owner.`
    : `${numberOf(count, 'resource')} stay on target ${target} without an owner.`
}

function adoptAgain(name: string): string {
  return (
    `  next: To manage them again, create the stack again: gitmoor stack create ${name} --repo URL. ` +
    `It adopts resources that it recognizes; name others: gitmoor stack adopt ${name} ADDRESS --id ID`
  )
}

async function deleteUninstalled(
  cli: Invocation,
  name: string,
  { yes, ...override }: OverrideOptions & { readonly yes: boolean },
): Promise<number> {
  const plan = await confirmedPlan(
    cli,
    name,
    yes,
    (target) => `Delete these resources from target ${target}, and delete ${name}?`,
  )
  const answer = await cli.client.request<{ run?: RunView }>('DELETE', stackPath(name), {
    query: { uninstall: plan.digest, ...overrideQuery(override) },
  })
  if (answer.run !== undefined) return reportRun(cli, name, answer.run, { deleted: name, ...answer })
  cli.out.answer({ deleted: name }, () => [`Deleted ${printable(name)}.`])
  return exitCode.ok
}

/** The plan that deletes all resources, after the person confirmed it. Errors: `CliError` without confirmation. */
async function confirmedPlan(
  cli: Invocation,
  name: string,
  yes: boolean,
  question: (target: string) => string,
): Promise<PlanView> {
  const plan = await cli.client.request<PlanView>('POST', stackPath(name, 'plan'), { body: { uninstall: true } })
  if (yes) return plan
  const { confirm } = await import('../../confirm.js')
  // The confirmation approves it.
  if (!cli.out.json) cli.out.message((display) => planLines({ ...plan, needsApproval: [] }, display))
  await confirm(cli, question(plan.target))
  return plan
}
