// The outcome and the problems of a run.
import { describe, expect, test } from 'vitest'
import { runFailure, type ApplyInput } from '../../src/engine/engine.js'
import { Ambiguous, InvalidPackage, Rejected, StalePlan, Unavailable } from '../../src/model/errors.js'
import type { Change } from '../../src/model/resources/change.js'
import { at, declare, idOf, label } from '../plan/scenario.js'
import { slow } from '../rounds.js'
import { driverWith, EngineWorld, never } from './engine-world.js'

const facts = { code: 'x' }
const soon = new Unavailable('Gone.', facts)
const change = new Rejected('No.', facts)
const person = new Ambiguous('Which?', facts)

describe('a run is retried', () => {
  test.each([
    ['soon if all errors may pass', [soon, new Error('odd'), new StalePlan('Old.', facts)], 'soon'],
    ['after a change if the target refused one of them', [soon, change], 'change'],
    ['after a change if the package is invalid', [soon, new InvalidPackage([])], 'change'],
    ['by a person if one of them is ambiguous', [soon, change, person], 'person'],
  ] as const)('%s', (_, errors, retry) => {
    expect(runFailure(errors, [], 'Undone')).toMatchObject({ reason: 'Undone', retry })
  })
})

describe('a failure', () => {
  const problem = { severity: 'error', code: 'a/b', message: 'One.', hint: 'Do.' } as const

  test('is the first problem, and counts the others', () => {
    expect(runFailure([change], [problem], 'Undone')).toEqual({
      reason: 'Undone',
      code: 'a/b',
      message: 'One.',
      hint: 'Do.',
      retry: 'change',
    })
    expect(runFailure([change], [problem, problem], 'Undone').message).toBe('One. (and 1 more)')
    expect(runFailure([change], [problem, problem, problem], 'Undone').message).toBe('One. (and 2 more)')
  })

  test('without a problem has a general message', () => {
    expect(runFailure([soon], [], 'ApplyFailed')).toEqual({
      reason: 'ApplyFailed',
      code: 'engine/failed',
      message: 'The run failed.',
      retry: 'soon',
    })
  })
})

describe('the problems of a run', () => {
  test('begin with the failed resources and their hints, followed by the warnings of the package', async () => {
    await using world = new EngineWorld()
    const refusal = new Rejected('No.', { code: 'a/b', hint: 'Do.' })
    world.around = (driver) => driverWith(driver, { create: () => Promise.reject(refusal) })
    world.warnings = [{ severity: 'warning', code: 'w/w', message: 'Odd.' }]
    const { run } = await world.apply([label('red', 'Red')])
    expect(run.problems).toEqual([
      { severity: 'error', code: 'a/b', message: 'Label/red: No.', about: 'Label/red', hint: 'Do.' },
      world.warnings[0],
    ])
    expect((await world.stack()).failure).toEqual({
      reason: 'Undone',
      code: 'a/b',
      message: 'Label/red: No.',
      hint: 'Do.',
      retry: 'change',
    })
  })

  test('keep the warnings of the package after success and after a partial failure', async () => {
    await using world = new EngineWorld()
    world.warnings = [{ severity: 'warning', code: 'w/w', message: 'Odd.' }]
    expect((await world.apply([label('red', 'Red')])).run.problems).toEqual(world.warnings)
    expect((await world.stack()).failure).toBeNull()
    world.fate = (call) => (call === 'create Label Blue' ? 'refused' : 'well')
    const { run } = await world.apply([label('red', 'Red'), label('blue', 'Blue')], { onFailure: 'continue' })
    expect([run.outcome, run.problems.map(({ code }) => code)]).toEqual(['failed', ['platform/refused', 'w/w']])
    expect((await world.stack()).failure).toMatchObject({ reason: 'ApplyFailed', retry: 'change' })
  })

  test('have the message of an internal error', async () => {
    await using world = new EngineWorld()
    world.pause = (call) => (call === 'begin' ? Promise.reject(new TypeError('x is not a function')) : undefined)
    const { run } = await world.apply([label('red', 'Red')])
    expect(run.problems).toEqual([
      { severity: 'error', code: 'engine/failed', message: 'Label/red: x is not a function', about: 'Label/red' },
    ])
  })
})

describe('an apply', () => {
  const green: Change = {
    address: at('Label/green'),
    kind: 'Label',
    action: 'create',
    fields: [],
    reason: 'added',
    needs: [],
    after: [],
  }

  /** The input of an apply whose plan has these changes. The package declares only the label Green. */
  async function inputOf(world: EngineWorld, ...changes: readonly Change[]): Promise<ApplyInput> {
    return {
      ...(await world.acting(await world.newRun())),
      plan: { stack: '', target: '', revision: '', changes, unchanged: 0, needsApproval: [], digest: '' },
      byAddress: new Map(declare(label('green')).map((one) => [one.address, one])),
      owned: new Map(),
      observed: new Map(),
      problems: [],
      applied: null,
      onFailure: 'undo',
    }
  }

  test('throws a bug if a change waits for one that the plan does not have', async () => {
    await using world = new EngineWorld()
    const input = await inputOf(world, green, { ...green, address: at('Label/red'), after: [at('Label/blue')] })
    const applying = world.engine.apply(input, never)
    await expect(applying).rejects.toMatchObject({ name: 'Bug', message: '1 planned changes could never begin.' })
    expect((await world.store.runs.get(input.lease.run))!.outcome).toBeNull()
  })

  test('reports a change of an unknown kind', async () => {
    await using world = new EngineWorld()
    const address = at('Gauge/a')
    const input = await inputOf(world, { ...green, address, kind: 'Gauge', action: 'remove', first: true })
    input.observed.set(address, { identity: idOf(1), actual: {} })
    expect(await world.engine.apply(input, never)).toBe('undone')
    const { problems } = (await world.store.runs.get(input.lease.run))!
    expect(problems.map(({ message }) => message)).toEqual(['Gauge/a: No kind Gauge.'])
  })

  test('serves others before it queues the changes, which takes long if there are many', async () => {
    await using world = new EngineWorld()
    const input = await inputOf(world, green)
    const events: string[] = []
    world.pause = (call) => void events.push(call)
    const connection = Object.defineProperty({ ...input.connection }, 'concurrency', {
      get: () => {
        setImmediate(() => events.push('others'))
        return slow({ concurrency: 1 }, 'concurrency').concurrency
      },
    })
    expect(await world.engine.apply({ ...input, connection }, never)).toBe('applied')
    expect(events.slice(0, 3)).toEqual(['open', 'others', 'begin'])
  })

  test('is `applied` if it only settles the journal of an interrupted run', async () => {
    await using world = new EngineWorld()
    world.pause = (call) => (call === 'settle' ? Promise.reject(new Error('ended')) : undefined)
    await expect(world.apply([label('red', 'Red')])).rejects.toThrow('ended')
    world.pause = () => undefined
    expect((await world.apply([label('red', 'Red')])).outcome).toBe('applied')
    expect((await world.apply([label('red', 'Red')])).outcome).toBe('unchanged')
  })

  test('reports when it begins to undo, and only then', async () => {
    await using world = new EngineWorld()
    let turns = 0
    world.onTurn = () => void turns++
    await world.apply([label('red', 'Red')])
    expect(turns).toBe(0)
    world.fate = (call) => (call === 'create Label Blue' ? 'refused' : 'well')
    await world.apply([label('red', 'Red'), label('blue', 'Blue')])
    expect(turns).toBe(1)
  })
})
