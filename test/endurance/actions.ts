// What authors, hands, the network and the target do, at random, while the agent works.
import { writeFileSync } from 'node:fs'
import type { TargetResource } from '../../src/views/resource.js'
import type { StackRow } from '../../src/views/stack.js'
import type { Dice } from '../random/dice.js'
import type { AgentProcess } from './agent-process.js'
import { approveMove, pin, unpin, veto, type Veto } from './channel-actions.js'
import type { TargetFaults } from './faulty-platform.js'
import type { Network } from './network.js'
import { request } from './request.js'
import { notify } from './senders.js'
import type { Follower, Project, Pushed } from './world.js'

/**
 * When a stack was suspended, as far as its person can know: from the answer to the request that ends it. Milliseconds
 * since the epoch.
 */
export interface Suspension {
  readonly stack: string
  readonly from: number
  to: number
}

/** A person wrote to a target: not the agent's doing, though it went through its API. */
export interface ByHand {
  readonly target: string
  readonly from: number
  readonly to: number
}

export interface Scene {
  readonly dice: Dice
  readonly agent: AgentProcess
  readonly network: Network
  readonly projects: readonly Project[]
  readonly followers: readonly Follower[]
  readonly faultsFile: string
  readonly suspensions: Suspension[]
  readonly byHand: ByHand[]
  readonly vetoes: Veto[]
  /** Made by hand, by target: nobody else may touch them. */
  readonly foreign: Map<string, string>
  /** What must never happen, wherever it is seen. */
  readonly violated: (what: string) => void
  readonly counts: Record<string, number>
}

/** The name of what a hand makes; no package declares it. */
export const handMade = 'a hand made this'

type Action = (scene: Scene) => Promise<void>

/** Weight, and what is done. */
const actions: readonly (readonly [weight: number, name: string, act: Action])[] = [
  [30, 'push', pushed((project, dice) => project.push(dice))],
  [20, 'tag moved', pushed((project, dice) => project.moveTag(dice))],
  [8, 'version pushed', pushed((project) => project.release())],
  [2, 'version taken back', pushed((project) => project.withdraw())],
  [3, 'force-push', pushed((project, dice) => project.forcePush(dice))],
  [2, 'tag taken away', pushed((project, dice) => project.takeAway(dice.pick(['stable', 'beta'])))],
  [4, 'tags brought back', ({ projects, dice }) => dice.pick(projects).bringBack(dice)],
  [20, 'damage by hand', damage],
  [4, 'thing made by hand', makeForeign],
  [4, 'network fault', async ({ network, projects, dice }) => network.break(dice.pick(projects).name, dice)],
  [6, 'network repaired', async ({ network, projects, dice }) => network.repair(dice.pick(projects).name)],
  [4, 'target faults', async (scene) => setFaults(scene)],
  [4, 'suspended', suspend],
  [8, 'resumed', resume],
  [4, 'rolled back', rollBack],
  [8, 'unpinned', ({ agent, followers, dice }) => ask(agent, 'POST', `${dice.pick(followers).name}/unpin`)],
  [6, 'synced by a person', ({ agent, followers, dice }) => ask(agent, 'POST', `${dice.pick(followers).name}/sync`)],
  [3, 'cancelled', ({ agent, followers, dice }) => ask(agent, 'POST', `${dice.pick(followers).name}/cancel`)],
  [10, 'approved', approveHeld],
  [10, 'looked at', look],
  [5, 'move vetoed', veto],
  [6, 'move approved', approveMove],
  [3, 'channel pinned', pin],
  [6, 'channel unpinned', unpin],
]

const total = actions.reduce((sum, [weight]) => sum + weight, 0)

export async function doSomething(scene: Scene): Promise<void> {
  let at = scene.dice.below(total)
  for (const [weight, name, act] of actions) {
    if ((at -= weight) >= 0) continue
    scene.counts[name] = (scene.counts[name] ?? 0) + 1
    return act(scene)
  }
}

/** Pushes to one of the repositories, whose host may send a webhook. */
function pushed(push: (project: Project, dice: Dice) => Promise<Pushed | undefined>): Action {
  return async (scene) => {
    const project = scene.dice.pick(scene.projects)
    notify(scene, project, await push(project, scene.dice))
  }
}

/** Chances of each target for the next while; most have none. */
export function setFaults({ dice, followers, faultsFile }: Pick<Scene, 'dice' | 'followers' | 'faultsFile'>): void {
  const faults: Record<string, TargetFaults[string]> = { '*': { slow: 3 } }
  for (const { target } of followers)
    if (dice.chance(10))
      faults[target] = {
        slow: 20,
        unavailable: dice.below(15),
        rejected: dice.below(8),
        lost: dice.below(15),
        hang: dice.below(3),
      }
  writeFileSync(faultsFile, JSON.stringify(faults))
}

async function ask(agent: AgentProcess, method: 'POST', path: string): Promise<void> {
  await agent.ask(method, `/api/v1/stacks/${path}`)
}

async function damage(scene: Scene): Promise<void> {
  const { dice, followers } = scene
  const { name, target } = dice.pick(followers)
  const { body } = await request(scene, 'GET', `/api/v1/resources?target=${target}&stack=${name}&limit=100`)
  const items = (body as { readonly items?: readonly TargetResource[] } | undefined)?.items ?? []
  const resources = items.filter(({ family }) => family !== 'LabelMapping')
  if (resources.length === 0) return
  const { family, id, address, actual } = dice.pick(resources)
  const consent = encodeURIComponent(address ?? `${family}/${id}`)
  const path = `/api/v1/resources/${family}/${id}?target=${target}&consent=${consent}`
  const desired = { ...actual, description: `by hand ${dice.below(1000)}` }
  await byHand(scene, target, () =>
    dice.chance(40) ? request(scene, 'DELETE', path) : request(scene, 'PUT', path, { desired }),
  )
}

async function makeForeign(scene: Scene): Promise<void> {
  const { dice, followers, foreign } = scene
  const { target } = dice.pick(followers)
  if (foreign.has(target)) return
  const label = { family: 'Label', desired: { name: handMade, color: '#123456' } }
  const answer = await byHand(scene, target, () => request(scene, 'POST', `/api/v1/resources?target=${target}`, label))
  if (answer.status === 201) foreign.set(target, (answer.body as { readonly id: string }).id)
}

async function byHand<T>({ byHand: all }: Scene, target: string, write: () => Promise<T>): Promise<T> {
  const from = Date.now()
  try {
    return await write()
  } finally {
    all.push({ target, from, to: Date.now() })
  }
}

async function suspend(scene: Scene): Promise<void> {
  const { name } = scene.dice.pick(scene.followers)
  const { status } = await request(scene, 'POST', `/api/v1/stacks/${name}/suspend`, { why: 'a freeze' })
  if (status === 200) scene.suspensions.push({ stack: name, from: Date.now(), to: Number.POSITIVE_INFINITY })
}

async function resume(scene: Scene): Promise<void> {
  const open = scene.suspensions.filter(({ to }) => to === Number.POSITIVE_INFINITY)
  if (open.length === 0) return
  await resumeStack(scene, scene.dice.pick(open).stack)
}

export async function resumeStack(
  scene: Pick<Scene, 'agent' | 'suspensions' | 'violated'>,
  stack: string,
): Promise<void> {
  const at = Date.now()
  for (const one of scene.suspensions) if (one.stack === stack && one.to > at) one.to = at
  await request(scene, 'POST', `/api/v1/stacks/${stack}/resume`)
}

async function rollBack(scene: Scene): Promise<void> {
  const { name } = scene.dice.pick(scene.followers)
  const { body } = await request(scene, 'GET', `/api/v1/stacks/${name}/runs?limit=20`)
  const runs =
    (body as { readonly items?: readonly { readonly id: string; readonly outcome: string | null }[] } | undefined)
      ?.items ?? []
  const applied = runs.filter(({ outcome }) => outcome === 'applied')
  if (applied.length > 0)
    await request(scene, 'POST', `/api/v1/stacks/${name}/rollback`, {
      run: scene.dice.pick(applied).id,
      why: 'it was better',
    })
}

async function approveHeld(scene: Scene): Promise<void> {
  const { body } = await request(scene, 'GET', '/api/v1/stacks?limit=500')
  const state = ((body as { readonly items?: readonly StackRow[] } | undefined)?.items ?? []).filter(
    ({ phase }) => phase === 'needs-approval',
  )
  if (state.length > 0) await approve(scene, scene.dice.pick(state))
}

/** Consents to what a stack's plan would do now. */
export async function approve(
  scene: Pick<Scene, 'agent' | 'violated'>,
  { name, lastRun }: Pick<StackRow, 'name' | 'lastRun'>,
): Promise<void> {
  const { body } = await request(scene, 'GET', `/api/v1/stacks/${name}/runs/${lastRun?.id}`)
  const digest = (body as { readonly plan?: { readonly digest: string } | null } | undefined)?.plan?.digest
  if (digest !== undefined) await request(scene, 'POST', `/api/v1/stacks/${name}/approve`, { digest })
}

async function look(scene: Scene): Promise<void> {
  const { name } = scene.dice.pick(scene.followers)
  await request(scene, 'GET', `/api/v1/stacks/${name}/explain`)
  await request(scene, 'GET', `/api/v1/stacks/${name}`)
  await request(scene, 'GET', '/api/v1/stacks?limit=100')
}
