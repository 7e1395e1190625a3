// Changes of a stack that no run makes: its creation, names, and what it adopts and untracks.
import { familyOf } from '../../../model/address.js'
import { Refused } from '../../../model/errors.js'
import type { LastChange, Owned } from '../../../model/resources/resource.js'
import { noEventFamilies, type Cause, type Run } from '../../../model/stacks/run.js'
import type { OwnershipChange } from '../../stack-table.js'
import { eventNow, eventResourceList, type EventFacts, type EventResourceList } from '../runs/ownership-event.js'
import type { OwnedRows } from '../ownership/owned-rows.js'
import { insertEndedRun, readRun, updateRun } from '../runs/run-rows.js'
import { driftColumns, updateStack } from './stack-rows.js'
import type { SqliteFile } from '../file/sqlite-file.js'

/** Inside a transaction. */
export function changeOwnership(file: SqliteFile, owned: OwnedRows, amendment: OwnershipChange, now: number): Run {
  const { stack, cause, spec, suspended, own = [], untrack = [] } = amendment
  if (suspended === undefined) refuseUnsettled(file, stack)
  else updateStack(file, stack, { suspended: JSON.stringify(suspended) })
  if (spec !== undefined) updateStack(file, stack, { spec: JSON.stringify(spec) })
  const run = insertEndedRun(file, { stack, cause }, now)
  untrackResources(file, owned, { stack, untrack, now })
  adoptResources(owned, stack, own, { run: { id: String(run) }, now })
  const resources = eventResourceList(owned.summaries(stack), owned.eventFamilies(stack))
  return addEvent(file, run, resources, { stack, eventType: 'update' })
}

/** Inside a transaction: the stack owns these from now on. `run`: that adopts them. */
export function adoptResources(
  owned: OwnedRows,
  stack: string,
  own: readonly Owned[],
  { run, now }: { readonly run: Pick<Run, 'id'>; readonly now: number },
): void {
  const changed = adoption(run.id, now)
  for (const one of own) owned.own(stack, { ...one, changed }, false)
}

/** Inside a transaction: the creation of a stack that nothing else begins with. */
export function insertCreation(file: SqliteFile, stack: string, cause: Cause, now: number): Run {
  const nothing = eventResourceList([], noEventFamilies)
  return addEvent(file, insertEndedRun(file, { stack, cause }, now), nothing, { stack, eventType: 'create' })
}

function refuseUnsettled(file: SqliteFile, stack: string): void {
  const open = file.get(file.build.selectFrom('journal').select('id').where('stack', '=', stack).limit(1))
  if (open === undefined) return
  throw new Refused('conflict', 'A run of the stack is not settled yet.', {
    code: 'stacks/unsettled',
    hint: 'It continues by itself. Try again when it has ended.',
  })
}

function addEvent(
  file: SqliteFile,
  run: number,
  resources: EventResourceList,
  { stack, eventType }: { readonly stack: string; readonly eventType: EventFacts['eventType'] },
): Run {
  updateRun(file, run, eventNow(file, resources, stack, eventType))
  return readRun(file, run)
}

/** The caller names the parts of the resources, too. */
function untrackResources(
  file: SqliteFile,
  owned: OwnedRows,
  { stack, untrack, now }: Pick<Required<OwnershipChange>, 'stack' | 'untrack'> & { readonly now: number },
): void {
  if (untrack.length === 0) return
  const given = owned.of(stack, untrack)
  const dropped = given.filter(({ shared }) => shared !== true)
  owned.disown(stack, untrack)
  addDrift(file, { stack, resources: given.filter(({ partOf }) => partOf === undefined).length, now })
  const { target } = file.get(file.build.selectFrom('stacks').select('target').where('id', '=', stack))!
  owned.passOn(
    target,
    dropped.map(({ address, identity }) => ({ family: familyOf(address), identity })),
  )
}

/** The applied package still declares the untracked resources: they count as drift until the next check. */
function addDrift(
  file: SqliteFile,
  { stack, resources, now }: { readonly stack: string; readonly resources: number; readonly now: number },
): void {
  if (resources === 0) return
  const { drifted_since } = driftColumns(resources, now)
  const more = file.build
    .updateTable('stacks')
    .set(({ eb }) => ({ drifted: eb('drifted', '+', resources), drifted_since }))
  file.run(more.where('id', '=', stack).where('applied', 'is not', null))
}

function adoption(run: string, at: number): LastChange {
  return { run, at, action: 'update', reason: 'added', adopts: true, paths: [], fields: 0 }
}
