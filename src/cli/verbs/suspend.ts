import type { Command } from 'commander'
import { printable } from '../../lib/text/printable.js'
import { suspensionRange } from '../../settings/schema/interval.js'
import { isUndeclared, isUninstall } from '../../model/stacks/stack.js'
import { isOwner, ownerText } from '../../model/stacks/stack-owner.js'
import type { StackRow, StackView } from '../../views/stack.js'
import { exitCode } from '../exit-code.js'
import { stackPath } from '../client/stack-path.js'
import type { Declare } from '../invocation.js'
import { nextLines } from '../text/next-lines.js'
import { showTime } from '../text/short-forms.js'
import { changeEach, selectedStacks, selectionOptions, selectsSeveral, type StackSelection } from './several-stacks.js'
import { readDuration, requiredWhyOption } from './shared-options.js'

export function addSuspendVerb(program: Command, declare: Declare): void {
  const suspend = {
    usage: 'suspend [NAME]',
    summary: 'stop writing to the target of one or more stacks until they are resumed',
    example: 'suspend boards --why "moving the target" --for 2h',
    options: [requiredWhyOption(), ['--for <DURATION>', 'resume automatically after this time'], ...selectionOptions],
    notes: '--selector and --all leave alone the stacks that are suspended already.',
  } as const
  declare<StackSelection & { why: string; for?: string }>(program, suspend, async (cli, [name = ''], options) => {
    const forMs = options.for === undefined ? undefined : readDuration('--for', options.for, suspensionRange)
    const body = { why: options.why, forMs }
    const request = (one: string): Promise<StackView> => cli.client.request('POST', stackPath(one, 'suspend'), { body })
    if (selectsSeveral(name, options)) {
      const stacks = await selectedStacks(cli, options, { and: ' and is not suspended', query: { suspended: 'false' } })
      return changeEach(cli, stacks, { request, line: suspendedLine, word: () => 'suspended' })
    }
    const stack = await request(name)
    cli.out.answer(stack, () => [
      `${suspendedLine(name, stack)} gitmoor writes nothing to its target.`,
      `  next: gitmoor resume ${printable(stack.name)}`,
    ])
    return exitCode.ok
  })
}

function suspendedLine(_: string, { name, suspended }: StackView): string {
  const until = suspended?.until ?? null
  return `Suspended ${printable(name)}${until === null ? '' : ` until ${showTime(until)}`}.`
}

export function addResumeVerb(program: Command, declare: Declare): void {
  const resume = {
    usage: 'resume [NAME]',
    summary: 'end the suspension of one or more stacks',
    example: 'resume boards',
    options: selectionOptions,
    notes:
      '--selector and --all resume the suspended stacks among these. They leave alone the stacks that the ' +
      'configuration file or their fleet no longer declares, and those that were uninstalled.',
  }
  declare<StackSelection>(program, resume, async (cli, [name = ''], options) => {
    const request = (one: string): Promise<StackView> => cli.client.request('POST', stackPath(one, 'resume'))
    if (selectsSeveral(name, options)) {
      const stacks = await selectedStacks(cli, options, { and: ' and is suspended', query: { suspended: 'true' } })
      const leftAlone = stacks.filter(isLeftAlone)
      if (!cli.out.json) cli.out.lines(() => leftAlone.map(leftAloneLine))
      const others = stacks.filter((one) => !isLeftAlone(one))
      return changeEach(cli, others, { request, line: resumedLine, word: () => 'resumed' })
    }
    const stack = await request(name)
    const { state, message, next } = stack.status
    const failure = state === 'Failed' ? [`But it cannot sync: ${printable(message)}`, ...nextLines(next)] : []
    cli.out.answer(stack, () => [resumedLine(name, stack), ...failure])
    return exitCode.ok
  })
}

function resumedLine(_: string, { name }: StackView): string {
  return `Resumed ${printable(name)}.`
}

/** Resuming it would have an effect that nobody asked for. */
function isLeftAlone(stack: StackRow): boolean {
  return isUndeclared(stack) || wasUninstalled(stack)
}

function wasUninstalled({ suspended }: StackRow): boolean {
  return suspended !== null && isUninstall(suspended.why)
}

function leftAloneLine(stack: StackRow): string {
  const { name, managedBy } = stack
  if (wasUninstalled(stack))
    return `${printable(name)}: not changed, because it was uninstalled. Install it again: gitmoor resume ${printable(name)}`
  const owner = isOwner(managedBy) ? ownerText(managedBy) : managedBy
  return `${printable(name)}: not changed, because ${printable(owner)} no longer declares it.`
}
