// The operations of a sequence, one after the other. Each has its own seed, so that a sequence from which
// some are removed still does the same.
import { SyncError } from '../../src/model/errors.js'
import { consentTo } from '../../src/plan/approval-rules.js'
import type { Connection, ListedResource } from '../../src/platform/platform.js'
import {
  approveMove,
  hint,
  moveSideways,
  pinChannel,
  takeTagAway,
  unpinChannels,
  version,
  vetoMove,
} from './channel-operations.js'
import { randomPolicies } from './channel-watch.js'
import { listed } from './listed.js'
import { approve, resume } from './person.js'
import { settle } from './settle.js'
import { Dice } from './dice.js'
import type { Mode } from './faults.js'
import {
  edited,
  fieldsOf,
  firstPackage,
  ignoreRules,
  isSystems,
  nameOf,
  protectRules,
  type Content,
  type Family,
  type Item,
} from './package-model.js'
import type { History } from './history.js'
import type { World } from './world.js'

export interface Operation {
  readonly kind: string
  readonly seed: number
}

type Perform = (world: World, dice: Dice) => Promise<void> | void

/** How often each happens, and what it is. */
const operations: Readonly<Record<string, readonly [number, Perform]>> = {
  commit: [30, commit],
  'move tag': [10, moveTag],
  'damage by hand': [16, damage],
  'target fails': [16, targetFails],
  'remote fails': [3, (world, dice) => void (world.sourceFails = 1 + dice.below(3))],
  kill: [7, (world) => world.kill()],
  'stop and start': [4, (world) => world.restart()],
  'time passes': [22, timePasses],
  'suspend or resume': [5, suspendOrResume],
  'roll back': [5, rollBack],
  unpin: [
    3,
    (world, dice) =>
      onStack(world, dice, (name) =>
        world.ask('unpin', () => world.useCases.unpinStack(name, 'person', overriding(dice))),
      ),
  ],
  approve: [7, (world, dice) => onStack(world, dice, (name) => approve(world, name))],
  'plan and apply': [4, planAndApply],
  cancel: [
    3,
    (world, dice) =>
      onStack(world, dice, (name) => world.ask('cancel', () => world.useCases.cancelRun(name, 'person'))),
  ],
  sync: [
    6,
    (world, dice) =>
      onStack(world, dice, (name) =>
        world.ask('sync', () => world.useCases.requestSync(name, 'person', world.signal, overriding(dice))),
      ),
  ],
  set: [3, set],
  settle: [5, settle],
  'tag sideways': [5, moveSideways],
  'tag taken away': [3, takeTagAway],
  version: [6, version],
  hint: [8, hint],
  veto: [6, vetoMove],
  'approve move': [6, approveMove],
  'pin channel': [3, pinChannel],
  'unpin channels': [4, unpinChannels],
  'other policies': [2, (world, dice) => world.declare(randomPolicies(dice))],
}

const drawn = Object.entries(operations).flatMap(([kind, [often]]) => Array.from({ length: often }, () => kind))

export function randomOperations(dice: Dice, count: number): readonly Operation[] {
  return Array.from({ length: count }, () => ({ kind: dice.pick(drawn), seed: dice.seed() }))
}

/** Performs it, and lets the agent continue for a while: often not to the end. */
export async function perform(world: World, { kind, seed }: Operation): Promise<void> {
  const dice = new Dice(seed)
  world.report(`${kind} (${seed})`)
  await operations[kind]![1](world, dice)
  if (dice.chance(30)) await world.idle()
  else await world.turns(dice.below(dice.pick([4, 15, 60])))
  if (world.dead) await world.restart()
}

export function lastContent({ commits }: Pick<History, 'commits'>, stack: string): readonly Item[] | undefined {
  const contents = commits.map((commit) => commit.contents[stack])
  return contents.findLast((content) => typeof content !== 'string')
}

async function commit({ history, stacks }: World, dice: Dice): Promise<void> {
  const contents = Object.keys(stacks).map((stack): [string, Content] => [stack, nextContent(history, stack, dice)])
  await history.commit(Object.fromEntries(contents), dice.seed(), { tags: dice.chance(70) ? ['stable'] : [] })
}

function nextContent(history: History, stack: string, dice: Dice): Content {
  const last = lastContent(history, stack)
  if (last === undefined) return firstPackage(dice)
  const draw = dice.below(100)
  if (draw < 7) return 'invalid'
  if (draw < 13) return 'empty'
  return draw < 35 ? last : edited(last, dice)
}

async function moveTag({ history }: World, dice: Dice): Promise<void> {
  const { commits } = history
  await history.tag('stable', dice.chance(50) ? commits.at(-1)! : dice.pick(commits))
}

const handNames = ['red', 'green', 'blue', 'grey', 'Shared A', 'shared b', 'by hand', 'by another hand']

async function damage(world: World, dice: Dice): Promise<void> {
  if (world.dead) return
  await using connection = await world.connection()
  const resources = (await listed(connection, world.signal)).filter(
    ({ family, observed }) => !isSystems(family, observed.actual),
  )
  try {
    await (resources.length === 0 || dice.chance(30)
      ? makeByHand(world, connection, dice)
      : changeByHand(world, connection, dice.pick(resources), dice))
  } catch (error) {
    if (!(error instanceof SyncError)) throw error
    world.report(`  ${error.message}`)
  }
}

async function makeByHand(world: World, connection: Connection, dice: Dice): Promise<void> {
  const family = dice.pick(['Label', 'Bucket', 'Dashboard', 'Task'] as const)
  const state = {
    ...fieldsOf({ family, meta: '', name: dice.pick(handNames), value: dice.below(4), labels: [] }),
    description: 'by hand',
  }
  const driver = driverOf(world, connection, family)
  const { identity, actual } = await driver.create(state, driver.trace(state), world.signal)
  world.report(`  made ${family} ${identity} ${JSON.stringify(actual)}`)
  world.model.foreign.set(`${family}/${identity}`, actual)
}

async function changeByHand(
  world: World,
  connection: Connection,
  { family, observed }: ListedResource,
  dice: Dice,
): Promise<void> {
  const { model, signal } = world
  const resource = `${family}/${observed.identity}`
  const driver = driverOf(world, connection, family)
  if (family === 'LabelMapping' || dice.chance(40)) {
    await driver.remove(observed, signal)
    world.report(`  removed ${resource} ${JSON.stringify(observed.actual)}`)
    if (!world.dead) model.foreign.delete(resource) // the copy of a kill may be from before the removal
    return
  }
  const { actual } = await driver.update(
    observed,
    { ...observed.actual, ...scribble(family as Family, nameOf(observed.actual), dice) },
    signal,
  )
  world.report(`  changed ${resource} ${JSON.stringify(observed.actual)} to ${JSON.stringify(actual)}`)
  if (!model.foreign.has(resource)) return
  const owners = await world.store.ownership.owners(world.system, [{ family, identity: observed.identity }])
  model.foreign.set(resource, owners.size > 0 || world.dead ? 'changed' : actual)
}

function scribble(family: Family, name: string, dice: Dice): object {
  if (dice.chance(30)) return { name: dice.pick(handNames) }
  if (dice.chance(20)) return { note: 'nobody declares this' }
  return fieldsOf({ family, meta: '', name, value: 4 + dice.below(4), labels: [] })
}

function driverOf({ kinds }: World, connection: Connection, family: string): ReturnType<Connection['driver']> {
  return connection.driver(kinds.find((kind) => kind.family === family)!)
}

function targetFails({ faults }: World, dice: Dice): void {
  const mode = dice.pick<Mode>(['unavailable', 'unavailable', 'lost', 'lost', 'rejected', 'kill before', 'kill after'])
  faults.set({ mode, skip: dice.below(dice.pick([2, 8, 20])), count: dice.pick([1, 1, 2, 5, 30]) })
}

function timePasses(world: World, dice: Dice): void {
  world.pass(dice.pick([5_000, 66_000, 66_000, 66_000, 360_000, 700_000]))
}

function onStack({ stacks }: World, dice: Dice, act: (name: string) => Promise<void> | void): Promise<void> | void {
  return act(dice.pick(Object.keys(stacks)))
}

function suspendOrResume(world: World, dice: Dice): Promise<void> | void {
  const { model, useCases } = world
  return onStack(world, dice, (name) => {
    const until = dice.chance(50) ? 300_000 : undefined
    if (model.suspended.has(name)) return resume(world, name)
    world.ask('suspend', async () => {
      const { suspended } = await useCases.suspendStack(name, 'test', until, 'person')
      if (suspended !== null)
        model.suspended.set(name, suspended.until === null ? Number.POSITIVE_INFINITY : Date.parse(suspended.until))
    })
  })
}

/** Often a request overrides the windows of its stack. */
function overriding(dice: Dice): { readonly overrideWindow?: string } {
  return dice.chance(50) ? { overrideWindow: 'test' } : {}
}

function rollBack(world: World, dice: Dice): Promise<void> | void {
  return onStack(world, dice, async (name) => {
    const { store, useCases } = world
    const stack = (await store.stacks.get(name))!
    const runs = (await store.runs.list(stack.id, { limit: 500 })).filter(
      ({ outcome, intent }) => outcome === 'applied' && intent === 'sync',
    )
    if (runs.length > 0)
      world.ask('rollback', () => useCases.rollBack(name, dice.pick(runs).id, 'test', 'person', overriding(dice)))
  })
}

function planAndApply(world: World, dice: Dice): Promise<void> | void {
  const { useCases, signal, model } = world
  return onStack(world, dice, (name) => {
    world.ask('apply', async () => {
      const plan = await useCases.previewPlan(name, {}, signal)
      world.hesitating++
      await world.turns(dice.below(60))
      world.hesitating--
      model.approve(name, consentTo(plan, ''))
      await useCases.applyPlan({ stack: name, revision: plan.revision, digest: plan.digest }, 'person', signal)
    })
  })
}

function set(world: World, dice: Dice): Promise<void> | void {
  return onStack(world, dice, (name) => {
    const change = dice.pick([
      { maxDeletes: dice.below(12) },
      { drift: dice.pick(['correct', 'report'] as const) },
      { adopt: dice.pick(['allow', 'refuse'] as const) },
      { protect: protectRules.filter(() => dice.chance(30)) },
      ...(Object.keys(world.stacks).length > 1 ? [] : [{ ignore: ignoreRules.filter(() => dice.chance(50)) }]),
    ])
    world.ask('set', () => world.useCases.updateStack(name, change, 'person'))
  })
}
