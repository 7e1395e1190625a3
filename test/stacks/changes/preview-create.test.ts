// What the first sync of a new stack would do, before the stack exists.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { releaseAtOnce } from '../../../src/channel/channel-policy.js'
import type { StackSpec } from '../../../src/model/stacks/stack.js'
import type { PlanView } from '../../../src/views/plan.js'
import { bucket, dashboard, label, yaml } from '../../e2e/packages.js'
import { refusal } from '../../e2e/refusal.js'
import { never, useWorld } from '../../e2e/world.js'

const world = useWorld()

type Changed = Parameters<ReturnType<typeof world>['spec']>[1]

const preview = (name: string, changed?: Changed): Promise<PlanView> =>
  world().ask.previewCreate(world().spec(name, changed), never)

/** All that a creation or a run stores, beside the resources of the target. */
async function storedFacts(): Promise<object> {
  const { ask } = world()
  const { id } = await new Promise<{ readonly id: string }>((resolve) => {
    const subscription = world().agent.events.subscribe(undefined, () => {})
    subscription.stop()
    resolve(subscription)
  })
  return {
    lastEvent: id,
    stacks: (await ask.listStacks({})).items,
    runs: (await ask.listAllRuns({})).items,
    channels: (await ask.listChannels({})).items,
    live: await world().live(),
  }
}

describe('a preview of a new stack', () => {
  test('has the plan of its first sync with adoptions, and stores nothing', async () => {
    const made = await world().ask.createResource('Bucket', { name: 'raw', description: 'by hand' }, {}, never)
    const commit = await world().push(yaml(bucket('raw'), dashboard('ops')), 'stable')
    const before = await storedFacts()
    const plan = await preview('boards', { ref: 'stable', adopt: 'refuse' })
    expect(plan).toMatchObject({
      stack: '',
      stackName: 'boards',
      revision: `stable@sha1:${commit}`,
      counts: { create: 1, update: 1, remove: 0 },
      needsApproval: [{ rule: 'adoption', address: 'Bucket/raw' }],
      blockers: [],
    })
    expect(plan.changes.find(({ address }) => address === 'Bucket/raw')).toMatchObject({
      adopts: true,
      identity: made.id,
      fields: expect.arrayContaining([{ path: 'description', old: 'by hand', new: '' }]) as unknown,
    })
    expect(await storedFacts()).toEqual(before)
    const run = await world().create('boards', { ref: 'stable', adopt: 'refuse' })
    expect(run.plan).toMatchObject({ changes: plan.changes, needsApproval: plan.needsApproval })
  })

  test('says that another stack owns a resource', async () => {
    await world().push(bucket('raw', { description: 'one' }), 'one')
    await world().push(bucket('raw', { description: 'two' }), 'two')
    await world().create('boards', { ref: 'one' })
    expect((await preview('copy', { ref: 'one' })).changes).toMatchObject([{ address: 'Bucket/raw', shares: true }])
    expect(await refusal(preview('copy', { ref: 'two' }))).toMatchObject({ code: 'plan/claimed' })
  })

  test('names what keeps the first sync from applying the plan', async () => {
    await world().push(label('red'))
    await world().create('base', { apply: 'approval' })
    const plan = await preview('boards', { dependsOn: ['base'] })
    expect(plan.blockers).toMatchObject([{ reason: 'Dependencies' }])
  })

  test('reads a directory', async () => {
    const directory = join(world().root, 'work', 'boards')
    mkdirSync(directory, { recursive: true })
    writeFileSync(join(directory, 'package.yml'), label('red'))
    const plan = await preview('boards', { sources: [{ kind: 'directory', directory }] })
    expect(plan).toMatchObject({ counts: { create: 1 } })
  })

  test('says that an inline stack has no package yet', async () => {
    expect(await refusal(preview('boards', { sources: [{ kind: 'inline' }] }))).toMatchObject({
      code: 'source/nothing-pushed',
      hint: expect.stringContaining('gitmoor plan boards --dir DIR') as string,
    })
  })
})

describe('a preview of a new stack is refused', () => {
  test('for a missing ref, a missing path and an invalid package', async () => {
    await world().push(label('red'), 'stable')
    await world().push('kind: Label', 'broken')
    expect(await refusal(preview('boards', { ref: 'stabl' }))).toMatchObject({ code: 'source/ref-missing' })
    expect(await refusal(preview('boards', { path: 'nowhere' }))).toMatchObject({ code: 'source/path-missing' })
    expect(await refusal(preview('boards', { ref: 'broken' }))).toMatchObject({
      code: expect.stringMatching(/^package/),
    })
  })

  test('as a creation is', async () => {
    await world().push(label('red'))
    await world().create('boards')
    const refused: Readonly<Record<string, StackSpec>> = {
      'stacks/name-taken': world().spec('boards'),
      'stacks/target-unknown': world().spec('new', { target: 'prod' }),
      'stacks/family-unknown': world().spec('new', { protect: ['Bukket/*'] }),
      'stacks/dependency-unknown': world().spec('new', { dependsOn: ['nobody'] }),
      'stacks/secret-not-allowed': world().spec('new', { secrets: { token: '${env:TOKEN}' } }),
      'source/directory-not-allowed': world().spec('new', { sources: [{ kind: 'directory', directory: '/etc' }] }),
    }
    for (const [code, spec] of Object.entries(refused)) {
      const previewed = await refusal(world().ask.previewCreate(spec, never))
      expect(previewed).toMatchObject({ code })
      expect(await refusal(world().ask.createStack(spec, 'ann'))).toEqual(previewed)
    }
  })

  test('with all problems of its settings at once', async () => {
    const spec = world().spec('boards', {
      target: 'prod',
      dependsOn: ['nobody'],
      sources: [{ kind: 'directory', directory: '/etc' }],
    })
    const expected = {
      status: 'usage',
      code: 'stacks/not-creatable',
      message: 'boards cannot be created: it has 3 problems.',
      problems: [
        { code: 'stacks/target-unknown', hint: 'Targets of the configuration file: local, other.' },
        { code: 'source/directory-not-allowed' },
        { code: 'stacks/dependency-unknown' },
      ],
    }
    await expect(world().ask.previewCreate(spec, never)).rejects.toMatchObject(expected)
    await expect(world().ask.createStack(spec, 'ann')).rejects.toMatchObject(expected)
  })
})

describe('a preview of a new stack whose channel has a policy', () => {
  test('has no plan if nothing is released, and says what the stack would do', async () => {
    world().agent.setChannelPolicies([{ ...releaseAtOnce, signedBy: ['ops'] }])
    await world().push(label('red'), 'stable')
    const refused = await refusal(preview('boards', { ref: 'stable' }))
    expect(refused).toMatchObject({ status: 'needs-approval', code: 'source/not-released' })
    expect(refused.message).toContain('boards would apply nothing until a commit is released.')
    expect(refused.hint).toContain('Create the stack, so gitmoor records the move.\n')
    expect((await world().ask.listChannels({})).items).toEqual([])
  })

  test('plans the released commit, and names the move that is not released', async () => {
    const first = await world().push(label('red'), 'stable')
    await world().create('boards', { ref: 'stable' })
    world().agent.setChannelPolicies([{ ...releaseAtOnce, minAgeMs: 3_600_000 }])
    await world().push(yaml(label('red'), label('blue')), 'stable')
    await world().sync('boards')
    expect(await preview('copy', { ref: 'stable' })).toMatchObject({
      revision: `stable@sha1:${first}`,
      blockers: [{ reason: 'MoveWaiting' }],
    })
  })
})
