// resource: shows resources of a target, and changes them directly, without their stack.
import type { Command } from 'commander'
import { printable } from '../../../lib/text/printable.js'
import type { TargetResource } from '../../../views/resource.js'
import { maximumListItems, readPages } from '../../client/all-pages.js'
import { exitCode } from '../../exit-code.js'
import { choice, type Declare } from '../../invocation.js'
import { resourceLines, resourceListLines } from '../../text/resource-text.js'
import { addCreate, addDelete, addEdit } from './change-resource.js'
import { resourcePath, scopeOptions, targetOption, whichNote, type Scope } from './resource-scope.js'

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
