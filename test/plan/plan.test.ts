import { describe, expect, test } from 'vitest'
import { plainKinds } from '../plain/plain-kinds.js'
import type { Kind } from '../../src/model/resources/kind.js'
import type { Owned } from '../../src/model/resources/resource.js'
import {
  at,
  bucket,
  byHand,
  claimed,
  dashboard,
  declare,
  idOf,
  label,
  nobody,
  planOf,
  settled,
  changeLines,
  type Doc,
  type PlanInput,
  type Settled,
} from './scenario.js'

const nothing: Settled = { owned: new Map(), observed: new Map() }
const base = [label('red'), bucket('raw', 'raw', { labels: ['red'] })]

interface Case {
  /** Applied before. */
  readonly before?: readonly Doc[]
  readonly now: readonly Doc[]
  readonly hand?: (before: Settled) => Settled
  /** Replaces functions of the declared resources' kinds. */
  readonly kind?: Partial<Kind>
  readonly over?: Partial<PlanInput>
  readonly changes: readonly string[]
}

const gone = (address: string) => (before: Settled) => byHand(before, address, () => undefined)
const withoutOwnership = ({ observed }: Settled): Settled => ({ owned: new Map(), observed })

const cases: Readonly<Record<string, Case>> = {
  'creates what does not exist, a part after both its ends': {
    now: base,
    changes: ['create Label/red (added)', 'create Bucket/raw (added)', 'create LabelMapping/Bucket/raw/red (added)'],
  },
  'does not change what is as declared': { before: base, now: base, changes: [] },
  'updates what the package changes': {
    before: base,
    now: [label('red', 'red', '#ff0000'), base[1]!],
    changes: ['update Label/red (edited): color'],
  },
  'corrects what a person changed on the target': {
    before: base,
    now: base,
    hand: (before) => byHand(before, 'Label/red', (live) => ({ ...live, color: 'blue' })),
    changes: ['update Label/red (drifted): color'],
  },
  'does not manage a field that a person added': {
    before: base,
    now: base,
    hand: (before) => byHand(before, 'Bucket/raw', (live) => ({ ...live, orgID: 'main' })),
    changes: [],
  },
  'recreates what a person removed': {
    before: [label('red')],
    now: [label('red')],
    hand: gone('Label/red'),
    changes: ['create Label/red (gone)'],
  },
  'only untracks what a person removed and is no longer declared': {
    before: [label('red')],
    now: [],
    hand: gone('Label/red'),
    changes: ['untrack Label/red (gone)'],
  },
  'adopts a resource that has the declared key and no owner': {
    before: [label('red')],
    now: [label('red', 'red', '#ff0000')],
    hand: withoutOwnership,
    changes: ['update Label/red (added, adopts): color'],
  },
  'adopts a resource that is as declared by a change of ownership alone': {
    before: [label('red')],
    now: [label('red')],
    hand: withoutOwnership,
    changes: ['update Label/red (added, adopts): ownership'],
  },
  'never adopts a resource of a kind without a key': {
    before: [dashboard('ops')],
    now: [dashboard('ops')],
    hand: withoutOwnership,
    changes: ['create Dashboard/ops (added)'],
  },
  'moves a resource and its mapping when only its metaName changes': {
    before: base,
    now: [label('crimson', 'red'), bucket('raw', 'raw', { labels: ['crimson'] })],
    changes: [
      'update Label/crimson (edited, from Label/red): ownership',
      'update LabelMapping/Bucket/raw/crimson (edited, from LabelMapping/Bucket/raw/red): ownership',
    ],
  },
  'moves and updates a resource in one change': {
    before: [label('red')],
    now: [label('crimson', 'red', '#ff0000')],
    changes: ['update Label/crimson (edited, from Label/red): color'],
  },
  'treats another metaName as another resource if the kind has no key': {
    before: [dashboard('ops', 'Ops')],
    now: [dashboard('operations', 'Ops')],
    changes: ['create Dashboard/operations (added)', 'remove Dashboard/ops (dropped)'],
  },
  'removes what is no longer declared, a part before its ends': {
    before: base,
    now: [],
    changes: [
      'remove LabelMapping/Bucket/raw/red (dropped)',
      'remove Label/red (dropped)',
      'remove Bucket/raw (dropped, loses data)',
    ],
  },
  'releases a name before another resource takes it': {
    before: [bucket('a', 'one')],
    now: [bucket('a', 'two'), bucket('b', 'one')],
    changes: ['update Bucket/a (edited): name', 'create Bucket/b (added)'],
  },
  'first removes a resource whose name is taken, with those that need it': {
    before: [label('old', 'red'), label('new', 'green'), bucket('raw', 'raw', { labels: ['old'] })],
    now: [label('new', 'red'), bucket('raw')],
    changes: [
      'remove LabelMapping/Bucket/raw/old (dropped, first)',
      'remove Label/old (dropped, first)',
      'update Label/new (edited): name',
    ],
  },
  'also untracks first what needs a resource that is removed first': {
    before: [label('old', 'red'), label('new', 'green'), bucket('raw', 'raw', { labels: ['old'] })],
    now: [label('new', 'red'), bucket('raw')],
    hand: gone('LabelMapping/Bucket/raw/old'),
    changes: [
      'untrack LabelMapping/Bucket/raw/old (gone, first)',
      'remove Label/old (dropped, first)',
      'update Label/new (edited): name',
    ],
  },
  'moves a shared resource to another address': {
    before: [label('red')],
    now: [label('crimson', 'red')],
    hand: (before) => sharing(before, 'Label/red'),
    over: { claims: claimed(...settled(declare(label('red'))).owned.values()) },
    changes: ['update Label/crimson (edited, shares, from Label/red): ownership'],
  },
  'untracks a shared resource that is missing and no longer declared': {
    before: [label('red')],
    now: [],
    hand: (before) => gone('Label/red')(sharing(before, 'Label/red')),
    over: { claims: claimed(...settled(declare(label('red'))).owned.values()) },
    changes: ['untrack Label/red (dropped)'],
  },
  'waits for the owner of a shared resource that is missing and has no key': {
    before: [dashboard('ops')],
    now: [dashboard('ops')],
    hand: (before) => gone('Dashboard/ops')(sharing(before, 'Dashboard/ops')),
    over: { claims: claimed(...settled(declare(dashboard('ops'))).owned.values()) },
    changes: [],
  },
  'updates ownership that has other settings': {
    before: [label('red')],
    now: [label('red')],
    hand: (before) => withOwnership(before, 'Label/red', { applied: { name: 'red' } }),
    changes: ['update Label/red (edited): ownership'],
  },
  'updates ownership that has another kind': {
    before: [label('red')],
    now: [label('red')],
    hand: (before) => withOwnership(before, 'Label/red', { kind: 'OldLabel' }),
    changes: ['update Label/red (edited): ownership'],
  },
  'updates ownership that has another parent': {
    before: base,
    now: base,
    hand: (before) => withOwnership(before, 'LabelMapping/Bucket/raw/red', { partOf: at('Bucket/other') }),
    changes: ['update LabelMapping/Bucket/raw/red (edited): ownership'],
  },
  'updates ownership that has other needs': {
    before: base,
    now: base,
    hand: (before) =>
      withOwnership(before, 'LabelMapping/Bucket/raw/red', { needs: [at('Label/red'), at('Bucket/raw')] }),
    changes: ['update LabelMapping/Bucket/raw/red (edited): ownership'],
  },
  'shares a resource for which another stack declares the same values': {
    before: [label('red')],
    now: [label('red')],
    hand: withoutOwnership,
    over: { claims: claimed(...settled(declare(label('red'))).owned.values()) },
    changes: ['update Label/red (added, shares): ownership'],
  },
  'does not change a resource that is shared already': {
    before: [label('red')],
    now: [label('red')],
    hand: (before) => sharing(before, 'Label/red'),
    over: { claims: claimed(...settled(declare(label('red'))).owned.values()) },
    changes: [],
  },
  'owns a shared resource whose owner is gone': {
    before: [label('red')],
    now: [label('red')],
    hand: (before) => sharing(before, 'Label/red'),
    over: { claims: nobody },
    changes: ['update Label/red (edited): ownership'],
  },
  'never removes a shared resource': {
    before: [label('red')],
    now: [],
    hand: (before) => sharing(before, 'Label/red'),
    over: { claims: claimed(...settled(declare(label('red'))).owned.values()) },
    changes: ['untrack Label/red (dropped)'],
  },
  'untracks a resource that other stacks share': {
    before: [label('red')],
    now: [],
    over: { claims: claimed(...sharing(settled(declare(label('red'))), 'Label/red').owned.values()) },
    changes: ['untrack Label/red (dropped)'],
  },
  'untracks a resource that the target made itself': {
    before: [bucket('tasks', '_tasks')],
    now: [],
    changes: ['untrack Bucket/tasks (dropped)'],
  },
  'leaves skipped resources as they are': {
    before: [label('red'), label('blue')],
    now: [],
    over: { isSkipped: ({ address }) => address === 'Label/red' },
    changes: ['remove Label/blue (dropped)'],
  },
  'removes everything of a stack that is uninstalled, for that reason': {
    before: [label('red'), label('gone')],
    now: [],
    hand: (before) => gone('Label/gone')(before),
    over: { uninstall: true },
    changes: ['untrack Label/gone (gone)', 'remove Label/red (uninstalled)'],
  },
  'does not change ownership because of optional needs': {
    before: [label('red')],
    now: [label('red')],
    hand: (before) => withOwnership(before, 'Label/red', { needs: [at('Secret/token')] }),
    kind: { references: () => [{ to: at('Secret/token'), optional: true }] },
    changes: [],
  },
  'gives a changed value as the reason, also of a moved resource': {
    before: [label('red'), label('blue')],
    now: [label('red', 'red', '#f00'), label('navy', 'blue', '#00f')],
    kind: { inputs: { envReferences: () => [{ field: 'spec.color', key: 'color', valueType: '' }] } },
    over: { unchangedFiles: new Set(['package.json']) },
    changes: ['update Label/red (value): color', 'update Label/navy (value, from Label/blue): color'],
  },
  'untracks resources of a kind that is never removed': {
    before: [label('red')],
    now: [],
    over: {
      kindNamed: (name) => ({ ...plainKinds.find(({ kind }) => kind === name)!, removal: { onRemove: 'untrack' } }),
    },
    changes: ['untrack Label/red (dropped)'],
  },
}

function withOwnership({ owned, observed }: Settled, address: string, more: Partial<Owned>): Settled {
  return { owned: new Map(owned).set(at(address), { ...owned.get(at(address))!, ...more }), observed }
}

function sharing({ owned, observed }: Settled, address: string): Settled {
  const one: Owned = { ...owned.get(at(address))!, shared: true }
  return { owned: new Map([...owned, [one.address, one]]), observed }
}

function planned({ before, now, hand = (same) => same, kind, over = {} }: Case): ReturnType<typeof planOf> {
  const declared = declare(...now).map((one) => ({ ...one, kind: { ...one.kind, ...kind } }))
  return planOf(declared, hand(before === undefined ? nothing : settled(declare(...before))), over)
}

describe('a plan', () => {
  test.each(Object.entries(cases))('%s', (_, one) => {
    const plan = planned(one)
    expect(plan.problems).toEqual([])
    expect(changeLines(plan)).toEqual(one.changes)
  })

  test('is the same for any order of the input', () => {
    const one = cases['first removes a resource whose name is taken, with those that need it']!
    const before = settled(declare(...one.before!))
    const turned = { owned: new Map([...before.owned].reverse()), observed: new Map([...before.observed].reverse()) }
    const plan = planOf(declare(...one.now), before).value
    expect(planOf(declare(...one.now), turned).value.digest).toBe(plan.digest)
  })

  test('orders a write after what it needs and after the release of its name, a removal after what needed it', () => {
    const plan = planned(cases['first removes a resource whose name is taken, with those that need it']!).value
    const after = Object.fromEntries(plan.changes.map((change) => [change.address, change.after]))
    expect(after).toEqual({
      'LabelMapping/Bucket/raw/old': [],
      'Label/old': ['LabelMapping/Bucket/raw/old'],
      'Label/new': ['Label/old'],
    })
  })

  test('counts resources without their parts', () => {
    expect(planned({ before: base, now: base, changes: [] }).value.unchanged).toBe(2)
  })
})

const refused: Readonly<Record<string, Omit<Case, 'changes'> & { readonly code: string; readonly message: string }>> = {
  'a resource for which another stack declares different values': {
    before: [label('red')],
    now: [label('red', 'red', '#00ff00')],
    hand: withoutOwnership,
    over: { claims: claimed(...settled(declare(label('red', 'red', '#ff0000'))).owned.values()) },
    code: 'plan/claimed',
    message: 'Label/red belongs to stack theirs (as Label/red), which declares different values: color.',
  },
  'a name whose release loses data': {
    before: [bucket('old', 'raw'), bucket('new', 'fresh')],
    now: [bucket('new', 'raw')],
    code: 'plan/name-in-use',
    message: 'Bucket/new takes the name of Bucket/old, which is no longer declared, but removing it loses its data.',
  },
  'a name of a resource that is only untracked': {
    before: [label('old', 'red'), label('new', 'green')],
    now: [label('new', 'red')],
    over: { claims: claimed(...sharing(settled(declare(label('old', 'red'))), 'Label/old').owned.values()) },
    code: 'plan/name-in-use',
    message: 'Label/new takes the name of Label/old, which is no longer declared, but it stays on the target.',
  },
  'an exchange of names': {
    before: [label('a', 'red'), label('b', 'green')],
    now: [label('a', 'green'), label('b', 'red')],
    code: 'plan/name-swap',
    message: 'Label/a, Label/b exchange names, which a target cannot do in one step.',
  },
  'an exchange of names in a ring of three': {
    before: [label('a', 'red'), label('b', 'green'), label('c', 'blue')],
    now: [label('a', 'green'), label('b', 'blue'), label('c', 'red')],
    code: 'plan/name-swap',
    message: 'Label/a, Label/b, Label/c exchange names, which a target cannot do in one step.',
  },
  'ownership of an unknown kind beside a removal': {
    before: [label('red'), bucket('raw'), label('blue')],
    now: [label('blue')],
    over: { kindNamed: (name) => plainKinds.find(({ kind }) => kind === name && kind !== 'Label') },
    code: 'plan/unknown-kind',
    message: 'This stack owns Label/red of the kind Label, which this version does not know.',
  },
  'ownership of an unknown kind': {
    before: [label('red')],
    now: [],
    over: { kindNamed: () => undefined },
    code: 'plan/unknown-kind',
    message: 'This stack owns Label/red of the kind Label, which this version does not know.',
  },
}

describe('a plan refuses', () => {
  test.each(Object.entries(refused))('%s', (_, { code, message, ...one }) => {
    const { problems } = planned({ ...one, changes: [] })
    expect(problems.map((problem) => [problem.severity, problem.code, problem.message])).toContainEqual([
      'error',
      code,
      message,
    ])
    expect(problems).toHaveLength(1)
  })
})

test('a plan knows the id of an existing resource', () => {
  const now = declare(label('red'), bucket('raw', 'raw', { labels: ['red'] }))
  const { value } = planOf(now, settled(declare(label('red'), bucket('raw'))))
  const mapping = value.changes.find(({ address }) => address.startsWith('LabelMapping/'))
  expect(mapping?.fields).toContainEqual({ path: 'labelID', new: idOf(1) })
})

test('the id of a resource that does not exist yet is known after apply', () => {
  const { value } = planOf(declare(...base), nothing)
  const fields = JSON.stringify(value.changes.find(({ address }) => address.startsWith('LabelMapping/'))?.fields)
  expect(fields).toContain('(known after apply: id of Label/red)')
})
