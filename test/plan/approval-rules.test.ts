import { describe, expect, test } from 'vitest'
import { planDigest } from '../../src/plan/digest.js'
import { consentTo, lossMessage } from '../../src/plan/approval-rules.js'
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

describe('removals', () => {
  test.each([
    ['need approval for the last one', 1, 1, ['deletions']],
    ['need none for one of two', 1, 2, []],
    ['need approval for two of three: more than half', 2, 3, ['deletions']],
    ['need none for two of four: half', 2, 4, []],
    ['need approval for three of five', 3, 5, ['deletions']],
    ['need none for ten of thirty', 10, 30, []],
    ['need approval for eleven of thirty: more than maxDeletes', 11, 30, ['deletions']],
  ] as const)('%s', (_, dropped, owned, rules) => {
    expect(dropping(dropped, owned)).toEqual(rules)
  })

  test('need approval beyond maxDeletes, but one that is not the last never does', () => {
    expect(dropping(1, 30, { maxDeletes: 0 })).toEqual([])
    expect(dropping(2, 30, { maxDeletes: 0 })).toEqual(['deletions'])
  })

  test('do not count parts, moves and missing resources', () => {
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

  test('compare with half of the owned resources, without parts', () => {
    const before = settled(declare(...labels(2), dashboard('ops', 'ops', { labels: ['l00', 'l01'] })))
    expect(planOf(declare(dashboard('ops')), before).value.needsApproval.map(({ rule }) => rule)).toEqual(['deletions'])
  })

  test.each([
    ['more than half', 2, 3, 10, 'more than half always needs approval.', true],
    ['half, and more than maxDeletes', 2, 4, 1, 'more than 1 needs approval (maxDeletes 1).', undefined],
    ['more than one, if maxDeletes is 0', 2, 30, 0, 'more than 1 needs approval (maxDeletes 0).', undefined],
  ] as const)('say the limit they exceed: %s', (_, dropped, total, maxDeletes, limit, always) => {
    const over = { policy: { ...policy, maxDeletes } }
    const { value } = planOf(declare(...labels(total).slice(dropped)), settled(declare(...labels(total))), over)
    const message = `${dropped} of the ${total} resources this stack owns would be removed; removing ${limit}`
    expect(value.needsApproval).toEqual([{ rule: 'deletions', message, ...(always === undefined ? {} : { always }) }])
  })

  test('compare with half of the owned resources, without shared ones', () => {
    const before = settled(declare(...labels(6)))
    const shared = [...before.owned.values()]
      .slice(2)
      .map((owned) => [owned.address, { ...owned, shared: true as const }] as const)
    const owned = new Map([...before.owned, ...shared])
    const dropBoth = planOf(declare(...labels(6).slice(2)), { owned, observed: before.observed })
    expect(dropBoth.value.needsApproval.map(({ rule }) => rule)).toEqual(['deletions'])
  })
})

/** Owned and declared beside the bucket, so the bucket is not the last resource of its stack. */
const kept = labels(3)
const keptOnly = declare(...kept)
const oneBucket = settled(declare(...kept, bucket('raw')))

describe('the removal of the last resource', () => {
  const last = { rule: 'deletions', message: 'The last resource that this stack owns would be removed.', always: true }
  const allowing = { apply: 'auto', maxDeletes: 100, adopt: 'allow', dataLoss: 'allow' } as const
  const of = (...owned: readonly Doc[]): Settled => settled(declare(...owned))
  const secret = { ...[...of(label('red')).owned.values()][0]!, address: at('Secret/token'), kind: 'Secret' }

  test.each<[string, readonly Doc[], Settled, readonly object[]]>([
    ['needs approval under every policy', [], of(label('red')), [last]],
    ['needs none if another one is created', [label('blue', 'Blue')], of(label('red')), []],
    ['needs approval if only its parts stay', [], of(bucket('raw', 'raw', { labels: ['red'] }), label('red')), [last]],
    ['needs none if only its metaName changes', [label('crimson', 'red')], of(label('red')), []],
    ['needs none if another one stays', [label('blue')], of(label('red'), label('blue')), []],
    ['needs none if another one is updated', [label('blue', 'blue', '#00f')], of(label('red'), label('blue')), []],
  ])('%s', (_, declared, before, reasons) => {
    expect(planOf(declare(...declared), before, { policy: allowing }).value.needsApproval).toEqual(reasons)
  })

  test('needs approval if the only new resource belongs to another stack', () => {
    const before = of(label('red'))
    const theirs = of(label('other'), label('blue'))
    const observed = new Map([...before.observed, [at('Label/blue'), theirs.observed.get(at('Label/blue'))!]])
    const over = { policy: allowing, observed, claims: claimed(...theirs.owned.values()) }
    expect(planOf(declare(label('blue')), before, over).value).toMatchObject({
      changes: [{ address: 'Label/blue', shares: true }, { action: 'remove' }],
      needsApproval: [last],
    })
  })

  test('needs approval if the other owned resources are missing on the target', () => {
    const before = of(label('red'), label('blue'), label('grey'))
    before.observed.delete(at('Label/blue'))
    before.observed.delete(at('Label/grey'))
    expect(planOf([], before, { policy: allowing }).value.needsApproval).toEqual([last])
  })

  test('needs approval if only shared resources and secrets stay', () => {
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
      isSkipped: ({ kind }: { readonly kind: string }) => kind === 'Secret',
    }
    expect(planOf(declare(label('blue')), { ...before, owned }, over).value.needsApproval).toEqual([last])
  })

  test('needs no second approval', () => {
    const before = of(label('red'))
    const consent = consentTo(planOf([], before, { policy: allowing }).value, 'ann')
    expect(planOf([], before, { policy: allowing, consent }).value.needsApproval).toEqual([])
  })
})

/** No stack owns the bucket. */
const foundBucket = {
  ...oneBucket,
  owned: new Map([...oneBucket.owned].filter(([address]) => address !== 'Bucket/raw')),
}

const rules: Readonly<
  Record<
    string,
    { readonly plan: () => ReturnType<typeof planOf>; readonly reasons: readonly (string | undefined)[][] }
  >
> = {
  'for the loss of data': {
    plan: () => planOf(keptOnly, oneBucket, { policy }),
    reasons: [['data-loss', 'Bucket/raw']],
  },
  'not for the loss of data that the stack allows': {
    plan: () => planOf(keptOnly, oneBucket, { policy: { ...policy, dataLoss: 'allow' } }),
    reasons: [],
  },
  'not for an adoption': {
    plan: () => planOf(declare(...kept, bucket('raw')), foundBucket, { policy }),
    reasons: [],
  },
  'for an adoption that the stack refuses': {
    plan: () => planOf(declare(...kept, bucket('raw')), foundBucket, { policy: { ...policy, adopt: 'refuse' } }),
    reasons: [['adoption', 'Bucket/raw']],
  },
  'not for other changes if the stack refuses adoptions': {
    plan: () =>
      planOf(declare(...kept, bucket('raw'), bucket('new')), oneBucket, { policy: { ...policy, adopt: 'refuse' } }),
    reasons: [],
  },
  'for every change if the stack requires approval': {
    plan: () =>
      planOf(declare(...kept, bucket('raw', 'raw', { description: 'new' })), oneBucket, {
        policy: { ...policy, apply: 'approval' },
      }),
    reasons: [['approval', undefined]],
  },
  'for the removal of a protected resource, regardless of other settings': {
    plan: () => planOf(keptOnly, oneBucket, { policy: { ...policy, dataLoss: 'allow', protect: ['Bucket/raw'] } }),
    reasons: [['protect', 'Bucket/raw']],
  },
  'for the removal from a family that is protected by *': {
    plan: () =>
      planOf(keptOnly, oneBucket, { policy: { ...policy, dataLoss: 'allow', protect: ['Bucket/*', 'Label/*'] } }),
    reasons: [['protect', 'Bucket/raw']],
  },
  'not for the family of which the protected one begins the name': {
    plan: () =>
      planOf(
        declare(label('red'), bucket('raw')),
        settled(declare(label('red'), bucket('raw', 'raw', { labels: ['red'] }))),
        {
          policy: { ...policy, protect: ['Label/*'] },
        },
      ),
    reasons: [],
  },
  'not for resources with other names than the protected one': {
    plan: () =>
      planOf(keptOnly, oneBucket, {
        policy: { ...policy, dataLoss: 'allow', protect: ['Bucket/ra', 'Bucket/raw2', 'Label/raw'] },
      }),
    reasons: [],
  },
  'not for an update of a protected resource': {
    plan: () =>
      planOf(declare(...kept, bucket('raw', 'raw', { description: 'new' })), oneBucket, {
        policy: { ...policy, protect: ['Bucket/raw'] },
      }),
    reasons: [],
  },
  'not for a plan without changes': {
    plan: () => planOf(declare(...kept, bucket('raw')), oneBucket, { policy: { ...policy, apply: 'approval' } }),
    reasons: [],
  },
}

describe('a plan needs approval', () => {
  test.each(Object.entries(rules))('%s', (_, { plan, reasons }) => {
    expect(plan().value.needsApproval.map(({ rule, address }) => [rule, address])).toEqual(reasons)
  })
})

test('warns of protected resources that are neither declared nor owned', () => {
  const { problems } = planOf(declare(...kept, label('new')), oneBucket, {
    policy: { ...policy, protect: ['Bucket/raw', 'Bucket/rw', 'Label/new', 'Task/*'] },
  })
  expect(problems.map(({ severity, code, message }) => [severity, code, /protects (\S+),/.exec(message)?.[1]])).toEqual(
    [
      ['warning', 'plan/protects-nothing', 'Bucket/rw'],
      ['warning', 'plan/protects-nothing', 'Task/*'],
    ],
  )
})

describe('consent', () => {
  const plan = planOf(keptOnly, oneBucket, { policy }).value
  const consent = consentTo(plan, 'ann')

  test('is given for addresses, to a write or to a removal', () => {
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

  test('covers the approved changes', () => {
    expect(planOf(keptOnly, oneBucket, { policy, consent }).value.needsApproval).toEqual([])
  })

  test('does not change the digest', () => {
    expect(planOf(keptOnly, oneBucket, { policy, consent }).value.digest).toBe(plan.digest)
  })

  test('covers the removal of a protected resource', () => {
    const protect = { ...policy, protect: ['Bucket/raw'] }
    const unapproved = planOf(keptOnly, oneBucket, { policy: protect }).value
    expect(
      planOf(keptOnly, oneBucket, { policy: protect, consent: consentTo(unapproved, 'ann') }).value.needsApproval,
    ).toEqual([])
  })

  test('covers the remaining changes after a part was applied', () => {
    const two = settled(declare(...kept, bucket('raw'), bucket('old')))
    const both = consentTo(planOf(keptOnly, two, { policy }).value, 'ann')
    expect(planOf(keptOnly, oneBucket, { policy, consent: both }).value.needsApproval).toEqual([])
  })

  test('does not cover another revision', () => {
    const revision = 'main@sha1:2222222222222222222222222222222222222222'
    expect(planOf(keptOnly, oneBucket, { policy, consent, revision }).value.needsApproval).toHaveLength(1)
  })

  test('covers another ref of the same commit', () => {
    const revision = 'stable@sha1:1111111111111111111111111111111111111111'
    expect(planOf(keptOnly, oneBucket, { policy, consent, revision }).value.needsApproval).toEqual([])
  })

  test('to a write does not cover a removal', () => {
    const write = planOf(declare(...kept, bucket('raw', 'raw', { description: 'new' })), oneBucket, {
      policy: { ...policy, apply: 'approval' },
    }).value
    expect(planOf(keptOnly, oneBucket, { policy, consent: consentTo(write, 'ann') }).value.needsApproval).toHaveLength(
      1,
    )
  })

  test('does not cover later changes', () => {
    const two = settled(declare(...kept, bucket('raw'), bucket('old')))
    expect(planOf(keptOnly, two, { policy, consent }).value.needsApproval.map(({ address }) => address)).toContain(
      'Bucket/old',
    )
  })
})

describe('consent to a takeover from another stack', () => {
  const theirs = settled(declare(label('red', 'red', '#111111')))
  const nothingOwned: Settled = { owned: new Map(), observed: theirs.observed }
  const over = { claims: claimed(...theirs.owned.values()) }
  const now = declare(label('red', 'red', '#222222'), label('new'))
  const consent = consentTo(planOf(now, nothingOwned, { ...over, takesOver: true }).value, 'ann')
  const codes = (more: Partial<PlanInput>): readonly string[] =>
    planOf(now, nothingOwned, { ...over, ...more }).problems.map(({ code }) => code)

  test('names the resources that are taken', () => {
    expect(consent.changes).toEqual([
      { address: 'Label/red', action: 'write', takes: true },
      { address: 'Label/new', action: 'write' },
    ])
  })

  test('lets the next run of the revision continue with it', () => {
    expect(codes({ consent })).toEqual(['plan/taken-over'])
  })

  test('does not let another revision take the resource, nor a resource that is only written', () => {
    expect(codes({ consent: null })).toEqual(['plan/claimed'])
    expect(codes({ consent, revision: 'main@sha1:2222222222222222222222222222222222222222' })).toEqual(['plan/claimed'])
    const write = { ...consent, changes: [{ address: at('Label/red'), action: 'write' as const }] }
    expect(codes({ consent: write })).toEqual(['plan/claimed'])
  })
})

test.each([
  [undefined, 'Removing Bucket/raw deletes its data.'],
  [['a', 'b', 'c'], 'Updating Bucket/raw loses data: a; b; c.'],
  [['a', 'b', 'c', 'd', 'e'], 'Updating Bucket/raw loses data: a; b; c; and 2 more.'],
])('a loss of data is named, with its first three parts: %j', (messages, sentence) => {
  const losses = messages?.map((message) => ({ path: message, message }))
  expect(lossMessage({ address: at('Bucket/raw'), ...(losses === undefined ? {} : { losses }) })).toBe(sentence)
})

describe('an update that loses data', () => {
  const retained = (everySeconds: number, description = ''): Doc => ({
    ...bucket('raw', 'raw'),
    spec: { name: 'raw', description, retentionRules: [{ type: 'expire', everySeconds }] },
  })
  const before = settled(declare(...kept, retained(2_592_000)))
  const shorter = declare(...kept, retained(3_600))
  const message = 'Updating Bucket/raw loses data: points older than 3600 s are deleted.'

  test('needs approval, and lists the losses', () => {
    const { value } = planOf(shorter, before, { policy })
    expect(value.needsApproval).toEqual([{ rule: 'data-loss', address: 'Bucket/raw', message }])
    expect(value.changes).toMatchObject([{ losesData: true, losses: [{ path: 'retentionRules[0].everySeconds' }] }])
  })

  test('needs approval to correct drift: a person made the retention longer', () => {
    const longer = byHand(settled(shorter), 'Bucket/raw', (live) => ({ ...live, retentionRules: [] }))
    expect(planOf(shorter, longer, { policy }).value.needsApproval).toMatchObject([
      { rule: 'data-loss', address: 'Bucket/raw' },
    ])
  })

  test('lists at most 20 losses', () => {
    const losses = Array.from({ length: 25 }, (_, at) => ({ path: `f${at}`, message: `loss ${at}` }))
    const now = shorter.map((one) => ({ ...one, kind: { ...one.kind, removal: { losses: () => losses } } }))
    expect(planOf(now, before, { policy }).value.changes[0]!.losses).toEqual(losses.slice(0, 20))
  })

  test('is none if only ownership changes: the owner corrects a shared resource', () => {
    const theirs = settled(shorter).owned.get(at('Bucket/raw'))!
    const owned = new Map([...before.owned].filter(([address]) => address !== 'Bucket/raw'))
    const { changes } = planOf(shorter, { ...before, owned }, { policy, claims: claimed(theirs) }).value
    expect(changes).toMatchObject([{ address: 'Bucket/raw', shares: true, fields: [] }])
    expect(changes[0]).not.toHaveProperty('losesData')
  })

  test('is none if a new bucket takes the name of a renamed one', () => {
    const renamed = (meta: string, name: string, everySeconds: number): Doc => ({
      ...bucket(meta),
      spec: { name, retentionRules: [{ type: 'expire', everySeconds }] },
    })
    const now = declare(renamed('raw', 'old', 2_592_000), renamed('new', 'raw', 3_600))
    const { changes } = planOf(now, settled(declare(renamed('raw', 'raw', 2_592_000))), { policy }).value
    expect(changes.map(({ action, losesData }) => [action, losesData])).toEqual([
      ['update', undefined],
      ['create', undefined],
    ])
  })

  test('needs approval to adopt a resource', () => {
    const owned = new Map([...before.owned].filter(([address]) => address !== 'Bucket/raw'))
    expect(planOf(shorter, { ...before, owned }, { policy }).value.needsApproval).toMatchObject([
      { rule: 'data-loss', address: 'Bucket/raw' },
    ])
  })

  test('needs none if the stack allows it or ignores the field', () => {
    expect(planOf(shorter, before, { policy: { ...policy, dataLoss: 'allow' } }).value.needsApproval).toEqual([])
    const ignore = [{ family: 'Bucket', path: 'retentionRules' }]
    expect(planOf(shorter, before, { policy: { ...policy, ignore } }).value.needsApproval).toEqual([])
    const described = planOf(declare(...kept, retained(3_600, 'new')), before, { policy: { ...policy, ignore } }).value
    expect([described.changes.length, described.needsApproval]).toEqual([1, []])
  })

  test('is part of the digest without its wording', () => {
    const { digest, changes, stack, target, revision } = planOf(shorter, before, { policy }).value
    const [{ losses: _losses, ...change }, more] = [changes[0]!, changes.slice(1)]
    expect(planDigest({ stack, target, revision, changes: [{ ...change, losses: [] }, ...more] })).toBe(digest)
    const { losesData: _losesData, ...unsaid } = change
    expect(planDigest({ stack, target, revision, changes: [unsaid, ...more] })).not.toBe(digest)
  })

  test('is covered by consent to it, which also covers a harmless write; the reverse is not true', () => {
    const harmless = declare(...kept, retained(2_592_000, 'new'))
    const to = (declared: typeof shorter): ReturnType<typeof consentTo> =>
      consentTo(planOf(declared, before, { policy }).value, 'ann')
    const approving = { ...policy, apply: 'approval' as const }
    expect(planOf(shorter, before, { policy: approving, consent: to(shorter) }).value.needsApproval).toEqual([])
    expect(planOf(harmless, before, { policy: approving, consent: to(shorter) }).value.needsApproval).toEqual([])
    expect(planOf(shorter, before, { policy, consent: to(harmless) }).value.needsApproval).toHaveLength(1)
  })
})
