// What happens by itself as time goes by.
import { describe, expect, test } from 'vitest'
import { Unavailable } from '../../../src/model/errors.js'
import { bucket, label, yaml } from '../../e2e/packages.js'
import { refusal } from '../../e2e/refusal.js'
import { until } from '../../e2e/until.js'
import { never, useWorld, type World } from '../../e2e/world.js'
import { answering } from '../../memory-git.js'

const world = useWorld()
const boards = yaml(label('red'), bucket('raw', { description: 'as declared' }))

async function damage(): Promise<void> {
  await world().ask.editResource('Bucket/raw', { description: 'by hand' }, { stack: 'boards' }, never)
}

/** A resource changes after each correction, at each check. Gives the last run that corrected it. */
async function damageSixTimes(): Promise<{ readonly id: string }> {
  await world().push(boards)
  let run = await world().create('boards', { driftIntervalMs: 60_000 })
  for (let i = 0; i < 5; i++) {
    await damage()
    world().clock.advance(66_000)
    run = await world().runAfter('boards', run.id)
    expect(run).toMatchObject({ outcome: 'applied', cause: { kind: 'drift' } })
  }
  await damage()
  world().clock.advance(66_000)
  return run
}

function description(live: Awaited<ReturnType<World['live']>>): unknown {
  return live['Bucket/raw']?.live['description']
}

describe('drift', () => {
  test('it is corrected at the next check, without the remote, and the run says why', async () => {
    await world().push(boards)
    const first = await world().create('boards')
    await damage()
    world().server.intercept(answering(503))
    world().clock.advance(330_000)
    const run = await world().runAfter('boards', first.id)
    expect(run).toMatchObject({ outcome: 'applied', cause: { kind: 'drift' }, changes: { update: 1 } })
    expect(run.plan!.changes[0]).toMatchObject({
      reason: 'drifted',
      fields: [{ path: 'description', old: 'by hand', new: 'as declared' }],
    })
    expect(description(await world().live())).toBe('as declared')
  })

  test('a check that finds no drift adds no run, and its time is shown', async () => {
    await world().push(boards)
    const first = await world().create('boards')
    const { checkedAt } = await world().ask.getStack('boards')
    world().clock.advance(330_000)
    await until('it was checked', async () => (await world().ask.getStack('boards')).checkedAt !== checkedAt)
    expect((await world().lastRun('boards')).id).toBe(first.id)
  })

  test('checks that were due while no agent ran are spread after the start', async () => {
    await world().push(boards)
    const names = ['s0', 's1', 's2', 's3']
    for (const name of names) await world().create(name)
    const before = world().clock.now()
    await world().stop()
    world().clock.advance(86_400_000)
    await world().start()
    const checked = async (): Promise<number> => {
      const views = await Promise.all(names.map((name) => world().ask.getStack(name)))
      return views.filter(({ checkedAt }) => Date.parse(checkedAt!) > before).length
    }
    for (let nth = 1; nth <= names.length; nth++) {
      await until(`${nth} were checked`, async () => (await checked()) >= nth)
      expect(await checked()).toBe(nth)
      world().clock.advance(50)
    }
  })

  const damages: Readonly<
    Record<string, { readonly hurt: () => Promise<unknown>; readonly fields: unknown; readonly note: RegExp }>
  > = {
    'a field that was changed': {
      hurt: damage,
      fields: ['description'],
      note: /^1 field differs from what \S+ declares$/,
    },
    'a resource that was removed': {
      hurt: () => world().ask.deleteResource('Bucket/raw', { stack: 'boards', consent: 'Bucket/raw' }, never),
      fields: expect.anything(),
      note: /^1 resource is missing$/,
    },
    'a resource that was removed, and a field of another one that was changed': {
      hurt: async () => {
        await damage()
        await world().ask.deleteResource('Label/red', { stack: 'boards' }, never)
      },
      fields: expect.anything(),
      note: /^1 resource is missing, 2 fields differ from what \S+ declares$/, // the label mapping is a field of raw
    },
    'a label mapping that was removed': {
      hurt: () => world().ask.deleteResource('LabelMapping/Bucket/raw/red', { stack: 'boards' }, never),
      fields: expect.anything(),
      note: /^1 field differs from what \S+ declares$/,
    },
  }

  test.each(Object.entries(damages))(
    'the check after checks without drift finds %s',
    async (_, { hurt, fields, note }) => {
      await world().push(yaml(label('red'), bucket('raw', { description: 'as declared', labels: ['red'] })))
      const first = await world().create('boards')
      for (let quiet = 0; quiet < 2; quiet++) {
        const { checkedAt } = await world().ask.getStack('boards')
        world().clock.advance(330_000)
        await until('it was checked', async () => (await world().ask.getStack('boards')).checkedAt !== checkedAt)
        await world().agent.runs.exclusively((await world().ask.getStack('boards')).id, never, async () => {})
      }
      await hurt()
      world().clock.advance(330_000)
      const run = await world().runAfter('boards', first.id)
      const cause = { kind: 'drift', note: expect.stringMatching(note) as string }
      expect(run).toMatchObject({ outcome: 'applied', cause })
      expect(run.plan!.changes.flatMap((change) => change.fields.map(({ path }) => path))).toEqual(fields)
      expect(Object.keys(await world().live())).toHaveLength(3)
    },
  )

  test('drift that is only reported is shown by the stack, and a manual sync corrects it', async () => {
    await world().push(boards)
    await world().create('boards', { drift: 'report' })
    await damage()
    world().clock.advance(330_000)
    await until('it is reported', async () => (await world().ask.getStack('boards')).sync === 'Drifted')
    expect(description(await world().live())).toBe('by hand')
    expect((await world().ask.getStack('boards')).health).toBe('Degraded')
    expect((await world().sync('boards')).outcome).toBe('applied')
    expect(await world().ask.getStack('boards')).toMatchObject({ sync: 'Synced', health: 'Healthy' })
  })

  test('keeps the time at which it was found through later checks, until a sync corrects it', async () => {
    await world().push(boards)
    await world().create('boards', { drift: 'report' })
    await damage()
    world().clock.advance(330_000)
    const found = await until('it is reported', async () => {
      const { checkedAt, status } = await world().ask.getStack('boards')
      return status.state === 'Drifted' && { checkedAt, since: status.since }
    })
    expect(found.since).toBe(found.checkedAt)
    world().clock.advance(330_000)
    await until('it is checked again', async () => (await world().ask.getStack('boards')).checkedAt !== found.checkedAt)
    const { status, blockers } = await world().ask.explainStack('boards')
    const [listed] = (await world().ask.listStacks({})).items
    expect([status.since, blockers[0]!.since, listed!.status.since]).toEqual([found.since, found.since, found.since])
    expect(listed!.status.message).toContain('1 resource differs on the target since 2026-01-01 00:0')
    await world().restart()
    expect((await world().ask.getStack('boards')).status.since).toBe(found.since)
    await world().sync('boards')
    expect((await world().store.stacks.get('boards'))!.driftedSince).toBe(null)
    expect((await world().ask.getStack('boards')).status.state).toBe('Synced')
  })

  test('ignored drift is not checked', async () => {
    await world().push(boards)
    await world().create('boards', { drift: 'ignore' })
    await damage()
    const { checkedAt } = await world().ask.getStack('boards')
    world().clock.advance(3_600_000)
    await world().ask.waitForStack('boards', { timeoutMs: 60_000 }, never)
    expect((await world().ask.getStack('boards')).checkedAt).toBe(checkedAt)
    expect(description(await world().live())).toBe('by hand')
  })

  test.each(['report', 'ignore'] as const)(
    'a change to %s leaves the known drift, and starts no run',
    async (drift) => {
      await world().push(boards)
      await world().create('boards', { drift: 'report' })
      await damage()
      world().clock.advance(330_000)
      await until('it is reported', async () => (await world().ask.getStack('boards')).sync === 'Drifted')
      const { id } = await world().lastRun('boards')
      await world().ask.updateStack('boards', { drift: 'ignore' }, 'ann')
      await world().ask.updateStack('boards', { drift, driftIntervalMs: 60_000 }, 'ann')
      world().clock.advance(600_000)
      const why = await refusal(world().ask.waitForStack('boards', { timeoutMs: 60_000 }, never))
      const kept = drift === 'report' ? 'only reported' : 'ignored'
      expect(why.message).toMatch(
        /^boards cannot sync: 1 resource differs on the target since 2026-01-01 00:0\d:\d\dZ\. /,
      )
      expect(why.message).toContain(` Drift is ${kept}.`)
      expect((await world().lastRun('boards')).id).toBe(id)
      expect(description(await world().live())).toBe('by hand')
    },
  )

  test('a change to report checks at once, and finds drift that no check found before', async () => {
    await world().push(boards)
    const { id } = await world().create('boards', { drift: 'ignore' })
    await damage()
    await world().ask.updateStack('boards', { drift: 'report' }, 'ann')
    await until('it is reported', async () => (await world().ask.getStack('boards')).sync === 'Drifted')
    expect((await world().lastRun('boards')).id).toBe(id)
  })

  test('a correction that is already queued is dropped by a change to report', async () => {
    await world().push(boards)
    const { id } = await world().create('boards')
    await damage()
    const { stack, revision } = (await world().store.runs.get(id))!
    const cause = { kind: 'drift', note: '1 field differs' } as const
    const queued = await world().agent.runs.exclusively(stack, never, async () => {
      const run = await world().store.runs.add({ stack, revision, cause })
      await world().ask.updateStack('boards', { drift: 'report' }, 'ann')
      return run
    })
    expect(await world().ended('boards', queued.id)).toMatchObject({ outcome: 'cancelled', cause, startedAt: null })
    await until('it is reported', async () => (await world().ask.getStack('boards')).sync === 'Drifted')
    expect(description(await world().live())).toBe('by hand')
    await world().ask.updateStack('boards', { drift: 'correct' }, 'ann')
    expect(await world().runAfter('boards', queued.id)).toMatchObject({ outcome: 'applied', cause: { kind: 'drift' } })
  })

  test('a change to correct corrects at once', async () => {
    await world().push(boards)
    const { id } = await world().create('boards', { drift: 'report' })
    await damage()
    world().clock.advance(330_000)
    await until('it is reported', async () => (await world().ask.getStack('boards')).sync === 'Drifted')
    await world().ask.updateStack('boards', { drift: 'correct' }, 'ann')
    expect(await world().runAfter('boards', id)).toMatchObject({ outcome: 'applied', cause: { kind: 'drift' } })
    expect(description(await world().live())).toBe('as declared')
  })

  test('a field that another writer keeps changing is corrected 5 times in 10 minutes, then reported, and left for 10 minutes', async () => {
    const run = await damageSixTimes()
    const failed = await until('it is reported', async () => {
      const stack = (await world().store.stacks.get('boards'))!
      return stack.failure?.reason === 'Fighting' && stack
    })
    expect(failed.failure).toMatchObject({
      code: 'agent/fighting',
      message: 'Bucket/raw description was corrected 5 times in 10 minutes: something else keeps changing it.',
      hint: expect.stringContaining('gitmoor stack set boards --drift report') as string,
    })
    expect(failed.retryAt! - world().clock.now()).toBe(600_000)
    expect(description(await world().live())).toBe('by hand')
    expect((await world().lastRun('boards')).id).toBe(run.id)
    world().clock.advance(600_000)
    expect(await world().runAfter('boards', run.id)).toMatchObject({ outcome: 'applied' })
    expect(description(await world().live())).toBe('as declared')
  })

  test('drift that another writer causes is only reported after a change to report', async () => {
    const run = await damageSixTimes()
    await until('it is failing', async () => (await world().ask.getStack('boards')).status.reason === 'Fighting')
    await world().ask.updateStack('boards', { drift: 'report' }, 'ann')
    await until('it is drifted', async () => (await world().ask.getStack('boards')).status.state === 'Drifted')
    world().clock.advance(900_000)
    await until('it was checked', async () => (await world().ask.getStack('boards')).status.state === 'Drifted')
    expect((await world().lastRun('boards')).id).toBe(run.id)
    expect(description(await world().live())).toBe('by hand')
  })

  test('drift is checked again once the applied content supersedes a plan that needed approval', async () => {
    await world().push(boards)
    await world().create('boards', { maxDeletes: 0 })
    await world().push(yaml(label('only')))
    const blocked = await world().sync('boards')
    expect(blocked.outcome).toBe('needs-approval')
    const { id, checkedAt } = (await world().store.stacks.get('boards'))!
    await damage()
    await world().store.stacks.change(id, { checkedAt }) // the agent does not learn what other clients write
    await world().push(boards)
    world().clock.advance(66_000)
    const unchanged = await world().runAfter('boards', blocked.id)
    expect(unchanged.outcome).toBe('unchanged')
    world().clock.advance(330_000)
    expect(await world().runAfter('boards', unchanged.id)).toMatchObject({
      outcome: 'applied',
      cause: { kind: 'drift' },
    })
  })

  test('drift whose correction needed approval is checked again after a commit that changes nothing', async () => {
    const kept = yaml(bucket('raw', { every: 3_600 }))
    await world().push(kept)
    const first = await world().create('boards', { dataLoss: 'refuse' })
    const { id, checkedAt } = (await world().store.stacks.get('boards'))!
    const longer = { retentionRules: [{ type: 'expire', everySeconds: 7_200 }] }
    await world().ask.editResource('Bucket/raw', longer, { stack: 'boards' }, never)
    await world().store.stacks.change(id, { checkedAt }) // the agent does not learn what other clients write
    world().clock.advance(330_000)
    const blocked = await world().runAfter('boards', first.id)
    expect(blocked).toMatchObject({ outcome: 'needs-approval', cause: { kind: 'drift' } })
    await world().push(kept)
    world().clock.advance(66_000)
    const unchanged = await world().runAfter('boards', blocked.id)
    expect(unchanged.outcome).toBe('unchanged')
    world().clock.advance(330_000)
    expect(await world().runAfter('boards', unchanged.id)).toMatchObject({
      outcome: 'needs-approval',
      cause: { kind: 'drift' },
    })
  })
})

describe('retry', () => {
  test('a failure that may pass is retried after 5 s, doubling, until it succeeds', async () => {
    await world().push(boards)
    world().platform.onCall(({ verb }) => {
      if (verb === 'create') throw new Unavailable('The target is away.', { code: 'platform/away' })
    })
    let run = await world().create('boards')
    expect(run).toMatchObject({
      outcome: 'undone',
      problems: [{ message: 'Label/red: The target is away.' }, { code: 'platform/away' }],
    })
    for (const ms of [5_000, 10_000, 20_000]) {
      const { nextRetryAt } = await until('the retry is planned', async () => {
        const view = await world().ask.explainStack('boards')
        return view.nextRetryAt !== null && Date.parse(view.nextRetryAt) > world().clock.now() && view
      })
      expect(Date.parse(nextRetryAt!) - world().clock.now()).toBe(ms)
      world().clock.advance(ms)
      run = await world().runAfter('boards', run.id)
      expect(run).toMatchObject({ outcome: 'undone', cause: { kind: 'retry' } })
    }
    await until('the retry is planned', async () => (await world().ask.explainStack('boards')).nextRetryAt !== null)
    world().platform.reset()
    world().clock.advance(40_000)
    expect(await world().runAfter('boards', run.id)).toMatchObject({ outcome: 'applied' })
    expect(await world().ask.getStack('boards')).toMatchObject({ sync: 'Synced', health: 'Healthy' })
  })

  test('a target that stays away is one warning, however often gitmoor retries', async () => {
    await world().push(boards)
    world().platform.onCall(({ verb }) => {
      if (verb === 'read') throw new Unavailable('The target is away.', { code: 'platform/away' })
    })
    let run = await world().create('boards')
    for (const ms of [5_000, 10_000]) {
      await until('the retry is planned', async () => {
        const { nextRetryAt } = await world().ask.explainStack('boards')
        return nextRetryAt !== null && Date.parse(nextRetryAt) > world().clock.now()
      })
      world().clock.advance(ms)
      run = await world().runAfter('boards', run.id)
      expect(run.outcome).toBe('failed')
    }
    const failed = world().log.filter(({ message }) => message === 'run failed')
    expect(failed.map(({ level }) => level)).toEqual(['warn', 'debug', 'debug'])
  })

  test('an invalid package is attempted once, and again when it is changed', async () => {
    await world().push('kind: Label\n')
    const run = await world().create('boards')
    expect(run.outcome).toBe('failed')
    world().clock.advance(3_600_000)
    await world().ask.listChannels({})
    expect((await world().lastRun('boards')).id).toBe(run.id)
    await world().push(boards)
    expect((await world().sync('boards')).outcome).toBe('applied')
  })

  test('a commit that changes nothing below the path is stored, and the target is not read', async () => {
    await world().repository.commit({ files: { 'boards/package.yml': boards } })
    await world().create('boards', { path: 'boards' })
    await world().repository.commit({ files: { 'README.md': 'more' } })
    world().platform.reset()
    let calls = 0
    world().platform.onCall(() => void calls++)
    expect(await world().sync('boards')).toMatchObject({ outcome: 'unchanged', cause: { kind: 'commit' } })
    expect(calls).toBe(0)
  })
})
