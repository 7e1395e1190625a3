import { describe, expect, test } from 'vitest'
import { influxdbKinds } from '../../src/kinds/influxdb/influxdb.js'
import type { Owned } from '../../src/model/resource.js'
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
  told,
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
  readonly over?: Partial<PlanInput>
  readonly changes: readonly string[]
}

const gone = (address: string) => (before: Settled) => byHand(before, address, () => undefined)
const noRecords = ({ observed }: Settled): Settled => ({ owned: new Map(), observed })

const cases: Readonly<Record<string, Case>> = {
  'what is nowhere is created, a part after both its ends': {
    now: base,
    changes: ['create Label/red (added)', 'create Bucket/raw (added)', 'create LabelMapping/Bucket/raw/red (added)'],
  },
  'what is as declared is left alone': { before: base, now: base, changes: [] },
  'what the package says anew is edited': {
    before: base,
    now: [label('red', 'red', '#ff0000'), base[1]!],
    changes: ['update Label/red (edited): color'],
  },
  'what a person changed has drifted': {
    before: base,
    now: base,
    hand: (before) => byHand(before, 'Label/red', (live) => ({ ...live, color: 'blue' })),
    changes: ['update Label/red (drifted): color'],
  },
  'what a person added beside is not managed': {
    before: base,
    now: base,
    hand: (before) => byHand(before, 'Bucket/raw', (live) => ({ ...live, orgID: 'main' })),
    changes: [],
  },
  'what a person removed is gone, and made again': {
    before: [label('red')],
    now: [label('red')],
    hand: gone('Label/red'),
    changes: ['create Label/red (gone)'],
  },
  'what a person removed and is no longer declared is only forgotten': {
    before: [label('red')],
    now: [],
    hand: gone('Label/red'),
    changes: ['forget Label/red (gone)'],
  },
  'what is found by its key and nobody owns is adopted': {
    before: [label('red')],
    now: [label('red', 'red', '#ff0000')],
    hand: noRecords,
    changes: ['update Label/red (added, adopts): color'],
  },
  'what is adopted as it is changes only the record': {
    before: [label('red')],
    now: [label('red')],
    hand: noRecords,
    changes: ['update Label/red (added, adopts): the record'],
  },
  'what has no key is never adopted': {
    before: [dashboard('ops')],
    now: [dashboard('ops')],
    hand: noRecords,
    changes: ['create Dashboard/ops (added)'],
  },
  'another metaName for the same name is a move, its mapping with it': {
    before: base,
    now: [label('crimson', 'red'), bucket('raw', 'raw', { labels: ['crimson'] })],
    changes: [
      'update Label/crimson (edited, from Label/red): the record',
      'update LabelMapping/Bucket/raw/crimson (edited, from LabelMapping/Bucket/raw/red): the record',
    ],
  },
  'a move may change the thing, too': {
    before: [label('red')],
    now: [label('crimson', 'red', '#ff0000')],
    changes: ['update Label/crimson (edited, from Label/red): color'],
  },
  'without a key another metaName is another thing': {
    before: [dashboard('ops', 'Ops')],
    now: [dashboard('operations', 'Ops')],
    changes: ['create Dashboard/operations (added)', 'remove Dashboard/ops (dropped)'],
  },
  'what left the package is removed, a part before its ends': {
    before: base,
    now: [],
    changes: [
      'remove LabelMapping/Bucket/raw/red (dropped)',
      'remove Label/red (dropped)',
      'remove Bucket/raw (dropped, loses data)',
    ],
  },
  'a name that is handed over is freed before it is taken': {
    before: [bucket('a', 'one')],
    now: [bucket('a', 'two'), bucket('b', 'one')],
    changes: ['update Bucket/a (edited): name', 'create Bucket/b (added)'],
  },
  'a name that something leaving has is freed first, with what needs it': {
    before: [label('old', 'red'), label('new', 'green'), bucket('raw', 'raw', { labels: ['old'] })],
    now: [label('new', 'red'), bucket('raw')],
    changes: [
      'remove LabelMapping/Bucket/raw/old (dropped, first)',
      'remove Label/old (dropped, first)',
      'update Label/new (edited): name',
    ],
  },
  'what goes first takes along what needs it, also where that is only forgotten': {
    before: [label('old', 'red'), label('new', 'green'), bucket('raw', 'raw', { labels: ['old'] })],
    now: [label('new', 'red'), bucket('raw')],
    hand: gone('LabelMapping/Bucket/raw/old'),
    changes: [
      'forget LabelMapping/Bucket/raw/old (gone, first)',
      'remove Label/old (dropped, first)',
      'update Label/new (edited): name',
    ],
  },
  'what is shared may be declared under another address': {
    before: [label('red')],
    now: [label('crimson', 'red')],
    hand: (before) => sharing(before, 'Label/red'),
    over: { claims: claimed(...settled(declare(label('red'))).owned.values()) },
    changes: ['update Label/crimson (edited, shares, from Label/red): the record'],
  },
  'what is shared, gone and not declared any more is dropped': {
    before: [label('red')],
    now: [],
    hand: (before) => gone('Label/red')(sharing(before, 'Label/red')),
    over: { claims: claimed(...settled(declare(label('red'))).owned.values()) },
    changes: ['forget Label/red (dropped)'],
  },
  'what is shared, has no key and is gone waits for its owner': {
    before: [dashboard('ops')],
    now: [dashboard('ops')],
    hand: (before) => gone('Dashboard/ops')(sharing(before, 'Dashboard/ops')),
    over: { claims: claimed(...settled(declare(dashboard('ops'))).owned.values()) },
    changes: [],
  },
  'a record of other settings is written anew': {
    before: [label('red')],
    now: [label('red')],
    hand: (before) => recorded(before, 'Label/red', { applied: { name: 'red' } }),
    changes: ['update Label/red (edited): the record'],
  },
  'a record of another kind is written anew': {
    before: [label('red')],
    now: [label('red')],
    hand: (before) => recorded(before, 'Label/red', { kind: 'OldLabel' }),
    changes: ['update Label/red (edited): the record'],
  },
  'a record of another parent is written anew': {
    before: base,
    now: base,
    hand: (before) => recorded(before, 'LabelMapping/Bucket/raw/red', { partOf: at('Bucket/other') }),
    changes: ['update LabelMapping/Bucket/raw/red (edited): the record'],
  },
  'a record of other needs is written anew': {
    before: base,
    now: base,
    hand: (before) => recorded(before, 'LabelMapping/Bucket/raw/red', { needs: [at('Label/red'), at('Bucket/raw')] }),
    changes: ['update LabelMapping/Bucket/raw/red (edited): the record'],
  },
  'what another stack declares alike is shared': {
    before: [label('red')],
    now: [label('red')],
    hand: noRecords,
    over: { claims: claimed(...settled(declare(label('red'))).owned.values()) },
    changes: ['update Label/red (added, shares): the record'],
  },
  'what is shared and recorded so is left alone': {
    before: [label('red')],
    now: [label('red')],
    hand: (before) => sharing(before, 'Label/red'),
    over: { claims: claimed(...settled(declare(label('red'))).owned.values()) },
    changes: [],
  },
  'what was shared and has no owner any more becomes owned': {
    before: [label('red')],
    now: [label('red')],
    hand: (before) => sharing(before, 'Label/red'),
    over: { claims: nobody },
    changes: ['update Label/red (edited): the record'],
  },
  'what is shared is never removed': {
    before: [label('red')],
    now: [],
    hand: (before) => sharing(before, 'Label/red'),
    over: { claims: claimed(...settled(declare(label('red'))).owned.values()) },
    changes: ['forget Label/red (dropped)'],
  },
  'what others share is forgotten, not removed': {
    before: [label('red')],
    now: [],
    over: { claims: claimed(...sharing(settled(declare(label('red'))), 'Label/red').owned.values()) },
    changes: ['forget Label/red (dropped)'],
  },
  'a kind that forgets leaves its things where they are': {
    before: [label('red')],
    now: [],
    over: { kindNamed: (name) => ({ ...influxdbKinds.find(({ kind }) => kind === name)!, onRemove: 'forget' }) },
    changes: ['forget Label/red (dropped)'],
  },
}

function recorded({ owned, observed }: Settled, address: string, more: Partial<Owned>): Settled {
  return { owned: new Map(owned).set(at(address), { ...owned.get(at(address))!, ...more }), observed }
}

function sharing({ owned, observed }: Settled, address: string): Settled {
  const record: Owned = { ...owned.get(at(address))!, shared: true }
  return { owned: new Map([...owned, [record.address, record]]), observed }
}

function planned({ before, now, hand = (same) => same, over = {} }: Case): ReturnType<typeof planOf> {
  return planOf(declare(...now), hand(before === undefined ? nothing : settled(declare(...before))), over)
}

describe('a plan', () => {
  test.each(Object.entries(cases))('%s', (_, one) => {
    const plan = planned(one)
    expect(plan.problems).toEqual([])
    expect(told(plan)).toEqual(one.changes)
  })

  test('is the same for the same input, in whatever order it is looked at', () => {
    const one = cases['a name that something leaving has is freed first, with what needs it']!
    const before = settled(declare(...one.before!))
    const turned = { owned: new Map([...before.owned].reverse()), observed: new Map([...before.observed].reverse()) }
    const plan = planOf(declare(...one.now), before).value
    expect(planOf(declare(...one.now), turned).value.digest).toBe(plan.digest)
  })

  test('waits with a write for what it needs and for whoever frees its name, with a removal for what needed it', () => {
    const plan = planned(cases['a name that something leaving has is freed first, with what needs it']!).value
    const after = Object.fromEntries(plan.changes.map((change) => [change.address, change.after]))
    expect(after).toEqual({
      'LabelMapping/Bucket/raw/old': [],
      'Label/old': ['LabelMapping/Bucket/raw/old'],
      'Label/new': ['Label/old'],
    })
  })

  test('counts resources and not their parts', () => {
    expect(planned({ before: base, now: base, changes: [] }).value.unchanged).toBe(2)
  })
})

const refused: Readonly<Record<string, Omit<Case, 'changes'> & { readonly code: string; readonly message: string }>> = {
  'what another stack declares differently': {
    before: [label('red')],
    now: [label('red', 'red', '#00ff00')],
    hand: noRecords,
    over: { claims: claimed(...settled(declare(label('red', 'red', '#ff0000'))).owned.values()) },
    code: 'plan/claimed',
    message: 'Label/red is Label/red of stack theirs, which declares it differently at color.',
  },
  'a name that is freed only by losing data': {
    before: [bucket('old', 'raw'), bucket('new', 'fresh')],
    now: [bucket('new', 'raw')],
    code: 'plan/name-held',
    message: 'Bucket/new shall have the name of Bucket/old, which leaves the package, but removing it loses its data.',
  },
  'a name that something has which is only forgotten': {
    before: [label('old', 'red'), label('new', 'green')],
    now: [label('new', 'red')],
    over: { claims: claimed(...sharing(settled(declare(label('old', 'red'))), 'Label/old').owned.values()) },
    code: 'plan/name-held',
    message: 'Label/new shall have the name of Label/old, which leaves the package, but it stays on the target.',
  },
  'an exchange of names': {
    before: [label('a', 'red'), label('b', 'green')],
    now: [label('a', 'green'), label('b', 'red')],
    code: 'plan/name-swap',
    message: 'Label/a, Label/b shall exchange names, which a target cannot do in one step.',
  },
  'an exchange of names in a ring of three': {
    before: [label('a', 'red'), label('b', 'green'), label('c', 'blue')],
    now: [label('a', 'green'), label('b', 'blue'), label('c', 'red')],
    code: 'plan/name-swap',
    message: 'Label/a, Label/b, Label/c shall exchange names, which a target cannot do in one step.',
  },
  'a kind that this version does not know': {
    before: [label('red')],
    now: [],
    over: { kindNamed: () => undefined },
    code: 'plan/unknown-kind',
    message: 'Label/red is owned by this stack as a Label, a kind that this version does not know.',
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

test('the id of what is there is known to a plan', () => {
  const now = declare(label('red'), bucket('raw', 'raw', { labels: ['red'] }))
  const { value } = planOf(now, settled(declare(label('red'), bucket('raw'))))
  const mapping = value.changes.find(({ address }) => address.startsWith('LabelMapping/'))
  expect(mapping?.fields).toContainEqual({ path: 'labelID', new: idOf(1) })
})

test('the id of what is not there yet is known after apply', () => {
  const { value } = planOf(declare(...base), nothing)
  const fields = JSON.stringify(value.changes.find(({ address }) => address.startsWith('LabelMapping/'))?.fields)
  expect(fields).toContain('(known after apply: id of Label/red)')
})
