// The order of changes: removals that free a name, writes, writes that no undo can restore, removals, removals that
// lose data; within that by needs, then by address.
import { compareText } from '../lib/text/compare-text.js'
import type { Address } from '../model/address.js'
import type { Change } from '../model/resources/change.js'
import type { Problem } from '../model/problem.js'
import type { Steps } from '../lib/async/steps.js'
import type { PlanInput, UnorderedChange } from './plan-input.js'
import { orderCycle } from './plan-problems.js'

/**
 * 0 removals that free a name, 1 writes, 2 writes that overwrite what no undo can restore, 3 removals, 4 removals that
 * lose data. Stages from 2 on begin after the stages before them have ended.
 */
export function changeStage(change: Change): 0 | 1 | 2 | 3 | 4 {
  if (isWrite(change)) return change.last === true ? 2 : 1
  if (change.first === true) return 0
  return change.losesData === true ? 4 : 3
}

function isWrite({ action }: Change): boolean {
  return action === 'create' || action === 'update'
}

/** The changes with `after` complete, in their order; a step for each. */
export function* orderChanges(
  unordered: readonly UnorderedChange[],
  { owned, resources }: Pick<PlanInput, 'owned' | 'resources'>,
  problems: Problem[],
): Steps<readonly Change[]> {
  const changes = new Map(unordered.map(({ change }) => [change.address, change]))
  yield
  const neededBy = yield* neededBefore(changes, owned)
  const complete = new Map<Address, Change>()
  for (const change of changes.values()) {
    yield
    const needed = isWrite(change) ? change.needs : (neededBy.get(change.address) ?? [])
    const after = [
      ...new Set([...change.after, ...needed.filter((address) => changes.has(address) && address !== change.address)]),
    ]
    complete.set(change.address, { ...change, after })
  }
  const declared = new Map(resources.map((resource, i) => [resource.address, i]))
  yield
  return yield* sorted(complete, declared, problems)
}

/** For each removal: the changes of resources that needed it until now, which must end first. */
function* neededBefore(
  changes: ReadonlyMap<Address, Change>,
  owned: ReadonlyMap<Address, { readonly needs: readonly Address[] }>,
): Steps<Map<Address, Address[]>> {
  const neededBy = new Map<Address, Address[]>()
  for (const change of changes.values()) {
    yield
    const needs = owned.get(change.from ?? change.address)?.needs ?? []
    for (const need of needs) {
      const list = neededBy.get(need)
      if (list === undefined) neededBy.set(need, [change.address])
      else list.push(change.address)
    }
  }
  return neededBy
}

function* sorted(
  changes: ReadonlyMap<Address, Change>,
  declared: ReadonlyMap<Address, number>,
  problems: Problem[],
): Steps<readonly Change[]> {
  const index = (change: Change): number => declared.get(change.address) ?? Number.MAX_SAFE_INTEGER
  const queue = [...changes.values()].sort(
    (a, b) => changeStage(a) - changeStage(b) || index(a) - index(b) || compareText(a.address, b.address),
  )
  yield
  const done = new Set<Change>()
  const open = new Set<Change>()
  const path: { readonly change: Change; next: number }[] = []
  const enter = (change: Change): void => {
    if (open.has(change) && problems.length === 0) problems.push(orderCycle(change.address))
    if (open.has(change) || done.has(change)) return
    open.add(change)
    path.push({ change, next: 0 })
  }
  for (const change of queue) {
    yield
    enter(change)
    for (let step = path.at(-1); step !== undefined; step = path.at(-1)) {
      const before = step.change.after[step.next++]
      if (before !== undefined) enter(changes.get(before)!)
      else {
        path.pop()
        open.delete(step.change)
        done.add(step.change)
      }
    }
  }
  return [...done]
}
