// resource: shows resources of a target, and changes them directly, without their stack.
import type { Command } from 'commander'
import { printable } from '../../../lib/text/printable.js'
import type { TargetResource } from '../../../views/resource.js'
import { maximumListItems, readPages } from '../../client/all-pages.js'
import { exitCode } from '../../exit-code.js'
import { choice, type Declare } from '../../invocation.js'
import { addCreate, addDelete, addEdit } from './change-resource.js'
import { resourcePath, scopeOptions, targetOption, whichNote, type Scope } from './resource-scope.js'
import { facts, table } from '../../text/table.js'
import type { Display } from '../../text/text.js'

/** resource list, get, edit, delete, create. */
export function addResourceVerbs(program: Command, declare: Declare): void {
  const resource = program
    .command('resource')
    .description('show resources of a target, or change them without their stack')
  addList(resource, declare)
  addGet(resource, declare)
  addEdit(resource, declare)
  addDelete(resource, declare)
  addCreate(resource, declare)
}

function addList(resource: Command, declare: Declare): void {
  const list = {
    usage: 'list',
    summary: 'list the resources of a target or of a stack',
    example: 'resource list --stack boards',
    options: [['--stack <NAME>', 'only resources of this stack'], targetOption],
  } as const
  declare<Scope>(resource, list, async (cli, _, { stack, target }) => {
    const page = await readPages<TargetResource>(cli.client, '/api/v1/resources', { stack, target }, maximumListItems)
    cli.out.answer(page, (display) => resourceListLines(page.items, display))
    return exitCode.ok
  })
}

function addGet(resource: Command, declare: Declare): void {
  const get = {
    usage: 'get WHICH',
    summary: 'show a resource',
    example: 'resource get Bucket/raw --stack boards',
    notes: whichNote,
    options: [...scopeOptions, choice('-o, --output <FORMAT>', 'yaml or json', ['yaml', 'json'])],
  }
  declare<Scope & { output?: 'yaml' | 'json' }>(resource, get, async (cli, [which = ''], { stack, target, output }) => {
    const found = await cli.client.request<TargetResource>('GET', resourcePath(which), { query: { stack, target } })
    if (output === 'json') {
      cli.out.answerJson(found)
      return exitCode.ok
    }
    const { stringify } = await import('yaml')
    const yamlLines = (value: object): readonly string[] =>
      stringify(value, { lineWidth: 0 }).trimEnd().split('\n').map(printable)
    cli.out.answer(found, (display) =>
      output === 'yaml'
        ? yamlLines(found)
        : [...resourceLines(found, display), ...yamlLines(found.actual).map((line) => `  ${line}`)],
    )
    return exitCode.ok
  })
}

function resourceListLines(resources: readonly TargetResource[], display: Display): readonly string[] {
  if (resources.length === 0) return ['No resources.']
  const rows = resources.map((one) =>
    [`${one.family}/${one.id}`, one.displayName, one.address ?? '-', one.stack ?? '-', one.target].map(printable),
  )
  return table(['FAMILY/ID', { heading: 'NAME', fit: 'cut' }, 'ADDRESS', 'STACK', 'TARGET'], rows, display)
}

/** The owner and identity of a resource; its state is printed below. */
function resourceLines(one: TargetResource, display: Display): readonly string[] {
  return facts(
    [
      ['family', printable(one.family)],
      ['id', printable(one.id)],
      ['name', printable(one.displayName)],
      ['target', printable(one.target)],
      ['stack', printable(one.stack ?? '')],
      ['address', printable(one.address ?? '')],
      ['shared by', printable((one.sharers ?? []).join(', '))],
    ],
    display,
  )
}
