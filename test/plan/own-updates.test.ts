// Which plans concern no other stack: those of several stacks may be made and carried out at the same time.
import { describe, expect, test } from 'vitest'
import { declaresOwned, isOwnUpdates } from '../../src/plan/own-updates.js'
import type { Owned } from '../../src/model/resources/resource.js'
import { at, bucket, byHand, claimed, declare, label, planInput, planOf, settled } from './scenario.js'
import type { Doc, PlanInput, Settled } from './scenario.js'

const base = [label('red'), bucket('raw', 'raw', { labels: ['red'] })]

interface Case {
  readonly before: readonly Doc[]
  readonly now: readonly Doc[]
  readonly hand?: (before: Settled) => Settled
  readonly over?: (before: Settled) => Partial<PlanInput>
  readonly own: boolean
}

/** The label `red`, as another stack owns it, with another color. */
function takenOver({ owned }: Settled): Partial<PlanInput> {
  const theirs = { ...owned.get(at('Label/red'))!, applied: { name: 'red', color: 'blue' } } as Owned
  return { owned: new Map(), claims: claimed(theirs), takesOver: true }
}

const cases: Readonly<Record<string, Case>> = {
  'nothing to do': { before: base, now: base, own: true },
  'an update of a field': { before: base, now: [label('red', 'red', '#ff0000'), base[1]!], own: true },
  'a correction of drift': {
    before: base,
    now: base,
    hand: (before) => byHand(before, 'Label/red', (live) => ({ ...live, color: 'blue' })),
    own: true,
  },
  'a new name, which another stack may want': { before: [label('red')], now: [label('red', 'pink')], own: false },
  'a new resource': { before: [label('red')], now: [label('red'), label('blue')], own: false },
  'a removal': { before: [label('red'), label('blue')], now: [label('red')], own: false },
  'a resource that is gone from the target': {
    before: base,
    now: base,
    hand: (before) => byHand(before, 'Label/red', () => undefined),
    own: false,
  },
  'the adoption of a resource that nobody owns': {
    before: [label('red')],
    now: [label('red', 'red', '#ff0000')],
    over: () => ({ owned: new Map() }),
    own: false,
  },
  'a resource of another stack that is taken over': {
    before: [label('red')],
    now: [label('red')],
    over: takenOver,
    own: false,
  },
}

describe('a plan that concerns no other stack', () => {
  for (const [what, { before, now, hand, over, own }] of Object.entries(cases))
    test(`${what}: ${own ? 'yes' : 'no'}`, () => {
      const made = settled(declare(...before))
      const state = hand?.(made) ?? made
      const declared = declare(...now)
      const input = { ...planInput(declared, state), ...over?.(state) }
      const { changes } = planOf(declared, state, input).value
      expect(isOwnUpdates(changes, input)).toBe(own)
    })
})

test.each([
  ['is removed', 'name', undefined],
  ['changes inside', 'name.first', 'pink'],
])('a plan in which a field of the key %s may concern other stacks', (_, path, value) => {
  const made = settled(declare(label('red')))
  const { changes } = planOf(declare(label('red', 'red', '#ff0000')), made).value
  const fields = [{ path, old: 'red', ...(value === undefined ? {} : { new: value }) }]
  const input = planInput(declare(label('red')), made)
  expect(isOwnUpdates(changes, input)).toBe(true)
  expect(isOwnUpdates([{ ...changes[0]!, fields }], input)).toBe(false)
})

describe('a stack that declares what it alone owns', () => {
  const { owned } = settled(declare(...base))

  test('has neither a new resource nor one that is no longer declared', () => {
    expect(declaresOwned(declare(...base), owned)).toBe(true)
    expect(declaresOwned(declare(...base, label('blue')), owned)).toBe(false)
    expect(declaresOwned(declare(label('red')), owned)).toBe(false)
    expect(declaresOwned(declare(label('red'), label('blue'), label('green')), owned)).toBe(false)
  })

  test('shares none of them', () => {
    const shared = new Map([...owned].map(([address, one]) => [address, { ...one, shared: true as const }]))
    expect(declaresOwned(declare(...base), shared)).toBe(false)
  })
})
