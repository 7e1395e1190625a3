// Labels select stacks. No run depends on them.
import { describe, expect, test } from 'vitest'
import { declareStacks } from '../../../src/stacks/changes/declare-stacks.js'
import { parseSelector } from '../../../src/settings/labels.js'
import type { LabelCondition, StackSpec } from '../../../src/model/stacks/stack.js'
import type { EventView } from '../../../src/views/event.js'
import { label } from '../../e2e/packages.js'
import { refusal } from '../../e2e/refusal.js'
import { until } from '../../e2e/until.js'
import { useWorld } from '../../e2e/world.js'

const world = useWorld()

async function selected(selector: string, limit = 100): Promise<readonly string[]> {
  const conditions = parseSelector(selector) as readonly LabelCondition[]
  const { items } = await world().ask.listStacks({ selector: conditions, limit })
  return items.map(({ name }) => name)
}

/** The newest run, and what the stack is attempted and applied with. */
async function runState(name: string): Promise<unknown> {
  const { lastRun, revision, sync, status } = await world().ask.getStack(name)
  return { lastRun, revision, sync, state: status.state }
}

describe('a change of labels', () => {
  test('changes the row, is reported to watchers, and starts no run', async () => {
    await world().push(label('red'))
    await world().create('boards', { labels: { team: 'ops', tier: 'edge' } })
    const before = await runState('boards')
    const events: EventView[] = []
    const stop = await world().ask.watchEvents({}, (event) => void events.push(event))
    const changed = await world().ask.updateStack('boards', { setLabels: { tier: null, zone: 'eu-1' } }, 'ann')
    expect(changed.plan).toBeUndefined()
    expect(changed.stack).toMatchObject({ labels: { team: 'ops', zone: 'eu-1' } })
    expect(await world().ask.explainStack('boards')).toMatchObject({ labels: { team: 'ops', zone: 'eu-1' } })
    await until('the change is reported', () => events.some(({ type }) => type === 'stack.changed'))
    stop()
    expect(await runState('boards')).toEqual(before)
    expect(events.filter(({ type }) => type === 'run.queued')).toEqual([])
  })

  test('that changes nothing starts no run either, and `labels` replaces all', async () => {
    await world().push(label('red'))
    await world().create('boards', { labels: { team: 'ops' } })
    const before = await runState('boards')
    await world().ask.updateStack('boards', { setLabels: { team: 'ops' } }, 'ann')
    expect((await world().ask.updateStack('boards', { labels: { tier: 'edge' } }, 'ann')).stack.labels).toEqual({
      tier: 'edge',
    })
    expect(await runState('boards')).toEqual(before)
  })

  test('and of the time zone starts no run, unless the stack has a schedule', async () => {
    await world().push(label('red'))
    await world().create('boards')
    const { id } = (await world().ask.getStack('boards')).lastRun!
    expect((await world().ask.updateStack('boards', { timeZone: 'Europe/Berlin' }, 'ann')).run).toBeUndefined()
    expect((await world().ask.getStack('boards')).lastRun!.id).toBe(id)
    const scheduled = await world().ask.updateStack('boards', { schedule: '@daily' }, 'ann')
    await world().runAfter('boards', id)
    expect([scheduled.run, (await world().ask.updateStack('boards', { timeZone: 'UTC' }, 'ann')).run]).toEqual([
      expect.any(String),
      expect.any(String),
    ])
  })

  test('by several people at once keeps what each of them set', async () => {
    await world().push(label('red'))
    await world().create('boards', { labels: { team: 'ops' } })
    const keys = ['a', 'b', 'c']
    await Promise.all(keys.map((key) => world().ask.updateStack('boards', { setLabels: { [key]: 'x' } }, key)))
    expect(await selected('team=ops,a,b,c')).toEqual(['boards'])
  })

  test('together with another setting starts a run', async () => {
    await world().push(label('red'))
    await world().create('boards')
    const { id } = await world().lastRun('boards')
    await world().ask.updateStack('boards', { setLabels: { team: 'ops' }, maxDeletes: 3 }, 'ann')
    await world().runAfter('boards', id)
    expect(await selected('team=ops')).toEqual(['boards'])
  })

  test('beyond 50 labels is refused', async () => {
    await world().push(label('red'))
    const labels = Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`l${at}`, 'x']))
    await world().create('boards', { labels })
    expect(await refusal(world().ask.updateStack('boards', { setLabels: { more: 'x' } }, 'ann'))).toMatchObject({
      status: 'usage',
      code: 'stacks/too-many-labels',
    })
    await world().ask.updateStack('boards', { setLabels: { more: 'x', l0: null } }, 'ann')
    expect(await selected('more,!l0')).toEqual(['boards'])
  })

  test('in the configuration file starts no run', async () => {
    const declare = (changed: Partial<StackSpec>) =>
      declareStacks([world().spec('boards', changed)], { sync: world().agent.sync, scheduler: world().agent })
    await world().push(label('red'))
    await declare({ labels: { team: 'ops' } })
    await until('boards is synced', async () => (await world().ask.getStack('boards')).sync === 'Synced')
    const before = await runState('boards')
    await declare({ labels: { team: 'data' } })
    expect(await selected('team=data')).toEqual(['boards'])
    expect(await runState('boards')).toEqual(before)
  })
})

describe('a selector', () => {
  test('lists the stacks of which all its conditions are true, page by page', async () => {
    await world().push(label('red'))
    const stacks = {
      a: { team: 'ops', 'example.com/tier': 'edge' },
      b: { team: 'ops', old: '' },
      c: { team: 'data' },
      d: {},
    }
    for (const [name, labels] of Object.entries(stacks)) await world().create(name, { labels })
    expect(await selected('team=ops')).toEqual(['a', 'b'])
    expect(await selected('team!=ops')).toEqual(['c', 'd'])
    expect(await selected('team')).toEqual(['a', 'b', 'c'])
    expect(await selected('!team')).toEqual(['d'])
    expect(await selected('team=ops,!old')).toEqual(['a'])
    expect(await selected('old=')).toEqual(['b'])
    expect(await selected('example.com/tier=edge')).toEqual(['a'])
    expect(await selected('team=Ops')).toEqual([])
    const selector = parseSelector('team') as readonly LabelCondition[]
    const first = await world().ask.listStacks({ selector, limit: 2 })
    expect(first.items.map(({ name }) => name)).toEqual(['a', 'b'])
    const rest = await world().ask.listStacks({ selector, limit: 2, after: first.next! })
    expect(rest).toMatchObject({ items: [{ name: 'c' }], next: null })
  })

  test('finds the stacks after a restart', async () => {
    await world().push(label('red'))
    await world().create('boards', { labels: { team: 'ops' } })
    await world().restart()
    expect(await selected('team=ops')).toEqual(['boards'])
  })
})
