import type { StackGroup } from '../../store/feed.js'
import type { Context } from '../context.js'
import type { LiveRow } from '../status/row-states.js'

/** All stacks by package, target, state and applied revision: by what is stored, then by what the process knows. */
export async function currentGroups(
  { store }: Pick<Context, 'store'>,
  known: readonly LiveRow[],
): Promise<readonly StackGroup[]> {
  const groups = new Map<string, StackGroup>()
  const add = (group: Omit<StackGroup, 'stacks'>, change: number): void => {
    const key = JSON.stringify([group.package, group.target, group.state, group.applied])
    const before = groups.get(key)
    const first = before === undefined || group.first < before.first ? group.first : before.first
    groups.set(key, { ...group, first, stacks: (before?.stacks ?? 0) + change })
  }
  for (const { stacks, ...group } of await store.feed.groups()) add(group, stacks)
  for (const { row, state } of known) {
    const { package: where, target, applied, name: first } = row
    if (state === row.state) continue
    add({ package: where, target, state: row.state, applied, first }, -1)
    add({ package: where, target, state, applied, first }, 1)
  }
  return [...groups.values()].filter(({ stacks }) => stacks > 0)
}
