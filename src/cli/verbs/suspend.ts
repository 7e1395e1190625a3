import { Option, type Command } from 'commander'
import { printable } from '../../lib/printable.js'
import type { StackView } from '../../views/stack.js'
import { exitCode } from '../exit-code.js'
import { stackPath } from './follow-run.js'
import type { Declare } from '../invocation.js'
import { showTime } from '../text/short-forms.js'
import { readDuration } from './shared-options.js'

export function addSuspendVerb(program: Command, declare: Declare): void {
  const suspend = {
    usage: 'suspend NAME',
    summary: 'write nothing to the target until resumed',
    example: 'suspend boards --reason "moving the target" --for 2h',
    options: [
      new Option('--reason <TEXT>', 'why').makeOptionMandatory(),
      ['--for <time>', 'ends by itself after this time'],
    ],
  } as const
  declare<{ reason: string; for?: string }>(program, suspend, async (at, [name = ''], options) => {
    const forMs = options.for === undefined ? undefined : readDuration('--for', options.for)
    const stack = await at.client.request<StackView>('POST', stackPath(name, 'suspend'), {
      body: { reason: options.reason, forMs },
    })
    const until = stack.suspended?.until ?? null
    const end = until === null ? `until \`gitmoor resume ${printable(stack.name)}\`` : `until ${showTime(until)}`
    at.out.answer(stack, () => [`${printable(stack.name)} is suspended ${end}: nothing is written.`])
    return exitCode.ok
  })
}

export function addResumeVerb(program: Command, declare: Declare): void {
  const resume = { usage: 'resume NAME', summary: 'end a suspension', example: 'resume boards' }
  declare(program, resume, async (at, [name = '']) => {
    const stack = await at.client.request<StackView>('POST', stackPath(name, 'resume'))
    at.out.answer(stack, () => [`${printable(stack.name)} is resumed.`])
    return exitCode.ok
  })
}
