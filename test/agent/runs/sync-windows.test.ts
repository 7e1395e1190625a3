// What a closed window blocks, what goes on anyway, and what happens when it opens. Time begins on Thursday,
// 2026-01-01, at midnight.
import type { NextStep } from '../../../src/model/stacks/blocker.js'
import { describe, expect, test } from 'vitest'
import type { SyncWindow } from '../../../src/model/stacks/stack.js'
import { bucket, label, yaml } from '../../e2e/packages.js'
import { refusal } from '../../e2e/refusal.js'
import { until } from '../../e2e/until.js'
import { never, useWorld } from '../../e2e/world.js'
import { shortenWait } from '../../shorten-wait.js'

const world = useWorld()
const hour = 3_600_000

/** Open until 01:00, closed until 05:00. */
const closed: readonly SyncWindow[] = [{ kind: 'deny', schedule: '0 1 * * *', durationMs: 4 * hour, reason: 'night' }]
const closedUntil = '2026-01-01T05:00:00.000Z'
const sayingUntil = expect.stringContaining(`A sync window denies writes until 2026-01-01 05:00:00Z: night`) as string

/**
 * A stack that is synced, at 02:00, when its window is closed. Its target is checked every 5 minutes.
 */
async function atNight(changed: Parameters<ReturnType<typeof world>['spec']>[1] = {}): Promise<string> {
  await world().push(bucket('raw', { description: 'one' }))
  const { id } = await world().create('boards', { windows: closed, drift: 'report', ...changed })
  await pass(2 * hour)
  return id
}

/** Time passes, and what was due by then has begun. */
async function pass(ms: number): Promise<void> {
  const polledAt = await nextPollPlanned()
  world().clock.advance(ms)
  await until('it was polled', async () => (await nextPollPlanned()) !== polledAt)
}

/** When it was polled last. A poll in progress ends before: it would count as one of the time when it began. */
function nextPollPlanned(): Promise<string | null> {
  return until('no poll is due or in progress', async () => {
    const { follows, nextPollAt } = await world().ask.explainStack('boards')
    return nextPollAt !== null && Date.parse(nextPollAt) > world().clock.now() && follows[0]!.polledAt
  })
}

async function waiting(): Promise<string> {
  const { lastRun } = await until('a run waits', async () => {
    const view = await world().ask.getStack('boards')
    return view.conditions[0]!.reason === 'Waiting' && view
  })
  return lastRun!.id
}

test('a new revision is blocked, is reported as waiting, and is applied at the moment that the window opens', async () => {
  const first = await atNight()
  await world().push(bucket('raw', { description: 'two' }))
  await pass(60_000)
  const run = await waiting()
  expect(Number(run)).toBeGreaterThan(Number(first))
  const view = await world().ask.getStack('boards')
  expect(view).toMatchObject({ sync: 'OutOfSync', phase: 'queued', lastRun: { outcome: null } })
  expect(view.conditions).toMatchObject([
    { type: 'Ready', status: false, reason: 'Waiting', message: sayingUntil },
    { type: 'Reconciling', status: false, reason: 'Waiting', message: sayingUntil },
    { type: 'Stalled', status: false },
    { type: 'Healthy', status: true },
  ])
  expect(await world().ask.explainStack('boards')).toMatchObject({
    blockers: [
      {
        reason: 'Window',
        message: sayingUntil,
        next: expect.arrayContaining([
          expect.objectContaining({ cli: expect.stringContaining('gitmoor sync boards') as string }),
        ]) as NextStep[],
      },
    ],
    window: { open: false, until: closedUntil, reason: 'night' },
  })
  await pass(Date.parse(closedUntil) - world().clock.now() - 1)
  expect((await world().ask.getStack('boards')).lastRun).toMatchObject({ id: run, outcome: null })
  world().clock.advance(1)
  expect(await world().ended('boards', run)).toMatchObject({ outcome: 'applied', startedAt: closedUntil })
  expect(await world().ask.explainStack('boards')).toMatchObject({
    blockers: [],
    window: { open: true, until: '2026-01-02T01:00:00.000Z' },
  })
})

test('of several revisions the newest begins when it opens; the others are superseded, never lost', async () => {
  const first = await atNight()
  for (const description of ['two', 'three', 'four']) {
    await world().push(bucket('raw', { description }))
    await pass(60_000)
  }
  world().clock.advance(3 * hour)
  const run = await world().runAfter('boards', String(Number(first) + 2))
  expect(run).toMatchObject({ outcome: 'applied' })
  const { items } = await world().ask.listRuns('boards', {})
  expect(items.map(({ outcome }) => outcome)).toEqual(['applied', 'superseded', 'superseded', 'applied'])
  expect((await world().live())['Bucket/raw']!.live['description']).toBe('four')
})

test('a restart in a closed window changes nothing; one after it opened begins the blocked run', async () => {
  await atNight()
  await world().push(bucket('raw', { description: 'two' }))
  await pass(60_000)
  const run = await waiting()
  await world().restart()
  expect(await waiting()).toBe(run)
  await world().stop()
  world().clock.advance(4 * hour)
  await world().start()
  expect(await world().ended('boards', run)).toMatchObject({ outcome: 'applied' })
})

test('setting the clock past the end of the window begins the blocked run', async () => {
  await atNight()
  await world().push(bucket('raw', { description: 'two' }))
  await pass(60_000)
  const run = await waiting()
  world().clock.set(Date.parse(closedUntil) + hour)
  world().clock.advance(60_000)
  expect(await world().ended('boards', run)).toMatchObject({ outcome: 'applied' })
})

test('drift is checked and reported, and corrected only when the window opens', async () => {
  const first = await atNight({ drift: 'correct' })
  await world().ask.editResource('Bucket/raw', { description: 'by hand' }, { overrideWindow: 'test' }, never)
  world().clock.advance(330_000)
  await until('it is reported', async () => (await world().ask.getStack('boards')).sync === 'Drifted')
  await until(
    'its blocker is reported',
    async () => (await world().ask.explainStack('boards')).blockers[0]?.reason === 'Window',
  )
  expect((await world().lastRun('boards')).id).toBe(first)
  world().clock.advance(Date.parse(closedUntil) - world().clock.now())
  expect(await world().runAfter('boards', first)).toMatchObject({ outcome: 'applied', cause: { kind: 'drift' } })
})

const overrideWindow = 'the charts are wrong'
const closedNow = { status: 'needs-approval', code: 'stacks/window-closed', message: sayingUntil }

/** What the stack owns on the target, its history and its pin. */
async function picture(): Promise<unknown> {
  const { pinned, suspended } = await world().ask.getStack('boards')
  return [await world().live(), (await world().ask.listRuns('boards', {})).items, pinned, suspended]
}

/** At night, with two applied runs: the first of them, and a new revision that is not applied. */
async function pushedAtNight(): Promise<{
  readonly first: string
  readonly revision: string
  readonly digest: string
}> {
  await world().push(bucket('raw', { description: 'zero' }))
  const { id: first } = await world().create('boards', { windows: closed, drift: 'report' })
  await world().push(bucket('raw', { description: 'one' }))
  await world().sync('boards')
  await pass(2 * hour)
  await world().push(bucket('raw', { description: 'two' }))
  await pass(60_000)
  await waiting()
  await until('the directions of the moves are read', async () =>
    (await world().ask.listRuns('boards', {})).items.every(
      ({ cause }) => cause.kind !== 'commit' || cause.direction !== undefined,
    ),
  )
  const { revision, digest } = await world().ask.previewPlan('boards', {}, never)
  return { first, revision, digest }
}

describe('manual commands write nothing', () => {
  test('of any kind: each is refused, with the window and when it opens', async () => {
    const { first, revision, digest } = await pushedAtNight()
    const { ask } = world()
    const uninstall = (await ask.previewPlan('boards', { uninstall: true }, never)).digest
    const live = { description: 'by hand' }
    const before = await picture()
    const requests: Readonly<Record<string, () => Promise<unknown>>> = {
      sync: () => ask.requestSync('boards', 'ann', never),
      apply: () => ask.applyPlan({ stack: 'boards', revision, digest }, 'ann', never),
      rollback: () => ask.rollBack('boards', first, 'bad', 'ann'),
      uninstall: () => ask.uninstallStack('boards', { digest: uninstall, by: 'ann' }, never),
      delete: () => ask.deleteStack('boards', { uninstall, by: 'ann' }, never),
      edit: () => ask.editResource('Bucket/raw', live, {}, never),
      remove: () => ask.deleteResource('Bucket/raw', { consent: 'Bucket/raw' }, never),
    }
    for (const [name, ask] of Object.entries(requests))
      expect([name, await refusal(ask())]).toMatchObject([name, closedNow])
    expect(await picture()).toEqual(before)
  })

  test('not even an unpin', async () => {
    const { first } = await pushedAtNight()
    const { id } = await world().ask.rollBack('boards', first, 'bad', 'ann', { overrideWindow })
    await world().ended('boards', id)
    expect(await refusal(world().ask.unpinStack('boards', 'ann'))).toMatchObject(closedNow)
    expect((await world().ask.getStack('boards')).pinned).not.toBeNull()
  })

  test('a push is blocked until the window opens', async () => {
    await world().ask.createStack(world().spec('boards', { sources: [{ kind: 'inline' }], windows: closed }), 'ann')
    world().clock.advance(2 * hour)
    const { id } = await world().ask.pushPackage(
      'boards',
      { files: [{ path: 'a.yml', text: label('red') }] },
      'ann',
      never,
    )
    expect(await waiting()).toBe(id)
    expect((await world().ask.explainStack('boards')).lastRun).toBe(`Run ${id} is queued. Cause: requested by ann.`)
    world().clock.advance(3 * hour)
    expect(await world().ended('boards', id)).toMatchObject({ outcome: 'applied' })
  })
})

describe('a manual command that overrides the window', () => {
  const overrode = sayingUntil

  test('syncs, supersedes the blocked run, and stores the reason with its run', async () => {
    await pushedAtNight()
    const { id } = await world().ask.requestSync('boards', 'ann', never, { overrideWindow })
    const cause = { kind: 'person', by: 'ann', requested: true, overrode, overrideWindow, overrodeWindow: true }
    expect(await world().ended('boards', id)).toMatchObject({ outcome: 'applied', cause })
    expect((await world().ask.explainStack('boards')).text).toContain(overrideWindow)
  })

  test.each([
    ['no window is declared', []],
    ['no window is closed', closed],
  ])('records no override if %s', async (_, windows) => {
    await world().push(bucket('raw', { description: 'zero' }))
    await world().create('boards', { windows })
    const { id } = await world().ask.requestSync('boards', 'ann', never, { overrideWindow })
    const { cause } = await world().ended('boards', id)
    expect(cause).toEqual({ kind: 'person', by: 'ann', requested: true, overrideWindow })
  })

  test('records the override of a window that closes after the request', async () => {
    await world().push(bucket('raw', { description: 'zero' }))
    await world().create('boards', { windows: closed })
    await world().push(bucket('raw', { description: 'one' }))
    let isAsked = false
    let isLater = false
    world().server.intercept(() => {
      if (isAsked && !isLater) world().clock.advance(2 * hour)
      isLater = isAsked
      return undefined
    })
    isAsked = true
    const { id } = await world().ask.requestSync('boards', 'ann', never, { overrideWindow })
    const { cause } = await world().ended('boards', id)
    expect(cause).toMatchObject({ overrideWindow, overrodeWindow: true })
  })

  test('rolls back, and unpins', async () => {
    const { first } = await pushedAtNight()
    const { id } = await world().ask.rollBack('boards', first, 'bad', 'ann', { overrideWindow })
    expect(await world().ended('boards', id)).toMatchObject({ outcome: 'applied', cause: { overrode, overrideWindow } })
    const { run } = await world().ask.unpinStack('boards', 'ann', { overrideWindow })
    expect(await world().ended('boards', run!)).toMatchObject({
      outcome: 'applied',
      cause: { note: 'unpin', overrode },
    })
  })

  test('applies a plan, and uninstalls', async () => {
    const { revision, digest } = await pushedAtNight()
    const applied = await world().ask.applyPlan({ stack: 'boards', revision, digest }, 'ann', never, { overrideWindow })
    expect(applied).toMatchObject({ outcome: 'applied' })
    const plan = await world().ask.previewPlan('boards', { uninstall: true }, never)
    const { run } = await world().ask.uninstallStack(
      'boards',
      { digest: plan.digest, by: 'ann', overrideWindow },
      never,
    )
    expect(run).toMatchObject({ outcome: 'applied', cause: { overrideWindow } })
  })

  test('changes and removes resources on the target', async () => {
    await pushedAtNight()
    await world().ask.editResource('Bucket/raw', { description: 'by hand' }, { overrideWindow }, never)
    await world().ask.deleteResource('Bucket/raw', { consent: 'Bucket/raw', overrideWindow }, never)
    expect(await world().names()).toEqual([])
  })

  test('needs a reason', async () => {
    await atNight()
    const refused = await refusal(world().ask.requestSync('boards', 'ann', never, { overrideWindow: '' }))
    expect(refused).toMatchObject({ status: 'usage', code: 'stacks/why-missing' })
  })
})

test('a window with `manual: allow` allows manual commands, and nothing else', async () => {
  await atNight({ windows: closed.map((one) => ({ ...one, manual: 'allow' })) })
  await world().push(bucket('raw', { description: 'two' }))
  await pass(60_000)
  await waiting()
  expect(await world().sync('boards')).toMatchObject({
    outcome: 'applied',
    cause: { requested: true, overrode: sayingUntil },
  })
})

describe('an approval', () => {
  test('is kept while the window is closed, over a restart, and applied when it opens', async () => {
    await atNight({ apply: 'approval' })
    const digest = (await world().ask.getRun('boards', (await world().lastRun('boards')).id)).plan!.digest
    const approved = await world().ask.approvePlan('boards', digest, 'bob', never)
    expect(approved).toMatchObject({ phase: 'queued', outcome: null, cause: { by: 'bob', unattended: true } })
    expect(await waiting()).toBe(approved.id)
    expect(await world().names()).toEqual([])
    await world().restart()
    world().clock.advance(3 * hour)
    expect(await world().ended('boards', approved.id)).toMatchObject({ outcome: 'applied', startedAt: closedUntil })
  })

  test('that is given twice is the same, and says so', async () => {
    await atNight({ apply: 'approval' })
    const digest = (await world().ask.getRun('boards', (await world().lastRun('boards')).id)).plan!.digest
    const approved = await world().ask.approvePlan('boards', digest, 'bob', never)
    const again = await world().ask.approvePlan('boards', digest.slice(0, 12), 'ann', never)
    expect(again).toEqual({ ...approved, already: true })
    const now = { overrideWindow: 'INC-7' }
    expect(await world().ask.approvePlan('boards', digest, 'ann', never, now)).toMatchObject({
      outcome: 'applied',
      cause: { by: 'ann' },
    })
    const { id } = await world().lastRun('boards')
    expect(await world().ask.approvePlan('boards', digest, 'bob', never)).toMatchObject({ id, already: true })
  })

  test('of the first run, which the window keeps in the queue, is kept, too', async () => {
    await world().push(bucket('raw'))
    world().clock.advance(2 * hour)
    await world().ask.createStack(world().spec('boards', { windows: closed, apply: 'approval' }), 'ann')
    const first = await waiting()
    const { digest } = await world().ask.previewPlan('boards', {}, never)
    const approved = await world().ask.approvePlan('boards', digest.slice(0, 12), 'bob', never)
    expect(approved).toMatchObject({ phase: 'queued', outcome: null, cause: { by: 'bob', unattended: true } })
    expect((await world().ask.getRun('boards', first)).outcome).toBe('superseded')
    expect(await world().names()).toEqual([])
    world().clock.advance(3 * hour)
    expect(await world().ended('boards', approved.id)).toMatchObject({ outcome: 'applied', startedAt: closedUntil })
    expect(await world().names()).toEqual(['Bucket/raw'])
  })

  test('of a commit that no poll found yet is kept, too', async () => {
    await atNight()
    await world().ask.updateStack('boards', { apply: 'approval' }, 'ann')
    await world().push(bucket('raw', { description: 'two' }))
    const { digest } = await world().ask.previewPlan('boards', {}, never)
    const approved = await world().ask.approvePlan('boards', digest, 'bob', never)
    expect(approved).toMatchObject({ outcome: null, cause: { unattended: true } })
    world().clock.advance(3 * hour)
    expect(await world().ended('boards', approved.id)).toMatchObject({ outcome: 'applied' })
    expect((await world().live())['Bucket/raw']!.live['description']).toBe('two')
  })

  test('of an uninstall is kept, too: the stack is deleted when the uninstall is done', async () => {
    await world().push(yaml(label('red')))
    await world().create('boards', { windows: closed, protect: ['Label/red'] })
    const { digest } = await world().ask.previewPlan('boards', { uninstall: true }, never)
    await refusal(world().ask.deleteStack('boards', { uninstall: digest, by: 'ann' }, never))
    world().clock.advance(2 * hour)
    expect(await world().ask.approvePlan('boards', digest, 'bob', never)).toMatchObject({ outcome: null })
    expect(await world().names()).toEqual(['Label/red'])
    world().clock.advance(3 * hour)
    await until('it is deleted', async () => (await world().ask.listStacks({})).items.length === 0)
    expect(await world().names()).toEqual([])
  })
})

describe('a veto while the window is closed', () => {
  async function vetoed(override: object): Promise<void> {
    await world().push(bucket('raw', { description: 'one' }))
    await world().create('boards', { windows: closed, drift: 'report' })
    await world().push(bucket('raw', { description: 'two' }))
    await world().sync('boards')
    await pass(2 * hour)
    const [move] = (await world().ask.listMoves('main', {})).items
    expect(await world().ask.vetoMove(move!.id, { why: 'bad', by: 'ann', ...override })).toMatchObject({
      state: 'vetoed',
    })
  }
  const description = async (): Promise<unknown> => (await world().live())['Bucket/raw']!.live['description']

  test('is in force at once, and reverting waits until the window opens', async () => {
    await vetoed({})
    const run = await waiting()
    expect(await description()).toBe('two')
    world().clock.advance(3 * hour)
    expect(await world().ended('boards', run)).toMatchObject({ outcome: 'applied' })
    expect(await description()).toBe('one')
  })

  test('reverts at once if it overrides the window', async () => {
    await vetoed({ overrideWindow })
    await until('it is back', async () => (await description()) === 'one')
    expect((await world().lastRun('boards')).cause).toMatchObject({ overrideWindow })
  })
})

test('changed settings are blocked, too', async () => {
  await world().push(yaml(label('red')), 'stable')
  await world().push(yaml(label('red'), label('blue')), 'beta')
  await world().create('boards', { ref: 'stable', windows: closed })
  await pass(2 * hour)
  await world().ask.updateStack('boards', { source: { ref: 'beta' } }, 'ann')
  const run = await waiting()
  expect(await world().names()).toEqual(['Label/red'])
  world().clock.advance(3 * hour)
  expect(await world().ended('boards', run)).toMatchObject({ outcome: 'applied' })
})

test('changed settings that wait are not checked for drift, so they do not look applied', async () => {
  await atNight()
  await until('it was checked at night', async () => {
    const { checkedAt } = await world().ask.getStack('boards')
    return Date.parse(checkedAt!) > hour
  })
  await world().ask.updateStack('boards', { maxDeletes: 1 }, 'ann')
  const run = await waiting()
  await pass(hour)
  expect(await world().ask.getStack('boards')).toMatchObject({ sync: 'Unknown', checkedAt: null })
  world().clock.advance(2 * hour)
  await world().ended('boards', run)
  expect(await world().ask.getStack('boards')).toMatchObject({ sync: 'Synced' })
})

test('a run in progress when the window closes is finished', async () => {
  await world().push(bucket('raw', { description: 'one' }))
  await world().create('boards', { windows: closed })
  await world().push(bucket('raw', { description: 'two' }))
  let goOn = (): void => {}
  world().platform.onCall(({ verb }) =>
    verb === 'update' ? new Promise((resolve) => (goOn = () => resolve())) : undefined,
  )
  world().clock.advance(60_000)
  const inHand = await until('it is applied', async () => {
    const { phase, lastRun } = await world().ask.getStack('boards')
    return phase === 'applying' && goOn.length === 0 && lastRun!.id
  })
  await world().push(bucket('raw', { description: 'three' }))
  await pass(hour)
  const run = await until('the newer one is there', async () => {
    const { id } = (await world().ask.getStack('boards')).lastRun!
    return id !== inHand && id
  })
  world().platform.reset()
  goOn()
  expect(await world().ended('boards', inHand)).toMatchObject({ outcome: 'applied' })
  expect((await world().live())['Bucket/raw']!.live['description']).toBe('two')
  expect(await waiting()).toBe(run)
})

test('an interrupted apply is completed at its own revision, and a newer one is blocked', async () => {
  await world().push(yaml(label('l1')))
  await world().create('boards', { windows: closed, onFailure: 'continue' })
  world().platform.onCall(({ verb, family }) => {
    if (verb === 'create' && family === 'Bucket') return new Promise(() => {})
    return undefined
  })
  await world().push(yaml(label('l1'), label('l2'), bucket('raw')))
  void world()
    .ask.requestSync('boards', 'ann', never)
    .catch(() => {})
  await until('it is half-done', async () => (await world().names()).includes('Label/l2'))
  shortenWait(1_000) // a step of the time that a call in progress may take
  await world().stop()
  await world().push(yaml(label('l1'), label('l3'), bucket('raw')))
  world().clock.advance(2 * hour)
  await world().start()
  await until('it is settled', async () => (await world().names()).includes('Bucket/raw'))
  await waiting()
  expect(await world().names()).toEqual(['Bucket/raw', 'Label/l1', 'Label/l2'])
  world().clock.advance(3 * hour)
  await until('the newer one is applied', async () => (await world().names()).includes('Label/l3'))
})

test('waiting for the stack times out with its blocker', async () => {
  await atNight()
  await world().push(bucket('raw', { description: 'two' }))
  await pass(60_000)
  await waiting()
  const refused = await refusal(world().ask.waitForStack('boards', { timeoutMs: 300 }, never))
  expect(refused).toMatchObject({ status: 'timeout', message: sayingUntil })
})
