import type { Command } from 'commander'
import { printable } from '../../lib/printable.js'
import type { StackView } from '../../views/stack.js'
import { exitCode } from '../exit-code.js'
import { stackPath } from '../client/stack-path.js'
import type { Declare } from '../invocation.js'
import { showTime } from '../text/short-forms.js'
import { readDuration, requiredWhyOption } from './shared-options.js'

export function addSuspendVerb(program: Command, declare: Declare): void {
  const suspend = {
    usage: 'suspend NAME',
    summary: 'stop writing to the target until resumed',
    example: 'suspend boards --why "moving the target" --for 2h',
    options: [requiredWhyOption(), ['--for <DURATION>', 'resume automatically after this time']],
  } as const
  declare<{ why: string; for?: string }>(program, suspend, async (cli, [name = ''], options) => {
    const forMs = options.for === undefined ? undefined : readDuration('--for', options.for)
    const stack = await cli.client.request<StackView>('POST', stackPath(name, 'suspend'), {
      body: { reason: options.why, forMs },
    })
    const until = stack.suspended?.until ?? null
    const suspended = `${printable(stack.name)}${until === null ? '' : ` until ${showTime(until)}`}`
    cli.out.answer(stack, () => [
      `Suspended ${suspended}. gitmoor writes nothing to its target.`,
      `  next: gitmoor resume ${printable(stack.name)}`,
    ])
    return exitCode.ok
  })
}

export function addResumeVerb(program: Command, declare: Declare): void {
  const resume = { usage: 'resume NAME', summary: 'end a suspension', example: 'resume boards' }
  declare(program, resume, async (cli, [name = '']) => {
    const stack = await cli.client.request<StackView>('POST', stackPath(name, 'resume'))
    cli.out.answer(stack, () => [`Resumed ${printable(stack.name)}.`])
    return exitCode.ok
  })
}
