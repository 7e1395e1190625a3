import type { Change, Counts, Plan } from '../model/change.js'

/** True if carrying out the change writes to the target; else only the stack's record changes. */
export function writes(change: Change): boolean {
  if (change.action === 'update') return change.fields.length > 0
  return change.action !== 'forget'
}

/** Shared things that are not as declared: their owners put them right. */
export function sharedDrift({ sharedDrift: fields = [] }: Pick<Plan, 'sharedDrift'>): number {
  return new Set(fields.map(({ address }) => address)).size
}

/** Resources, parts not counted. What is only forgotten counts nowhere; a change of the record alone as unchanged, unless it takes over what was nobody's. */
export function countChanges(plan: Pick<Plan, 'changes' | 'unchanged'>): Counts {
  let create = 0
  let update = 0
  let remove = 0
  let unchanged = plan.unchanged
  for (const change of plan.changes) {
    if (change.partOf !== undefined) continue
    if (change.action === 'create') create++
    else if (change.action === 'remove') remove++
    else if (change.action === 'forget') continue
    else if (change.fields.length > 0 || change.adopts === true || change.from !== undefined) update++
    else unchanged++
  }
  return { create, update, remove, unchanged }
}
