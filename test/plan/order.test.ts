import { expect, test } from 'vitest'
import { changeStage } from '../../src/plan/order.js'
import { bucket, dashboard, declare, label, planOf, settled, changeLines } from './scenario.js'

const before = [
  label('old', 'red'),
  label('new', 'green'),
  label('gone'),
  bucket('data'),
  dashboard('ops', 'ops', { labels: ['old', 'gone'] }),
]
const now = [label('new', 'red'), label('fresh'), dashboard('ops', 'ops', { labels: ['fresh'] })]

test('orders removals that release a name, writes, removals, then removals that lose data', () => {
  const plan = planOf(declare(...now), settled(declare(...before)))
  expect(plan.problems).toEqual([])
  expect(changeLines(plan)).toEqual([
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

test('orders changes by stage', () => {
  const stages = planOf(declare(...now), settled(declare(...before))).value.changes.map(changeStage)
  expect(stages).toEqual(stages.toSorted((a, b) => a - b))
})

test('updates that no undo can restore come after the other writes, with a warning that names them', () => {
  const overwriting = (resources: ReturnType<typeof declare>): ReturnType<typeof declare> =>
    resources.map((one) =>
      one.kind.family === 'Bucket'
        ? { ...one, kind: { ...one.kind, removal: { ...one.kind.removal, overwrites: () => true } } }
        : one,
    )
  const there = settled(declare(bucket('a'), bucket('same'), label('red'), label('gone')))
  const declared = declare(bucket('a', 'a', { description: 'x' }), bucket('same'), bucket('new'), label('red', 'rot'))
  const plan = planOf(overwriting(declared), there)
  expect(changeLines(plan).map((line) => line.split(' (')[0])).toEqual([
    'create Bucket/new',
    'update Label/red',
    'update Bucket/a',
    'remove Label/gone',
  ])
  expect(plan.value.changes.flatMap(({ address, last }) => (last === true ? [address] : []))).toEqual(['Bucket/a'])
  expect(plan.problems).toEqual([
    {
      severity: 'warning',
      code: 'plan/not-restorable',
      message: 'An undo cannot restore the former value of Bucket/a: the target never shows it.',
      hint: 'gitmoor writes this change last.',
    },
  ])
})

test('orders each change after those it waits for', () => {
  const { changes } = planOf(declare(...now), settled(declare(...before))).value
  for (const [i, change] of changes.entries()) {
    const earlier = changes.slice(0, i).map(({ address }) => address)
    expect(change.after.filter((address) => !earlier.includes(address))).toEqual([])
  }
})

test('orders a chain of renames from the free name on', () => {
  const chain = settled(declare(label('a', 'one'), label('b', 'two'), label('c', 'three')))
  const plan = planOf(declare(label('a', 'two'), label('b', 'three'), label('c', 'four')), chain)
  expect(plan.problems).toEqual([])
  expect(plan.value.changes.map(({ address }) => address)).toEqual(['Label/c', 'Label/b', 'Label/a'])
})

const many = 8_000

test('orders a chain of 8,000 renames, the last of the chain first', () => {
  const names = Array.from({ length: many + 1 }, (_, at) => `name-${at}`)
  const declared = (shift: number): ReturnType<typeof declare> =>
    declare(...names.slice(0, many).map((name, at) => bucket(name, names[at + shift])))
  const plan = planOf(declared(1), settled(declared(0)))
  expect(plan.problems).toEqual([])
  const addresses = plan.value.changes.map(({ address }) => address)
  expect(addresses).toEqual(
    names
      .slice(0, many)
      .reverse()
      .map((name) => `Bucket/${name}`),
  )
})

test('orders a chain of 8,000 removals, the last that was made first', () => {
  const made = settled(declare(...Array.from({ length: many }, (_, at) => label(`label-${at}`))))
  const addresses = [...made.owned.keys()]
  const owned = new Map(
    [...made.owned].map(([address, record], at) => [
      address,
      { ...record, needs: addresses.slice(Math.max(0, at - 1), at) },
    ]),
  )
  const plan = planOf([], { ...made, owned })
  expect(plan.value.changes.map(({ address }) => address)).toEqual(addresses.toReversed())
})

test.each([
  [20, 'Bucket/name-19 exchange names'],
  [100, 'Bucket/name-19 and 80 more exchange names'],
])('reports a cycle of %i exchanged names once, with the first 20 of its names', (count, last) => {
  const names = Array.from({ length: count }, (_, at) => `name-${at}`)
  const declared = (shift: number): ReturnType<typeof declare> =>
    declare(...names.map((name, at) => bucket(name, names[(at + shift) % count])))
  const { problems } = planOf(declared(1), settled(declared(0)))
  expect(problems.map(({ code }) => code)).toEqual(['plan/name-swap'])
  expect(problems[0]!.message).toMatch(/^Bucket\/name-0, Bucket\/name-1, /)
  expect(problems[0]!.message).toContain(`, ${last}`)
})
