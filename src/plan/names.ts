// Names that move from one resource to another: the resource that has the name must release it first.
import type { Address } from '../model/address.js'
import type { Change } from '../model/change.js'
import type { Problem } from '../model/problem.js'
import type { UnorderedChange, PlanInput } from './plan-input.js'

/** Names of one cycle that a problem lists. */
const mostNames = 20

/** Sets `after` and `first` of drafts in which a resource takes a name that another one releases. */
export function freeNames(
  input: PlanInput,
  writes: readonly UnorderedChange[],
  leaving: readonly UnorderedChange[],
  problems: Problem[],
): readonly UnorderedChange[] {
  const drafts = new Map([...writes, ...leaving].map((draft) => [draft.change.address, draft]))
  const holders = nameHolders(input)
  const after = new Map<Address, Address>()
  const first = new Set<Address>()
  for (const { change, kind, desired } of writes) {
    const key = desired && kind.key?.(desired)
    const holder = key === undefined ? undefined : holders.get(`${kind.family} ${key}`)
    const giving = holder === undefined || holder === change.address ? undefined : drafts.get(holder)
    if (holder === undefined || giving === undefined) continue
    if (giving.desired === undefined) releaseName(change, giving, first, problems)
    after.set(change.address, holder)
  }
  if (after.size === 0) return [...drafts.values()]
  refuseSwaps(after, problems)
  const withNeeds = withDependants(first, leaving)
  return [...drafts.values()].map((draft) => ordered(draft, after.get(draft.change.address), withNeeds))
}

/** Family and key → the address of this stack that has the key now. */
function nameHolders({ owned, observed, kindNamed }: PlanInput): ReadonlyMap<string, Address> {
  const holders = new Map<string, Address>()
  for (const record of owned.values()) {
    const there = observed.get(record.address)
    if (there === undefined || there.identity !== record.identity) continue
    const kind = kindNamed(record.kind)
    const key = kind?.key?.(kind.normalise(there.actual))
    if (kind !== undefined && key !== undefined) holders.set(`${kind.family} ${key}`, record.address)
  }
  return holders
}

function releaseName(taker: Change, holder: UnorderedChange, first: Set<Address>, problems: Problem[]): void {
  const { change } = holder
  if (change.action === 'remove' && change.losesData !== true) {
    first.add(change.address)
    return
  }
  const why = change.losesData === true ? 'removing it loses its data' : 'it stays on the target'
  problems.push({
    severity: 'error',
    code: 'plan/name-held',
    message: `${taker.address} shall have the name of ${change.address}, which leaves the package, but ${why}.`,
    hint: `Keep the address ${change.address} for it, or let ${change.address} leave in one revision and use its name in the next.`,
  })
}

/** These removals, and removals of resources that need them. */
function withDependants(first: ReadonlySet<Address>, leaving: readonly UnorderedChange[]): ReadonlySet<Address> {
  const neededBy = new Map<Address, Address[]>()
  for (const { change } of leaving)
    for (const need of change.needs) {
      const list = neededBy.get(need)
      if (list === undefined) neededBy.set(need, [change.address])
      else list.push(change.address)
    }
  const all = new Set(first)
  for (const address of all) for (const dependant of neededBy.get(address) ?? []) all.add(dependant)
  return all
}

function refuseSwaps(after: ReadonlyMap<Address, Address>, problems: Problem[]): void {
  const seen = new Set<Address>()
  for (const start of after.keys()) {
    const path: Address[] = []
    let at: Address | undefined = start
    for (; at !== undefined && !seen.has(at); at = after.get(at)) {
      seen.add(at)
      path.push(at)
    }
    const from = at === undefined ? -1 : path.indexOf(at)
    if (from < 0) continue
    const swapping = path.slice(from)
    const more = swapping.length > mostNames ? ` and ${swapping.length - mostNames} more` : ''
    problems.push({
      severity: 'error',
      code: 'plan/name-swap',
      message: `${swapping.slice(0, mostNames).join(', ')}${more} shall exchange names, which a target cannot do in one step.`,
      hint: 'Rename in two revisions, through a name that nothing has. If somebody exchanged them on the target, rename one of them there by hand, then sync.',
    })
  }
}

function ordered(draft: UnorderedChange, holder: Address | undefined, first: ReadonlySet<Address>): UnorderedChange {
  const { change } = draft
  const goesFirst = (change.action === 'remove' || change.action === 'forget') && first.has(change.address)
  if (holder === undefined && !goesFirst) return draft
  return {
    ...draft,
    change: {
      ...change,
      ...(goesFirst ? { first: true as const } : {}),
      after: holder === undefined ? change.after : [...change.after, holder],
    },
  }
}
