import { describe, expect, test } from 'vitest'
import { EntryCalls } from '../../src/engine/entry-calls.js'
import type { JournalEntry } from '../../src/engine/journal.js'
import { RunJournal } from '../../src/engine/run-journal.js'
import { performStep, type StepDeps } from '../../src/engine/step.js'
import type { Identity } from '../../src/model/address.js'
import { Bug, StalePlan } from '../../src/model/errors.js'
import type { Change } from '../../src/model/resources/change.js'
import { unknownYet, type Kind } from '../../src/model/resources/kind.js'
import type { Observed, Resource } from '../../src/model/resources/resource.js'
import { fieldChanges } from '../../src/plan/diff.js'
import type { Driver } from '../../src/platform/platform.js'
import { at, bucket, declare, idOf, label } from '../plan/scenario.js'
import { driverWith, EngineWorld, never } from './engine-world.js'

/** What a driver gives back after an update is changed. */
function updating(driver: Driver, change: (after: Observed) => Observed): Driver {
  return driverWith(driver, { update: async (now, held, signal) => change(await driver.update(now, held, signal)) })
}

describe('a write', () => {
  test('fails and is undone if the target returns different values, and lists their paths', async () => {
    await using world = new EngineWorld()
    world.around = (driver) =>
      updating(driver, (after) => ({ ...after, actual: { ...after.actual, color: 'grey', description: 'none' } }))
    await world.apply([label('red', 'Red')])
    const { outcome, run } = await world.apply([label('red', 'Red', '#f00')])
    expect([outcome, run.problems]).toEqual([
      'undone',
      [
        {
          severity: 'error',
          code: 'engine/mismatch',
          message: 'Label/red: The target accepted Label/red but returns different values: color, description.',
          about: 'Label/red',
          hint: 'Declare the values that the target returns.',
        },
      ],
    ])
    expect((await world.stack()).failure).toMatchObject({ retry: 'change' })
  })

  test('removes a partly created resource that cannot be completed', async () => {
    await using world = new EngineWorld()
    world.halfMade = true
    world.around = (driver) => updating(driver, (after) => ({ ...after, actual: { ...after.actual, color: 'grey' } }))
    expect((await world.apply([label('red', 'Red', '#f00')])).outcome).toBe('undone')
    expect(await world.resources()).toEqual([])
    expect(await world.owned()).toEqual({})
  })

  test('is not made if something it depends on was replaced since the plan', async () => {
    await using world = new EngineWorld()
    world.around = (driver, family) =>
      family === 'Label' ? updating(driver, (after) => ({ ...after, identity: idOf(255) })) : driver
    await world.apply([label('red', 'Red'), bucket('raw')])
    const { run } = await world.apply([label('red', 'Red', '#f00'), bucket('raw', 'raw', { labels: ['red'] })])
    const message = expect.stringContaining(
      'LabelMapping/Bucket/raw/red would be written differently than planned',
    ) as string
    expect(run.problems).toMatchObject([
      { code: 'engine/plan-moved', message, hint: 'The next sync makes a new plan.' },
    ])
    expect(await world.resources()).not.toContain('LabelMapping')
    expect((await world.stack()).failure).toMatchObject({ code: 'engine/plan-moved', retry: 'soon' })
  })

  test('writes values that are known only after apply', async () => {
    await using world = new EngineWorld()
    expect((await world.apply([label('red', 'Red'), bucket('raw', 'raw', { labels: ['red'] })])).outcome).toBe(
      'applied',
    )
    const { 'LabelMapping/Bucket/raw/red': mapping, 'Bucket/raw': raw, 'Label/red': red } = await world.owned()
    expect(mapping).toBe(`${raw}/${red}`)
  })
})

describe('a step', () => {
  const resources = declare(label('red', 'Red'), bucket('raw', 'raw', { labels: ['red'] }))
  const mapping = 'LabelMapping/Bucket/raw/red'

  function change(address: string, over: Partial<Change> = {}): Change {
    const [kind] = address.split('/')
    return {
      address: at(address),
      kind: kind!,
      action: 'create',
      fields: [],
      reason: 'added',
      needs: [],
      after: [],
      ...over,
    }
  }

  async function depsOf(world: EngineWorld, declared: readonly Resource[] = resources): Promise<StepDeps> {
    const run = await world.newRun()
    const byAddress = new Map(declared.map((resource) => [resource.address, resource]))
    const { store, sealer } = world
    const acting = await world.acting(run)
    return {
      ...acting,
      journal: new RunJournal(store.journal, acting.lease),
      sealer,
      byAddress,
      owned: new Map(),
      observed: new Map(),
    }
  }

  /** Carries out the change, and stores that it is done. */
  async function carryOut(one: Change, deps: StepDeps): Promise<void> {
    await performStep(one, deps)
    for (const error of (await deps.journal.flush()).values()) throw error
  }

  test('waits for another stack if it needs a missing resource of that stack', async () => {
    await using world = new EngineWorld()
    const step = performStep(change(mapping), await depsOf(world))
    await expect(step).rejects.toThrow(StalePlan)
    await expect(step).rejects.toMatchObject({
      code: 'engine/needed-gone',
      message: `${mapping} needs Bucket/raw, which another stack owns and which is missing on the target.`,
      hint: 'gitmoor continues when that stack has recreated it.',
    })
    expect(await world.journal()).toEqual([])
  })

  test.each([
    ['writes what is not declared', change('Label/blue'), 'The plan writes Label/blue, which is not declared.'],
    [
      'changes what was not found',
      change('Label/red', { action: 'update', adopts: true }),
      'The plan changes Label/red, which was not found.',
    ],
    [
      'removes what was not found',
      change('Label/red', { action: 'remove' }),
      'The plan changes Label/red, which was not found.',
    ],
  ])('throws a bug if the plan %s, and begins nothing', async (_, one, message) => {
    await using world = new EngineWorld()
    const step = performStep(one, await depsOf(world))
    await expect(step).rejects.toThrow(Bug)
    await expect(step).rejects.toThrow(message)
    expect(await world.journal()).toEqual([])
  })

  test('throws a bug if it removes a resource of an unknown kind', async () => {
    await using world = new EngineWorld()
    const observed = new Map([[at('Gauge/a'), { identity: idOf(1), actual: {} }]])
    const deps = { ...(await depsOf(world)), observed }
    await expect(performStep(change('Gauge/a', { action: 'remove' }), deps)).rejects.toThrow('No kind Gauge.')
  })

  test('is not made if it would write a field that the plan does not list', async () => {
    await using world = new EngineWorld()
    const observed = new Map(
      ['Label/red', 'Bucket/raw'].map((one, i) => [at(one), { identity: idOf(i + 1), actual: {} }]),
    )
    const step = performStep(change(mapping), { ...(await depsOf(world)), observed })
    await expect(step).rejects.toMatchObject({ code: 'engine/plan-moved' })
  })

  test('replaces a list with one that is known only after apply', async () => {
    await using world = new EngineWorld()
    const [red] = declare(label('red', 'Red'))
    const to = at('Bucket/raw')
    const raw = { ...declare(bucket('raw'))[0]!, kind: declare(label('raw'))[0]!.kind }
    const encode: Kind['encode'] = (_, resolve) => ({ name: 'Red', hosts: resolve({ to, output: 'hosts' }) })
    const taking: Resource = {
      ...red!,
      edges: [{ to, why: 'reference', text: 'spec' }],
      kind: { ...red!.kind, encode },
    }
    const deps = await depsOf(world, [raw, taking])
    const driver = deps.connection.driver(red!.kind)
    const there = await driver.create(
      { name: 'Red', hosts: ['a', 'b'] },
      driver.trace({ name: 'Red', hosts: ['a', 'b'] }),
      never,
    )
    const fields = fieldChanges(there.actual, encode({}, unknownYet))
    const observed = new Map([
      [to, { identity: idOf(1), actual: { hosts: ['c', 'd', 'e'] } }],
      [taking.address, there],
    ])
    await performStep(change('Label/red', { action: 'update', identity: there.identity, fields }), {
      ...deps,
      observed,
    })
    expect(observed.get(taking.address)!.actual['hosts']).toEqual(['c', 'd', 'e'])
  })

  test('is not made if a value that the plan did not know loses data', async () => {
    await using world = new EngineWorld()
    const raw = declare({
      ...bucket('raw'),
      spec: { name: 'raw', retentionRules: [{ type: 'expire', everySeconds: 3600 }] },
    })[0]!
    const there = {
      identity: idOf(1),
      actual: { name: 'raw', retentionRules: [{ type: 'expire', everySeconds: 7200 }] },
    }
    const path = 'retentionRules[0].everySeconds'
    const update = change('Bucket/raw', { kind: 'Bucket', action: 'update', fields: [{ path, new: 3600 }] })
    const deps = { ...(await depsOf(world, [raw])), observed: new Map([[raw.address, there]]) }
    const message = expect.stringContaining(
      `Bucket/raw would lose data that the plan did not show: ${path}: `,
    ) as string
    await expect(performStep(update, deps)).rejects.toMatchObject({ code: 'engine/unplanned-loss', message })
    expect(await world.journal()).toEqual([])
    const planned = { ...update, losses: [{ path, message: 'points are deleted' }] }
    await expect(performStep(planned, deps)).rejects.not.toMatchObject({ code: 'engine/unplanned-loss' })
  })

  test.each(['create', 'update'] as const)('has the time limit of its resource: %s', async (action) => {
    await using world = new EngineWorld()
    const there = { identity: idOf(1), actual: {} }
    const hangs = (): Promise<never> => new Promise(() => {})
    world.around = (driver) => driverWith(driver, { create: hangs, update: hangs })
    const deps = await depsOf(world, declare(label('red', 'Red')))
    const observed = new Map(action === 'update' ? [[at('Label/red'), there]] : [])
    const fields = [{ path: 'name', new: 'Red' }]
    const step = performStep(change('Label/red', { action, fields, timeoutMs: 1 }), { ...deps, observed })
    await expect(step).rejects.toMatchObject({ code: 'platform/timeout' })
  })

  test('that is undone has it, too', async () => {
    await using world = new EngineWorld()
    const calls = new EntryCalls(await world.acting(await world.newRun()))
    const entry = { change: change('Label/red', { action: 'create', timeoutMs: 1 }) } as JournalEntry
    const call = calls.call('undo: create', entry, () => new Promise(() => {}))
    await expect(call).rejects.toMatchObject({ code: 'platform/timeout' })
  })

  test('with a single need is not made either if it would write more than planned', async () => {
    await using world = new EngineWorld()
    const [red] = declare(label('red', 'Red', '#f00'))
    const raw = declare(bucket('raw'))[0]!
    const edges: Resource['edges'] = [{ to: raw.address, why: 'reference', text: 'spec' }]
    const deps = await depsOf(world, [raw, { ...red!, edges }])
    const there = { identity: idOf(1), actual: { name: 'Red', color: '', description: '' } }
    const update = change('Label/red', { action: 'update', identity: there.identity })
    const step = performStep(update, { ...deps, observed: new Map([[at('Label/red'), there]]) })
    await expect(step).rejects.toMatchObject({ code: 'engine/plan-moved' })
  })

  test('takes a resource over from another stack, which shares it from then on', async () => {
    await using world = new EngineWorld()
    await world.apply([label('red', 'Red')])
    const identity = (await world.owned())['Label/red'] as Observed['identity']
    const boards = await world.stack()
    const other = await world.store.stacks.create(
      { ...boards.spec, name: 'other' },
      { managedBy: 'api', target: 'plain/main', cause: { kind: 'created' } },
    )
    const deps = {
      ...(await depsOf(world, declare(label('mine', 'Red', '#f00')))),
      journal: new RunJournal(world.store.journal, (await world.store.runs.takeLease(other.run)).lease),
      observed: new Map([[at('Label/mine'), { identity, actual: (await world.state('Label', 'Red'))! }]]),
    }
    const update = { action: 'update', identity, fields: [{ path: 'color', old: '', new: '#f00' }] } as const
    await expect(carryOut(change('Label/mine', update), deps)).rejects.toMatchObject({ code: 'store/owned' })
    await carryOut(change('Label/mine', { ...update, takesFrom: 'boards' }), deps)
    const mine = [...(await world.store.ownership.of(other.stack.id)).values()]
    expect(mine.map(({ address, shared }) => [address, shared])).toEqual([['Label/mine', undefined]])
    const theirs = [...(await world.store.ownership.of(boards.id)).values()]
    expect(theirs.map(({ address, shared }) => [address, shared])).toEqual([['Label/red', true]])
  })

  test('moves a shared resource to its new address', async () => {
    await using world = new EngineWorld()
    const deps = await depsOf(world, declare(label('red', 'Red')))
    const there = { identity: idOf(1), actual: { name: 'Red', color: '', description: '' } }
    const shares = { action: 'update', identity: idOf(1), shares: true } as const
    await carryOut(change('Label/red', shares), { ...deps, observed: new Map([[at('Label/red'), there]]) })
    const crimson = { ...deps, byAddress: new Map(declare(label('crimson', 'Red')).map((one) => [one.address, one])) }
    await carryOut(change('Label/crimson', { ...shares, from: at('Label/red') }), {
      ...crimson,
      observed: new Map([[at('Label/red'), there]]),
    })
    const records = await world.store.ownership.of((await world.stack()).id)
    expect([...records.values()]).toMatchObject([
      { address: 'Label/crimson', identity: idOf(1), shared: true, adopted: false },
    ])
  })

  test.each([
    ['gone', 1],
    ['dropped', 0],
  ] as const)('that untracks a resource because it is %s removes %i leftovers of it', async (reason, count) => {
    await using world = new EngineWorld()
    const removed: Identity[] = []
    world.around = (driver) => driverWith(driver, { removeLeftovers: async (gone) => void removed.push(gone) })
    await world.apply([label('red', 'Red')])
    const identity = (await world.owned())['Label/red'] as Identity
    await carryOut(change('Label/red', { action: 'untrack', identity, reason }), await depsOf(world))
    expect(removed).toEqual(Array.from({ length: count }, () => identity))
    expect(await world.owned()).toEqual({})
  })

  test('that untracks removes ownership and writes nothing to the target', async () => {
    await using world = new EngineWorld()
    await world.apply([label('red', 'Red')])
    const deps = await depsOf(world)
    world.calls.length = 0
    await carryOut(
      change('Label/red', { action: 'untrack', identity: (await world.owned())['Label/red'] as never }),
      deps,
    )
    expect(world.calls).toEqual([])
    expect(await world.owned()).toEqual({})
    expect(await world.journal()).toMatchObject([{ state: 'done', identity: await world.idOf('Label', 'Red') }])
  })
})

describe('ownership', () => {
  const red = 'ab'.repeat(8)

  async function withRed(world: EngineWorld): Promise<void> {
    await world.store.documents.insert('main', 'Label', {
      id: red,
      key: 'red',
      state: { name: 'Red', color: '', description: '' },
      links: [],
    })
  }

  test('of an adopted resource has the declared values, without a write to the target', async () => {
    await using world = new EngineWorld()
    await withRed(world)
    await world.apply([label('red', 'Red')])
    expect(world.calls).toEqual(['open', 'open', 'begin', 'progress', 'settle'])
    const record = (await world.store.ownership.of((await world.stack()).id)).get(at('Label/red'))
    expect(record).toMatchObject({ kind: 'Label', identity: red, adopted: true, applied: { name: 'Red' } })
  })

  test('stays adopted when the resource is changed or moved, but not when it is recreated', async () => {
    await using world = new EngineWorld()
    const adopted = async (address: string): Promise<boolean | undefined> =>
      (await world.store.ownership.of((await world.stack()).id)).get(at(address))?.adopted
    await withRed(world)
    await world.apply([label('red', 'Red')])
    await world.apply([label('red', 'Red', '#f00')])
    expect(await adopted('Label/red')).toBe(true)
    await world.apply([label('crimson', 'Red', '#f00')])
    expect([await adopted('Label/red'), await adopted('Label/crimson')]).toEqual([undefined, true])
    await world.store.documents.remove('main', 'Label', red)
    await world.apply([label('crimson', 'Red', '#f00')])
    expect(await adopted('Label/crimson')).toBe(false)
  })
})
