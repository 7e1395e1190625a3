// Random decisions on channels.
import type { ChannelView, MoveView } from '../../src/views/channel.js'
import type { Scene } from './actions.js'
import { request } from './request.js'
import { channelOf } from './world.js'

/**
 * A commit must not be written for who follows the channel: from the answer to the veto to whatever may have ended it.
 * Milliseconds since the epoch.
 */
export interface Veto {
  readonly channel: string
  readonly commit: string
  readonly from: number
  to: number
}

const why = 'as the dice have it'

/** Not of channels that only go forward: going back, they would have to. */
export async function veto(scene: Scene): Promise<void> {
  const channel = someChannel(scene, (one) => !(one.project.isLinear && one.ref === 'beta'))
  const move = (await newestMoves(scene, channel)).find(({ state }) =>
    ['released', 'waiting', 'blocked'].includes(state),
  )
  if (move?.to == null) return
  const { status } = await request(scene, 'POST', `/api/v1/channels/moves/${move.id}/veto`, { why })
  if (status === 200)
    scene.vetoes.push({ channel, commit: move.to.commit, from: Date.now(), to: Number.POSITIVE_INFINITY })
}

export async function approveMove(scene: Scene): Promise<void> {
  const channel = someChannel(scene)
  const move = (await newestMoves(scene, channel)).find(({ state }) => ['vetoed', 'waiting', 'blocked'].includes(state))
  if (move !== undefined) await approveOne(scene, move)
}

export async function approveOne(scene: Scene, { id, channel, to }: MoveView): Promise<void> {
  for (const one of scene.vetoes)
    if (one.channel === channel && one.commit === to?.commit) one.to = Math.min(one.to, Date.now())
  await request(scene, 'POST', `/api/v1/channels/moves/${id}/approve`, { why })
}

export async function pin(scene: Scene): Promise<void> {
  const { dice, network } = scene
  const { project, ref } = dice.pick(scene.followers)
  const at = dice.chance(50) ? {} : { at: dice.pick(project.commits.slice(-10)).id }
  await request(scene, 'POST', '/api/v1/channels/pin', {
    channel: channelOf(network.remoteOf(project), ref),
    why,
    ...at,
  })
}

export async function unpin(scene: Scene): Promise<void> {
  const pinned = (await channels(scene)).filter((one) => one.pin !== null)
  if (pinned.length > 0) await unpinOne(scene, scene.dice.pick(pinned).name)
}

export async function unpinOne(scene: Scene, channel: string): Promise<void> {
  await request(scene, 'POST', '/api/v1/channels/unpin', { channel })
}

/** The channels that an agent lists; none if it does not answer. */
export async function channels(scene: Scene): Promise<readonly ChannelView[]> {
  const { body } = await request(scene, 'GET', '/api/v1/channels?limit=500')
  return (body as { readonly items?: readonly ChannelView[] } | undefined)?.items ?? []
}

function someChannel(
  { dice, network, followers }: Scene,
  is: (follower: Scene['followers'][number]) => boolean = () => true,
): string {
  const { project, ref } = dice.pick(followers.filter(is))
  return channelOf(network.remoteOf(project), ref)
}

async function newestMoves(scene: Scene, channel: string): Promise<readonly MoveView[]> {
  const { body } = await request(scene, 'GET', `/api/v1/channels/moves?limit=3&channel=${encodeURIComponent(channel)}`)
  return (body as { readonly items?: readonly MoveView[] } | undefined)?.items ?? []
}
