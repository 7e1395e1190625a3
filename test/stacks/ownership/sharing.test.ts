// Several stacks that declare one resource, and names that change hands.
import { describe, expect, test } from 'vitest'
import { bucket, dashboard, label, yaml } from '../../e2e/packages.js'
import { refusal } from '../../e2e/refusal.js'
import { until } from '../../e2e/until.js'
import { never, useWorld } from '../../e2e/world.js'

const world = useWorld()

async function pushTo(path: string, text: string): Promise<void> {
  await world().repository.commit({ files: { [`${path}/package.yml`]: text } })
}

/** Two stacks, each following its folder of one repository. */
async function two(one: string, other: string): Promise<void> {
  await world().repository.commit({ files: { 'one/package.yml': one, 'two/package.yml': other } })
  await world().create('one', { path: 'one' })
  await world().create('two', { path: 'two' })
}

describe('two stacks that declare a bucket alike', () => {
  const alike = bucket('raw', { every: 3600 })

  test('share it: the first owns it, the later one reads and writes nothing', async () => {
    await world().repository.commit({ files: { 'one/package.yml': alike, 'two/package.yml': alike } })
    await world().create('one', { path: 'one' })
    world().platform.reset()
    expect(await world().create('two', { path: 'two' })).toMatchObject({
      outcome: 'applied',
      changes: { create: 0, update: 0 },
    })
    expect(world().platform.writes).toEqual([])
    expect((await world().live())['Bucket/raw']!.stack).toBe('one')
    expect(await world().ids('two')).toEqual(await world().ids('one'))
    expect(await world().ask.getResource('Bucket/raw', { stack: 'two' }, never)).toMatchObject({
      stack: 'one',
      sharers: ['two'],
    })
  })

  test('are listed with its owner, and with their own address', async () => {
    await two(alike, bucket('copy', { name: 'raw', every: 3600 }))
    const listed = async (stack: string) => (await world().ask.listResources({ stack }, never)).items
    expect(await listed('one')).toMatchObject([{ stack: 'one', address: 'Bucket/raw' }])
    expect(await listed('two')).toMatchObject([{ stack: 'one', address: 'Bucket/copy' }])
  })

  test('when the owner drops it, it stays and the oldest sharer owns it', async () => {
    await two(yaml(alike, label('one')), yaml(alike, label('two')))
    const { 'Bucket/raw': id } = await world().ids('one')
    await pushTo('one', label('one'))
    expect((await world().sync('one')).outcome).toBe('applied')
    expect((await world().live())['Bucket/raw']).toMatchObject({ id, stack: 'two' })
    await pushTo('two', yaml(bucket('raw', { every: 7200 }), label('two')))
    expect(await world().sync('two')).toMatchObject({ outcome: 'applied', changes: { update: 1 } })
  })

  test("when it is gone and its owner makes it again, it is still its owner's, and no sharer owns what is not there", async () => {
    await two(alike, alike)
    await world().ask.deleteResource('Bucket/raw', { stack: 'one', consent: 'Bucket/raw' }, never)
    await world().sync('one')
    const { 'Bucket/raw': id } = await world().ids('one')
    const owners = async (): Promise<readonly (boolean | undefined)[]> =>
      Promise.all(['one', 'two'].map(async (name) => (await world().ask.explainResource(name, 'Bucket/raw')).shared))
    expect(await owners()).toEqual([false, true])
    await world().sync('two')
    expect(await owners()).toEqual([false, true])
    expect((await world().ids('two'))['Bucket/raw']).toBe(id)
  })

  test('when the sharer drops it, it stays with its owner', async () => {
    await two(alike, yaml(alike, label('two')))
    await pushTo('two', label('two'))
    expect((await world().sync('two')).outcome).toBe('applied')
    expect((await world().live())['Bucket/raw']!.stack).toBe('one')
  })

  test('uninstalling the owner keeps shared resources', async () => {
    await two(yaml(alike, label('one')), alike)
    const plan = await world().ask.previewPlan('one', { uninstall: true }, never)
    await world().ask.deleteStack('one', { uninstall: plan.digest, by: 'ann' }, never)
    expect(await world().names()).toEqual(['Bucket/raw'])
    expect((await world().live())['Bucket/raw']!.stack).toBe('two')
  })

  test('forgetting the owner passes it on, too', async () => {
    await two(alike, alike)
    await world().ask.deleteStack('one', { by: 'ann' }, never)
    expect((await world().live())['Bucket/raw']!.stack).toBe('two')
  })

  test('under another name it is another resource, which the former sharer creates and owns', async () => {
    await two(alike, alike)
    const { 'Bucket/raw': shared } = await world().ids('one')
    await pushTo('two', bucket('raw', { name: 'raw of two', every: 3600 }))
    expect(await world().sync('two')).toMatchObject({
      outcome: 'applied',
      changes: { create: 1, update: 0, remove: 0 },
    })
    expect((await world().ids('two'))['Bucket/raw']).not.toBe(shared)
    expect((await world().ids('one'))['Bucket/raw']).toBe(shared)
  })

  test('what a hand damaged is put right by its owner, not by the sharer', async () => {
    await two(alike, alike)
    await world().ask.deleteResource('Bucket/raw', { stack: 'one', consent: 'Bucket/raw' }, never)
    world().platform.reset()
    await world().sync('two')
    expect(world().platform.writes).toEqual([])
    expect((await world().sync('one')).outcome).toBe('applied')
    expect((await world().sync('two')).outcome).toMatch(/applied|unchanged/)
    expect(await world().ids('two')).toEqual(await world().ids('one'))
  })
})

describe('two stacks that declare a bucket differently', () => {
  test('the later one is refused before anything is written, with the owner and the fields', async () => {
    await world().repository.commit({
      files: {
        'one/package.yml': bucket('raw', { every: 3600 }),
        'two/package.yml': yaml(label('new'), bucket('mine', { name: 'raw', every: 7200 })),
      },
    })
    await world().create('one', { path: 'one' })
    world().platform.reset()
    const run = await world().create('two', { path: 'two' })
    expect(run).toMatchObject({ outcome: 'failed', problems: [{ code: 'plan/claimed' }] })
    expect(run.problems[0]).toMatchObject({
      message:
        'Bucket/mine belongs to stack one (as Bucket/raw), which declares different values: retentionRules[0].everySeconds.',
      hint:
        'To share it, declare the same values as one. To move it to this stack, suspend one, release it ' +
        '(gitmoor stack release one Bucket/raw), remove it from the package of one, and resume one. ' +
        'Or choose another name.',
      place: { file: 'two/package.yml' },
    })
    const { message } = run.problems[0]!
    const plan = await refusal(world().ask.previewPlan('two', {}, never))
    expect([plan.code, plan.message]).toEqual(['plan/claimed', message])
    expect((await world().store.stacks.get('two'))!.failure).toMatchObject({ code: 'plan/claimed', reason: 'Claimed' })
    expect(world().platform.writes).toEqual([])
    expect(world().condition(await world().ask.getStack('two')).reason).toBe('Claimed')
  })

  describe('the refused one is applied by itself', () => {
    const before = bucket('raw', { every: 3600 })
    const after = bucket('raw', { every: 7200 })

    /** The sharer is ahead of the owner. */
    async function refused(): Promise<void> {
      await two(before, before)
      await pushTo('two', after)
      expect(await world().sync('two')).toMatchObject({ outcome: 'failed', problems: [{ code: 'plan/claimed' }] })
    }

    /** Nobody requests a run of it. */
    async function isApplied(state = 'Synced'): Promise<void> {
      await until('it is retried', async () => (await world().ask.getStack('two')).status.state === state)
    }

    test('when the owner declares the same', async () => {
      await refused()
      await pushTo('one', after)
      await world().sync('one')
      await isApplied()
    })

    test('when the owner releases the resource', async () => {
      await refused()
      await world().ask.releaseResource('one', { address: 'Bucket/raw', by: 'ann' }, never)
      await isApplied()
      expect((await world().live())['Bucket/raw']!.stack).toBe('two')
    })

    test('when the owner is deleted', async () => {
      await refused()
      await world().ask.deleteStack('one', { by: 'ann' }, never)
      await isApplied()
    })

    test('after a start of the agent, if it missed that', async () => {
      await refused()
      await pushTo('one', after)
      const { id } = (await world().ask.getStack('two')).lastRun!
      await world().restart()
      await until('it is retried', async () => (await world().ask.getStack('two')).lastRun!.id !== id)
    })

    test('once: it stays refused while the owner declares something else', async () => {
      await refused()
      await pushTo('one', bucket('raw', { every: 1800 }))
      await world().sync('one')
      const outcomes = async (): Promise<readonly unknown[]> =>
        (await world().ask.listRuns('two', {})).items.map(({ outcome }) => outcome)
      await until('it is retried', async () => (await outcomes()).join() === 'failed,failed,applied')
      expect((await world().store.stacks.get('two'))!.failure).toMatchObject({ reason: 'Claimed', retry: 'change' })
    })
  })

  test('on another organisation they do not meet', async () => {
    await world().repository.commit({
      files: { 'one/package.yml': bucket('raw', { every: 3600 }), 'two/package.yml': bucket('raw', { every: 7200 }) },
    })
    await world().create('one', { path: 'one' })
    expect((await world().create('two', { path: 'two', target: 'other' })).outcome).toBe('applied')
    expect(await world().names('other')).toEqual(['Bucket/raw'])
  })
})

describe('names', () => {
  test('another metaName with the same name is a move: nothing is removed, the id stays', async () => {
    await world().push(yaml(bucket('raw', { name: 'Values' }), label('red')))
    await world().create('boards')
    const { 'Bucket/raw': id } = await world().ids('boards')
    world().platform.reset()
    await world().push(yaml(bucket('values', { name: 'Values' }), label('red')))
    const run = await world().sync('boards')
    expect(run.plan!.changes).toMatchObject([
      { action: 'update', address: 'Bucket/values', from: 'Bucket/raw', fields: [] },
    ])
    expect(world().platform.writes).toEqual([])
    expect((await world().ids('boards'))['Bucket/values']).toBe(id)
  })

  test('all names change and all ids stay', async () => {
    await world().push(yaml(bucket('raw', { labels: ['red'] }), label('red'), dashboard('ops', { labels: ['red'] })))
    await world().create('boards')
    const before = await world().ids('boards')
    await world().push(
      yaml(
        bucket('raw', { name: 'x1', labels: ['red'] }),
        label('red', { name: 'x2' }),
        dashboard('ops', { name: 'x3', labels: ['red'] }),
      ),
    )
    expect((await world().sync('boards')).outcome).toBe('applied')
    expect(await world().ids('boards')).toEqual(before)
    expect(await world().names()).toEqual(['Bucket/x1', 'Dashboard/x3', 'Label/x2'])
  })

  test('a name that another one gives up is taken after it', async () => {
    await world().push(yaml(bucket('one', { name: 'aa' }), label('red')))
    await world().create('boards')
    const { 'Bucket/one': id } = await world().ids('boards')
    await world().push(yaml(bucket('one', { name: 'bb' }), bucket('two', { name: 'aa' }), label('red')))
    expect((await world().sync('boards')).outcome).toBe('applied')
    expect((await world().live())['Bucket/bb']!.id).toBe(id)
  })

  test('swapped names are refused before anything is written', async () => {
    await world().push(yaml(bucket('one', { name: 'aa' }), bucket('two', { name: 'bb' })))
    await world().create('boards')
    world().platform.reset()
    await world().push(yaml(bucket('one', { name: 'bb' }), bucket('two', { name: 'aa' })))
    const run = await world().sync('boards')
    expect(run.problems).toMatchObject([
      { code: 'plan/name-swap', hint: expect.stringContaining('two revisions') as string },
    ])
    expect(world().platform.writes).toEqual([])
  })

  test('a name of a bucket that would be removed is refused, because its data would be lost', async () => {
    await world().push(yaml(bucket('one', { name: 'aa' }), bucket('two', { name: 'bb' })))
    await world().create('boards')
    await world().push(bucket('two', { name: 'aa' }))
    const run = await world().sync('boards')
    expect(run.problems).toMatchObject([{ code: 'plan/name-in-use' }])
    expect(await world().names()).toEqual(['Bucket/aa', 'Bucket/bb'])
  })

  test('what was renamed by hand gets its name back', async () => {
    await world().push(bucket('raw'))
    await world().create('boards')
    const before = await world().ids('boards')
    await world().ask.editResource('Bucket/raw', { name: 'other' }, { stack: 'boards' }, never)
    expect((await world().sync('boards')).outcome).toBe('applied')
    expect(await world().names()).toEqual(['Bucket/raw'])
    expect(await world().ids('boards')).toEqual(before)
  })

  test('a name that another stack took after a rename by hand is refused, and every answer names that stack', async () => {
    await two(bucket('raw'), label('two'))
    await world().ask.editResource('Bucket/raw', { name: 'other' }, { stack: 'one' }, never)
    await world().ask.suspendStack('one', 'a rename by hand', undefined, 'ann')
    await pushTo('two', yaml(label('two'), bucket('mine', { name: 'raw' })))
    expect((await world().sync('two')).outcome).toBe('applied')
    await world().ask.resumeStack('one', 'ann')
    await world().lastRun('one')
    const message = 'Bucket/raw declares the name "raw", which belongs to stack two (as Bucket/mine).'
    const hint = 'Choose another name, or rename or remove Bucket/mine in the package of two and sync it.'
    expect((await world().sync('one')).problems).toMatchObject([{ code: 'plan/claimed', message, hint }])
    expect(await refusal(world().ask.previewPlan('one', {}, never))).toMatchObject({ code: 'plan/claimed', message })
    const { blockers } = await world().ask.explainStack('one')
    expect(blockers.map((one) => [one.reason, one.message.includes(message)])).toContainEqual(['Claimed', true])
    const { checks } = await world().ask.diagnose(never)
    expect(checks.some((one) => one.message.includes('stack two (as Bucket/mine)'))).toBe(true)
  })

  test('a name that a resource of no stack took after a rename by hand is refused with its id', async () => {
    await world().push(bucket('raw'))
    await world().create('boards')
    await world().ask.editResource('Bucket/raw', { name: 'other' }, { stack: 'boards' }, never)
    const made = await world().ask.createResource('Bucket', { name: 'raw', retentionRules: [] }, {}, never)
    const [problem] = (await world().sync('boards')).problems
    expect(problem).toMatchObject({ code: 'plan/name-taken' })
    expect(problem!.message).toBe(
      `Bucket/raw declares the name "raw", but a Bucket that no stack owns has it (id ${made.id}).`,
    )
  })

  test('a label that a person put on stays', async () => {
    await world().push(yaml(bucket('raw'), label('red')))
    await world().create('boards')
    const { 'Bucket/raw': resourceID, 'Label/red': labelID } = await world().ids('boards')
    await world().ask.createResource('LabelMapping', { resourceType: 'buckets', resourceID, labelID }, {}, never)
    expect((await world().sync('boards')).outcome).toBe('unchanged')
    expect(Object.keys(await world().live())).toHaveLength(3)
  })

  test('a mapping that was taken off by hand comes back', async () => {
    await world().push(yaml(bucket('raw', { labels: ['red'] }), label('red')))
    await world().create('boards')
    await world().ask.deleteResource('LabelMapping/Bucket/raw/red', { stack: 'boards' }, never)
    expect((await world().sync('boards')).outcome).toBe('applied')
    expect(Object.keys(await world().live())).toHaveLength(3)
  })
})
