import { Option, type Command } from 'commander'
import { printable } from '../../../lib/text/printable.js'
import type { ReleasedResource } from '../../../views/resource.js'
import type { RunRow } from '../../../views/run.js'
import { exitCode } from '../../exit-code.js'
import { stackPath } from '../../client/stack-path.js'
import type { ConfirmOptions } from '../../confirm.js'
import type { Declare } from '../../invocation.js'
import { yesOption } from '../shared-options.js'

/** stack adopt and release. */
export function addOwnershipVerbs(stack: Command, declare: Declare): void {
  addAdopt(stack, declare)
  addRelease(stack, declare)
}

function addAdopt(stack: Command, declare: Declare): void {
  const adopt = {
    usage: 'adopt NAME ADDRESS',
    summary: 'import an existing resource into a stack',
    example: 'stack adopt boards Dashboard/ops --id 0a1b2c3d4e5f6071',
    options: [
      new Option('--id <ID>', 'ID of the resource on the target: `gitmoor resource list`').makeOptionMandatory(),
    ],
    notes:
      'ADDRESS: as the package declares it.\nadopt writes nothing to the target. ' +
      'The next sync changes the resource to its declared state.',
  }
  declare<{ id: string }>(stack, adopt, async (cli, [name = '', address = ''], { id }) => {
    const answer = await cli.client.request<{ run: RunRow }>('POST', stackPath(name, 'adopt'), {
      body: { address, id },
    })
    cli.out.answer({ adopted: address, id, ...answer }, () => [
      `${printable(name)} now owns ${printable(address)} (${printable(id)}).`,
      'The next sync changes it to its declared state.',
    ])
    return exitCode.ok
  })
}

function addRelease(stack: Command, declare: Declare): void {
  const release = {
    usage: 'release NAME ADDRESS',
    summary: 'stop managing a resource, and keep it on the target',
    example: 'stack release boards Bucket/raw',
    options: [yesOption],
    notes:
      'While the package declares the resource, the next sync adopts it again. Dashboard, NotificationRule, Task and ' +
      'Telegraf are not found by name: the next sync creates a second one. ' +
      'To avoid both, suspend the stack, release, remove the resource from the package, then resume.',
  }
  declare<ConfirmOptions>(stack, release, async (cli, [name = '', address = ''], options) => {
    const { confirm } = await import('../../confirm.js')
    await confirm(
      cli,
      `Release ${address} from ${name}? It stays on the target, and ${name} no longer manages it.`,
      options,
    )
    const answer = await cli.client.request<ReleasedResource>('POST', stackPath(name, 'release'), { body: { address } })
    cli.out.answer({ released: address, ...answer }, () => [
      `${printable(name)} no longer owns ${printable(address)}. It stays on the target.`,
      ...nextStepLines(printable(name), printable(address), answer),
    ])
    return exitCode.ok
  })
}

/** Names and addresses are printable. */
function nextStepLines(name: string, address: string, { id, findsAgain }: ReleasedResource): readonly string[] {
  if (findsAgain) return ['While the package declares it, the next sync adopts it again.']
  const [family = ''] = address.split('/')
  return [
    `While the package declares it, the next sync creates a second ${family}: gitmoor cannot find a ${family} by name.`,
    `  next: gitmoor suspend ${name} --why "REASON". Then remove it from the package`,
    `  To own it again: gitmoor stack adopt ${name} ${address} --id ${printable(id)}`,
  ]
}
