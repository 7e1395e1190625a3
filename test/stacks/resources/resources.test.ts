// Reading a target, and changing it by hand.
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { bucket, label, yaml } from '../../e2e/packages.js'
import { refusal } from '../../e2e/refusal.js'
import { until } from '../../e2e/until.js'
import { never, useWorld } from '../../e2e/world.js'

const world = useWorld()

test('everything on a target is listed a page at a time, with whose it is', async () => {
  await world().push(yaml(bucket('raw', { labels: ['red'] }), label('red')))
  await world().create('boards')
  await world().ask.createResource('Label', { name: 'mine' }, {}, never)
  const seen: string[] = []
  for (let after: string | undefined; ;) {
    const page = await world().ask.listResources({ limit: 2, ...(after === undefined ? {} : { after }) }, never)
    seen.push(
      ...page.items.map(
        ({ family, displayName, stack }) => `${family} ${family === 'LabelMapping' ? '' : displayName} ${stack ?? '-'}`,
      ),
    )
    if (page.next === null) break
    after = page.next
  }
  expect(seen.sort()).toEqual([
    'Bucket _monitoring -',
    'Bucket _tasks -',
    'Bucket raw boards',
    'Label mine -',
    'Label red boards',
    'LabelMapping  boards',
  ])
})

test('what one stack has is listed by itself', async () => {
  await world().push(label('red'))
  await world().create('boards')
  await world().ask.createResource('Label', { name: 'mine' }, {}, never)
  const { items } = await world().ask.listResources({ stack: 'boards' }, never)
  expect(items).toMatchObject([{ family: 'Label', displayName: 'red', address: 'Label/red', stack: 'boards' }])
})

test('a resource is found by its address in a stack, and by FAMILY/ID', async () => {
  await world().push(label('red', { name: 'Red' }))
  await world().create('boards')
  const byAddress = await world().ask.getResource('Label/red', {}, never)
  expect(await world().ask.getResource(`Label/${byAddress.id}`, {}, never)).toEqual(byAddress)
  expect(byAddress.actual).toMatchObject({ name: 'Red' })
})

test('an address that two stacks use for two resources needs the stack', async () => {
  await world().repository.commit({
    files: { 'one/a.yml': label('red', { name: 'r1' }), 'two/a.yml': label('red', { name: 'r2' }) },
  })
  await world().create('one', { path: 'one' })
  await world().create('two', { path: 'two' })
  expect(await refusal(world().ask.getResource('Label/red', {}, never))).toMatchObject({
    status: 'conflict',
    hint: 'Name the stack with --stack.',
  })
  expect((await world().ask.getResource('Label/red', { stack: 'two' }, never)).displayName).toBe('r2')
})

test('a missing resource is not found, and the hint lists the resources', async () => {
  expect(await refusal(world().ask.getResource('Label/nothing', {}, never))).toMatchObject({
    status: 'not-found',
    code: 'resources/unknown',
    hint: 'List the resources: gitmoor resource list',
  })
  expect(await refusal(world().ask.getResource('Nonsense/x', {}, never))).toMatchObject({
    status: 'not-found',
    code: 'resources/family-unknown',
  })
  await world().push(label('red'))
  await world().create('boards')
  expect(await refusal(world().ask.getResource('Label/nothing', { stack: 'boards' }, never))).toMatchObject({
    status: 'not-found',
    code: 'resources/unknown',
    hint: 'List its resources: gitmoor stack get boards',
  })
  expect(await refusal(world().ask.getResource('nonsense', {}, never))).toMatchObject({ status: 'usage' })
})

test('the rules of the target apply to direct writes', async () => {
  await world().ask.createResource('Label', { name: 'red' }, {}, never)
  expect(await refusal(world().ask.createResource('Label', { name: 'RED' }, {}, never))).toMatchObject({
    code: 'platform/name-taken',
  })
  const { items } = await world().ask.listResources({}, never)
  const system = items.find(({ displayName }) => displayName === '_tasks')!
  const consent = `Bucket/${system.id}`
  expect(await refusal(world().ask.deleteResource(consent, { consent }, never))).toMatchObject({
    code: 'platform/system-bucket',
  })
})

describe('a request that loses data', () => {
  const raw = bucket('raw', { every: 2_592_000 })

  async function settled(): Promise<void> {
    await world().push(yaml(raw, label('red')))
    await world().create('boards', { protect: ['Label/red'] })
  }

  test.each([
    ['deletes a bucket', 'Bucket/raw', 'stacks/data-loss', 'Removing Bucket/raw deletes its data.'],
    ['deletes what a stack protects', 'Label/red', 'stacks/protected', 'Label/red is protected by stack boards.'],
  ])('is refused where it %s and does not name it', async (_, which, code, message) => {
    await settled()
    const { id, needsConsent } = await world().ask.getResource(which, {}, never)
    expect(needsConsent).toBe(message)
    const hint = `To consent, pass --consent ${which} (API: \`consent=${which}\`).`
    const byId = `${which.split('/')[0]}/${id}`
    for (const [name, consent] of [
      [which, undefined],
      [byId, undefined],
      [which, 'Bucket/other'],
      [byId, byId],
    ] as const) {
      const options = consent === undefined ? {} : { consent }
      expect(await refusal(world().ask.deleteResource(name, options, never))).toMatchObject({
        status: 'needs-approval',
        code,
        message,
        hint,
      })
    }
    expect(await world().ask.getResource(which, {}, never)).toMatchObject({ id })
    await world().ask.deleteResource(which, { consent: which }, never)
    expect(await refusal(world().ask.getResource(byId, {}, never))).toMatchObject({ status: 'not-found' })
  })

  test('needs no consent for a resource without data that no stack protects', async () => {
    await world().push(label('red'))
    await world().create('boards')
    expect(await world().ask.getResource('Label/red', {}, never)).not.toHaveProperty('needsConsent')
  })

  test('is refused where no stack owns the bucket, too', async () => {
    const { id } = await world().ask.createResource(
      'Bucket',
      { name: 'mine', description: '', retentionRules: [] },
      {},
      never,
    )
    const which = `Bucket/${id}`
    expect(await refusal(world().ask.deleteResource(which, {}, never))).toMatchObject({
      status: 'needs-approval',
      code: 'stacks/data-loss',
    })
    await world().ask.deleteResource(which, { consent: which }, never)
  })

  test('is refused where it makes a retention shorter and does not name the bucket', async () => {
    await settled()
    const live = { retentionRules: [{ type: 'expire', everySeconds: 3_600 }] }
    expect(await refusal(world().ask.editResource('Bucket/raw', live, {}, never))).toMatchObject({
      status: 'needs-approval',
      code: 'stacks/data-loss',
      message: 'Updating Bucket/raw loses data: points older than 3600 s are deleted.',
    })
    expect((await world().ask.editResource('Bucket/raw', live, { consent: 'Bucket/raw' }, never)).actual).toMatchObject(
      live,
    )
    await world().ask.editResource('Bucket/raw', { retentionRules: [] }, {}, never)
  })

  test('is refused where another stack that shares it protects it', async () => {
    await world().repository.commit({ files: { 'one/a.yml': label('red'), 'two/a.yml': label('red') } })
    await world().create('one', { path: 'one' })
    await world().create('two', { path: 'two', protect: ['Label/*'] })
    expect(await refusal(world().ask.deleteResource('Label/red', { stack: 'one' }, never))).toMatchObject({
      code: 'stacks/protected',
      message: 'Label/red is protected by stack two.',
    })
  })
})

test('a family that no kind has hides nothing else of the list', async () => {
  await world().push(label('red'))
  await world().create('boards')
  const { documents } = world().store
  await documents.insert('main', 'Buck\u0000\u00ebt', {
    id: '00000000000000aa',
    key: null,
    state: { name: 'odd' },
    links: [],
  })
  const { items } = await world().ask.listResources({ limit: 100 }, never)
  const odd = items.find(({ id }) => id === '00000000000000aa')
  expect(odd).toMatchObject({
    family: 'Buck\u0000\u00ebt',
    displayName: '00000000000000aa',
    stack: null,
    actual: { name: 'odd' },
  })
  expect(items.filter(({ stack }) => stack === 'boards')).toMatchObject([{ family: 'Label', displayName: 'red' }])
  await expect(world().ask.getResource('Nope/00000000000000aa', {}, never)).rejects.toMatchObject({
    status: 'not-found',
  })
})

describe('a stack whose resource is written past it', () => {
  const byHand: readonly (readonly [string, (which: string) => Promise<unknown>])[] = [
    ['edited', (which) => world().ask.editResource(which, { color: '#000000' }, {}, never)],
    ['deleted', (which) => world().ask.deleteResource(which, {}, never)],
  ]

  test.each(byHand)('is not said to be synced once it is %s, until it is compared again', async (_, write) => {
    await world().push(label('red', { color: '#ff0000' }))
    await world().create('boards', { drift: 'report' })
    expect(await world().ask.getStack('boards')).toMatchObject({ sync: 'Synced', health: 'Healthy' })
    await write('Label/red')
    expect(await world().ask.getStack('boards')).toMatchObject({ sync: 'Unknown', health: 'Unknown', checkedAt: null })
    expect((await world().ask.listStacks({})).items).toMatchObject([{ sync: 'Unknown', health: 'Unknown' }])
    world().clock.advance(400_000)
    await until('it was compared', async () => (await world().ask.getStack('boards')).checkedAt !== null)
    expect(await world().ask.getStack('boards')).toMatchObject({ sync: 'Drifted', health: 'Degraded' })
  })

  test('says how to compare it, when gitmoor does so, and is compared by a person who waits', async () => {
    await world().push(label('red', { color: '#ff0000' }))
    await world().create('boards')
    world().clock.advance(1_000)
    await world().ask.editResource('Label/red', { color: '#000000' }, {}, never)
    const { status, text, nextDriftCheckAt } = await world().ask.explainStack('boards')
    expect(status.next.map(({ cli }) => cli)).toEqual(['gitmoor sync boards'])
    expect(text).toContain('Compare it now: gitmoor sync boards')
    expect(Date.parse(nextDriftCheckAt!)).toBeGreaterThan(world().clock.now())
    expect(await world().ask.waitForStack('boards', { timeoutMs: 60_000 }, never)).toMatchObject({
      sync: 'Synced',
      lastRun: { outcome: 'applied', changes: { update: 1 } },
    })
  })

  test.each(byHand)('is not said to be synced by a comparison that began before it was %s', async (_, write) => {
    await world().push(yaml(label('red', { color: '#ff0000' }), bucket('raw')))
    await world().create('boards', { drift: 'report' })
    const writes: Promise<unknown>[] = []
    world().platform.onCall(async ({ verb, family }) => {
      if (verb !== 'read' || family !== 'Bucket' || writes.length > 0) return
      writes.push(write('Label/red'))
      await Promise.race([...writes, pause(100)]) // it waits for the comparison
    })
    world().clock.advance(400_000)
    await until('the comparison began', () => writes.length > 0)
    await Promise.all(writes)
    const { id } = (await world().store.stacks.get('boards'))!
    await world().agent.runs.exclusively(id, never, async () => {})
    expect(await world().ask.getStack('boards')).toMatchObject({ sync: 'Unknown', checkedAt: null })
  })

  test('is not said to be synced by a run that planned before it was edited', async () => {
    await world().push(label('red', { color: '#ff0000' }))
    await world().create('boards', { drift: 'report' })
    await world().push(yaml(label('red', { color: '#ff0000' }), label('blue')))
    const edits: Promise<unknown>[] = []
    world().platform.onCall(({ verb }) => {
      if (verb === 'create') edits.push(world().ask.editResource('Label/red', { color: '#000000' }, {}, never))
    })
    await world().sync('boards')
    await Promise.all(edits)
    expect(await world().ask.getStack('boards')).toMatchObject({ sync: 'Unknown', checkedAt: null })
  })

  test.each(byHand)('is not said to be synced where the agent is killed while it is %s', async (_, write) => {
    await world().push(label('red', { color: '#ff0000' }))
    await world().create('boards', { drift: 'report' })
    const seen: unknown[] = []
    world().platform.onCall(async ({ verb }) => {
      if (verb !== 'read') seen.push((await world().store.stacks.get('boards'))!.checkedAt)
    })
    await write('Label/red')
    expect(seen).toEqual([null])
  })

  test('stays Synced if drift is ignored', async () => {
    await world().push(label('red'))
    await world().create('boards', { drift: 'ignore' })
    await world().ask.deleteResource('Label/red', {}, never)
    expect(await world().ask.getStack('boards')).toMatchObject({ sync: 'Synced' })
  })
})

test('what a stack owns comes page by page, by address, each resource once', async () => {
  await world().push(yaml(...['a', 'b', 'c', 'd', 'e'].map((name) => label(`l-${name}`))))
  await world().create('boards')
  const addresses: (string | null)[] = []
  for (let after: string | undefined; ;) {
    const page = await world().ask.listResources(
      { stack: 'boards', limit: 2, ...(after === undefined ? {} : { after }) },
      never,
    )
    addresses.push(...page.items.map(({ address }) => address))
    expect(page.items.length).toBeLessThanOrEqual(2)
    if (page.next === null) break
    after = page.next
  }
  expect(addresses).toEqual(['Label/l-a', 'Label/l-b', 'Label/l-c', 'Label/l-d', 'Label/l-e'])
})
