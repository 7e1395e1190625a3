import { Option, type Command } from 'commander'
import { printable } from '../../../lib/printable.js'
import type { ReleasedResource } from '../../../views/resource.js'
import type { RunRow } from '../../../views/run.js'
import { exitCode } from '../../exit-code.js'
import { stackPath } from '../follow-run.js'
import type { Declare } from '../../invocation.js'

/** stack adopt, release. */
export function addOwnershipVerbs(stack: Command, declare: Declare): void {
  addAdopt(stack, declare)
  addRelease(stack, declare)
}

function addAdopt(stack: Command, declare: Declare): void {
  const adopt = {
    usage: 'adopt NAME ADDRESS',
    summary: 'take what is on the target into a stack, under the address that its package declares',
    example: 'stack adopt boards Dashboard/ops --id 0a1b2c3d4e5f6071',
    options: [new Option('--id <ID>', 'who it is on the target: `gitmoor resource list`').makeOptionMandatory()],
    notes: 'Nothing is written to the target. The next sync makes it what the package declares.',
  }
  declare<{ id: string }>(stack, adopt, async (at, [name = '', address = ''], { id }) => {
    const answer = await at.client.request<{ run: RunRow }>('POST', stackPath(name, 'adopt'), { body: { address, id } })
    at.out.answer({ adopted: address, id, ...answer }, () => [
      `${printable(name)} has ${printable(address)} now: it is ${printable(id)}. The next sync makes it what the package declares.`,
    ])
    return exitCode.ok
  })
}

function addRelease(stack: Command, declare: Declare): void {
  const release = {
    usage: 'release NAME ADDRESS',
    summary: 'give up what a stack owns; it stays on the target as it is',
    example: 'stack release boards Bucket/raw',
    notes:
      'While the package declares it, the next sync takes it over by its name, or makes a second one of what is not found by name (Dashboard, NotificationRule, Task, Telegraf): suspend the stack, release, take it out of the package, resume.',
  }
  declare(stack, release, async (at, [name = '', address = '']) => {
    const answer = await at.client.request<ReleasedResource>('POST', stackPath(name, 'release'), { body: { address } })
    at.out.answer({ released: address, ...answer }, () => [
      `${printable(name)} has given up ${printable(address)}; it stays on the target.`,
      ...nextStepLines(printable(name), printable(address), answer),
    ])
    return exitCode.ok
  })
}

/** Names and addresses are printable. */
function nextStepLines(name: string, address: string, { id, findsAgain }: ReleasedResource): readonly string[] {
  if (findsAgain) return ['While the package declares it, the next sync takes it over again.']
  const [family = ''] = address.split('/')
  return [
    `While the package declares it, the next sync makes a second ${family}: a ${family} is not found by its name.`,
    `Take it out of the package before that, and meanwhile: gitmoor suspend ${name}`,
    `To have it back: gitmoor stack adopt ${name} ${address} --id ${printable(id)}`,
  ]
}
