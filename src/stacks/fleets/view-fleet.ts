// Views of fleets, and the entity tag of a fleet.
import { isoTime } from '../../lib/text/time-text.js'
import { hash } from 'node:crypto'
import type { Fleet, FleetSpec } from '../../model/stacks/fleet.js'
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
  const { stacks = 0, undeclared = 0 } = counts.get(spec.name) ?? {}
  return {
    name: spec.name,
    managedBy,
    declared,
    createdAt: isoTime(createdAt),
    etag: fleetTag(fleet),
    repo: spec.directories.repo,
    ref: spec.directories.ref,
    target: spec.template.target,
    stacks,
    undeclared,
    listing: listing && { ...listing, at: isoTime(listing.at) },
  }
}

export function viewFleet(fleet: Fleet, counts: Counts): FleetView {
  return { ...viewFleetRow(fleet, counts), spec: fleet.spec }
}

export function viewPlan({ name }: FleetSpec, { listing, changes }: ListedFleet): FleetPlanView {
  const { revision, directories, problems } = listing
  return { name, revision, directories, problems, changes: viewChanges(changes) }
}

export function viewChanges(changes: readonly MemberChange[]): readonly FleetChangeView[] {
  return changes.map((change) => {
    const { sources } = 'spec' in change ? change.spec : change.stack.spec
    return { stack: change.name, action: actionOf(change), path: pathOf(sources) }
  })
}

function actionOf(change: MemberChange): FleetChangeView['action'] {
  if (change.action !== 'change') return change.action
  if (change.joins) return 'join'
  return change.returns ? 'continue' : 'change'
}

function pathOf(sources: StackSpec['sources']): string | null {
  return sources.flatMap((source) => (source.kind === 'git' ? [source.path] : []))[0] ?? null
}
