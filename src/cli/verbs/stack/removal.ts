import type { Command } from 'commander'
import { printable } from '../../../lib/text/printable.js'
import { shellWord } from '../../../lib/text/shell-word.js'
import { sourcePath } from '../../../model/sources/source-spec.js'
import type { PlanView } from '../../../views/plan.js'
import type { RunView } from '../../../views/run.js'
import type { StackView } from '../../../views/stack.js'
import type { ConfirmOptions, LostResource } from '../../confirm.js'
import { exitCode } from '../../exit-code.js'
import { stackPath } from '../../client/stack-path.js'
import { orStoppedWaiting, reportRun } from '../sync/follow-run.js'
import type { Declare, Invocation } from '../../invocation.js'
import {
  consentOption,
  overrideBody,
  overrideOptions,
  overrideQuery,
  yesOption,
  type OverrideOptions,
} from '../shared-options.js'
import { asPreview, planLines } from '../../text/plan/plan-text.js'
import { problemLines } from '../../text/problem-text.js'
import { deletedLines } from '../../text/run-text.js'
import { creatableName, numberOf } from '../../text/short-forms.js'

type RemovalOptions = OverrideOptions & ConfirmOptions

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
    options: [yesOption, consentOption(), ...overrideOptions],
    notes:
      'Shows the plan and asks for confirmation.\n`gitmoor resume NAME` ' +
      'or the next pushed package creates the resources again.',
  } as const
  declare<RemovalOptions>(stack, uninstall, async (cli, [name = ''], { yes, consent, ...override }) => {
    const question = (removed: string): string => `Delete ${removed}?`
    const { digest } = await confirmedPlan(cli, name, { yes, consent }, { body: { uninstall: true }, question })
    const body = { digest, ...overrideBody(override) }
    const request = cli.client.request<{ run: RunView }>('POST', stackPath(name, 'uninstall'), { body })
    const answer = await orStoppedWaiting(cli, name, request)
    return reportRun(cli, name, answer.run, { uninstalled: name, ...answer })
  })
}

function addDelete(stack: Command, declare: Declare): void {
  const remove = {
    usage: 'delete NAME',
    summary: 'delete a stack; its resources stay, unless --uninstall deletes them first',
    notes: 'Says what stays or is deleted, and asks for confirmation.',
    example: 'stack delete boards --uninstall',
    options: [
      ['--uninstall', 'delete its resources first: shows the plan'],
      yesOption,
      consentOption(),
      ...overrideOptions,
    ],
  } as const
  declare<RemovalOptions & { uninstall?: true }>(stack, remove, async (cli, [name = ''], { uninstall, ...options }) =>
    uninstall === true ? deleteUninstalled(cli, name, options) : deleteKeeping(cli, name, options),
  )
}

/** Deletes the stack and keeps its resources. */
async function deleteKeeping(cli: Invocation, name: string, options: ConfirmOptions): Promise<number> {
  const stack = await cli.client.request<StackView>('GET', stackPath(name))
  const { resources, target } = stack
  const stay = staying(resources.length, printable(target))
  const { confirm } = await import('../../confirm.js')
  await confirm(cli, `Delete ${name}? ${stay}`, options)
  const answer = await cli.client.request<{ run?: RunView }>('DELETE', stackPath(name))
  cli.out.answer({ deleted: name, ...answer }, () => [
    `Deleted ${printable(name)}. ${stay}`,
    ...(resources.length === 0 ? [] : adoptAgain(stack).map((line) => `  ${printable(line)}`)),
  ])
  return exitCode.ok
}

function staying(count: number, target: string): string {
  if (count === 0) return 'It has no resources.'
  return count === 1
    ? `1 resource stays on target ${target} without an owner, unless another stack shares it.`
    : `${numberOf(count, 'resource')} stay on target ${target} without an owner, unless another stack shares them.`
}

function adoptAgain(stack: StackView): readonly string[] {
  const { resources } = stack
  const name = creatableName(stack.name)
  const other = resources.at(-1)
  return [
    `next: To manage them again, create the stack again: ${createCommand({ ...stack, name })}`,
    ...(other === undefined
      ? []
      : [
          `It adopts resources that it finds by name. Adopt others by id, for example: ` +
            `gitmoor stack adopt ${name} ${shellWord(`${other.kind}/${other.name}`)} --id ${other.id}`,
        ]),
  ]
}

/** The command that creates the stack again, from its source and for its target. */
function createCommand({ name, target, spec: { sources } }: StackView): string {
  const [source, ...more] = sources
  if (source === undefined || more.length > 0) return `gitmoor stack create ${name} -f FILE`
  const below = sourcePath(source)
  const rest = `${below === '' ? '' : ` --path ${shellWord(below)}`} --target ${shellWord(target)}`
  switch (source.kind) {
    case 'git':
      return `gitmoor stack create ${name} --repo ${shellWord(source.url)} --ref ${shellWord(source.ref)}${rest}`
    case 'url':
      return `gitmoor stack create ${name} --url ${shellWord(source.url)}${rest}`
    case 'directory':
      return `gitmoor stack create ${name} --dir ${shellWord(source.directory)}${rest}`
    case 'inline':
      return `gitmoor stack create ${name} --inline${rest}`
  }
}

async function deleteUninstalled(
  cli: Invocation,
  name: string,
  { yes, consent, ...override }: RemovalOptions,
): Promise<number> {
  const question = (removed: string): string => `Delete ${removed}, and delete ${name}?`
  const plan = await confirmedPlan(cli, name, { yes, consent }, { body: { delete: true }, question })
  const query = { uninstall: plan.digest, ...overrideQuery(override) }
  const request = cli.client.request<{ run?: RunView }>('DELETE', stackPath(name), { query })
  const answer = await orStoppedWaiting(cli, name, request)
  const { run } = answer
  cli.out.answer({ deleted: name, ...answer }, (display) =>
    run === undefined ? [`Deleted ${printable(name)}.`] : deletedLines(run, name, display),
  )
  if (!cli.out.json) cli.out.message(({ style }) => (run?.problems ?? []).flatMap((one) => problemLines(one, style)))
  return exitCode.ok
}

/**
 * The plan that deletes all resources, after the person confirmed it. `body`: a plan of a deletion is refused before
 * the question if the stack cannot be deleted. `question`: about `3 resources from target lab`. Errors: `CliError`
 * without confirmation.
 */
async function confirmedPlan(
  cli: Invocation,
  name: string,
  options: ConfirmOptions,
  {
    body,
    question,
  }: {
    readonly body: { readonly uninstall: true } | { readonly delete: true }
    readonly question: (removed: string) => string
  },
): Promise<PlanView> {
  const plan = await cli.client.request<PlanView>('POST', stackPath(name, 'plan'), { body })
  const { confirm } = await import('../../confirm.js')
  // The confirmation approves all but the removal of protected resources.
  const protection = plan.needsApproval.filter(({ rule }) => rule === 'protect')
  if (options.yes !== true && !cli.out.json)
    cli.out.message((display) => planLines(asPreview({ ...plan, needsApproval: protection }), display))
  const removed = `${numberOf(plan.counts.remove, 'resource')} from target ${plan.target}`
  const approve = `gitmoor approve ${name} ${plan.digest.slice(0, 12)}`
  const approval = protection.length === 0 ? undefined : approve
  await confirm(cli, question(removed), options, { losses: lostData(plan), approval })
  return plan
}

/** The resources whose data the plan deletes. A stack with `dataLoss: allow` has consented to all. */
function lostData({ needsApproval }: PlanView): readonly LostResource[] {
  return needsApproval.flatMap(({ rule, address, message }) =>
    rule === 'data-loss' && address !== undefined ? [{ address, message }] : [],
  )
}
