import { printable } from '../../lib/text/printable.js'
import type { FleetChangeView, FleetPlanView, FleetRow, FleetView } from '../../views/fleet.js'
import { followText } from '../../settings/follow-text.js'
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
    targetText(fleet),
    listedText(fleet, display),
    fleetFollows(fleet),
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

type Facts = readonly (readonly [string, string])[]
type Found = Pick<FleetPlanView, 'revision' | 'directories' | 'targets'>

/** A fleet, its problems, and its stacks. */
export function fleetLines(fleet: FleetView, stacks: readonly StackRow[], display: Display): readonly string[] {
  const { spec } = fleet
  const pairs: Facts = [
    ['name', display.style.bold(printable(fleet.name))],
    ['managed by', fleet.managedBy],
    ['state', stateText(fleet)],
    ...('targets' in spec ? targetFacts(spec) : directoryFacts(spec)),
    ['listed', listedText(fleet, display)],
    ['stacks', `${fleet.stacks} of at most ${spec.maxStacks}`],
    [fleet.targets === null ? 'vanished' : 'left', fleet.undeclared === 0 ? '' : String(fleet.undeclared)],
  ]
  const problems = (fleet.listing?.problems ?? []).flatMap((one) => problemLines(one, display.style))
  const rows = stacks.length === 0 ? [] : stackListLines(stacks, display, { ofFleet: true })
  return [...facts(pairs, display), ...section(problems), ...section(rows)]
}

export function fleetPlanLines(plan: FleetPlanView, display: Display): readonly string[] {
  const { name, changes, problems } = plan
  return [
    `Fleet ${printable(name)}: ${foundText(plan)}.`,
    ...(problems.length > 0
      ? ['It changes nothing:', ...problems.flatMap((one) => problemLines(one, display.style))]
      : fleetChangeLines(changes, plan, display)),
  ]
}

/** `2 directories match at stable@2f1c9ab`, `2 targets match`. */
function foundText({ revision, directories, targets }: Found): string {
  if (targets !== null) return targets === 1 ? '1 target matches' : `${targets} targets match`
  if (revision === null) return 'the ref could not be read'
  return `${directories === 1 ? '1 directory matches' : `${directories} directories match`} at ${shortRevision(revision)}`
}

/** A line for each stack that changes, with its directory or its target. */
export function fleetChangeLines(
  changes: readonly FleetChangeView[],
  { targets }: { readonly targets: unknown },
  display: Display,
): readonly string[] {
  if (changes.length === 0) return ['No stack changes.']
  const [heading, place] =
    targets === null
      ? ['DIRECTORY', ({ path }: FleetChangeView) => path ?? '']
      : ['TARGET', ({ target }: FleetChangeView) => target]
  const rows = changes.map((change) => [printable(change.stack), change.action, printable(place(change))])
  const suspended = changes.filter(({ action }) => action === 'suspend')
  return [
    ...table(['STACK', 'ACTION', heading], rows, display),
    ...(suspended.length === 0
      ? []
      : [
          `  next: To delete one with its resources: gitmoor stack delete ${printable(suspended[0]!.stack)} --uninstall`,
        ]),
  ]
}

function directoryFacts({ directories, template }: Extract<FleetView['spec'], { directories: unknown }>): Facts {
  const { repo, ref, include, exclude, name } = directories
  return [
    ['follows', printable(`${repo}#${ref}`)],
    ['directories', printable(include.join(', '))],
    ['without', printable(exclude.join(', '))],
    ['names', printable(name)],
    ['target', printable(template.target)],
  ]
}

function targetFacts({ name, targets, template }: Extract<FleetView['spec'], { targets: unknown }>): Facts {
  return [
    ...template.sources.map((source) => ['follows', printable(followText(source))] as const),
    ['targets', targetText({ target: null, targets })],
    ['names', printable(`${name}.TARGET`)],
  ]
}

/** The target, the names of the targets, or their selector. */
function targetText({ target, targets }: Pick<FleetRow, 'target' | 'targets'>): string {
  if (targets === null) return printable(target ?? '')
  return printable('names' in targets ? targets.names.join(', ') : targets.selector)
}

/** The repository and ref that its stacks follow; '': they have no git source. */
export function fleetFollows({ repo, ref }: Pick<FleetRow, 'repo' | 'ref'>): string {
  return repo === null ? '' : printable(`${repo}#${ref}`)
}

function stateText({ declared, listing }: FleetRow): string {
  if (!declared) return 'Not declared'
  if (listing === null) return 'Not listed'
  const { length } = listing.problems
  return length === 0 ? 'Listed' : `Unchanged (${numberOf(length, 'problem')})`
}

function listedText({ listing }: FleetRow, display: Display): string {
  if (listing === null) return '-'
  return `${age(listing.at, display.now)}: ${listingText(listing)}`
}

function listingText({ revision, directories, targets }: Found): string {
  if (targets !== null) return numberOf(targets, 'target')
  if (revision === null) return 'the ref could not be read'
  return `${directories === 1 ? '1 directory' : `${directories} directories`} at ${shortRevision(revision)}`
}
