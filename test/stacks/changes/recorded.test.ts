// What people change about a stack itself is in its history, beside its runs.
import { expect, test } from 'vitest'
import { settingsNote } from '../../../src/stacks/changes/setting-changes.js'
import { declareStacks } from '../../../src/stacks/changes/declare-stacks.js'
import { label } from '../../e2e/packages.js'
import { useWorld } from '../../e2e/world.js'

const world = useWorld()

/** The newest first: who did what, without the run of the creation. */
async function recorded(): Promise<readonly string[]> {
  const { items } = await world().ask.listRuns('boards', {})
  return items.slice(0, -1).map(({ cause, outcome, revision }) => {
    expect([outcome, revision]).toEqual(['unchanged', ''])
    return `${cause.by}: ${cause.note}`
  })
}

test('a suspension, with its reason, and its end while a run waits', async () => {
  await world().push(label('red'))
  await world().create('boards')
  await world().ask.suspendStack('boards', 'maintenance', undefined, 'ann')
  expect(await recorded()).toEqual(['ann: suspended: maintenance'])
  await world().store.runs.add({
    stack: (await world().ask.getStack('boards')).id,
    revision: '',
    cause: { kind: 'drift' },
  })
  await world().ask.resumeStack('boards', 'bob')
  const { items } = await world().ask.listRuns('boards', {})
  expect(items[0]).toMatchObject({ outcome: 'unchanged', cause: { kind: 'person', by: 'bob', note: 'resumed' } })
})

test('settings that start no run', async () => {
  await world().push(label('red'))
  await world().create('boards')
  await world().ask.updateStack('boards', { drift: 'report', setLabels: { team: 'ops' } }, 'ann')
  await world().ask.updateStack('boards', { drift: 'report' }, 'ann')
  expect(await recorded()).toEqual(['ann: settings changed: labels.team, drift correct → report'])
})

test('settings that the configuration file declares', async () => {
  await world().push(label('red'))
  const deps = { sync: world().agent.sync, scheduler: world().agent }
  const declare = (labels: Record<string, string>) => declareStacks([world().spec('boards', { labels })], deps)
  expect(await declare({ team: 'ops' })).toEqual([])
  await world().lastRun('boards')
  expect(await declare({ team: 'dev' })).toEqual([])
  expect(await declare({ team: 'dev' })).toEqual([])
  expect(await recorded()).toEqual(['file: settings changed: labels.team ops → dev'])
})

test('the note of changed settings names five of them, and values that fit into a line', () => {
  const many = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((path) => ({ path, old: 1, new: 2 }))
  expect(settingsNote(many)).toBe('settings changed: a 1 → 2, b 1 → 2, c 1 → 2, d 1 → 2, e 1 → 2, and 2 more')
  expect(settingsNote([{ path: 'values.text', old: 'x', new: 'y'.repeat(41) }])).toBe('settings changed: values.text')
  expect(settingsNote([{ path: 'windows', old: ['a'], new: ['b'] }])).toBe('settings changed: windows')
})
