// Operations on channels: refs that move anywhere, decisions of people, and notifications of pushes.
import type { Dice } from './dice.js'
import type { World } from './world.js'

const why = 'as the dice have it'

/** A commit beside the history of main, and the tag there. */
export async function moveSideways({ history }: World, dice: Dice): Promise<void> {
  const parent = dice.pick(history.commits)
  await history.commit(parent.contents, dice.seed(), { tags: ['stable'], parent })
}

export async function takeTagAway({ history }: World): Promise<void> {
  if (history.refs.has('stable')) await history.remove('stable')
}

export async function version({ history }: World, dice: Dice): Promise<void> {
  const versions = [...history.refs.keys()].filter((ref) => ref.startsWith('v1.'))
  if (versions.length > 1 && dice.chance(30)) return history.remove(versions.at(-1)!)
  await history.tag(`v1.${history.commits.length}.0`, dice.pick(history.commits))
}

/** A notification that is true, late or forged. */
export function hint(world: World, dice: Dice): void {
  const { history } = world
  const ref = dice.pick(['refs/tags/stable', 'refs/heads/main', 'refs/tags/v1.0.0', 'refs/heads/nobody', undefined])
  const commit = dice.pick([dice.pick(history.commits).id, history.commits.at(-1)!.id, 'f'.repeat(40), null, undefined])
  world.hint({
    detectedBy: 'webhook',
    note: 'a hook',
    ...(ref === undefined ? {} : { ref }),
    ...(commit === undefined ? {} : { commit }),
  })
}

export async function vetoMove(world: World, dice: Dice): Promise<void> {
  const { useCases, model } = world
  const move = dice.pick([...(await world.moves()), undefined])
  if (move === undefined) return
  world.ask('veto', async () => {
    await useCases.vetoMove(move.id, { why, by: 'person' })
    if ((await world.moves()).find(({ id }) => id === move.id)?.state === 'vetoed')
      model.vetoed.add(`${move.ref} ${move.to?.commit}`)
  })
}

export async function approveMove(world: World, dice: Dice): Promise<void> {
  const move = dice.pick([...(await world.moves()), undefined])
  if (move !== undefined) world.ask('approve move', () => world.useCases.approveMove(move.id, { why, by: 'person' }))
}

export async function pinChannel(world: World, dice: Dice): Promise<void> {
  const channel = dice.pick([...(await world.channels()), undefined])
  if (channel === undefined) return
  const at = dice.chance(50) ? {} : { at: dice.pick(world.history.commits).id }
  const name = `${channel.remote}#${channel.ref}`
  world.ask('pin channel', () => world.useCases.pinChannel(name, { why, by: 'person', ...at }, world.signal))
}

export async function unpinChannels(world: World): Promise<void> {
  for (const { remote, ref, pin } of await world.channels())
    if (pin !== null)
      world.ask('unpin channel', () => world.useCases.unpinChannel(`${remote}#${ref}`, { why, by: 'person' }))
}
