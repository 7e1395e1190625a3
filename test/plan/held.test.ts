import { describe, expect, test } from 'vitest'
import { consentTo } from '../../src/plan/held.js'
import { at, bucket, dashboard, declare, label, planOf, settled, type Doc, type PlanInput, type Settled } from './situation.js'

const labels = (count: number): readonly Doc[] => Array.from({ length: count }, (_, i) => label(`l${String(i).padStart(2, '0')}`))
const policy = { apply: 'auto', maxDeletes: 10, adopt: 'allow', dataLoss: 'refuse' } as const

/** A stack that owned `owned` labels and drops `dropped` of them. */
function dropping(dropped: number, owned: number, over: Partial<PlanInput['policy']> = {}): readonly string[] {
  const before = settled(declare(...labels(owned)))
  const { value } = planOf(declare(...labels(owned).slice(dropped)), before, { policy: { ...policy, ...over } })
  return value.held.map(({ rule }) => rule)
}

describe('removals are held', () => {
  test.each([
    ['one of one goes', 1, 1, []],
    ['one of two goes', 1, 2, []],
    ['two of three wait: more than half', 2, 3, ['deletions']],
    ['two of four go: half', 2, 4, []],
    ['three of five wait', 3, 5, ['deletions']],
    ['ten of thirty go', 10, 30, []],
    ['eleven of thirty wait: more than maxDeletes', 11, 30, ['deletions']],
  ] as const)('%s', (_, dropped, owned, rules) => {
    expect(dropping(dropped, owned)).toEqual(rules)
  })

  test('by the least of maxDeletes, but one always goes', () => {
    expect(dropping(1, 30, { maxDeletes: 0 })).toEqual([])
    expect(dropping(2, 30, { maxDeletes: 0 })).toEqual(['deletions'])
  })

  test('parts, moves and what is gone already do not count', () => {
    const before = settled(
      declare(label('red'), label('blue'), label('grey'), dashboard('ops', 'ops', { labels: ['red', 'blue', 'grey'] })),
    )
    expect(planOf(declare(label('a', 'red'), label('b', 'blue'), label('c', 'grey'), dashboard('ops')), before).value.held).toEqual([])
    const gone: Settled = { owned: before.owned, observed: new Map() }
    expect(planOf(declare(dashboard('ops')), gone).value.held).toEqual([])
  })

  test('by half of what is owned: what is shared is not', () => {
    const before = settled(declare(...labels(6)))
    const shared = [...before.owned.values()].slice(2).map((record) => [record.address, { ...record, shared: true as const }] as const)
    const owned = new Map([...before.owned, ...shared])
    const dropBoth = planOf(declare(...labels(6).slice(2)), { owned, observed: before.observed })
    expect(dropBoth.value.held.map(({ rule }) => rule)).toEqual(['deletions'])
  })
})

const oneBucket = settled(declare(bucket('raw')))

const rules: Readonly<
  Record<string, { readonly plan: () => ReturnType<typeof planOf>; readonly held: readonly (string | undefined)[][] }>
> = {
  'losing data waits': {
    plan: () => planOf([], oneBucket, { policy }),
    held: [['data-loss', 'Bucket/raw']],
  },
  'losing data goes where the stack allows it': {
    plan: () => planOf([], oneBucket, { policy: { ...policy, dataLoss: 'allow' } }),
    held: [],
  },
  'an adoption goes': {
    plan: () => planOf(declare(bucket('raw')), { owned: new Map(), observed: oneBucket.observed }, { policy }),
    held: [],
  },
  'an adoption waits where the stack refuses it': {
    plan: () =>
      planOf(declare(bucket('raw')), { owned: new Map(), observed: oneBucket.observed }, { policy: { ...policy, adopt: 'refuse' } }),
    held: [['adoption', 'Bucket/raw']],
  },
  'where the stack refuses adoptions, the rest is not held for it': {
    plan: () => planOf(declare(bucket('raw'), bucket('new')), oneBucket, { policy: { ...policy, adopt: 'refuse' } }),
    held: [],
  },
  'every change waits where the stack wants approval': {
    plan: () => planOf(declare(bucket('raw', 'raw', { description: 'new' })), oneBucket, { policy: { ...policy, apply: 'approval' } }),
    held: [['approval', undefined]],
  },
  'the removal of what is protected waits, whatever else is allowed': {
    plan: () => planOf([], oneBucket, { policy: { ...policy, dataLoss: 'allow', protect: ['Bucket/raw'] } }),
    held: [['protect', 'Bucket/raw']],
  },
  'a whole family is protected by *': {
    plan: () => planOf([], oneBucket, { policy: { ...policy, dataLoss: 'allow', protect: ['Bucket/*', 'Label/*'] } }),
    held: [['protect', 'Bucket/raw']],
  },
  'another name protects nothing': {
    plan: () => planOf([], oneBucket, { policy: { ...policy, dataLoss: 'allow', protect: ['Bucket/ra', 'Bucket/raw2', 'Label/raw'] } }),
    held: [],
  },
  'a change of what is protected goes': {
    plan: () =>
      planOf(declare(bucket('raw', 'raw', { description: 'new' })), oneBucket, { policy: { ...policy, protect: ['Bucket/raw'] } }),
    held: [],
  },
  'nothing to do never waits': {
    plan: () => planOf(declare(bucket('raw')), oneBucket, { policy: { ...policy, apply: 'approval' } }),
    held: [],
  },
}

describe('a plan is held', () => {
  test.each(Object.entries(rules))('%s', (_, { plan, held }) => {
    expect(plan().value.held.map(({ rule, address }) => [rule, address])).toEqual(held)
  })
})

test('what is protected and neither declared nor owned is warned of', () => {
  const { problems } = planOf([], oneBucket, { policy: { ...policy, protect: ['Bucket/raw', 'Bucket/rw', 'Label/*'] } })
  expect(problems.map(({ severity, code, message }) => [severity, code, /protects (\S+),/.exec(message)?.[1]])).toEqual([
    ['warning', 'plan/protects-nothing', 'Bucket/rw'],
    ['warning', 'plan/protects-nothing', 'Label/*'],
  ])
})

describe('consent', () => {
  const held = planOf([], oneBucket, { policy }).value
  const consent = consentTo(held, 'ann')

  test('is given by address, to a write or to a removal', () => {
    const before = settled(declare(label('old'), label('gone'), label('kept')))
    before.observed.delete(at('Label/gone'))
    const plan = planOf(declare(label('kept', 'kept', 'red'), label('new')), before).value
    expect(consentTo(plan, 'ann')).toEqual({
      revision: plan.revision,
      by: 'ann',
      changes: [
        { address: 'Label/kept', action: 'write' },
        { address: 'Label/new', action: 'write' },
        { address: 'Label/gone', action: 'remove' },
        { address: 'Label/old', action: 'remove' },
      ],
    })
  })

  test('lets through what it covers', () => {
    expect(planOf([], oneBucket, { policy, consent }).value.held).toEqual([])
  })

  test('does not change the digest', () => {
    expect(planOf([], oneBucket, { policy, consent }).value.digest).toBe(held.digest)
  })

  test('lets a protected one go', () => {
    const protect = { ...policy, protect: ['Bucket/raw'] }
    const asked = planOf([], oneBucket, { policy: protect }).value
    expect(planOf([], oneBucket, { policy: protect, consent: consentTo(asked, 'ann') }).value.held).toEqual([])
  })

  test('covers what is left of it after some was done', () => {
    const two = settled(declare(bucket('raw'), bucket('old')))
    const both = consentTo(planOf([], two, { policy }).value, 'ann')
    expect(planOf([], oneBucket, { policy, consent: both }).value.held).toEqual([])
  })

  test('covers nothing at another revision', () => {
    const revision = 'main@sha1:2222222222222222222222222222222222222222'
    expect(planOf([], oneBucket, { policy, consent, revision }).value.held).toHaveLength(1)
  })

  test('holds under another name of the same commit', () => {
    const revision = 'stable@sha1:1111111111111111111111111111111111111111'
    expect(planOf([], oneBucket, { policy, consent, revision }).value.held).toEqual([])
  })

  test('to a write covers no removal', () => {
    const write = planOf(declare(bucket('raw', 'raw', { description: 'new' })), oneBucket, {
      policy: { ...policy, apply: 'approval' },
    }).value
    expect(planOf([], oneBucket, { policy, consent: consentTo(write, 'ann') }).value.held).toHaveLength(1)
  })

  test('does not cover what came up since', () => {
    const two = settled(declare(bucket('raw'), bucket('old')))
    expect(planOf([], two, { policy, consent }).value.held.map(({ address }) => address)).toContain('Bucket/old')
  })
})
