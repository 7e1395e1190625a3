// A sync of several stacks: its order, and stacks whose dependencies fail.
import { beforeEach, describe, expect, test } from 'vitest'
import { Rejected } from '../../../src/model/errors.js'
import type { RequestedSync } from '../../../src/views/requested-sync.js'
import type { RunView } from '../../../src/views/run.js'
import { bucket } from '../../e2e/packages.js'
import { refusal } from '../../e2e/refusal.js'
import { until } from '../../e2e/until.js'
import { never, useWorld } from '../../e2e/world.js'

const world = useWorld()

/** Each stack depends on the next one: names in order are the wrong order. */
const chain = ['apps', 'base', 'core'] as const

function push(description: string): Promise<string> {
  const files = Object.fromEntries(chain.map((name) => [`${name}/a.yml`, bucket(name, { description })]))
  return world().repository.commit({ files })
}

beforeEach(async () => {
  await push('one')
  await world().create('core', { path: 'core', drift: 'report' })
  await world().create('base', { path: 'base', drift: 'report', dependsOn: ['core'], labels: { tier: 'low' } })
  await world().create('apps', { path: 'apps', drift: 'report', dependsOn: ['base'], labels: { tier: 'high' } })
})

async function sync(
  ...selector: Parameters<ReturnType<typeof world>['ask']['requestSyncs']>[0]
): Promise<readonly RequestedSync[]> {
  return (await world().ask.requestSyncs(selector, 'ann', never)).items
}

const high = { operator: 'equals', key: 'tier', value: 'high' } as const

function runIn(items: readonly RequestedSync[], name: string): string {
  const item = items.find((one) => one.name === name)
  if (item === undefined || !('run' in item)) throw new Error(`${name} has no run.`)
  return item.run.id
}

/** Its queued run, once it is known that it will not begin by itself. */
function stalled(name: string, run: string): Promise<RunView> {
  return until(`${name} waits in vain`, async () => {
    const view = await world().ask.getRun(name, run)
    return view.blockers.some((blocker) => blocker.stalled === true) && view
  })
}

/** The target refuses updates, so the first stack fails. */
function refuseWrites(refused: () => boolean = () => true): void {
  world().platform.onCall(({ verb }) => {
    if (verb === 'update' && refused()) throw new Rejected('The target refuses.', { code: 'platform/rejected' })
  })
}

test('a stack begins when the stacks that it depends on have ended, also if nothing is new', async () => {
  const items = await sync()
  expect(items.map(({ name }) => name)).toEqual(chain)
  const runs = await Promise.all(items.map(({ name }) => world().ended(name, runIn(items, name))))
  expect(runs.map(({ outcome }) => outcome)).toEqual(['unchanged', 'unchanged', 'unchanged'])
  expect(runs.map(({ cause }) => cause.awaitsDependencies)).toEqual([true, true, undefined])
  const ids = new Set(runs.map(({ id }) => id))
  const order = world().log.filter(({ message, facts }) => message === 'run ended' && ids.has(String(facts['run'])))
  expect(order.map(({ facts }) => facts['stack'])).toEqual(chain.toReversed())
})

test('stacks are synced in their order after a new commit', async () => {
  await push('two')
  const items = await sync()
  const runs = await Promise.all(items.map(({ name }) => world().ended(name, runIn(items, name))))
  expect(runs.map(({ outcome }) => outcome)).toEqual(['applied', 'applied', 'applied'])
  const ended = runs.map(({ finishedAt }) => finishedAt!)
  expect(ended).toEqual(ended.toSorted().toReversed())
})

test('a ref that does not exist is answered with the command that follows another one, as for one stack', async () => {
  await world().ask.updateStack('core', { source: { ref: 'mian' } }, 'ann')
  const hint = expect.stringContaining('gitmoor stack set core --ref ') as string
  const core = (await sync()).find(({ name }) => name === 'core')
  expect(core).toMatchObject({ error: { code: 'source/ref-missing', hint } })
  expect(await refusal(world().ask.requestSync('core', 'ann', never))).toMatchObject({ hint })
})

describe('a stack whose dependency fails', () => {
  test('is not synced, nor are the stacks that depend on it; their runs begin when it is ready', async () => {
    let refused = true
    await push('two')
    refuseWrites(() => refused)
    const items = await sync()
    expect((await world().ended('core', runIn(items, 'core'))).outcome).not.toBe('applied')
    const base = await stalled('base', runIn(items, 'base'))
    expect(base).toMatchObject({
      phase: 'queued',
      blockers: [
        {
          reason: 'Dependencies',
          message: expect.stringContaining('for core, which will not become ready by itself (Failed): ') as string,
          stalled: true,
        },
      ],
    })
    const apps = await stalled('apps', runIn(items, 'apps'))
    expect(apps.blockers).toMatchObject([
      {
        message: expect.stringMatching(
          /^It waits for base\. core will not become ready by itself \(Failed\): /,
        ) as string,
        next: [{ cli: 'gitmoor explain core' }, { cli: 'gitmoor sync apps' }],
      },
    ])

    refused = false
    await world().sync('core')
    expect((await world().ended('base', base.id)).outcome).toBe('applied')
    expect((await world().ended('apps', apps.id)).outcome).toBe('applied')
  })

  test('is synced in spite of that if a person requests it by name', async () => {
    await push('two')
    refuseWrites()
    const items = await sync()
    await stalled('base', runIn(items, 'base'))
    world().platform.reset()
    expect(await world().sync('base')).toMatchObject({
      outcome: 'applied',
      cause: { overrode: 'It waits for core to be synced and healthy.' },
    })
  })

  test('joins the run that waits already', async () => {
    await push('two')
    refuseWrites()
    const run = runIn(await sync(), 'base')
    await stalled('base', run)
    expect(runIn(await sync(), 'base')).toBe(run)
  })
})

test('a run is not stalled while the run of a dependency is in progress', async () => {
  let release = (): void => {}
  const released = new Promise<void>((resolve) => (release = resolve))
  world().platform.onCall(() => released)
  const items = await sync()
  const run = runIn(items, 'apps')
  const blocked = await until('apps waits', async () => {
    const view = await world().ask.getRun('apps', run)
    return view.blockers.length > 0 && view
  })
  expect(blocked.blockers).toMatchObject([{ reason: 'Dependencies' }])
  expect(blocked.blockers[0]).not.toHaveProperty('stalled')
  release()
  expect((await world().ended('apps', run)).outcome).toBe('unchanged')
})

test('a refused stack stops no other stack; those that depend on it wait', async () => {
  await world().ask.suspendStack('base', 'the audit', undefined, 'ann')
  const items = await sync()
  expect(items.find(({ name }) => name === 'base')).toMatchObject({
    error: { status: 'locked', code: 'stacks/suspended', message: 'base is suspended by ann: the audit.' },
  })
  expect((await world().ended('core', runIn(items, 'core'))).outcome).toBe('unchanged')
  await stalled('apps', runIn(items, 'apps'))
})

test('a selector chooses the stacks; dependencies outside of it count, too', async () => {
  const items = await sync(high)
  expect(items.map(({ name }) => name)).toEqual(['apps'])
  expect((await world().ended('apps', runIn(items, 'apps'))).outcome).toBe('unchanged')
  await world().ask.suspendStack('base', 'the audit', undefined, 'ann')
  await stalled('apps', runIn(await sync(high), 'apps'))
})

test('a closed window refuses the stack, unless the request overrides it', async () => {
  const windows = [{ kind: 'deny', schedule: '* * * * *', durationMs: 300_000 }] as const
  await world().ask.updateStack('core', { windows }, 'ann')
  expect((await sync()).find(({ name }) => name === 'core')).toMatchObject({
    error: { status: 'needs-approval', code: 'stacks/window-closed' },
  })
  const { items } = await world().ask.requestSyncs([], 'ann', never, { overrideWindow: 'the disk is full' })
  expect(await world().ended('core', runIn(items, 'core'))).toMatchObject({
    cause: { overrideWindow: 'the disk is full' },
  })
})

test('the run of a stack is known before a slow poll of another one ends', async () => {
  const slow = world().server.makeRepository('slow')
  await slow.commit({ files: { 'a.yml': bucket('slow') } })
  const url = `${world().server.url}/slow.git`
  await world().create('slow', { sources: [{ kind: 'git', url, ref: 'main', path: '' }] })
  let release = (): void => {}
  const released = new Promise<void>((resolve) => (release = resolve))
  world().server.intercept(({ remote }) => (remote === url ? released : undefined))
  const known: string[] = []
  const all = world().ask.requestSyncs([], 'ann', never, {}, ({ name }) => void known.push(name))
  await until('the runs of the other stacks are known', async () => known.length === 3)
  expect(known).toEqual(chain.toReversed())
  release()
  expect((await all).items.map(({ name }) => name)).toEqual([...chain, 'slow'])
  expect(known).toEqual([...chain.toReversed(), 'slow'])
})
