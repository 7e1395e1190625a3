// When a run entered its phases, and what became of its changes.
import { describe, expect, test } from 'vitest'
import { Rejected } from '../../../src/model/errors.js'
import { bucket, dashboard, label, yaml } from '../../e2e/packages.js'
import { refusal } from '../../e2e/refusal.js'
import { useWorld } from '../../e2e/world.js'

const world = useWorld()

const eventsOf = (run: string, page = {}) => world().ask.getRunEvents('boards', run, page)

describe('the events of a run', () => {
  test('are its phases, each ending when the next one begins, and the steps of its plan', async () => {
    await world().push(yaml(label('red'), label('blue')))
    const { id, createdAt, finishedAt } = await world().create('boards')
    const { phases, items, next } = await eventsOf(id)
    expect(phases.map(({ phase }) => phase)).toEqual(['queued', 'fetching', 'planning', 'applying'])
    expect(phases[0]).toMatchObject({ at: createdAt, endedAt: phases[1]!.at })
    expect(phases.at(-1)).toMatchObject({ endedAt: finishedAt })
    expect(phases.every(({ at }) => at !== null)).toBe(true)
    expect((await world().ask.getRun('boards', id)).phases).toEqual(phases)
    expect(items.map(({ address, action, state }) => [address, action, state])).toEqual(
      expect.arrayContaining([
        ['Label/red', 'create', 'done'],
        ['Label/blue', 'create', 'done'],
      ]),
    )
    expect(items.every(({ at }) => at !== null)).toBe(true)
    expect(next).toBeNull()
  })

  test('come in pages, each with the phases', async () => {
    await world().push(yaml(...['l1', 'l2', 'l3'].map((name) => label(name))))
    const { id } = await world().create('boards')
    const first = await eventsOf(id, { limit: 2 })
    const second = await eventsOf(id, { limit: 2, after: first.next! })
    expect([first.items.length, second.items.length, second.next]).toEqual([2, 1, null])
    expect(second.phases).toEqual(first.phases)
    expect(new Set([...first.items, ...second.items].map(({ address }) => address)).size).toBe(3)
    expect((await eventsOf(id, { limit: 3 })).next).toBeNull()
  })

  test('of a run whose package is missing end while it fetches', async () => {
    await world().push(label('red'))
    const { id, outcome, finishedAt } = await world().create('boards', { path: 'nowhere' })
    expect(outcome).toBe('failed')
    const { phases, items } = await eventsOf(id)
    expect(phases).toMatchObject([{ phase: 'queued' }, { phase: 'fetching', at: null, endedAt: finishedAt }])
    expect(items).toEqual([])
  })

  test('of a failed run that reverted its changes name the revert', async () => {
    await world().push(label('red'))
    await world().create('boards', { onFailure: 'undo' })
    world().platform.onCall(({ verb, family }) => {
      if (verb === 'create' && family === 'Dashboard') throw new Rejected('No.', { code: 'platform/rejected' })
    })
    await world().push(yaml(label('red', { color: '#ffffff' }), dashboard('ops', { labels: ['red'] })))
    const { id, outcome } = await world().sync('boards')
    expect(outcome).toBe('undone')
    const { phases, items } = await eventsOf(id)
    expect(phases.map(({ phase }) => phase)).toEqual(['queued', 'fetching', 'planning', 'applying', 'undoing'])
    expect(items.map(({ state }) => state)).toEqual(['undone', 'undone'])
  })

  test('of a plan that needs approval end with the plan', async () => {
    await world().push(yaml(label('red'), bucket('raw')))
    await world().create('boards')
    await world().push(label('red'))
    const { id } = await world().sync('boards')
    const { phases, items } = await eventsOf(id)
    expect(phases.map(({ phase }) => phase)).toEqual(['queued', 'fetching', 'planning'])
    expect(items).toMatchObject([{ address: 'Bucket/raw', action: 'remove', state: 'not-done', at: null }])
  })

  test('of a step that a later run changed again have no time', async () => {
    await world().push(label('red'))
    const { id } = await world().create('boards')
    await world().push(label('red', { color: '#ffffff' }))
    await world().sync('boards')
    expect((await eventsOf(id)).items).toMatchObject([{ address: 'Label/red', state: 'done', at: null }])
  })

  test('of an unknown run are refused', async () => {
    await world().push(label('red'))
    await world().create('boards')
    expect(await refusal(eventsOf('999'))).toMatchObject({ code: 'runs/unknown' })
    expect(await refusal(eventsOf('1', { after: 'x' }))).toMatchObject({ code: 'stacks/invalid-cursor' })
  })
})
