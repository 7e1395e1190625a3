import { printable } from '../../lib/text/printable.js'
import type { FleetChangeView, FleetPlanView, FleetRow, FleetView } from '../../views/fleet.js'
import type { StackRow } from '../../views/stack.js'
import { problemLines } from './problem-text.js'
import { age, numberOf, shortRevision } from './short-forms.js'
import { stackListLines } from './stack-text.js'
import { facts, section, table, type TableColumn } from './table.js'
import type { Display } from './text.js'

export function fleetListLines(fleets: readonly FleetRow[], display: Display): readonly string[] {
  if (fleets.length === 0) return ['No fleets. Create one: gitmoor fleet apply -f FILE']
  const rows = fleets.map((fleet) => [
    printable(fleet.name),
    stateText(fleet),
    String(fleet.stacks),
    fleet.undeclared === 0 ? '' : String(fleet.undeclared),
    printable(fleet.target),
    listedText(fleet, display),
    printable(`${fleet.repo}#${fleet.ref}`),
    printable(fleet.listing?.problems[0]?.message ?? ''),
  ])
  return table(columns, rows, display)
}

const columns: readonly TableColumn[] = [
  'FLEET',
  'STATE',
  'STACKS',
  'VANISHED',
  'TARGET',
  'LISTED',
  { heading: 'FOLLOWS', fit: 'address' },
  { heading: 'MESSAGE', fit: 'wrap' },
]

/** A fleet, its problems, and its stacks. */
export function fleetLines(fleet: FleetView, stacks: readonly StackRow[], display: Display): readonly string[] {
  const { include, exclude, name } = fleet.spec.directories
  const pairs: readonly (readonly [string, string])[] = [
    ['name', display.style.bold(printable(fleet.name))],
    ['managed by', fleet.managedBy],
    ['state', stateText(fleet)],
    ['follows', printable(`${fleet.repo}#${fleet.ref}`)],
    ['directories', printable(include.join(', '))],
    ['without', printable(exclude.join(', '))],
    ['names', printable(name)],
    ['target', printable(fleet.target)],
    ['listed', listedText(fleet, display)],
    ['stacks', `${fleet.stacks} of at most ${fleet.spec.maxStacks}`],
    ['vanished', fleet.undeclared === 0 ? '' : String(fleet.undeclared)],
  ]
  const problems = (fleet.listing?.problems ?? []).flatMap((one) => problemLines(one, display.style))
  const rows = stacks.length === 0 ? [] : stackListLines(stacks, display, { ofFleet: true })
  return [...facts(pairs, display), ...section(problems), ...section(rows)]
}

export function fleetPlanLines(
  { name, directories, changes, problems, revision }: FleetPlanView,
  display: Display,
): readonly string[] {
  const counted = directories === 1 ? '1 directory matches' : `${directories} directories match`
  const found = revision === null ? 'the ref could not be read' : `${counted} at ${shortRevision(revision)}`
  return [
    `Fleet ${printable(name)}: ${found}.`,
    ...(problems.length > 0
      ? ['It changes nothing:', ...problems.flatMap((one) => problemLines(one, display.style))]
      : fleetChangeLines(changes, display)),
  ]
}

/** A line for each stack that changes, with its directory. */
export function fleetChangeLines(changes: readonly FleetChangeView[], display: Display): readonly string[] {
  if (changes.length === 0) return ['No stack changes.']
  const rows = changes.map(({ stack, action, path }) => [printable(stack), action, printable(path ?? '')])
  const suspended = changes.filter(({ action }) => action === 'suspend')
  return [
    ...table(['STACK', 'ACTION', 'DIRECTORY'], rows, display),
    ...(suspended.length === 0
      ? []
      : [
          `  next: To delete one with its resources: gitmoor stack delete ${printable(suspended[0]!.stack)} --uninstall`,
        ]),
  ]
}

function stateText({ declared, listing }: FleetRow): string {
  if (!declared) return 'Not declared'
  if (listing === null) return 'Not listed'
  const { length } = listing.problems
  return length === 0 ? 'Listed' : `Unchanged (${numberOf(length, 'problem')})`
}

function listedText({ listing }: FleetRow, display: Display): string {
  if (listing === null) return '-'
  const { at, directories, revision } = listing
  const counted = directories === 1 ? '1 directory' : `${directories} directories`
  const found = revision === null ? 'the ref could not be read' : `${counted} at ${shortRevision(revision)}`
  return `${age(at, display.now)}: ${found}`
}
