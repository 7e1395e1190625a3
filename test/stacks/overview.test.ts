// All stacks at a glance: the same states as lists show, whatever is stored or known by the process alone.
import { describe, expect, test } from 'vitest'
import { states } from '../../src/status/status.js'
import type { OverviewView } from '../../src/views/overview.js'
import { cpuMs } from '../cpu-time.js'
import { label } from '../e2e/packages.js'
import { until } from '../e2e/until.js'
import { unreachable } from '../memory-git.js'
import { useWorld } from '../e2e/world.js'
import { createMany } from '../page/many-stacks.js'

const world = useWorld()

async function expectCountsOfList({ counts, total }: OverviewView): Promise<void> {
  const { items } = await world().ask.listStacks({})
  expect(total).toBe(items.length)
  for (const state of states)
    expect([state, counts[state]]).toEqual([state, items.filter(({ status }) => status.state === state).length])
}

test('without stacks, all counts are 0', async () => {
  const overview = await world().ask.getOverview({})
  expect(overview).toMatchObject({ total: 0, attention: 0, needsAttention: [], channels: [], activity: [] })
  expect(Object.keys(overview.counts)).toEqual([...states])
  expect(await world().ask.getMatrix({})).toEqual({ columns: [], total: 0, items: [], next: null })
})

describe('with stacks in several states', () => {
  async function several(): Promise<void> {
    await world().push(label('red'))
    for (const name of ['alerts', 'boards', 'charts']) await world().create(name)
    await world().create('wrong', { path: 'nowhere' })
    await world().ask.suspendStack('charts', 'lunch', undefined, 'ann')
  }

  test('it counts them, and shows those that need attention with the reason, worst first', async () => {
    await several()
    const overview = await world().ask.getOverview({ group: 'target' })
    await expectCountsOfList(overview)
    expect(overview).toMatchObject({ total: 4, attention: 1, counts: { Failed: 1, Suspended: 1, Synced: 2 } })
    expect(overview.needsAttention).toMatchObject([{ name: 'wrong', status: { state: 'Failed' } }])
    expect(overview.needsAttention[0]!.status.message).not.toBe('')
    expect(overview.targets).toEqual([{ target: 'local', counts: overview.counts }])
    expect(overview.channels).toMatchObject([{ name: `${world().url}#main`, followers: 4 }])
    expect(overview.channels[0]).not.toHaveProperty('stacks')
  })

  test('what only the process knows counts: a remote that cannot be polled', async () => {
    await several()
    world().server.intercept(unreachable)
    world().clock.advance(60_000)
    await until('the polls failed', async () => (await world().ask.getOverview({})).counts.Failed >= 3)
    const overview = await world().ask.getOverview({})
    await expectCountsOfList(overview)
    const found = overview.needsAttention.map(({ name }) => name)
    expect(found).toEqual(expect.arrayContaining(['alerts', 'boards', 'wrong']))
    expect(found).toHaveLength(overview.attention)
  })

  test('the latest activity mixes runs and decisions, the newest first', async () => {
    await several()
    world().clock.advance(1_000)
    await world().ask.pinChannel('main', { why: 'audit', by: 'ann' }, new AbortController().signal)
    const { activity } = await world().ask.getOverview({})
    expect(activity[0]).toMatchObject({ run: null, decision: { kind: 'pin', by: 'ann', why: 'audit' } })
    expect(activity[0]!.decision!.channel).toBe(`${world().url}#main`)
    const runs = activity.flatMap(({ run }) => (run === null ? [] : [`${run.stack} ${run.outcome}`]))
    expect(runs.toSorted()).toEqual(['alerts applied', 'boards applied', 'charts applied', 'wrong failed'])
  })

  test('the matrix has a row for each package, with the applied commit and the worst state of each target', async () => {
    await several()
    const [revision] = (await world().ask.listStacks({ names: ['boards'] })).items.map((one) => one.revision.applied!)
    const commit = revision!.split(':')[1]!
    const { columns, total, items, next } = await world().ask.getMatrix({})
    expect({ columns, total, next }).toEqual({ columns: ['local'], total: 2, next: null })
    expect(items).toEqual([
      {
        package: world().url,
        cells: [{ target: 'local', stacks: 3, stack: null, worst: 'Suspended', commits: [commit], commitCount: 1 }],
      },
      {
        package: `${world().url}//nowhere`,
        cells: [{ target: 'local', stacks: 1, stack: 'wrong', worst: 'Failed', commits: [], commitCount: 0 }],
      },
    ])
    const first = await world().ask.getMatrix({ limit: 1 })
    expect(first.items).toEqual([items[0]])
    expect(first.total).toBe(2)
    expect((await world().ask.getMatrix({ limit: 1, after: first.next! })).items).toEqual([items[1]])
    expect((await world().ask.getMatrix({ package: items[1]!.package })).items).toEqual([items[1]])
    expect(await world().ask.getMatrix({ target: 'elsewhere' })).toMatchObject({ columns: [], total: 0, items: [] })
  })

  test('the matrix has one row for a package, however its address is written', async () => {
    await several()
    const { url } = world()
    const written = url.replace(new URL(url).host, (host) => host.toUpperCase())
    expect(written).not.toBe(url)
    await world().create('again', { sources: [{ kind: 'git', url: `${written}/`, ref: 'main', path: '' }] })
    const { items } = await world().ask.getMatrix({ package: `${written}/` })
    expect(items).toMatchObject([{ package: url, cells: [{ stacks: 4 }] }])
  })

  test('runs are filtered by who requested them, why, how they ended and when', async () => {
    await several()
    const found = async (listing: Parameters<ReturnType<typeof world>['ask']['listAllRuns']>[0]): Promise<string[]> =>
      (await world().ask.listAllRuns(listing)).items.map(({ stack, outcome }) => `${stack} ${outcome}`).toSorted()
    expect(await found({ outcomes: ['failed', 'undone'] })).toEqual(['wrong failed'])
    expect(await found({ stack: 'boards' })).toEqual(['boards applied'])
    expect(await found({ by: 'nobody' })).toEqual([])
    world().clock.advance(5_000)
    const now = world().clock.now()
    expect(await found({ since: now })).toEqual([])
    expect(await found({ until: now })).toHaveLength(5)
    await world().sync('boards')
    expect(await found({ since: now, cause: 'person' })).toHaveLength(1)
    expect(await found({ since: now, cause: 'drift' })).toEqual([])
  })
})

test('the time for each stack does not depend on how many of them cannot be polled', async () => {
  const many = 5_000
  await createMany(world().store, many)
  const failure = {
    reason: 'SourceUnreachable',
    code: 'git/unreachable',
    message: 'No answer.',
    retry: 'soon',
  } as const
  for await (const { stack } of allRows())
    world().agent.live.unreachable.add(stack, 'https://git.example/fleet.git', { failure, error: failure })
  let overview: OverviewView | undefined
  expect(await cpuMs(async () => (overview = await world().ask.getOverview({})))).toBeLessThan(2_000)
  expect(overview).toMatchObject({ total: many, attention: many, counts: { Failed: many } })
})

async function* allRows(): AsyncGenerator<{ readonly stack: string }> {
  for (let after = ''; ;) {
    const rows = await world().store.feed.statuses({ limit: 500, after })
    yield* rows
    if (rows.length === 0) return
    after = rows.at(-1)!.name
  }
}
