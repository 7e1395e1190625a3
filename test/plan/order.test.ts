import { expect, test } from 'vitest'
import { stageOf } from '../../src/plan/order.js'
import { bucket, dashboard, declare, label, planOf, settled, told } from './situation.js'

const before = [
  label('old', 'red'),
  label('new', 'green'),
  label('gone'),
  bucket('data'),
  dashboard('ops', 'ops', { labels: ['old', 'gone'] }),
]
const now = [label('new', 'red'), label('fresh'), dashboard('ops', 'ops', { labels: ['fresh'] })]

test('removals that free a name come first, then writes, then removals, and what loses data last', () => {
  const plan = planOf(declare(...now), settled(declare(...before)))
  expect(plan.problems).toEqual([])
  expect(told(plan)).toEqual([
    'remove LabelMapping/Dashboard/ops/old (dropped, first)',
    'remove Label/old (dropped, first)',
    'update Label/new (edited): name',
    'create Label/fresh (added)',
    'create LabelMapping/Dashboard/ops/fresh (added)',
    'remove LabelMapping/Dashboard/ops/gone (dropped)',
    'remove Label/gone (dropped)',
    'remove Bucket/data (dropped, loses data)',
  ])
})

test('the stages never go back', () => {
  const stages = planOf(declare(...now), settled(declare(...before))).value.changes.map(stageOf)
  expect(stages).toEqual(stages.toSorted((a, b) => a - b))
})

test('what each waits for stands before it', () => {
  const { changes } = planOf(declare(...now), settled(declare(...before))).value
  for (const [i, change] of changes.entries()) {
    const earlier = changes.slice(0, i).map(({ address }) => address)
    expect(change.after.filter((address) => !earlier.includes(address))).toEqual([])
  }
})

test('names that go from hand to hand go in turn, from the one that is free', () => {
  const chain = settled(declare(label('a', 'one'), label('b', 'two'), label('c', 'three')))
  const plan = planOf(declare(label('a', 'two'), label('b', 'three'), label('c', 'four')), chain)
  expect(plan.problems).toEqual([])
  expect(plan.value.changes.map(({ address }) => address)).toEqual(['Label/c', 'Label/b', 'Label/a'])
})
