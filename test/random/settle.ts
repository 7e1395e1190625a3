// Brings a world to rest: failures and suspensions end, and a person approves waiting plans and syncs again
// after refusals.
import { check } from './check.js'
import type { Dice } from './dice.js'
import { approve, resume } from './person.js'
import { sameRevision } from '../../src/model/sources/revision.js'
import type { Stack } from '../../src/model/stacks/stack.js'
import type { World } from './world.js'

const mostRounds = 40

/** At rest, everything must be as the model says. */
export async function settle(world: World, dice: Dice): Promise<void> {
  await rest(world, dice)
  if (world.violations.length === 0) await check(world, 'refusals are allowed')
}

export async function rest(world: World, dice: Dice): Promise<void> {
  world.faults.clear()
  world.sourceFails = 0
  if (world.dead) await world.restart()
  await world.idle()
  if (world.dead) await world.restart() // by a write that was under way
  for (const name of Object.keys(world.stacks)) {
    if ((await world.store.stacks.get(name))?.suspended != null) resume(world, name)
    else world.model.suspended.delete(name)
  }
  if (!world.history.refs.has('stable')) await world.history.tag('stable', world.history.commits.at(-1)!)
  world.pass(66_000)
  await world.idle()
  world.pass(1_000) // after a crash, the first read of a remote keeps its other reads waiting for a moment
  const attempts = new Map<string, number>()
  let before = 0
  for (let round = 0; round < mostRounds; round++) {
    await world.idle()
    let restless = false
    for (const name of Object.keys(world.stacks)) restless = (await nudge(world, name, { attempts, dice })) || restless
    if (restless) continue
    const applied = await countApplied(world)
    if (applied === before) return
    before = applied
    attempts.clear()
  }
  world.violated('it does not come to rest, though nothing fails: see what the stacks say')
}

/** Runs that changed something: after one of them, every stack must be synced again, since they share resources. */
async function countApplied({ store, stacks }: World): Promise<number> {
  let count = 0
  for (const name of Object.keys(stacks)) {
    const runs = await store.runs.list((await store.stacks.get(name))!.id, { limit: 500 })
    count += runs.filter(({ outcome }) => outcome === 'applied').length
  }
  return count
}

/** Does the next manual step for one stack, or lets time pass. False: nothing is left to do. */
async function nudge(
  world: World,
  name: string,
  { attempts, dice }: { readonly attempts: Map<string, number>; readonly dice: Dice },
): Promise<boolean> {
  const { store, useCases } = world
  const stack = (await store.stacks.get(name))!
  const last = (await store.runs.last([stack.id])).get(stack.id)
  if (last?.outcome === 'needs-approval' && stack.failure === null) {
    await approve(world, name)
    return true
  }
  if (await releaseSomething(world)) return true
  const blockers = world.blockersOf(stack.id)
  if (blockers.some(({ reason }) => reason === 'Dependencies') && (await areReady(world, stack)))
    world.violated(`${name} waits for ${stack.spec.dependsOn.join(' ')}, which is ready`)
  if (blockers.length > 0) {
    world.ask('sync', () => useCases.requestSync(name, 'person', world.signal, { overrideWindow: 'test' }))
    return true
  }
  const halfDone = (await store.journal.openEntries(stack.id)).length > 0 && last?.outcome !== 'cancelled'
  const busy = halfDone || (await store.runs.unfinished(stack.id)).length > 0
  const waitsForOther = stack.failure?.code === 'engine/needed-gone'
  if (busy || (stack.failure?.retry === 'soon' && !waitsForOther)) {
    world.pass(700_000)
    return true
  }
  const times = attempts.get(name) ?? 0
  if (times >= (stack.failure === null ? 1 : 3)) return false
  attempts.set(name, times + 1)
  if (stack.failure === null && stack.spec.drift === 'correct' && dice.chance(40)) world.pass(360_000)
  else world.ask('sync', () => useCases.requestSync(name, 'person', world.signal, { overrideWindow: 'test' }))
  return true
}

/** If a channel has no released commit, a person approves its newest move. */
async function releaseSomething(world: World): Promise<boolean> {
  const empty = (await world.channels()).find(
    ({ pin, released, move }) => pin === null && released === null && move !== null,
  )
  if (empty === undefined) return false
  world.ask('approve move', () =>
    world.useCases.approveMove(empty.move!.id, { why: 'something must be', by: 'person' }),
  )
  return true
}

async function areReady({ store }: World, { spec }: Stack): Promise<boolean> {
  for (const name of spec.dependsOn) {
    const stack = (await store.stacks.get(name))!
    const isThere = sameRevision(stack.applied?.revision, stack.pinned?.revision ?? stack.observed?.revision)
    const last = (await store.runs.last([stack.id])).get(stack.id)
    const isBusy = (await store.runs.unfinished(stack.id)).length > 0 || last?.outcome === 'needs-approval'
    if (!isThere || isBusy || stack.failure !== null || stack.drifted > 0) return false
  }
  return true
}
