// A tag is promoted through the whole agent: the preview is what is done, the move is stored at once, and policies
// apply before a push.
import { describe, expect, test } from 'vitest'
import { releaseAtOnce, type ChannelPolicy } from '../../src/channel/channel-policy.js'
import { planFollowers } from '../../src/channels/followers.js'
import { fleetOwner } from '../../src/model/stacks/stack-owner.js'
import type { Stack } from '../../src/model/stacks/stack.js'
import { pushRefused } from '../../src/source/git/protocol/push-report.js'
import type { MoveView, PromotedView, StackPlanView } from '../../src/views/channel.js'
import { label, yaml } from '../e2e/packages.js'
import { refusal } from '../e2e/refusal.js'
import { unreachable } from '../memory-git.js'
import { until } from '../e2e/until.js'
import { never, useWorld } from '../e2e/world.js'

const world = useWorld()
const one = yaml(label('l1'))
const two = yaml(label('l1'), label('l2'))
const up = { from: 'beta', to: 'stable' }
const because = { why: 'a week without complaints', by: 'ana' }

/** Stacks that follow stable and beta: stable at the first commit, beta at the second. */
async function released(
  ...policies: readonly Partial<ChannelPolicy>[]
): Promise<{ readonly first: string; readonly second: string }> {
  const channels = policies.map((policy) => ({ ...releaseAtOnce, ...policy }))
  await world().restart({ source: { mayPush: () => true }, channels })
  const first = await world().push(one, 'stable')
  const second = await world().push(two, 'beta')
  await world().create('boards', { ref: 'stable' })
  await world().create('next', { ref: 'beta', target: 'other' })
  return { first, second }
}

function promote(
  request = up,
  expects?: { readonly commit: string; readonly object: string | null },
): Promise<PromotedView> {
  return world().ask.promoteTag(request, { ...because, ...(expects === undefined ? {} : { expects }) }, never)
}

async function newest(channel: string): Promise<MoveView> {
  return (await world().ask.listMoves(channel, {})).items[0]!
}

const commitOf = (tag: string): string | undefined => world().repository.refs.get(`refs/tags/${tag}`)?.commit

test('a promotion does what its preview shows: the tag moves, its stacks run at once, and the decision has who and why', async () => {
  const { first, second } = await released()
  const shown = await world().ask.previewPromotion(up, { plans: false }, never)
  const before = { commit: first, object: first }
  expect(shown).toEqual({
    remote: world().url,
    tag: 'stable',
    from: 'beta',
    fromCommit: second,
    before,
    commit: second,
    direction: 'forward',
    stacks: ['boards'],
  })
  expect(commitOf('stable')).toBe(first)
  const done = await promote(up, { commit: second, object: first })
  expect(commitOf('stable')).toBe(second)
  expect(await world().ended('boards', done.moved[0]!.run)).toMatchObject({
    outcome: 'applied',
    cause: { kind: 'tag-moved', by: 'ana', note: 'a week without complaints' },
  })
  expect(await newest('stable')).toMatchObject({
    to: { commit: second, object: done.object },
    detectedBy: 'promote',
    state: 'released',
  })
  const { facts } = await until('who moved it is known', async () => {
    const move = await newest('stable')
    return move.facts !== null && move
  })
  expect(facts).toMatchObject({
    tag: {
      name: 'ana',
      message: expect.stringContaining('a week without complaints\n\nPromoted from beta.') as string,
    },
  })
})

describe('a promotion polls the repository', () => {
  test('once, so it sees the newest commit of FROM before any poll found it', async () => {
    await released()
    const newest = await world().push(yaml(label('l3')), 'beta')
    world().server.reset()
    const shown = await world().ask.previewPromotion(up, { plans: false }, never)
    expect(world().server.seen.filter(({ kind }) => kind === 'list')).toHaveLength(1)
    expect(shown).toMatchObject({ commit: newest, fromCommit: newest })
    expect(await promote(up)).toMatchObject({ commit: newest })
    expect(commitOf('stable')).toBe(newest)
  })

  test('so a tag that was there before FROM moved is not there already', async () => {
    await released()
    await promote()
    const newest = await world().push(yaml(label('l3')), 'beta')
    const done = await promote()
    expect(done).toMatchObject({ commit: newest })
    expect(done).not.toHaveProperty('already')
  })

  test('and without an answer promotes nothing, and says why and what to do', async () => {
    const { first } = await released()
    world().server.intercept(unreachable)
    const preview = (): Promise<unknown> => world().ask.previewPromotion(up, { plans: false }, never)
    for (const request of [preview, promote])
      expect(await refusal(request())).toMatchObject({
        status: 'source',
        code: 'source/unreachable',
        message: expect.stringContaining('Nothing was promoted, because the poll before it failed: Cannot') as string,
        hint: 'Check that the agent reaches the repository, then promote again.',
      })
    world().server.intercept(undefined)
    expect(commitOf('stable')).toBe(first)
  })
})

test.each([
  ['FROM', 'beta', /^Nothing was promoted: beta moved from [0-9a-f]{7} to [0-9a-f]{7} since the preview\.$/],
  ['TO', 'stable', /^Nothing was promoted: stable was changed since the preview\.$/],
])('if %s moves after the preview, nothing is promoted', async (_, tag, words) => {
  await released()
  const { before, commit } = await world().ask.previewPromotion(up, { plans: false }, never)
  await world().push(yaml(label('l3')), tag)
  const now = commitOf('stable')
  expect(await refusal(promote(up, { commit, object: before!.object }))).toMatchObject({
    status: 'stale',
    code: 'stacks/stale-promotion',
    message: expect.stringMatching(words) as string,
  })
  expect(commitOf('stable')).toBe(now)
})

test('a tag that the server protects stays, and the error quotes the server and says what to do', async () => {
  const { first } = await released()
  world().server.intercept(({ kind, remote }) => {
    if (kind === 'push') throw pushRefused({ remote, ref: 'refs/tags/stable' }, 'hook declined; stable is protected')
  })
  expect(await refusal(promote())).toMatchObject({
    code: 'source/push-refused',
    message: `${world().url} did not move refs/tags/stable: "hook declined; stable is protected".`,
    hint: expect.stringContaining('let the account of the credential move protected tags') as string,
  })
  expect(commitOf('stable')).toBe(first)
  expect(await world().ask.getStack('boards')).toMatchObject({
    status: { state: 'Synced' },
    revision: { applied: `stable@sha1:${first}` },
  })
  expect((await world().ask.listMoves('stable', {})).items).toHaveLength(1)
})

test('a promotion to a commit of another line diverges, and the log and the history say so', async () => {
  const { first } = await released()
  const { repository } = world()
  await repository.commit({ files: { 'package.yml': label('l1') }, branch: 'side', from: first, tags: ['stable'] })
  await world().sync('boards')
  expect(await world().ask.previewPromotion(up, { plans: false }, never)).toMatchObject({ direction: 'diverged' })
  const { run } = (await promote()).moved[0]!
  await world().ended('boards', run)
  await until('the directions are read', async () => {
    const { items } = await world().ask.listRuns('boards', {})
    return items.map(({ cause }) => cause.direction).join() === 'diverged,forward,'
  })
  expect(await world().ask.getRun('boards', run)).toMatchObject({ cause: { direction: 'diverged' } })
  expect(await newest('stable')).toMatchObject({ direction: 'diverged' })
  expect((await world().ask.explainStack('boards')).lastRun).toMatch(/ to [0-9a-f]{7} \(diverged\) by ana: a week/)
})

test('a missing tag is created, from any form of FROM', async () => {
  const { first } = await released()
  expect(await promote({ from: `${world().url}#stable`, to: 'lts' })).toMatchObject({
    before: null,
    direction: null,
    stacks: [],
    moved: [],
  })
  expect(commitOf('lts')).toBe(first)
  expect(await promote({ from: first, to: 'beta' })).toMatchObject({ direction: 'back', stacks: ['next'] })
  expect(await promote({ from: 'main', to: 'stable' })).toMatchObject({ direction: 'forward' })
})

test('branches, commits, options and other repositories are refused', async () => {
  await released()
  const before = [...world().repository.refs]
  const refused: readonly (readonly [string, string, string, string])[] = [
    ['beta', 'main', 'usage', 'main is not a tag'],
    ['beta', 'a'.repeat(40), 'usage', 'is not a tag'],
    ['beta', '--all', 'usage', '--all is not a tag'],
    ['x', 'y', 'not-found', 'Neither x nor y'],
    ['https://git.example/x#beta', 'stable', 'usage', 'within one repository'],
  ]
  for (const [from, to, status, words] of refused)
    expect(await refusal(promote({ from, to }))).toMatchObject({
      status,
      message: expect.stringContaining(words) as string,
    })
  expect(await refusal(promote({ from: 'x', to: 'y' }))).toMatchObject({ code: 'channels/unknown' })
  expect([...world().repository.refs]).toEqual(before)
})

describe('if two repositories have the tag', () => {
  const other = 'https://git.example/other'

  /** The stack `more` follows the tag `stable` at the other address, too. */
  async function bothHaveStable(...refs: readonly string[]): Promise<void> {
    await released()
    world().server.alias(other, world().repository)
    for (const ref of ['stable', ...refs]) {
      const sources = [{ kind: 'git', url: other, ref, path: '' } as const]
      await world().create(`more-${ref}`, { sources, target: `other` })
    }
  }
  const remoteOf = async (request: typeof up): Promise<string> =>
    (await world().ask.previewPromotion(request, { plans: false }, never)).remote

  test('a promotion is about the one that has FROM, too, as a channel or as its commit', async () => {
    await bothHaveStable()
    expect(await remoteOf(up)).toBe(world().url)
    const newest = await world().push(yaml(label('l3')), 'beta')
    await world().sync('next')
    expect(await remoteOf({ from: newest, to: 'stable' })).toBe(world().url)
  })

  test('and both have FROM, the error gives the command for each', async () => {
    await bothHaveStable('beta')
    expect(await refusal(remoteOf(up))).toMatchObject({
      status: 'usage',
      hint: [other, world().url]
        .map((remote) => `Name the repository: gitmoor channel promote beta '${remote}#stable' --why "REASON"`)
        .join('\n'),
    })
    expect(await remoteOf({ from: 'beta', to: `${other}#stable` })).toBe(other)
    expect(await remoteOf({ from: 'beta', to: `${other}#new` })).toBe(other)
    expect(await remoteOf({ from: `${other}/#beta`, to: 'stable' })).toBe(other)
  })
})

test('if the tag is there already, nothing is pushed, also without permission and against the policy', async () => {
  const { first } = await released()
  await world().restart({ channels: [{ ...releaseAtOnce, ref: 'stable', signedBy: ['ops'] }] })
  expect(await promote({ from: first, to: 'stable' }, { commit: first, object: first })).toMatchObject({
    before: { commit: first },
    commit: first,
    object: first,
    moved: [],
    blockers: [],
    already: true,
  })
  expect(await world().ask.previewPromotion({ from: first, to: 'stable' }, { plans: true }, never)).not.toHaveProperty(
    'plans',
  )
})

test('a preview plans each stack that follows the tag, without applying anything', async () => {
  const { second } = await released()
  await world().create('broken', { ref: 'stable', path: 'none', target: 'other' })
  const { plans } = await world().ask.previewPromotion(up, { plans: true }, never)
  expect(plans).toMatchObject([
    {
      stack: 'boards',
      plan: { revision: `stable@sha1:${second}`, changes: [{ address: 'Label/l2', reason: 'added' }] },
    },
    {
      stack: 'broken',
      error: { status: 'source', message: expect.stringContaining('There is nothing at none') as string },
    },
  ])
  expect(await world().names()).toEqual(['Label/l1'])
  await promote()
  const { lastRun } = await world().ask.getStack('boards')
  expect((await world().ended('boards', lastRun!.id)).plan!.digest).toBe(plans![0]!.plan!.digest)
})

test('a preview plans the first 100 stacks, and has the plans of 10 and every error', async () => {
  await released()
  const { remote, ref, commit } = { remote: world().url, ref: 'stable', commit: commitOf('beta')! }
  const stack = (await world().store.stacks.get('boards'))!
  const broken = {
    ...stack,
    spec: { ...stack.spec, name: 'broken', sources: [{ ...stack.spec.sources[0]!, path: 'none' }] },
  }
  const followers = [...Array<Stack>(99).fill(stack), broken, broken]
  const channel = (await world().store.channels.of(remote)).get(ref)!
  const plans = await world().call(planFollowers, followers, { channels: [channel], commit }, never)
  expect(plans.map(({ plan }) => plan !== undefined)).toEqual(followers.slice(0, 100).map((_, at) => at < 10))
  expect(plans.flatMap(({ stack: name, error }) => (error === undefined ? [] : [name]))).toEqual(['broken'])
})

describe('a stack of a fleet without the path there', () => {
  async function planned(name: string): Promise<readonly StackPlanView[]> {
    await released()
    const { remote, ref, commit } = { remote: world().url, ref: 'stable', commit: commitOf('beta')! }
    const stack = (await world().store.stacks.get('boards'))!
    const sources = [{ ...stack.spec.sources[0]!, path: 'none' }]
    const member = { ...stack, managedBy: fleetOwner('teams'), spec: { ...stack.spec, name, sources } }
    const channel = (await world().store.channels.of(remote)).get(ref)!
    return world().call(planFollowers, [member], { channels: [channel], commit }, never)
  }

  test('is not an error if the fleet lists directories: the stack leaves it', async () => {
    expect(await planned('member')).toEqual([{ stack: 'member', leaves: 'teams' }])
  })

  test('is an error if the fleet lists targets', async () => {
    expect(await planned('teams.eu1')).toMatchObject([{ stack: 'teams.eu1', error: { code: 'source/path-missing' } }])
  })
})

test('a preview plans all sources of a stack, of which one follows the tag', async () => {
  const { second } = await released()
  const main = await world().repository.commit({ files: { 'more/package.yml': label('l9') } })
  const git = { kind: 'git', url: world().url, path: '' } as const
  await world().create('both', {
    sources: [
      { ...git, ref: 'stable' },
      { ...git, ref: 'main', path: 'more' },
    ],
    target: 'other',
  })
  const { plans } = await world().ask.previewPromotion(up, { plans: true }, never)
  const both = plans!.find(({ stack }) => stack === 'both')!
  expect(both.plan).toMatchObject({
    revision: `stable@sha1:${second},main@sha1:${main}`,
    changes: [{ address: 'Label/l2' }],
  })
})

test('without permission to push, nothing is pushed', async () => {
  const { first } = await released()
  await world().restart()
  expect(await refusal(promote())).toMatchObject({ code: 'source/push-not-allowed' })
  expect(commitOf('stable')).toBe(first)
})

describe('a policy of the tag', () => {
  test('that allows only forward moves refuses a promotion back, and allows one forward', async () => {
    const { first } = await released({ ref: 'stable', moves: 'forward-only' })
    await promote()
    expect(await refusal(promote({ from: first, to: 'stable' }))).toMatchObject({
      status: 'needs-approval',
      code: 'stacks/not-forward',
    })
  })

  test('applies to a tag that is followed at another spelling of the address', async () => {
    await released()
    world().agent.setChannelPolicies([{ ...releaseAtOnce, ref: 'stable', signedBy: ['ops'] }])
    const url = world().url.toUpperCase().replace('HTTPS://GIT.EXAMPLE', 'https://git.example')
    world().server.alias(url, world().repository)
    const sources = [{ kind: 'git' as const, url, ref: 'next', path: '' }]
    await world().repository.branch('next', commitOf('beta')!)
    await world().create('other', { sources, target: 'other' })
    const request = { from: `${url}#next`, to: 'stable' }
    expect(await refusal(promote(request))).toMatchObject({ code: 'stacks/unsigned' })
  })

  test('that needs signatures refuses every promotion, and says what to do', async () => {
    const { first } = await released({ ref: 'lts', signedBy: ['ops'] })
    await world().repository.tag('lts', first)
    await world().ask.createStack(world().spec('old', { ref: 'lts' }), 'ann')
    await until('the tag is a channel', async () =>
      (await world().ask.listChannels({})).items.some(({ ref }) => ref === 'lts'),
    )
    expect(await refusal(promote({ from: 'beta', to: 'lts' }))).toMatchObject({
      code: 'stacks/unsigned',
      hint: expect.stringContaining('git tag --force --sign lts') as string,
    })
  })

  test('with a cool-down delays a promotion, too', async () => {
    await released({ ref: 'stable', minAgeMs: 900_000 })
    expect(await promote()).toMatchObject({ moved: [], blockers: [{ reason: 'MoveWaiting' }] })
    expect(await newest('stable')).toMatchObject({ detectedBy: 'promote', state: 'waiting', blockedBy: 'minAge' })
  })

  test('of FROM applies, too: only the released commit is promoted', async () => {
    const { second } = await released({ ref: 'beta', minAgeMs: 900_000 })
    const waiting = await world().push(yaml(label('l4')), 'beta')
    const shown = { commit: second, fromCommit: waiting }
    expect(await world().ask.previewPromotion(up, { plans: false }, never)).toMatchObject(shown)
    await world().sync('next')
    expect(await world().ask.previewPromotion(up, { plans: false }, never)).toMatchObject(shown)
  })
})

test('a commit that is vetoed on the tag is not promoted to it', async () => {
  await released()
  await promote()
  const { id } = await newest('stable')
  await world().ask.vetoMove(id, because)
  await world().repository.tag('stable', (await newest('stable')).from!.commit)
  await world().sync('boards')
  expect(await refusal(promote())).toMatchObject({ status: 'needs-approval', code: 'stacks/vetoed' })
})

test('a veto of a promoted move, and a pin of the channel, are said alike in the list, explain and the doctor', async () => {
  const { first } = await released()
  await promote()
  const { id } = await newest('stable')
  const said = async (reason: string): Promise<void> => {
    const { blockers } = await world().ask.explainStack('boards')
    const { message } = blockers.find((one) => one.reason === reason)!
    const [row] = (await world().ask.listStacks({})).items
    expect([row!.status.reason, row!.status.message, row!.revision.applied]).toEqual([
      reason,
      message,
      `stable@sha1:${first}`,
    ])
    const { checks } = await world().ask.diagnose(never)
    const state = reason === 'MoveVetoed' ? 'warning' : 'ok'
    expect(checks).toContainEqual(expect.objectContaining({ name: 'stack boards', state, message }))
  }
  const { moved } = await world().ask.vetoMove(id, because)
  await world().ended('boards', moved[0]!.run)
  await said('MoveVetoed')
  await world().ask.pinChannel('stable', because, never)
  await said('ChannelPinned')
})
