// What a stack owns, changed without a package: adopt, release, uninstall. None of them writes to the target but
// uninstall.
import { describe, expect, test } from 'vitest'
import { bucket, dashboard, label, yaml } from '../../e2e/packages.js'
import { until } from '../../e2e/until.js'
import { never, useWorld } from '../../e2e/world.js'

const world = useWorld()
const adopt = (name: string, address: string, id: string) =>
  world().ask.adoptResource(name, { address, id, by: 'ann' }, never)
const release = (name: string, address: string) => world().ask.releaseResource(name, { address, by: 'ann' }, never)

async function byHand(family: string, name: string): Promise<string> {
  return (await world().ask.createResource(family, { name }, {}, never)).id
}

async function uninstall(name: string) {
  const { digest } = await world().ask.previewPlan(name, { uninstall: true }, never)
  return world().ask.uninstallStack(name, { digest, by: 'ann' }, never)
}

/** As when its time has come. */
async function looked(): Promise<void> {
  const stack = (await world().store.stacks.get('boards'))!
  world().clock.advance(3_600_000)
  await world().agent.polls.poll(stack, never)
  await world().agent.runs.exclusively(stack.id, never, async () => {})
}

describe('adopt', () => {
  test('takes what is there under the address of the package; the next sync makes it that', async () => {
    await world().push(label('red'))
    await world().create('boards')
    const there = await byHand('Label', 'by hand')
    await world().push(yaml(label('red'), label('blue')))
    const { run } = await adopt('boards', 'Label/blue', there)
    expect(run).toMatchObject({ outcome: 'unchanged', cause: { by: 'ann', note: `adopts Label/blue (${there})` } })
    expect((await world().live())['Label/by hand']!.stack).toBe('boards')
    expect((await world().sync('boards')).changes).toMatchObject({ create: 0, update: 1 })
    expect((await world().live())['Label/blue']!.id).toBe(there)
  })

  test('is in the history and among the events', async () => {
    await world().push(label('red'))
    await world().create('boards')
    await release('boards', 'Label/red')
    const { id } = (await world().live())['Label/red']!
    await adopt('boards', 'Label/red', id)
    const events = await world().store.runs.events((await world().ask.getStack('boards')).id, 10)
    expect(events.slice(-2).map(({ resources }) => resources.map(({ resourceID }) => resourceID))).toEqual([[], [id]])
    expect(
      (await world().ask.listRuns('boards', { limit: 2 })).items.map(({ cause }) => cause.note?.split(' ')[0]),
    ).toEqual(['adopts', 'releases'])
  })

  test('explains where the resource came from', async () => {
    await world().push(label('red'))
    await world().create('boards')
    await release('boards', 'Label/red')
    await adopt('boards', 'Label/red', (await world().live())['Label/red']!.id)
    const detail = await world().ask.explainResource('boards', 'Label/red')
    expect(JSON.stringify(detail)).toContain('adopt')
  })

  test('of what the package does not declare is refused, for the next sync would remove it', async () => {
    await world().push(label('red'))
    await world().create('boards')
    const id = await byHand('Label', 'blue')
    await expect(adopt('boards', 'Label/blue', id)).rejects.toMatchObject({
      status: 'conflict',
      code: 'stacks/not-declared',
    })
  })

  test.each([
    ['what is not there', 'Label/blue', '0123456789abcdef', 'stacks/resource-missing'],
    ['an address that is taken', 'Label/red', '0123456789abcdef', 'stacks/address-taken'],
    ['another stack’s', 'Label/blue', 'theirs', 'stacks/owned-elsewhere'],
    ['its own under another address', 'Label/blue', 'ours', 'stacks/address-taken'],
  ])('of %s is refused', async (_, address, which, code) => {
    const files = { 'theirs/package.yml': label('theirs'), 'boards/package.yml': label('red') }
    await world().repository.commit({ files })
    await world().create('others', { path: 'theirs' })
    await world().create('boards', { path: 'boards' })
    const live = await world().live()
    await world().repository.commit({ files: { 'boards/package.yml': yaml(label('red'), label('blue')) } })
    const ids: Readonly<Record<string, string>> = { theirs: live['Label/theirs']!.id, ours: live['Label/red']!.id }
    await expect(adopt('boards', address, ids[which] ?? which)).rejects.toMatchObject({ status: 'conflict', code })
  })
})

describe('release', () => {
  test('gives one up with its parts; the target is left alone', async () => {
    await world().push(yaml(bucket('raw', { labels: ['red'] }), label('red')))
    await world().create('boards')
    const before = await world().live()
    await release('boards', 'Bucket/raw')
    expect(Object.keys(await world().ids('boards'))).toEqual(['Label/red'])
    const after = await world().live()
    expect(Object.keys(after)).toEqual(Object.keys(before))
    expect(after['Bucket/raw']).toMatchObject({
      id: before['Bucket/raw']!.id,
      live: before['Bucket/raw']!.live,
      stack: null,
    })
    await world().push(label('red'))
    await world().sync('boards')
    expect(await world().names()).toContain('Bucket/raw')
  })

  test.each([
    ['Bucket/raw', bucket('raw'), true, 1],
    ['Dashboard/ops', dashboard('ops'), false, 2],
  ])(
    'of %s says whether it is found again, and the stack is not synced until it is checked',
    async (address, text, findsAgain, after) => {
      await world().push(text)
      await world().create('boards')
      const { [address]: id } = await world().ids('boards')
      expect(await release('boards', address)).toMatchObject({ id, findsAgain })
      expect(await world().ask.getStack('boards')).toMatchObject({ sync: 'Drifted' })
      await world().sync('boards')
      const { items } = await world().ask.listResources({ limit: 500, target: 'local' }, never)
      expect(
        items
          .filter(({ family }) => address.startsWith(`${family}/`))
          .filter(({ displayName }) => !displayName.startsWith('_')),
      ).toHaveLength(after)
      expect(await world().ask.getStack('boards')).toMatchObject({ sync: 'Synced' })
    },
  )

  test('passes what another stack shares to it', async () => {
    await world().push(label('red'))
    await world().create('boards')
    await world().create('others')
    expect((await world().live())['Label/red']!.stack).toBe('boards')
    await release('boards', 'Label/red')
    expect((await world().live())['Label/red']!.stack).toBe('others')
  })

  test.each(['Label/none', 'LabelMapping/Bucket/raw/red'])(
    'of %s is refused: it is missing, or part of a resource',
    async (address) => {
      await world().push(yaml(bucket('raw', { labels: ['red'] }), label('red')))
      await world().create('boards')
      await expect(release('boards', address)).rejects.toMatchObject({ status: 'not-found', code: 'resources/unknown' })
    },
  )

  test('replaces a plan that needs approval to remove the resource', async () => {
    await world().push(yaml(bucket('raw'), label('red'), label('blue')))
    await world().create('boards')
    await world().push(yaml(label('red'), label('blue')))
    expect((await world().sync('boards')).outcome).toBe('needs-approval')
    await release('boards', 'Bucket/raw')
    await until('the new plan is applied', async () => (await world().ask.getStack('boards')).status.state === 'Synced')
    expect(await world().names()).toContain('Bucket/raw')
  })

  test('may be done while the stack is suspended', async () => {
    await world().push(label('red'))
    await world().create('boards')
    await world().ask.suspendStack('boards', 'moving', undefined, 'ann')
    await release('boards', 'Label/red')
    expect(await world().ids('boards')).toEqual({})
  })
})

describe('uninstall', () => {
  test('removes what the stack owns and keeps the stack, suspended', async () => {
    await world().push(yaml(bucket('raw', { labels: ['red'] }), label('red')))
    await world().create('boards')
    expect((await uninstall('boards')).run).toMatchObject({ intent: 'uninstall', outcome: 'applied' })
    expect(await world().names()).toEqual([])
    expect(await world().ask.getStack('boards')).toMatchObject({
      suspended: { by: 'ann', why: 'uninstalled' },
      resources: [],
    })
  })

  test('the next commit brings nothing back; resume does', async () => {
    await world().push(label('red'))
    await world().create('boards')
    await uninstall('boards')
    await world().push(yaml(label('red'), label('blue')))
    await looked()
    expect(await world().names()).toEqual([])
    await world().ask.resumeStack('boards', 'ann')
    await world().sync('boards')
    expect(await world().names()).toEqual(['Label/blue', 'Label/red'])
  })

  test('stays so over a restart', async () => {
    await world().push(label('red'))
    await world().create('boards')
    await uninstall('boards')
    await world().restart()
    await looked()
    expect(await world().names()).toEqual([])
    expect((await world().ask.getStack('boards')).suspended?.why).toBe('uninstalled')
  })

  test('with a plan that is stale is refused', async () => {
    await world().push(label('red'))
    await world().create('boards')
    const { digest } = await world().ask.previewPlan('boards', { uninstall: true }, never)
    await world().push(yaml(label('red'), label('blue')))
    await world().sync('boards')
    await expect(world().ask.uninstallStack('boards', { digest, by: 'ann' }, never)).rejects.toMatchObject({
      status: 'stale',
    })
    expect(await world().names()).toEqual(['Label/blue', 'Label/red'])
  })

  test('of protected resources needs approval, and the approval keeps the stack', async () => {
    await world().push(label('red'))
    await world().create('boards', { protect: ['Label/red'] })
    await expect(uninstall('boards')).rejects.toMatchObject({ status: 'needs-approval', code: 'stacks/protected' })
    const { lastRun } = await world().ask.getStack('boards')
    const blocked = await world().ask.getRun('boards', lastRun!.id)
    await world().ask.approvePlan('boards', blocked.plan!.digest, 'ann', never)
    expect(await world().names()).toEqual([])
    expect((await world().ask.getStack('boards')).suspended?.why).toBe('uninstalled')
  })

  test('can be followed by a deletion of the stack', async () => {
    await world().push(label('red'))
    await world().create('boards')
    await uninstall('boards')
    await world().ask.deleteStack('boards', { by: 'ann' }, never)
    await expect(world().ask.getStack('boards')).rejects.toMatchObject({ status: 'not-found' })
  })
})
