// Stacks that wait for others: for what, how long, and when they begin.
import { describe, expect, test } from 'vitest'
import { Unavailable } from '../../../src/model/errors.js'
import { bucket, label, yaml } from '../../e2e/packages.js'
import { refusal } from '../../e2e/refusal.js'
import { until } from '../../e2e/until.js'
import { never, useWorld } from '../../e2e/world.js'

const world = useWorld()

/** One repository, a folder for each stack. */
function push(described: Readonly<Record<string, string>>): Promise<string> {
  const files = Object.entries(described).map(([name, description]) => [`${name}/a.yml`, bucket(name, { description })])
  return world().repository.commit({ files: Object.fromEntries(files) as Record<string, string> })
}

/** `base`, and `apps` that depends on it, both synced. */
async function two(): Promise<void> {
  await push({ base: 'one', apps: 'one' })
  await world().create('base', { path: 'base', drift: 'report' })
  await world().create('apps', { path: 'apps', drift: 'report', dependsOn: ['base'] })
}

const refuseWrites = (refused: () => boolean, refusedVerb: 'create' | 'update' = 'update'): void =>
  world().platform.onCall(({ verb }) => {
    if (verb === refusedVerb && refused()) throw new Unavailable('The target is away.', { code: 'platform/failed' })
  })

async function waits(name: string): Promise<string> {
  return until(`${name} waits`, async () => {
    const { conditions, lastRun } = await world().ask.getStack(name)
    return conditions[0]!.reason === 'Waiting' && lastRun!.id
  })
}

function description(name: string): Promise<unknown> {
  return world()
    .live()
    .then((live) => live[`Bucket/${name}`]?.live['description'])
}

test('if one commit changes both stacks, the dependent one begins as soon as the other has applied it', async () => {
  await two()
  for (let round = 0; round < 3; round++) {
    await push({ base: `round ${round}`, apps: `round ${round}` })
    const [base, apps] = [await world().lastRun('base'), await world().lastRun('apps')]
    world().clock.advance(60_000)
    const first = await world().runAfter('base', base.id)
    const second = await world().runAfter('apps', apps.id)
    expect([first.outcome, second.outcome]).toEqual(['applied', 'applied'])
    const order = world().log.filter(
      ({ message, facts }) => message === 'run ended' && [first.id, second.id].includes(String(facts['run'])),
    )
    expect(order.map(({ facts }) => facts['stack'])).toEqual(['base', 'apps'])
  }
})

test('a stack is blocked while its dependency fails, reports why, and begins when the dependency recovers', async () => {
  await two()
  let isAway = true
  refuseWrites(() => isAway)
  await push({ base: 'two', apps: 'two' })
  world().clock.advance(60_000)
  await until('base is tried again later', async () => (await world().ask.explainStack('base')).nextRetryAt !== null)
  const run = await waits('apps')
  expect(await world().ask.explainStack('apps')).toMatchObject({
    blockers: [
      {
        reason: 'Dependencies',
        message: 'It waits for base, which is not ready yet (Failed): Bucket/base: The target is away.',
        since: (await world().ask.getRun('apps', run)).createdAt,
      },
    ],
    dependencies: [{ name: 'base', ready: false, why: expect.stringContaining('The target is away') as string }],
  })
  isAway = false
  world().clock.advance(30_000)
  expect(await world().ended('apps', run)).toMatchObject({ outcome: 'applied' })
  expect(await world().ask.explainStack('apps')).toMatchObject({
    blockers: [],
    dependencies: [{ name: 'base', ready: true, why: '' }],
  })
})

test('a queued run of a stack that is suspended meanwhile says so, also to a request that waits for it', async () => {
  await two()
  refuseWrites(() => true)
  await push({ base: 'two', apps: 'two' })
  world().clock.advance(60_000)
  const run = await waits('apps')
  await until('the run names its dependency', async () => (await world().ask.getRun('apps', run)).blockers.length > 0)
  const waiting = world().ask.getRun('apps', run, { waitMs: 60_000, phase: 'queued', signal: never })
  await world().ask.suspendStack('apps', 'lunch', undefined, 'ann')
  expect((await waiting).blockers[0]).toMatchObject({
    reason: 'Suspended',
    message: 'Suspended by ann: lunch.',
    next: [{ cli: 'gitmoor resume apps' }],
  })
})

test('a new stack waits for the first sync of its dependency', async () => {
  await push({ base: 'one', apps: 'one' })
  let isAway = true
  refuseWrites(() => isAway, 'create')
  await world().create('base', { path: 'base' })
  const { run } = await world().ask.createStack(world().spec('apps', { path: 'apps', dependsOn: ['base'] }), 'ann')
  expect(await waits('apps')).toBe(run)
  isAway = false
  world().clock.advance(30_000)
  expect(await world().ended('apps', run)).toMatchObject({ outcome: 'applied' })
})

const unready: Readonly<
  Record<string, { readonly make: () => Promise<unknown>; readonly recover: () => Promise<unknown> }>
> = {
  'is suspended': {
    make: () => world().ask.suspendStack('base', 'lunch', undefined, 'ann'),
    recover: () => world().ask.resumeStack('base', 'ann'),
  },
  'has drifted': {
    make: async () => {
      await world().ask.editResource('Bucket/base', { description: 'by hand' }, {}, never)
      world().clock.advance(330_000)
      await until('it is reported, and the next poll is planned', async () => {
        const { sync, nextPollAt } = await world().ask.getStack('base')
        return sync === 'Drifted' && nextPollAt !== null && Date.parse(nextPollAt) > world().clock.now()
      })
    },
    recover: () => world().sync('base'),
  },
  'has a plan that needs approval': {
    make: async () => {
      await world().ask.updateStack('base', { apply: 'approval' }, 'ann')
      await push({ base: 'blocked', apps: 'one' })
      expect(await world().sync('base')).toMatchObject({ outcome: 'needs-approval' })
    },
    recover: async () =>
      world().ask.approvePlan('base', (await world().ask.previewPlan('base', {}, never)).digest, 'ann', never),
  },
}

describe('a stack is blocked while its dependency', () => {
  test.each(Object.entries(unready))('%s', async (_, { make, recover }) => {
    await two()
    await make()
    await world().repository.commit({ files: { 'apps/a.yml': bucket('apps', { description: 'two' }) } })
    world().clock.advance(60_000)
    const run = await waits('apps')
    expect(await description('apps')).toBe('one')
    await recover()
    expect(await world().ended('apps', run)).toMatchObject({ outcome: 'applied' })
  })
})

describe('a chain of stacks of which the first cannot sync', () => {
  async function chain(): Promise<void> {
    await push({ apps: 'one', edge: 'one' })
    await world().create('base', { path: 'nowhere' })
    for (const [name, needed] of [
      ['apps', 'base'],
      ['edge', 'apps'],
    ] as const) {
      await world().ask.createStack(world().spec(name, { path: name, dependsOn: [needed] }), 'ann')
      await waits(name)
    }
  }

  test('ends a wait for the last one at once, with the first one and its next step', async () => {
    await chain()
    const waiting = world().ask.waitForStack('edge', { timeoutMs: 60_000 }, never)
    expect(await refusal(waiting)).toMatchObject({
      status: 'locked',
      code: 'stacks/dependencies',
      message: expect.stringMatching(
        /^edge cannot sync: It waits for apps\. base will not become ready by itself \(Failed\): .*nowhere/,
      ) as string,
      hint: expect.stringMatching(/Or sync anyway: gitmoor sync edge$/) as string,
    })
  })

  test('is explained by the first one', async () => {
    await chain()
    const { blockers } = await world().ask.explainStack('edge')
    expect(blockers).toMatchObject([
      {
        reason: 'Dependencies',
        message: expect.stringMatching(
          /^It waits for apps\. base will not become ready by itself \(Failed\): .*nowhere/,
        ) as string,
        next: [{ cli: 'gitmoor explain base' }, { cli: 'gitmoor sync edge' }],
      },
    ])
  })

  test('ends a wait that began before the first one failed', async () => {
    const labelled = yaml(label('red'), bucket('base', { labels: ['red'] })) // not all can be created at once
    await world().repository.commit({ files: { 'base/a.yml': labelled, 'apps/a.yml': bucket('apps') } })
    const { reached, release } = world().platform.holdCalls('create')
    const { run } = await world().ask.createStack(world().spec('base', { path: 'base' }), 'ann')
    await world().ask.createStack(world().spec('apps', { path: 'apps', dependsOn: ['base'] }), 'ann')
    await waits('apps')
    const waiting = refusal(world().ask.waitForStack('apps', { timeoutMs: 60_000 }, never))
    await reached
    const cancelled = world().ask.cancelRun('base', 'ann')
    await world().ask.updateStack('apps', { labels: { tier: 'web' } }, 'ann') // committed after the cancellation
    release()
    await cancelled
    expect(await world().ended('base', run)).toMatchObject({ outcome: 'cancelled' })
    expect(await waiting).toMatchObject({ status: 'locked', message: expect.stringContaining('base') as string })
  })
})

test('a pinned dependency is ready when its pinned revision is applied', async () => {
  await two()
  const { id } = await world().lastRun('base')
  await push({ base: 'two', apps: 'one' })
  await world().sync('base')
  await world().ended('base', (await world().ask.rollBack('base', id, '', 'ann')).id)
  expect(await world().ask.explainStack('apps')).toMatchObject({ dependencies: [{ ready: true }] })
})

test('dependencies do not block manual commands', async () => {
  await two()
  await world().ask.suspendStack('base', 'lunch', undefined, 'ann')
  await push({ base: 'one', apps: 'two' })
  expect(await world().sync('apps')).toMatchObject({
    outcome: 'applied',
    cause: { requested: true, overrode: 'It waits for base to be synced and healthy.' },
  })
})

test('dependencies block pushes, too', async () => {
  await push({ base: 'one' })
  await world().create('base', { path: 'base' })
  await world().ask.suspendStack('base', 'lunch', undefined, 'ann')
  await world().ask.createStack(
    { ...world().spec('apps', { dependsOn: ['base'] }), sources: [{ kind: 'inline' }] },
    'ann',
  )
  const run = await world().ask.pushPackage('apps', { files: [{ path: 'a.yml', text: label('red') }] }, 'ann', never)
  const { id } = await world().ask.getStack('apps')
  await world().agent.runs.exclusively(id, never, async () => {})
  expect(await waits('apps')).toBe(run.id)
  expect(await world().names()).toEqual(['Bucket/base'])
  await world().ask.resumeStack('base', 'ann')
  expect(await world().ended('apps', run.id)).toMatchObject({
    outcome: 'applied',
    cause: { kind: 'person', by: 'ann' },
  })
})

test('many stacks that depend on one begin when it becomes ready, also after a restart', async () => {
  const names = Array.from({ length: 12 }, (_, at) => `app${at}`)
  const all = (description: string): Record<string, string> =>
    Object.fromEntries(['base', ...names].map((name) => [name, description]))
  await push(all('one'))
  await world().create('base', { path: 'base' })
  for (const name of names) await world().create(name, { path: name, dependsOn: ['base'] })
  await world().ask.suspendStack('base', 'lunch', undefined, 'ann')
  await push(all('two'))
  world().clock.advance(60_000)
  const runs = await Promise.all(names.map(waits))
  await world().restart()
  expect(await Promise.all(names.map(waits))).toEqual(runs)
  await world().ask.resumeStack('base', 'ann')
  for (const [at, name] of names.entries())
    expect(await world().ended(name, runs[at]!)).toMatchObject({ outcome: 'applied' })
})

test('a stale plan does not take away the run that waits for a dependency', async () => {
  await push({ base: 'one', apps: 'one' })
  let isAway = true
  refuseWrites(() => isAway, 'create')
  await world().create('base', { path: 'base' })
  const { run } = await world().ask.createStack(world().spec('apps', { path: 'apps', dependsOn: ['base'] }), 'ann')
  await waits('apps')
  const { stack, revision } = await until('its source was polled', async () => {
    const queued = await world().store.runs.get(run)
    return queued !== undefined && queued.revision !== '' && queued
  })
  for (const by of ['ann', 'ben']) {
    const cause = { kind: 'person', by, requested: true } as const
    const { id } = await world().store.runs.add({ stack, revision, cause, expects: '0'.repeat(64) })
    world().agent.runs.wake(stack)
    expect(await world().ended('apps', id)).toMatchObject({ outcome: 'failed', problems: [{ code: 'plan/stale' }] })
    expect(Number(await waits('apps'))).toBeGreaterThan(Number(id))
  }
  isAway = false
  world().clock.advance(30_000)
  await until('apps is synced', async () => (await world().ask.getStack('apps')).sync === 'Synced')
})

test('what a person syncs although it waits is completed after a crash, too: the recovery has the same request', async () => {
  const at = world()
  await at.repository.commit({ files: { 'apps/a.yml': yaml(label('red'), bucket('apps', { labels: ['red'] })) } })
  await at.ask.createStack(at.spec('base', { path: 'nowhere' }), 'ann')
  await at.ask.createStack(at.spec('apps', { path: 'apps', dependsOn: ['base'] }), 'ann')
  await waits('apps')
  const held = at.platform.holdCalls('create')
  await at.ask.requestSync('apps', 'ann', never)
  await held.reached
  const parked = at.agent.park()
  held.release()
  await parked
  await at.restart()
  const recovery = await at.lastRun('apps')
  expect(recovery).toMatchObject({ cause: { kind: 'recovery', requested: true }, outcome: 'applied' })
})
