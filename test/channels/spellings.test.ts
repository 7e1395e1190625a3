// One repository at several addresses: a policy or a veto for one of them counts for all.
import { describe, expect, test } from 'vitest'
import { releaseAtOnce } from '../../src/channel/channel-policy.js'
import { label, yaml } from '../e2e/packages.js'
import { refusal } from '../e2e/refusal.js'
import { until } from '../e2e/until.js'
import { never, useWorld } from '../e2e/world.js'

const world = useWorld()
const colors = ['#000001', '#000002', '#000003'] as const

/** A commit with a package for each of both stacks, to which the tag moves. */
function release(nth: number): Promise<string> {
  const text = (name: string): string => yaml(label(name, { color: colors[nth]! }))
  const files = { 'boards/package.yml': text('boards'), 'other/package.yml': text('other') }
  return world().repository.commit({ files, tags: ['stable'] })
}
const because = { why: 'the chart is wrong', by: 'ann' }
const spellings = [
  'https://git.example/repository',
  'https://git.example//repository.git',
  'https://git.example/REPOSITORY.git',
  'https://git.example/repository/.git',
]

/** The stack `other` follows the repository at another address. Gives its first run. */
async function followAt(url: string): Promise<string> {
  world().server.alias(url, world().repository)
  const spec = world().spec('other', { sources: [{ kind: 'git', url, ref: 'stable', path: 'other' }] })
  return (await world().ask.createStack(spec, 'ann')).run
}

async function moveOf(remote: string): Promise<string> {
  const { items } = await world().ask.listChannels({})
  return items.find((one) => one.remote === remote)!.newest!.id
}

async function stateOf(remote: string): Promise<string | undefined> {
  return (await world().ask.listChannels({})).items.find((one) => one.remote === remote)?.newest?.state
}

async function applied(name: string): Promise<string | undefined> {
  return (await world().ask.getStack(name)).revision.applied?.slice(-40)
}

test('a channel is found by any spelling of its address, and the address alone is answered with its channels', async () => {
  await release(0)
  await world().create('boards', { ref: 'stable', path: 'boards' })
  const { url } = world()
  for (const address of [url, `${url}/`, url.replace('https', 'HTTPS'), url.replace('git.example', 'git.example:443')])
    expect((await world().ask.listMoves(`${address}#stable`, {})).items).toHaveLength(1)
  expect(await refusal(world().ask.listMoves(`${url}/`, {}))).toMatchObject({
    status: 'not-found',
    code: 'channels/unknown',
    message: `${url}/ is a repository. A channel is one of its refs.`,
    hint: `Its channels: '${url}#stable'`,
  })
})

describe.each(spellings)('a repository that is followed as %s, too', (url) => {
  test('has the policy of the other address', async () => {
    world().agent.setChannelPolicies([{ ...releaseAtOnce, remote: world().url, ref: 'stable', signedBy: ['ops'] }])
    await release(0)
    await followAt(url)
    await until('it is refused', async () => (await stateOf(url)) === 'refused')
    expect(await world().names()).toEqual([])
  })

  test('begins at what is released, and inherits a veto, also after a restart', async () => {
    const first = await release(0)
    await world().create('boards', { ref: 'stable', path: 'boards' })
    const bad = await release(1)
    await world().sync('boards')
    await world().ask.vetoMove(await moveOf(world().url), because)
    await until('it is gone back', async () => (await applied('boards')) === first)
    await world().restart()
    await world().ended('other', await followAt(url))
    expect(await applied('other')).toBe(first)
    expect(await stateOf(url)).toBe('vetoed')
    expect(await refusal(world().ask.pinChannel(`${url}#stable`, { at: bad, ...because }, never))).toMatchObject({
      code: 'stacks/vetoed',
    })
    const id = await moveOf(url)
    const shown = await world().ask.previewApproval(id, { plans: true }, never)
    expect(shown).toMatchObject({ move: { id }, stacks: ['boards', 'other'] })
    expect(shown.plans).toMatchObject(
      ['boards', 'other'].map((stack) => ({ stack, plan: { changes: [{ address: `Label/${stack}` }] } })),
    )
    await world().ask.approveMove(id, because)
    await until('both are at it', async () => (await applied('other')) === bad && (await applied('boards')) === bad)
  })

  test('goes back by a veto for the other address, and does not come to a vetoed commit later', async () => {
    const first = await release(0)
    await world().create('boards', { ref: 'stable', path: 'boards' })
    await world().ended('other', await followAt(url))
    await release(1)
    await world().sync('boards')
    await world().sync('other')
    await world().ask.vetoMove(await moveOf(world().url), because)
    await until('both are back', async () => (await applied('other')) === first && (await applied('boards')) === first)
    const next = await release(2)
    await world().sync('boards')
    await world().ask.vetoMove(await moveOf(world().url), because)
    await world()
      .sync('other')
      .catch(() => {})
    expect(await stateOf(url)).toBe('vetoed')
    expect(await applied('other')).not.toBe(next)
  })
})
