// What must hold when everything is at rest.
import { isDeepStrictEqual } from 'node:util'
import { followedTip } from '../../src/model/sources/channel.js'
import type { Owned } from '../../src/model/resources/resource.js'
import { hashDigits, sameRevision, revisionHashes } from '../../src/model/sources/revision.js'
import { sourceRef } from '../../src/model/sources/source-spec.js'
import type { Stack } from '../../src/model/stacks/stack.js'
import { writesTarget } from '../../src/plan/counts.js'
import type { ListedResource } from '../../src/platform/platform.js'
import { whyHeldBack } from './channel-watch.js'
import { commitAt, commitNamed } from './history.js'
import { listed } from './listed.js'
import { addressesOf, addressOf, holdsFields, isSystems, nameOf, type Content, type Item } from './package-model.js'
import type { World } from './world.js'

interface Side {
  readonly stack: Stack
  readonly owned: ReadonlyMap<string, Owned>
  readonly desired: string
  readonly content: Content
  /** True if what it desires is applied. */
  readonly applied: boolean
}

/** The number of checks, to prove that there were any. */
export const checked = { rests: 0, applied: 0, refused: 0, invalid: 0, resources: 0 }

export async function check(world: World, mode: 'refusals are allowed' | 'all is applied'): Promise<void> {
  checked.rests++
  await using connection = await world.connection()
  const resources = new Map((await listed(connection, world.signal)).map((resource) => [keyOf(resource), resource]))
  const sides = await Promise.all(Object.keys(world.stacks).map((name) => sideOf(world, name)))
  for (const side of sides) {
    await checkRuns(world, side)
    if (side.applied) checkApplied(world, side, { sides, resources })
    else if (mode === 'all is applied')
      world.violated(`${side.stack.spec.name} is not applied: ${JSON.stringify(side.stack.failure)}`)
    else checkRefused(world, side, { sides, resources })
  }
  checkOwners(world, sides, resources)
}

function keyOf({ family, observed }: ListedResource): string {
  return `${family}/${observed.identity}`
}

function resourceKey({ address, identity }: Owned): string {
  return `${address.slice(0, address.indexOf('/'))}/${identity}`
}

async function sideOf(world: World, name: string): Promise<Side> {
  const { store, history } = world
  const stack = (await store.stacks.get(name))!
  const ref = sourceRef(stack.spec.sources[0]!)
  const seen = commitAt(history, ref)
  const channel = (await world.channels()).find((one) => one.ref === ref)!
  if (channel.tip?.commit !== seen) world.violated(`${name} has not seen ${seen} (promise 1)`)
  const { move, released } = channel
  if (
    channel.pin === null &&
    move?.state !== 'vetoed' &&
    released?.to?.commit !== seen &&
    (await whyHeldBack(channel, move!, world)) === undefined
  )
    world.violated(`${seen} of ${ref} is ${move?.state} (${move?.blockedBy}), and nothing holds it back`)
  const offered = followedTip(channel)?.commit ?? ''
  if (stack.observed === null || hashDigits(stack.observed.revision) !== offered)
    world.violated(`${name} was not offered ${offered} (promise 1)`)
  const desired = stack.pinned?.revision ?? `@sha1:${offered}`
  const content = commitNamed(history, hashDigits(desired))!.contents[name]!
  const applied = stack.failure === null && sameRevision(stack.applied?.revision, desired)
  return { stack, owned: await store.ownership.of(stack.id), desired, content, applied }
}

/** Promise 1; and an applied run wrote exactly what its plan showed (promise 5). */
async function checkRuns({ store, model, written, violated }: World, { stack }: Side): Promise<void> {
  const runs = await store.runs.list(stack.id, { limit: 500 })
  if ((await store.journal.openEntries(stack.id)).length > 0) violated(`the journal of ${stack.spec.name} is not empty`)
  const known = new Set(runs.map(({ revision }) => revisionHashes(revision)))
  for (const run of runs) {
    if (run.outcome === null) violated(`run ${run.id} has no outcome`)
    const ours = run.problems.find(({ code }) => code === 'bug' || code === 'store/failed')
    if (ours !== undefined) violated(`run ${run.id}: ${ours.message}`)
    if (run.outcome === 'applied') {
      const plan = (await store.runs.get(run.id))?.plan
      const planned = (plan?.changes ?? []).filter(writesTarget).map(({ address }) => String(address))
      const done = written.get(run.id) ?? []
      if (!isDeepStrictEqual([...planned].sort(), [...done].sort()))
        violated(`run ${run.id} planned ${planned.join(' ')} and wrote ${done.join(' ')} (promise 5)`)
    }
  }
  for (const one of model.seen)
    if (one.stack === stack.id && !known.has(revisionHashes(one.revision)))
      violated(`${one.revision} was seen and has no run (promise 1)`)
}

interface Around {
  readonly sides: readonly Side[]
  readonly resources: ReadonlyMap<string, ListedResource>
}

/** The stack owns or shares exactly the declared resources, and the target has them. */
function checkApplied({ violated }: World, side: Side, { sides, resources }: Around): void {
  checked.applied++
  const { stack, owned, content, desired } = side
  const { name } = stack.spec
  if (typeof content === 'string') return violated(`${name} has applied ${desired}, which is ${content} (promise 6)`)
  const declared = addressesOf(content)
  for (const address of owned.keys()) if (!declared.has(address)) violated(`${name} still owns ${address}`)
  for (const address of declared) if (!owned.has(address)) violated(`${name} does not own ${address}`)
  for (const record of owned.values()) {
    const item = content.find((one) => addressOf(one) === record.address)
    if (record.shared === true && !ownerAgrees(record, item, sides)) continue
    checked.resources++
    const resource = resources.get(resourceKey(record))
    if (resource === undefined) violated(`${record.address} of ${name} is not there`)
    else if (item !== undefined && !holdsFields(resource.observed.actual, item, stack.spec.ignore))
      violated(
        `${record.address} of ${name} holds ${JSON.stringify(resource.observed.actual)}, not ${JSON.stringify(item)}`,
      )
  }
}

/**
 * False if the owner is not at rest, or changed the resource since the sharer's last check: the sharer will be refused.
 */
function ownerAgrees(record: Owned, item: Item | undefined, sides: readonly Side[]): boolean {
  return sides.some(({ owned, applied }) => {
    const owner = [...owned.values()].find((one) => resourceKey(one) === resourceKey(record) && one.shared !== true)
    return owner !== undefined && applied && (item === undefined || holdsFields(owner.applied, item))
  })
}

/**
 * A refusal needs a visible reason: the package is invalid, a name is in use, or another stack owns a resource
 * differently.
 */
function checkRefused({ violated }: World, side: Side, { sides, resources }: Around): void {
  const { stack, content } = side
  const { failure, spec } = stack
  if (failure === null) return violated(`${spec.name} has neither applied ${side.desired} nor failed`)
  if (typeof content === 'string') {
    checked.invalid++
    return
  }
  checked.refused++
  if (!content.some((item) => isInTheWay(item, side, { sides, resources })))
    violated(`${spec.name} is refused, and nothing is in its way: ${JSON.stringify(failure)}`)
}

function isInTheWay(item: Item, { owned }: Side, { sides, resources }: Around): boolean {
  const mine = owned.get(addressOf(item))
  const key = nameKey(item.family, item.name)
  if (key === undefined) return false
  const ownerDiffers = (resource: string): boolean =>
    sides.some((side) =>
      [...side.owned.values()].some(
        (one) => one.shared !== true && resourceKey(one) === resource && !holdsFields(one.applied, item),
      ),
    )
  if (mine?.shared === true) return !resources.has(resourceKey(mine)) || ownerDiffers(resourceKey(mine))
  const holder = [...resources.values()].find(
    ({ family, observed }) => family === item.family && nameKey(family, nameOf(observed.actual)) === key,
  )
  if (holder === undefined || (mine !== undefined && resourceKey(mine) === keyOf(holder))) return false
  return true
}

/** Names of buckets and labels are unique; those of labels ignore case. */
function nameKey(family: string, name: string): string | undefined {
  if (family === 'Label') return name.trim().toLowerCase()
  return family === 'Bucket' ? name : undefined
}

/** No duplicates and no orphans; resources without an owner are as they were made by hand. */
function checkOwners(world: World, sides: readonly Side[], resources: Around['resources']): void {
  const owners = new Map<string, string>()
  for (const { owned, stack } of sides) {
    for (const record of owned.values()) {
      if (record.shared === true) continue
      const resource = resourceKey(record)
      if (owners.has(resource))
        world.violated(`${resource} is owned by ${owners.get(resource)} and by ${stack.spec.name} as ${record.address}`)
      owners.set(resource, `${stack.spec.name} as ${record.address}`)
    }
  }
  for (const [resource, { family, observed }] of resources) {
    if (owners.has(resource) || isSystems(family, observed.actual)) continue
    const made = world.model.foreign.get(resource)
    if (made === undefined) world.violated(`${resource} ${JSON.stringify(observed.actual)} is orphaned (promise 4)`)
    else if (made !== 'changed' && !isDeepStrictEqual(made, observed.actual))
      world.violated(
        `${resource} is nobody's and was changed from ${JSON.stringify(made)} to ${JSON.stringify(observed.actual)} (promise 6)`,
      )
  }
  for (const resource of world.model.foreign.keys()) if (!resources.has(resource)) world.model.foreign.delete(resource)
}
