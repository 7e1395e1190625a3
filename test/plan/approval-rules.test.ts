import { describe, expect, test } from 'vitest'
import { planDigest } from '../../src/plan/digest.js'
import { consentTo } from '../../src/plan/approval-rules.js'
import {
  at,
  bucket,
  byHand,
  claimed,
  dashboard,
  declare,
  label,
  planOf,
  settled,
  type Doc,
  type PlanInput,
  type Settled,
} from './scenario.js'

const labels = (count: number): readonly Doc[] =>
  Array.from({ length: count }, (_, i) => label(`l${String(i).padStart(2, '0')}`))
const policy = { apply: 'auto', maxDeletes: 10, adopt: 'allow', dataLoss: 'refuse' } as const

/** A stack that owned `owned` labels and drops `dropped` of them. */
function dropping(dropped: number, owned: number, over: Partial<PlanInput['policy']> = {}): readonly string[] {
  const before = settled(declare(...labels(owned)))
  const { value } = planOf(declare(...labels(owned).slice(dropped)), before, { policy: { ...policy, ...over } })
  return value.needsApproval.map(({ rule }) => rule)
}

describe('removals are held', () => {
  test.each([
    ['one of one waits: the last', 1, 1, ['deletions']],
    ['one of two goes', 1, 2, []],
    ['two of three wait: more than half', 2, 3, ['deletions']],
    ['two of four go: half', 2, 4, []],
    ['three of five wait', 3, 5, ['deletions']],
    ['ten of thirty go', 10, 30, []],
    ['eleven of thirty wait: more than maxDeletes', 11, 30, ['deletions']],
  ] as const)('%s', (_, dropped, owned, rules) => {
    expect(dropping(dropped, owned)).toEqual(rules)
  })

  test('by the least of maxDeletes, but one that is not the last always goes', () => {
    expect(dropping(1, 30, { maxDeletes: 0 })).toEqual([])
    expect(dropping(2, 30, { maxDeletes: 0 })).toEqual(['deletions'])
  })

  test('parts, moves and what is gone already do not count', () => {
    const before = settled(
      declare(label('red'), label('blue'), label('grey'), dashboard('ops', 'ops', { labels: ['red', 'blue', 'grey'] })),
    )
    expect(
      planOf(declare(label('a', 'red'), label('b', 'blue'), label('c', 'grey'), dashboard('ops')), before).value
        .needsApproval,
    ).toEqual([])
    const gone: Settled = { owned: before.owned, observed: new Map() }
    expect(planOf(declare(dashboard('ops')), gone).value.needsApproval).toEqual([])
  })

  test('by half of what is owned: what is shared is not', () => {
    const before = settled(declare(...labels(6)))
    const shared = [...before.owned.values()]
      .slice(2)
      .map((record) => [record.address, { ...record, shared: true as const }] as const)
    const owned = new Map([...before.owned, ...shared])
    const dropBoth = planOf(declare(...labels(6).slice(2)), { owned, observed: before.observed })
    expect(dropBoth.value.needsApproval.map(({ rule }) => rule)).toEqual(['deletions'])
  })
})

/** Owned beside the bucket, and declared: the bucket is not the last resource of its stack. */
const kept = labels(3)
const keptOnly = declare(...kept)
const oneBucket = settled(declare(...kept, bucket('raw')))

describe('the removal of the last resource', () => {
  const last = { rule: 'deletions', message: 'The last resource that this stack owns would be removed.', always: true }
  const allowing = { apply: 'auto', maxDeletes: 100, adopt: 'allow', dataLoss: 'allow' } as const
  const of = (...owned: readonly Doc[]): Settled => settled(declare(...owned))
  const secret = { ...[...of(label('red')).owned.values()][0]!, address: at('Secret/token'), kind: 'Secret' }

  test.each<[string, readonly Doc[], Settled, readonly object[]]>([
    ['waits, whatever the stack allows', [], of(label('red')), [last]],
    ['goes where another one takes its place', [label('blue', 'Blue')], of(label('red')), []],
    ['waits where only its parts stay', [], of(bucket('raw', 'raw', { labels: ['red'] }), label('red')), [last]],
    ['goes where it only gets another name in the package', [label('crimson', 'red')], of(label('red')), []],
    ['goes where another one stays', [label('blue')], of(label('red'), label('blue')), []],
  ])('%s', (_, declared, before, held) => {
    expect(planOf(declare(...declared), before, { policy: allowing }).value.needsApproval).toEqual(held)
  })

  test('waits where the others that it owns are gone from the target', () => {
    const before = of(label('red'), label('blue'), label('grey'))
    before.observed.delete(at('Label/blue'))
    before.observed.delete(at('Label/grey'))
    expect(planOf([], before, { policy: allowing }).value.needsApproval).toEqual([last])
  })

  test('waits where nothing but what it shares, and secrets, stays', () => {
    const before = of(label('red'), label('blue'))
    const blue = before.owned.get(at('Label/blue'))!
    const owned = new Map([
      ...before.owned,
      [blue.address, { ...blue, shared: true as const }],
      [secret.address, secret],
    ])
    const over = {
      policy: allowing,
      claims: claimed(blue),
      leaves: ({ kind }: { readonly kind: string }) => kind === 'Secret',
    }
    expect(planOf(declare(label('blue')), { ...before, owned }, over).value.needsApproval).toEqual([last])
  })

  test('goes on where it was consented to', () => {
    const before = of(label('red'))
    const consent = consentTo(planOf([], before, { policy: allowing }).value, 'ann')
    expect(planOf([], before, { policy: allowing, consent }).value.needsApproval).toEqual([])
  })
})

/** The bucket is nobody's. */
const foundBucket = {
  ...oneBucket,
  owned: new Map([...oneBucket.owned].filter(([address]) => address !== 'Bucket/raw')),
}

const rules: Readonly<
  Record<string, { readonly plan: () => ReturnType<typeof planOf>; readonly held: readonly (string | undefined)[][] }>
> = {
  'losing data waits': {
    plan: () => planOf(keptOnly, oneBucket, { policy }),
    held: [['data-loss', 'Bucket/raw']],
  },
  'losing data goes where the stack allows it': {
    plan: () => planOf(keptOnly, oneBucket, { policy: { ...policy, dataLoss: 'allow' } }),
    held: [],
  },
  'an adoption goes': {
    plan: () => planOf(declare(...kept, bucket('raw')), foundBucket, { policy }),
    held: [],
  },
  'an adoption waits where the stack refuses it': {
    plan: () => planOf(declare(...kept, bucket('raw')), foundBucket, { policy: { ...policy, adopt: 'refuse' } }),
    held: [['adoption', 'Bucket/raw']],
  },
  'where the stack refuses adoptions, the rest is not held for it': {
    plan: () =>
      planOf(declare(...kept, bucket('raw'), bucket('new')), oneBucket, { policy: { ...policy, adopt: 'refuse' } }),
    held: [],
  },
  'every change waits where the stack wants approval': {
    plan: () =>
      planOf(declare(...kept, bucket('raw', 'raw', { description: 'new' })), oneBucket, {
        policy: { ...policy, apply: 'approval' },
      }),
    held: [['approval', undefined]],
  },
  'the removal of what is protected waits, whatever else is allowed': {
    plan: () => planOf(keptOnly, oneBucket, { policy: { ...policy, dataLoss: 'allow', protect: ['Bucket/raw'] } }),
    held: [['protect', 'Bucket/raw']],
  },
  'a whole family is protected by *': {
    plan: () =>
      planOf(keptOnly, oneBucket, { policy: { ...policy, dataLoss: 'allow', protect: ['Bucket/*', 'Label/*'] } }),
    held: [['protect', 'Bucket/raw']],
  },
  'another name protects nothing': {
    plan: () =>
      planOf(keptOnly, oneBucket, {
        policy: { ...policy, dataLoss: 'allow', protect: ['Bucket/ra', 'Bucket/raw2', 'Label/raw'] },
      }),
    held: [],
  },
  'a change of what is protected goes': {
    plan: () =>
      planOf(declare(...kept, bucket('raw', 'raw', { description: 'new' })), oneBucket, {
        policy: { ...policy, protect: ['Bucket/raw'] },
      }),
    held: [],
  },
  'nothing to do never waits': {
    plan: () => planOf(declare(...kept, bucket('raw')), oneBucket, { policy: { ...policy, apply: 'approval' } }),
    held: [],
  },
}

describe('a plan is held', () => {
  test.each(Object.entries(rules))('%s', (_, { plan, held }) => {
    expect(plan().value.needsApproval.map(({ rule, address }) => [rule, address])).toEqual(held)
  })
})

test('what is protected and neither declared nor owned is warned of', () => {
  const { problems } = planOf(keptOnly, oneBucket, {
    policy: { ...policy, protect: ['Bucket/raw', 'Bucket/rw', 'Task/*'] },
  })
  expect(problems.map(({ severity, code, message }) => [severity, code, /protects (\S+),/.exec(message)?.[1]])).toEqual(
    [
      ['warning', 'plan/protects-nothing', 'Bucket/rw'],
      ['warning', 'plan/protects-nothing', 'Task/*'],
    ],
  )
})

describe('consent', () => {
  const held = planOf(keptOnly, oneBucket, { policy }).value
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
    expect(planOf(keptOnly, oneBucket, { policy, consent }).value.needsApproval).toEqual([])
  })

  test('does not change the digest', () => {
    expect(planOf(keptOnly, oneBucket, { policy, consent }).value.digest).toBe(held.digest)
  })

  test('lets a protected one go', () => {
    const protect = { ...policy, protect: ['Bucket/raw'] }
    const asked = planOf(keptOnly, oneBucket, { policy: protect }).value
    expect(
      planOf(keptOnly, oneBucket, { policy: protect, consent: consentTo(asked, 'ann') }).value.needsApproval,
    ).toEqual([])
  })

  test('covers what is left of it after some was done', () => {
    const two = settled(declare(...kept, bucket('raw'), bucket('old')))
    const both = consentTo(planOf(keptOnly, two, { policy }).value, 'ann')
    expect(planOf(keptOnly, oneBucket, { policy, consent: both }).value.needsApproval).toEqual([])
  })

  test('covers nothing at another revision', () => {
    const revision = 'main@sha1:2222222222222222222222222222222222222222'
    expect(planOf(keptOnly, oneBucket, { policy, consent, revision }).value.needsApproval).toHaveLength(1)
  })

  test('holds under another name of the same commit', () => {
    const revision = 'stable@sha1:1111111111111111111111111111111111111111'
    expect(planOf(keptOnly, oneBucket, { policy, consent, revision }).value.needsApproval).toEqual([])
  })

  test('to a write covers no removal', () => {
    const write = planOf(declare(...kept, bucket('raw', 'raw', { description: 'new' })), oneBucket, {
      policy: { ...policy, apply: 'approval' },
    }).value
    expect(planOf(keptOnly, oneBucket, { policy, consent: consentTo(write, 'ann') }).value.needsApproval).toHaveLength(
      1,
    )
  })

  test('does not cover what came up since', () => {
    const two = settled(declare(...kept, bucket('raw'), bucket('old')))
    expect(planOf(keptOnly, two, { policy, consent }).value.needsApproval.map(({ address }) => address)).toContain(
      'Bucket/old',
    )
  })
})

describe('an update that loses data', () => {
  const retained = (everySeconds: number, description = ''): Doc => ({
    ...bucket('raw', 'raw'),
    spec: { name: 'raw', description, retentionRules: [{ type: 'expire', everySeconds }] },
  })
  const before = settled(declare(...kept, retained(2_592_000)))
  const shorter = declare(...kept, retained(3_600))
  const message = 'Updating Bucket/raw loses data: points older than 1h0m0s are deleted (until now: kept 720h0m0s).'

  test('waits, and says which', () => {
    const { value } = planOf(shorter, before, { policy })
    expect(value.needsApproval).toEqual([{ rule: 'data-loss', address: 'Bucket/raw', message }])
    expect(value.changes).toMatchObject([{ losesData: true, losses: [{ path: 'retentionRules[0].everySeconds' }] }])
  })

  test('waits where drift would be corrected: a person made it longer by hand', () => {
    const longer = byHand(settled(shorter), 'Bucket/raw', (live) => ({ ...live, retentionRules: [] }))
    expect(planOf(shorter, longer, { policy }).value.needsApproval).toMatchObject([
      { rule: 'data-loss', address: 'Bucket/raw' },
    ])
  })

  test('waits where what belongs to no stack would be taken over', () => {
    const owned = new Map([...before.owned].filter(([address]) => address !== 'Bucket/raw'))
    expect(planOf(shorter, { ...before, owned }, { policy }).value.needsApproval).toMatchObject([
      { rule: 'data-loss', address: 'Bucket/raw' },
    ])
  })

  test('goes where the stack allows it, and where the field is left to others', () => {
    expect(planOf(shorter, before, { policy: { ...policy, dataLoss: 'allow' } }).value.needsApproval).toEqual([])
    const ignore = [{ family: 'Bucket', path: 'retentionRules' }]
    expect(planOf(shorter, before, { policy: { ...policy, ignore } }).value.needsApproval).toEqual([])
  })

  test('is in the digest, its words are not', () => {
    const { digest, changes, stack, target, revision } = planOf(shorter, before, { policy }).value
    const [{ losses: _losses, ...change }, more] = [changes[0]!, changes.slice(1)]
    expect(planDigest({ stack, target, revision, changes: [{ ...change, losses: [] }, ...more] })).toBe(digest)
    const { losesData: _losesData, ...unsaid } = change
    expect(planDigest({ stack, target, revision, changes: [unsaid, ...more] })).not.toBe(digest)
  })

  test('goes with a consent to it, which covers a harmless write, too; the other way round it waits', () => {
    const harmless = declare(...kept, retained(2_592_000, 'new'))
    const to = (declared: typeof shorter): ReturnType<typeof consentTo> =>
      consentTo(planOf(declared, before, { policy }).value, 'ann')
    const approving = { ...policy, apply: 'approval' as const }
    expect(planOf(shorter, before, { policy: approving, consent: to(shorter) }).value.needsApproval).toEqual([])
    expect(planOf(harmless, before, { policy: approving, consent: to(shorter) }).value.needsApproval).toEqual([])
    expect(planOf(shorter, before, { policy, consent: to(harmless) }).value.needsApproval).toHaveLength(1)
  })
})
