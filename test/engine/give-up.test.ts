// Resources that an undo cannot undo; see also undo.test.ts.
import { describe, expect, test } from 'vitest'
import { Rejected, Stopped } from '../../src/model/errors.js'
import { dashboard, label, type Doc } from '../plan/scenario.js'
import { driverWith, EngineWorld, never } from './engine-world.js'

/** Label Blue is refused; while that is undone, Label Red cannot be taken away. */
function redStays(world: EngineWorld): void {
  world.fate = (call) => (call === 'create Label Blue' || call === 'remove Label Red' ? 'refused' : 'well')
}

const redAndBlue: readonly Doc[] = [label('red', 'Red'), label('blue', 'Blue')]

describe('a resource that the target refuses to undo', () => {
  test('is reported with its reason, with the retry of the original failure', async () => {
    await using world = new EngineWorld()
    redStays(world)
    const { run } = await world.apply(redAndBlue)
    expect(run.problems.map(({ code, message }) => [code, message])).toEqual([
      ['platform/refused', 'Label/blue: The target refused to create Label Blue.'],
      ['engine/undo-failed', 'Label/red could not be undone: The target refused to remove Label Red.'],
    ])
    expect((await world.stack()).failure).toEqual({
      reason: 'UndoIncomplete',
      code: 'engine/undo-incomplete',
      message: 'Not everything could be undone: Label/red could not be undone: The target refused to remove Label Red.',
      retry: 'change',
      hint: 'Ownership records what is on the target. The next revision continues from there.',
    })
  })

  test('is retried as the original failure is, soon if the target did not answer', async () => {
    await using world = new EngineWorld()
    world.fate = (call) =>
      call === 'create Label Blue' ? 'unavailable' : call === 'remove Label Red' ? 'refused' : 'well'
    expect((await world.apply(redAndBlue)).outcome).toBe('undone')
    expect((await world.stack()).failure).toMatchObject({ reason: 'UndoIncomplete', retry: 'soon' })
  })

  test('waits for a change if the original failure is unknown', async () => {
    await using world = new EngineWorld()
    world.fate = (call) => (call === 'create Label Blue' ? 'refused' : call === 'start undo' ? 'unavailable' : 'well')
    await expect(world.apply(redAndBlue)).rejects.toThrow('No answer to start undo.')
    redStays(world)
    const run = await world.newRun()
    expect(await world.engine.undo(await world.acting(run), { problems: [], failure: null }, never)).toBe('undone')
    expect((await world.stack()).failure).toMatchObject({ reason: 'UndoIncomplete', retry: 'change' })
  })

  test('is tried again later if it cannot be read', async () => {
    await using world = new EngineWorld()
    let refusals = 0
    world.fate = (call) => {
      if (call === 'create Label Blue' || call === 'remove Label Red') return refusals++ < 2 ? 'refused' : 'well'
      return call === 'read Label' && refusals === 2 ? 'unavailable' : 'well'
    }
    const { run, outcome } = await world.apply(redAndBlue)
    expect(outcome).toBe('undoing')
    expect((await world.journal()).map(({ state }) => state)).toEqual(['done', 'undone'])
    world.fate = () => 'well'
    expect(await world.undo(run)).toBe('undone')
    expect([await world.resources(), await world.owned()]).toEqual([[], {}])
  })

  test('is reported once, although it could not be read at first', async () => {
    await using world = new EngineWorld()
    let isUnreadable = false
    world.fate = (call) => {
      if (call === 'remove Label Red') isUnreadable = true
      if (call === 'create Label Blue' || call === 'remove Label Red') return 'refused'
      return call === 'read Label' && isUnreadable ? 'unavailable' : 'well'
    }
    const { run, outcome } = await world.apply(redAndBlue)
    expect(outcome).toBe('undoing')
    redStays(world)
    expect(await world.undo(run)).toBe('undone')
    const { problems } = (await world.store.runs.get(run.id))!
    expect(problems.map(({ code }) => code)).toEqual(['platform/refused', 'engine/undo-failed'])
  })

  test('is reported once, although two runs changed it', async () => {
    await using world = new EngineWorld()
    const stop = new AbortController()
    world.pause = (call) => {
      if (call === 'create Label Red') stop.abort(new Stopped('superseded', 'A newer revision is there.'))
      return undefined
    }
    const red = (color: string): readonly Doc[] => [
      label('red', 'Red', color),
      dashboard('ops', 'Ops', { labels: ['red'] }),
    ]
    expect((await world.apply(red('one'), { signal: stop.signal })).outcome).toBe('stopped')
    world.pause = () => undefined
    let undoing = false
    world.fate = (call) => {
      if (call === 'start undo') undoing = true
      return call === 'create LabelMapping' || (undoing && call === 'update Label Red') ? 'refused' : 'well'
    }
    const { run } = await world.apply(red('two'))
    expect(run.problems.map(({ message }) => message.split(' ')[0])).toEqual([
      'LabelMapping/Dashboard/ops/red:',
      'Label/red',
    ])
    expect(await world.resources()).toEqual(['Label Red'])
    expect((await world.owned())['Label/red']).toBe(await world.idOf('Label', 'Red'))
  })

  test('stays owned with its recorded values', async () => {
    await using world = new EngineWorld()
    await world.apply([label('red', 'Red', 'one')])
    let undoing = false
    world.fate = (call) => {
      if (call === 'start undo') undoing = true
      return call === 'create Label Blue' || (undoing && call === 'update Label Red') ? 'refused' : 'well'
    }
    await world.apply([label('red', 'Red', 'two'), label('blue', 'Blue')])
    const record = (await world.store.ownership.of((await world.stack()).id)).get('Label/red' as never)
    expect(record).toMatchObject({ applied: { color: 'two' } })
  })

  test('waits for a version that knows its kind', async () => {
    await using world = new EngineWorld()
    world.fate = (call) => (call === 'create Label Blue' ? 'refused' : call === 'start undo' ? 'unavailable' : 'well')
    await world.apply(redAndBlue).catch(() => {})
    world.fate = () => 'well'
    const run = await world.newRun()
    const acting = await world.acting(run)
    const unknowing = { ...acting, kindNamed: () => undefined }
    expect(await world.engine.recover(unknowing, never)).toHaveLength(2)
    expect(await world.engine.undo(unknowing, { problems: [], failure: null }, never)).toBe('undoing')
    const { problems } = (await world.store.runs.get(run.id))!
    expect(problems.map(({ message }) => message)).toContain(
      'Label/red could not be undone: This version does not know the kind Label.',
    )
    await world.engine.recover(acting, never)
    expect(await world.engine.undo(acting, { problems: [], failure: null }, never)).toBe('undone')
    expect(await world.resources()).toEqual([])
  })
})

describe('an undo', () => {
  test('writes nothing more to the target once another process has the lease of its stack', async () => {
    await using world = new EngineWorld()
    world.fate = (call) => (call === 'create Label Blue' ? 'refused' : call === 'start undo' ? 'unavailable' : 'well')
    await world.apply([...redAndBlue, label('green', 'Green')]).catch(() => {})
    world.fate = () => 'well'
    const acting = await world.acting(await world.newRun())
    await world.engine.recover(acting, never)
    world.calls.length = 0
    world.pause = async (call) => {
      if (call.startsWith('remove')) await world.store.journal.takeLease(acting.lease.stack)
    }
    const undo = world.engine.undo(acting, { problems: [], failure: null }, never)
    await expect(undo).rejects.toMatchObject({ name: 'LeaseLost', code: 'store/lease-lost' })
    expect(world.calls.filter((call) => call.startsWith('remove'))).toHaveLength(1)
  })

  test('stops between two steps, and continues there', async () => {
    await using world = new EngineWorld()
    world.fate = (call) => (call === 'create Label Blue' ? 'refused' : call === 'start undo' ? 'unavailable' : 'well')
    await world.apply([...redAndBlue, label('green', 'Green')]).catch(() => {})
    world.fate = () => 'well'
    const run = await world.newRun()
    const acting = await world.acting(run)
    await world.engine.recover(acting, never)
    const stop = new AbortController()
    const why = new Stopped('shutdown', 'The agent stops.')
    world.pause = (call) => {
      if (call === 'remove Label Green') stop.abort(why)
      return undefined
    }
    await expect(world.engine.undo(acting, { problems: [], failure: null }, stop.signal)).rejects.toBe(why)
    expect(await world.resources()).toEqual(['Label Red'])
    expect(await world.engine.undo(acting, { problems: [], failure: null }, never)).toBe('undone')
    expect(await world.resources()).toEqual([])
  })

  test('writes nothing if the actual state is the former one', async () => {
    await using world = new EngineWorld()
    await world.apply([label('red', 'Red')])
    world.fate = (call) => (call === 'update Label Red' ? 'refused' : 'well')
    world.calls.length = 0
    expect((await world.apply([label('red', 'Red', 'dark')])).outcome).toBe('undone')
    expect(world.calls).toEqual([
      'open',
      'open',
      'begin',
      'update Label Red',
      'start undo',
      'open',
      'progress',
      'settle',
    ])
  })

  test('recreates a resource that was removed meanwhile', async () => {
    await using world = new EngineWorld()
    await world.apply([label('red', 'Red', 'one')])
    const old = (await world.idOf('Label', 'Red'))!
    const refusal = new Rejected('No.', { code: 'a/b' })
    world.pause = async (call) => {
      if (call !== 'create Label Blue') return
      await world.store.documents.remove('main', 'Label', old)
      throw refusal
    }
    expect((await world.apply([label('red', 'Red', 'two'), label('blue', 'Blue')])).outcome).toBe('undone')
    const id = (await world.idOf('Label', 'Red'))!
    expect(id).not.toBe(old)
    expect(await world.owned()).toEqual({ 'Label/red': id })
    expect((await world.store.documents.byIds('main', 'Label', [id])).get(id)!.state).toMatchObject({ color: 'one' })
  })

  test('limits the time of a driver call, and retries it later', async () => {
    await using world = new EngineWorld()
    world.limitMs = 50
    world.around = (driver) => driverWith(driver, { remove: () => new Promise(() => {}) })
    world.fate = (call) => (call === 'create Label Blue' ? 'refused' : 'well')
    expect((await world.apply(redAndBlue)).outcome).toBe('undoing')
    expect(await world.resources()).toEqual(['Label Red'])
  })
})
