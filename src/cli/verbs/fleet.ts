import type { Command } from 'commander'
import { dirname, resolve } from 'node:path'
import { printable } from '../../lib/text/printable.js'
import type { FleetPlanView, FleetRow, FleetView } from '../../views/fleet.js'
import type { Page } from '../../views/page.js'
import type { StackRow } from '../../views/stack.js'
import { fleetPath } from '../client/fleet-path.js'
import { maximumListItems, readPages } from '../client/all-pages.js'
import type { ConfirmOptions } from '../confirm.js'
import { fileErrors } from '../errors/file-errors.js'
import { usageErrors } from '../errors/usage-errors.js'
import { exitCode } from '../exit-code.js'
import { readInput } from '../files/input-file.js'
import { choice, type Declare, type Invocation } from '../invocation.js'
import { fleetChangeLines, fleetLines, fleetListLines, fleetPlanLines } from '../text/fleet-text.js'
import { problemLines } from '../text/problem-text.js'
import { numberOf } from '../text/short-forms.js'
import { yesOption } from './shared-options.js'

const fileOption = ['-f, --file <FILE>', 'fleet document, as `fleet get -o yaml` prints it; -: standard input'] as const

/** The limit of a fleet document. */
const maximumBytes = 4 * 1024 * 1024

/** fleet apply, plan, list, get, delete. */
export function addFleetVerbs(program: Command, declare: Declare): void {
  const fleet = program
    .command('fleet')
    .description('keep one stack for each directory of a repository, or each target')
  addApply(fleet, declare)
  addPlan(fleet, declare)
  addQueries(fleet, declare)
  addDelete(fleet, declare)
}

function addApply(fleet: Command, declare: Declare): void {
  const apply = {
    usage: 'apply',
    summary: 'create or replace a fleet, and keep its stacks like what it lists',
    example: 'fleet apply -f boards.yaml',
    notes:
      'Shows what changes, and asks for confirmation if stacks are suspended because their directories vanished ' +
      'or their targets left.\n' +
      'No stack is deleted. A listing with a problem changes nothing.',
    options: [fileOption, yesOption],
  } as const
  declare<ConfirmOptions & { file?: string }>(fleet, apply, async (cli, _, { file, ...options }) => {
    if (file === undefined) throw usageErrors.noFleetFile()
    const { name, document } = await readFleet(cli, file)
    const plan = await cli.client.request<FleetPlanView>('POST', fleetPath(name, 'plan'), { body: { fleet: document } })
    await confirmSuspensions(cli, plan, options)
    const answer = await cli.client.request<Applied>('PUT', fleetPath(name), { body: document })
    const problems = answer.fleet.listing?.problems ?? []
    cli.out.answer(answer, (display) => [
      `Applied fleet ${printable(name)}: ${stacksText(answer.fleet)}.`,
      ...fleetChangeLines(answer.changes, answer.fleet, display),
      ...problems.flatMap((one) => problemLines(one, display.style)),
    ])
    return problems.length === 0 ? exitCode.ok : exitCode.error
  })
}

interface Applied {
  readonly fleet: FleetView
  readonly changes: FleetPlanView['changes']
}

async function confirmSuspensions(cli: Invocation, plan: FleetPlanView, options: ConfirmOptions): Promise<void> {
  const suspended = plan.changes.filter(({ action }) => action === 'suspend').length
  if (suspended === 0 || plan.problems.length > 0) return
  if (options.yes !== true && !cli.out.json) cli.out.message((display) => fleetPlanLines(plan, display))
  const { confirm } = await import('../confirm.js')
  await confirm(cli, `Suspend ${numberOf(suspended, 'stack')} of fleet ${plan.name}?`, options)
}

function addPlan(fleet: Command, declare: Declare): void {
  const plan = {
    usage: 'plan [FLEET]',
    summary: 'show how the stacks of a fleet would change',
    example: 'fleet plan -f boards.yaml',
    notes: 'Without --file, plans the fleet as it is stored. Exit code 1 if the listing has a problem.',
    options: [fileOption],
  } as const
  declare<{ file?: string }>(fleet, plan, async (cli, [typed = ''], { file }) => {
    if (file === undefined && typed === '') throw usageErrors.noFleetFile()
    const given = file === undefined ? undefined : await readFleet(cli, file)
    if (given !== undefined && typed !== '' && given.name !== typed)
      throw fileErrors.otherFleet(file!, given.name, typed)
    const body = given === undefined ? {} : { fleet: given.document }
    const answer = await cli.client.request<FleetPlanView>('POST', fleetPath(given?.name ?? typed, 'plan'), { body })
    cli.out.answer(answer, (display) => fleetPlanLines(answer, display))
    return answer.problems.length === 0 ? exitCode.ok : exitCode.error
  })
}

function addQueries(fleet: Command, declare: Declare): void {
  const list = { usage: 'list', summary: 'list fleets and their last listings', example: 'fleet list' }
  declare(fleet, list, async (cli) => {
    const page = await readPages<FleetRow>(cli.client, '/api/v1/fleets', {}, maximumListItems)
    cli.out.answer(page, (display) => fleetListLines(page.items, display))
    return exitCode.ok
  })
  const get = {
    usage: 'get FLEET',
    summary: 'show a fleet, its last listing and its stacks',
    example: 'fleet get boards -o yaml',
    options: [choice('-o, --output <FORMAT>', 'yaml: fleet document for -f; json: same as --json', ['yaml', 'json'])],
  }
  declare<{ output?: 'yaml' | 'json' }>(fleet, get, async (cli, [name = ''], { output }) => {
    const view = await cli.client.request<FleetView>('GET', fleetPath(name))
    if (output === 'yaml' && !cli.out.json) {
      const { printFleetDocument } = await import('../../settings/documents/fleet-document.js')
      const text = printFleetDocument(view.spec)
      cli.out.answer(view, () => text.trimEnd().split('\n').map(printable))
    } else if (output === 'json' || cli.out.json) cli.out.answerJson(view)
    else {
      const query = { managedBy: `fleet:${name}` }
      const stacks: Page<StackRow> = await readPages(cli.client, '/api/v1/stacks', query, maximumListItems)
      cli.out.answer(view, (display) => fleetLines(view, stacks.items, display))
    }
    return exitCode.ok
  })
}

function addDelete(fleet: Command, declare: Declare): void {
  const remove = {
    usage: 'delete FLEET',
    summary: 'delete a fleet; its stacks stay',
    example: 'fleet delete boards',
    notes: 'Then its stacks are changed and deleted one by one, like stacks that you created.',
    options: [yesOption],
  } as const
  declare<ConfirmOptions>(fleet, remove, async (cli, [name = ''], options) => {
    const view = await cli.client.request<FleetView>('GET', fleetPath(name))
    const { confirm } = await import('../confirm.js')
    await confirm(cli, `Delete fleet ${name}? ${stayText(view.stacks)}`, options)
    const answer = await cli.client.request<{ kept: number }>('DELETE', fleetPath(name))
    cli.out.answer({ deleted: name, ...answer }, () => [`Deleted fleet ${printable(name)}. ${stayText(answer.kept)}`])
    return exitCode.ok
  })
}

function stacksText({ stacks, undeclared, targets }: FleetView): string {
  const why = targets === null ? 'directories vanished' : 'targets left'
  const gone = undeclared === 0 ? '' : `, ${undeclared} suspended because their ${why}`
  return numberOf(stacks, 'stack') + gone
}

function stayText(stacks: number): string {
  if (stacks === 0) return 'It has no stacks.'
  return stacks === 1 ? 'Its stack stays.' : `Its ${stacks} stacks stay.`
}

/** Reads the file of `-f`. Its problems have file and line. */
async function readFleet(cli: Invocation, file: string): Promise<{ readonly name: string; readonly document: object }> {
  const { readFleetDocument, toFleetDocument } = await import('../../settings/documents/fleet-document.js')
  const text = (await readInput(file, cli, maximumBytes)).toString('utf8')
  const { value, problems } = readFleetDocument(file, text, dirname(resolve(cli.cwd, file)))
  if (value === undefined) throw fileErrors.notFleetDocument(file, problems)
  return { name: value.name, document: toFleetDocument(value) }
}
