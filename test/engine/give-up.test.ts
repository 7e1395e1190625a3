// What an undo does with what it cannot undo, beside undo.test.ts.
import { describe, expect, test } from 'vitest'
import { Rejected, Stopped } from '../../src/model/errors.js'
import { dashboard, label, type Doc } from '../plan/scenario.js'
import { driverWith, EngineWorld, never } from './engine-world.js'

/** Label Blue is refused; while that is undone, Label Red cannot be taken away. */
function redStays(world: EngineWorld): void {
  world.fate = (call) => (call === 'create Label Blue' || call === 'remove Label Red' ? 'refused' : 'well')
}

const redAndBlue: readonly Doc[] = [label('red', 'Red'), label('blue', 'Blue')]

describe('what is given up', () => {
  test('is told with its reason, and keeps the retry of what began the undo', async () => {
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
      hint: 'Ownership says what is there; the next revision goes on from it.',
    })
  })

  test('waits for a change where nothing is known of what began the undo', async () => {
    await using world = new EngineWorld()
    world.fate = (call) => (call === 'create Label Blue' ? 'refused' : call === 'turn' ? 'unavailable' : 'well')
    await expect(world.apply(redAndBlue)).rejects.toThrow('No answer to turn.')
    redStays(world)
    const run = await world.newRun()
    expect(await world.engine.undo(await world.acting(run), { problems: [], failure: null }, never)).toBe('undone')
    expect((await world.stack()).failure).toMatchObject({ reason: 'UndoIncomplete', retry: 'change' })
  })

  test('waits for later where nobody can look what is there', async () => {
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
    expect([await world.things(), await world.owned()]).toEqual([[], {}])
  })

  test('is told once, though two runs did something to it', async () => {
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
      if (call === 'turn') undoing = true
      return call === 'create LabelMapping' || (undoing && call === 'update Label Red') ? 'refused' : 'well'
    }
    const { run } = await world.apply(red('two'))
    expect(run.problems.map(({ message }) => message.split(' ')[0])).toEqual([
      'LabelMapping/Dashboard/ops/red:',
      'Label/red',
    ])
    expect(await world.things()).toEqual(['Label Red'])
    expect((await world.owned())['Label/red']).toBe(await world.idOf('Label', 'Red'))
  })

  test('and was changed, stays owned with what is recorded of it', async () => {
    await using world = new EngineWorld()
    await world.apply([label('red', 'Red', 'one')])
    let undoing = false
    world.fate = (call) => {
      if (call === 'turn') undoing = true
      return call === 'create Label Blue' || (undoing && call === 'update Label Red') ? 'refused' : 'well'
    }
    await world.apply([label('red', 'Red', 'two'), label('blue', 'Blue')])
    const record = (await world.store.ownership.of((await world.stack()).id)).get('Label/red' as never)
    expect(record).toMatchObject({ applied: { color: 'two' } })
  })

  test('and is of a kind that nobody knows any more, waits for a version that does', async () => {
    await using world = new EngineWorld()
    world.fate = (call) => (call === 'create Label Blue' ? 'refused' : call === 'turn' ? 'unavailable' : 'well')
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
    expect(await world.things()).toEqual([])
  })
})

describe('an undo', () => {
  test('stops between two steps when it is told to, and goes on from there', async () => {
    await using world = new EngineWorld()
    world.fate = (call) => (call === 'create Label Blue' ? 'refused' : call === 'turn' ? 'unavailable' : 'well')
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
    expect(await world.things()).toEqual(['Label Red'])
    expect(await world.engine.undo(acting, { problems: [], failure: null }, never)).toBe('undone')
    expect(await world.things()).toEqual([])
  })

  test('writes nothing where what is there is what was there', async () => {
    await using world = new EngineWorld()
    await world.apply([label('red', 'Red')])
    world.fate = (call) => (call === 'update Label Red' ? 'refused' : 'well')
    world.calls.length = 0
    expect((await world.apply([label('red', 'Red', 'dark')])).outcome).toBe('undone')
    expect(world.calls).toEqual(['open', 'open', 'begin', 'update Label Red', 'turn', 'open', 'mark', 'settle'])
  })

  test('of what the target removed in between makes it again', async () => {
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

  test('calls a driver within the limit, and leaves for later what does not answer', { timeout: 20_000 }, async () => {
    await using world = new EngineWorld()
    world.limitMs = 50
    world.around = (driver) => driverWith(driver, { remove: () => new Promise(() => {}) })
    world.fate = (call) => (call === 'create Label Blue' ? 'refused' : 'well')
    expect((await world.apply(redAndBlue)).outcome).toBe('undoing')
    expect(await world.things()).toEqual(['Label Red'])
  })
})
