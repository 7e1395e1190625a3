// Names that move from one resource to another: the resource that has the name must release it first.
import { familyOf, type Address } from '../model/address.js'
import type { Change } from '../model/resources/change.js'
import type { Problem } from '../model/problem.js'
import type { Steps } from '../lib/async/steps.js'
import type { PlanInput, UnorderedChange } from './plan-input.js'
import { nameInUse, nameSwap } from './plan-problems.js'

/** Sets `after` and `first` of changes in which a resource takes a name that another one releases; a step for each. */
export function* freeNames(
  input: PlanInput,
  { writes, removals }: { readonly writes: readonly UnorderedChange[]; readonly removals: readonly UnorderedChange[] },
  problems: Problem[],
): Steps<readonly UnorderedChange[]> {
  const all = new Map([...writes, ...removals].map((one) => [one.change.address, one]))
  yield
  if (writes.length === 0) return [...all.values()]
  const holders = yield* nameHolders(input)
  const after = new Map<Address, Address>()
  const first = new Set<Address>()
  for (const { change, kind, desired } of writes) {
    yield
    const key = desired && kind.matching?.key(desired)
    const holder = key === undefined ? undefined : holders.get(`${kind.family} ${key}`)
    const giving = holder === undefined || holder === change.address ? undefined : all.get(holder)
    if (holder === undefined || giving === undefined) continue
    if (giving.desired === undefined) releaseName(change, giving, first, problems)
    after.set(change.address, holder)
  }
  if (after.size === 0) return [...all.values()]
  refuseSwaps(after, problems)
  const early = withDependants(first, removals)
  return [...all.values()].map((one) => withOrder(one, after.get(one.change.address), early))
}

/** Family and key → the address of this stack that has the key now. */
function* nameHolders({ owned, observed, kindNamed }: PlanInput): Steps<ReadonlyMap<string, Address>> {
  const holders = new Map<string, Address>()
  for (const { address, identity, kind: kindName } of owned.values()) {
    yield
    const there = observed.get(address)
    if (there === undefined || there.identity !== identity) continue
    const kind = kindNamed(kindName, address)
    const key = kind?.matching?.key(kind.normalise(there.actual))
    if (key !== undefined) holders.set(`${familyOf(address)} ${key}`, address)
  }
  return holders
}

function releaseName(taker: Change, holder: UnorderedChange, first: Set<Address>, problems: Problem[]): void {
  const { change } = holder
  if (change.action === 'remove' && change.losesData !== true) {
    first.add(change.address)
    return
  }
  problems.push(nameInUse(taker.address, change.address, change.losesData === true ? 'loses-data' : 'stays'))
}

/** These removals, and removals of resources that need them. */
function withDependants(first: ReadonlySet<Address>, removals: readonly UnorderedChange[]): ReadonlySet<Address> {
  const neededBy = new Map<Address, Address[]>()
  for (const { change } of removals)
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
    if (at === undefined || !path.includes(at)) continue
    problems.push(nameSwap(path.slice(path.indexOf(at))))
  }
}

function withOrder(
  unordered: UnorderedChange,
  holder: Address | undefined,
  first: ReadonlySet<Address>,
): UnorderedChange {
  const { change } = unordered
  const goesFirst = first.has(change.address)
  if (holder === undefined && !goesFirst) return unordered
  return {
    ...unordered,
    change: {
      ...change,
      ...(goesFirst ? { first: true as const } : {}),
      after: holder === undefined ? change.after : [holder],
    },
  }
}
