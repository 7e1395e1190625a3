import type { Change, Counts, Plan } from '../model/resources/change.js'

/** True if the change writes to the target; otherwise it changes only ownership. */
export function writesTarget(change: Change): boolean {
  if (change.action === 'update') return change.fields.length > 0
  return change.action !== 'untrack'
}

/** An update that counts as unchanged: it writes no field, adopts nothing and renames nothing. */
export function changesOnlyOwnership({ action, fields, adopts, from }: Change): boolean {
  return action === 'update' && fields.length === 0 && adopts !== true && from === undefined
}

/** Shared resources that differ from their declaration: their owners correct them. */
export function countSharedDrift({ sharedDrift: fields = [] }: Pick<Plan, 'sharedDrift'>): number {
  return new Set(fields.map(({ address }) => address)).size
}

/**
 * Counts resources without parts. Untracked ones do not count. Changes of ownership alone count as unchanged, except
 * adoptions.
 */
export function countChanges(plan: Pick<Plan, 'changes' | 'unchanged'>): Counts {
  let create = 0
  let update = 0
  let remove = 0
  let unchanged = plan.unchanged
  for (const change of plan.changes) {
    if (change.partOf !== undefined || change.action === 'untrack') continue
    if (change.action === 'create') create++
    else if (change.action === 'remove') remove++
    else if (changesOnlyOwnership(change)) unchanged++
    else update++
  }
  return { create, update, remove, unchanged }
}
