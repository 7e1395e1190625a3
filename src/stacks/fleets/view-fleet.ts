// Views of fleets, and the entity tag of a fleet.
import { isoTime } from '../../lib/text/time-text.js'
import { hash } from 'node:crypto'
import type { Fleet, FleetFound, FleetSpec } from '../../model/stacks/fleet.js'
import type { StackSpec } from '../../model/stacks/stack.js'
import type { Store } from '../../store/store.js'
import type { FleetChangeView, FleetPlanView, FleetRow, FleetView } from '../../views/fleet.js'
import type { MemberChange } from '../members/plan-members.js'
import type { ListedFleet } from './keep-fleet.js'

type Counts = Awaited<ReturnType<Store['fleets']['counts']>>

const tagDigits = 32

/** Changes with its settings and who declares it. */
export function fleetTag({ spec, managedBy, declared }: Fleet): string {
  const decided = JSON.stringify([spec, managedBy, declared])
  return `"${hash('sha256', decided).slice(0, tagDigits)}"`
}

export function viewFleetRow(fleet: Fleet, counts: Counts): FleetRow {
  const { spec, managedBy, declared, createdAt, listing } = fleet
  const { repo = null, ref = null } = 'targets' in spec ? repositoryOf(spec.template.sources) : spec.directories
  const { stacks = 0, undeclared = 0 } = counts.get(spec.name) ?? {}
  return {
    name: spec.name,
    managedBy,
    declared,
    createdAt: isoTime(createdAt),
    etag: fleetTag(fleet),
    repo,
    ref,
    target: 'targets' in spec ? null : spec.template.target,
    targets: 'targets' in spec ? spec.targets : null,
    stacks,
    undeclared,
    listing: listing && { at: isoTime(listing.at), ...viewFound(listing), problems: listing.problems },
  }
}

export function viewFleet(fleet: Fleet, counts: Counts): FleetView {
  return { ...viewFleetRow(fleet, counts), spec: fleet.spec }
}

export function viewPlan({ name }: FleetSpec, { listing, changes }: ListedFleet): FleetPlanView {
  return { name, ...viewFound(listing), problems: listing.problems, changes: viewChanges(changes) }
}

function viewFound(found: FleetFound): Pick<FleetPlanView, 'revision' | 'directories' | 'targets'> {
  return 'targets' in found
    ? { revision: null, directories: null, targets: found.targets }
    : { revision: found.revision, directories: found.directories, targets: null }
}

export function viewChanges(changes: readonly MemberChange[]): readonly FleetChangeView[] {
  return changes.map((change) => {
    const { target, sources } = 'spec' in change ? change.spec : change.stack.spec
    return { stack: change.name, action: actionOf(change), target, path: pathOf(sources) }
  })
}

function actionOf(change: MemberChange): FleetChangeView['action'] {
  if (change.action !== 'change') return change.action
  if (change.joins) return 'join'
  return change.returns ? 'continue' : 'change'
}

/** Of the first git source. */
function repositoryOf(sources: StackSpec['sources']): { readonly repo?: string; readonly ref?: string } {
  for (const source of sources) if (source.kind === 'git') return { repo: source.url, ref: source.ref }
  return {}
}

function pathOf(sources: StackSpec['sources']): string | null {
  return sources.flatMap((source) => (source.kind === 'git' ? [source.path] : []))[0] ?? null
}
