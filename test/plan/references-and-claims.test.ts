// How a plan treats references, claims of other stacks, and impossible orders.
import { describe, expect, test } from 'vitest'
import { plainKinds } from '../plain/plain-kinds.js'
import { Secret, Unknown } from '../../src/model/json.js'
import type { Change, Plan } from '../../src/model/resources/change.js'
import type { Kind } from '../../src/model/resources/kind.js'
import type { Checked, Problem } from '../../src/model/problem.js'
import type { Resource } from '../../src/model/resources/resource.js'
import type { UnorderedChange } from '../../src/plan/plan-input.js'
import { freeNames } from '../../src/plan/names.js'
import { finish } from '../../src/lib/async/steps.js'
import { orderChanges } from '../../src/plan/order.js'
import { resolverFor, type Known } from '../../src/plan/desired-state.js'
import {
  at,
  bucket,
  claimed,
  deadman,
  declare,
  idOf,
  label,
  planOf,
  settled,
  changeLines,
  type Settled,
} from './scenario.js'

const red = at('Label/red')
const labels = plainKinds.find(({ kind }) => kind === 'Label')!

describe('a reference', () => {
  const [declaredRed] = declare(label('red'))
  const secret = new Secret('hidden', 'f1')
  const actual = { name: 'red', ports: [{ number: 80 }, null], 'a b': false, token: 'hidden' }
  const observed = new Map([[red, { identity: idOf(1), actual }]])
  const concealing: Kind = {
    ...labels,
    normalise: (state) => ({ ...state, upper: (state['name'] as string).toUpperCase() }),
    secrets: {
      conceal: (state) => ('token' in state ? { ...state, token: secret } : state),
      recognise: (desired) => desired,
    },
  }
  const resolve = (output: string | undefined, over: Partial<Known> = {}): unknown =>
    resolverFor(declaredRed!, { observed, kinds: new Map([[red, concealing]]), planned: new Map(), ...over })(
      output === undefined ? { to: red } : { to: red, output },
    )
  const planned = new Map([[red, { name: 'blue', list: ['a', null], open: [{}], later: new Unknown(red, 'id') }]])

  test('to the id of an existing resource is known, also while it changes', () => {
    expect([resolve(undefined), resolve('id'), resolve('id', { planned })]).toEqual([idOf(1), idOf(1), idOf(1)])
  })

  test('to any path of the actual state is known, normalized', () => {
    expect(['name', 'upper', 'ports[0].number', 'ports', '["a b"]', 'ports[1]'].map((path) => resolve(path))).toEqual([
      'red',
      'RED',
      80,
      [{ number: 80 }, null],
      false,
      null,
    ])
  })

  test('to a secret of the state is a secret', () => {
    expect(resolve('token')).toBe(secret)
  })

  test('to a secret of a resource that changes is a secret, too', () => {
    expect(resolve('token', { planned: new Map([[red, { token: 'new one' }]]) })).toBe(secret)
  })

  test('to a path of a resource without a kind is known, too', () => {
    expect(resolve('name', { kinds: new Map() })).toBe('red')
  })

  test('to a resource that changes is what its declaration says, or unknown', () => {
    const known = (path: string): unknown => resolve(path, { planned })
    expect([known('name'), known('list'), known('list[1]')]).toEqual(['blue', ['a', null], null])
    for (const path of ['token', 'open', 'open[0]', 'later', 'list[2]'])
      expect(known(path)).toEqual(new Unknown(red, path))
  })

  test('to a resource that will be created is the same; its id is unknown', () => {
    const over = { observed: new Map(), planned }
    expect([resolve('name', over), resolve('id', over)]).toEqual(['blue', new Unknown(red, 'id')])
  })

  test('to a missing resource is unknown', () => {
    expect(resolve(undefined, { observed: new Map() })).toEqual(new Unknown(red, 'id'))
  })

  test.each(['port', 'ports[2]', 'ports.number', 'name[0]', 'name.x', 'ports[*]', '*', '', 'a b', 'constructor'])(
    'to %j, which the resource does not have, is a problem that lists what it has',
    (output) => {
      const hint = 'It has: id, name, ports, a b, token, upper.'
      const message = `Label/red refers to "${output}" of Label/red, which has no such value.`
      const problem = { severity: 'error', code: 'plan/no-output', message, hint, field: 'root[0]' }
      expect(() => resolve(output)).toThrow(
        expect.objectContaining({ code: 'plan/no-output', problems: [expect.objectContaining(problem)] }) as Error,
      )
    },
  )

  test('to a missing value of a large state lists the first that it has', () => {
    const wide = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`f${i}`, i]))
    const over = { observed: new Map([[red, { identity: idOf(1), actual: wide }]]), kinds: new Map() }
    expect(() => resolve('port', over)).toThrow(
      expect.objectContaining({ hint: `It has: id, ${Object.keys(wide).slice(0, 19).join(', ')}, ….` }) as Error,
    )
    const { f0: _, ...fewer } = wide
    const less = { ...over, observed: new Map([[red, { identity: idOf(1), actual: fewer }]]) }
    expect(() => resolve('port', less)).toThrow(
      expect.objectContaining({ hint: `It has: id, ${Object.keys(fewer).join(', ')}.` }) as Error,
    )
  })
})

describe('a value that only the target knows', () => {
  const recognising: Kind = {
    ...labels,
    secrets: {
      conceal: (state) => state,
      recognise: (desired, { actual }) => ({ ...desired, color: actual['color']! }),
    },
  }
  const declared = (color: string): readonly Resource[] =>
    declare(label('red', 'red', color)).map((one) => ({ ...one, kind: recognising }))

  test('is taken from the existing resource, and is no change', () => {
    expect(planOf(declared('dark'), settled(declare(label('red', 'red', 'light')))).value.changes).toEqual([])
  })

  test('is as declared in a new resource', () => {
    const { changes } = planOf(declared('dark'), { owned: new Map(), observed: new Map() }).value
    expect(changes[0]!.fields).toContainEqual({ path: 'color', new: 'dark' })
  })
})

describe('in a plan', () => {
  const blue = at('Label/blue')
  /** The description of Blue is that of Red. */
  const blueOf = (output: string): Kind => ({
    ...labels,
    encode: (spec, resolve) => ({
      ...labels.encode(spec, resolve),
      description: resolve({ to: red, output, pointer: '/spec/description' }),
    }),
  })
  const declared = (color: string, output: string): readonly Resource[] =>
    declare(label('red', 'red', color), label('blue')).map((one) => ({
      ...one,
      kind: one.address === blue ? blueOf(output) : labels,
    }))
  const withHost = (): Settled => {
    const before = settled(declare(label('red'), label('blue')))
    const there = before.observed.get(red)!
    before.observed.set(red, { ...there, actual: { ...there.actual, host: 'h1' } })
    return before
  }
  const planFor = (color: string, output: string): Checked<Plan> => planOf(declared(color, output), withHost())
  const after = ({ value: { changes } }: Checked<Plan>): unknown =>
    changes.find(({ address }) => address === blue)?.fields.find(({ path }) => path === 'description')?.new

  test('an output of another resource is known unless that resource changes, and only the target knows it', () => {
    expect(after(planFor('', 'host'))).toBe('h1')
    expect(after(planFor('dark', 'host'))).toEqual(new Unknown(red, 'host'))
    expect([after(planFor('', 'color')), after(planFor('dark', 'color'))]).toEqual([undefined, 'dark'])
  })

  test('a value that is unknown only because drift is corrected follows the drift', () => {
    const withBoth = (): Settled => {
      const before = withHost()
      const owned = before.owned.get(blue)!
      const there = before.observed.get(blue)!
      before.owned.set(blue, { ...owned, applied: { ...owned.applied, description: 'h1' } })
      before.observed.set(blue, { ...there, actual: { ...there.actual, description: 'h1' } })
      return before
    }
    const drifted = withBoth()
    const there = drifted.observed.get(red)!
    drifted.observed.set(red, { ...there, actual: { ...there.actual, color: 'by hand' } })
    expect(changeLines(planOf(declared('', 'host'), withBoth()))).toEqual([])
    expect(changeLines(planOf(declared('', 'host'), drifted))).toEqual([
      'update Label/red (drifted): color',
      'update Label/blue (drifted): description',
    ])
    expect(changeLines(planOf(declared('dark', 'host'), withBoth()))).toEqual([
      'update Label/red (edited): color',
      'update Label/blue (edited): description',
    ])
  })

  test('a reference to what a resource does not have is a problem at its line, and others are planned', () => {
    const { value, problems } = planFor('', 'port')
    expect(problems).toMatchObject([{ code: 'plan/no-output', place: { pointer: '/spec/description' } }])
    expect([value.changes, value.unchanged]).toEqual([[], 1])
  })

  test('an adoption that writes nothing leaves outputs known', () => {
    const { observed, owned } = withHost()
    owned.delete(red)
    expect(changeLines(planOf(declared('', 'host'), { observed, owned }))).toEqual([
      'update Label/red (added, adopts): ownership',
      'update Label/blue (edited): description',
    ])
    expect(after(planOf(declared('', 'host'), { observed, owned }))).toBe('h1')
  })

  test('a change has the display name of its resource, also a removal', () => {
    const { changes } = planOf(
      declare(label('a', 'Name A', 'dark'), label('b', 'Name B')),
      settled(declare(label('a', 'Name A'), label('c', 'Name C'))),
    ).value
    expect(changes.map(({ address, displayName }) => [address, displayName])).toEqual([
      ['Label/a', 'Name A'],
      ['Label/b', 'Name B'],
      ['Label/c', 'Name C'],
    ])
    const gone = planOf([], { owned: settled(declare(label('c', 'Name C'))).owned, observed: new Map() }).value.changes
    expect(Object.keys(gone[0]!)).not.toContain('displayName')
    const parts = planOf(declare(label('red'), bucket('raw', 'raw', { labels: ['red'] })), {
      owned: new Map(),
      observed: new Map(),
    }).value.changes
    expect(Object.keys(parts.find(({ partOf }) => partOf !== undefined)!)).not.toContain('displayName')
  })

  test('a removal waits for all resources that needed it', () => {
    const documents = [
      label('red'),
      bucket('one', 'one', { labels: ['red'] }),
      bucket('two', 'two', { labels: ['red'] }),
    ]
    const { changes } = planOf(declare(bucket('one'), bucket('two')), settled(declare(...documents))).value
    expect(changes.find(({ address }) => address === red)?.after).toEqual([
      'LabelMapping/Bucket/one/red',
      'LabelMapping/Bucket/two/red',
    ])
  })
})

test('a removal that releases a name comes first with all removals of its dependants, direct or not', () => {
  const before = settled(declare(label('a', 'red'), label('new', 'green')))
  const leaving = (name: string, ...needs: readonly string[]): UnorderedChange => ({
    change: {
      address: at(`Label/${name}`),
      kind: 'Label',
      action: 'remove',
      fields: [],
      reason: 'dropped',
      needs: needs.map((one) => at(`Label/${one}`)),
      after: [],
    },
    kind: labels,
  })
  const taker: UnorderedChange = {
    change: {
      address: at('Label/new'),
      kind: 'Label',
      action: 'update',
      fields: [],
      reason: 'edited',
      needs: [],
      after: [],
    },
    kind: labels,
    desired: { name: 'red' },
  }
  const input = { ...before, kindNamed: () => labels } as unknown as Parameters<typeof freeNames>[0]
  const removals = [leaving('c', 'b'), leaving('b', 'x', 'a'), leaving('a'), leaving('d'), leaving('e', 'a')]
  const drafts = finish(freeNames(input, { writes: [taker], removals }, []))
  expect(drafts.map(({ change }) => [change.address, change.first === true])).toEqual([
    ['Label/new', false],
    ['Label/c', true],
    ['Label/b', true],
    ['Label/a', true],
    ['Label/d', false],
    ['Label/e', true],
  ])
})

test('names only the resources that exchange names, not another one that takes a name of theirs', () => {
  const before = settled(declare(deadman('late', 'three'), deadman('one'), deadman('two')))
  const { problems } = planOf(declare(deadman('late', 'two'), deadman('one', 'two'), deadman('two', 'one')), before)
  expect(problems.map(({ code, message }) => [code, message.split(' exchange ')[0]])).toEqual([
    ['plan/name-swap', 'Check/two, Check/one'],
  ])
})

describe('a resource for which another stack declares different values', () => {
  const many = Object.fromEntries(Array.from({ length: 6 }, (_, i) => [`field${i}`, i]))
  const wide: Kind = { ...labels, normalise: (state) => ({ ...state, ...many }) }
  const theirs = [...settled(declare(label('red'))).owned.values()]
  const problemsWith = (kind: Kind): readonly Problem[] => {
    const resources = declare(label('red')).map((resource) => ({ ...resource, kind }))
    const { observed } = settled(declare(label('red')))
    return planOf(resources, { owned: new Map(), observed }, { claims: claimed(...theirs) }).problems
  }

  test('is reported with its place, at most five fields, and what to do', () => {
    expect(problemsWith(wide)).toEqual([
      {
        severity: 'error',
        code: 'plan/claimed',
        message:
          'Label/red belongs to stack theirs (as Label/red), which declares different values: field0, field1, field2, field3, field4 ….',
        place: expect.objectContaining({ file: 'package.json' }) as object,
        hint:
          'To share it, declare the same values as theirs. To move it to this stack, suspend theirs, release it ' +
          '(gitmoor stack release theirs Label/red), remove it from the package of theirs, and resume theirs. ' +
          'Or choose another name.',
      },
    ])
    const { field5: _field5, ...five } = many
    const [problem] = problemsWith({ ...labels, normalise: (state) => ({ ...state, ...five }) })
    expect(problem!.message).toMatch(/field3, field4\.$/)
  })
})

describe('a shared resource', () => {
  const before = settled(declare(label('red')))
  const record = { ...before.owned.get(red)!, shared: true as const }
  const gone = new Map<typeof red, never>()
  const claims = claimed({ ...record, shared: undefined as never })
  const owned = new Map([[red, record]])

  test('that is missing waits for its owner to recreate it', () => {
    const plan = planOf(declare(label('red')), { owned, observed: gone }, { claims, observed: gone })
    expect([plan.problems, changeLines(plan)]).toEqual([[], []])
  })

  test('that is missing is a new resource under another name', () => {
    const plan = planOf(declare(label('red', 'crimson')), { owned, observed: gone }, { claims, observed: gone })
    expect(changeLines(plan)).toEqual(['create Label/red (gone)'])
  })

  test('has its ownership updated when both stacks declare other values', () => {
    const theirs = claimed({ ...record, shared: undefined as never, applied: { ...record.applied, color: 'dark' } })
    const plan = planOf(declare(label('red', 'red', 'dark')), { owned, observed: before.observed }, { claims: theirs })
    expect(changeLines(plan)).toEqual(['update Label/red (edited, shares): ownership'])
  })

  test('that was replaced is owned under its new identity', () => {
    const other = { identity: idOf(9), actual: before.observed.get(red)!.actual }
    const theirs = claimed({ ...record, shared: undefined as never, identity: idOf(9) })
    const observed = new Map([[red, other]])
    const plan = planOf(declare(label('red')), { owned, observed }, { claims: theirs, observed })
    expect(plan.value.changes).toMatchObject([{ action: 'update', shares: true, identity: idOf(9), fields: [] }])
  })
})

test('adopts a resource that a person replaced by another of the same name', () => {
  const before = settled(declare(bucket('raw')))
  const observed = new Map([
    [at('Bucket/raw'), { identity: idOf(9), actual: before.observed.get(at('Bucket/raw'))!.actual }],
  ])
  const plan = planOf(declare(bucket('raw')), { owned: before.owned, observed }, { observed })
  expect(changeLines(plan)).toEqual(['update Bucket/raw (gone, adopts): ownership'])
})

describe('an order', () => {
  const draft = (address: string, over: Partial<Change>): UnorderedChange => ({
    change: {
      address: at(address),
      kind: 'Label',
      action: 'create',
      fields: [],
      reason: 'added',
      needs: [],
      after: [],
      ...over,
    },
    kind: labels,
  })
  const ordered = (drafts: readonly UnorderedChange[]): readonly [readonly string[], readonly Problem[]] => {
    const problems: Problem[] = []
    return [
      finish(orderChanges(drafts, { owned: new Map(), resources: [] }, problems)).map(({ address }) => address),
      problems,
    ]
  }

  test('with a cycle is a problem, reported once, and still has all changes', () => {
    const cycle = [
      draft('a/a', { after: [at('a/b')] }),
      draft('a/b', { needs: [at('a/c')] }),
      draft('a/c', { needs: [at('a/a')] }),
    ]
    const [order, problems] = ordered(cycle)
    expect(order).toHaveLength(3)
    expect(problems).toEqual([
      {
        severity: 'error',
        code: 'plan/order',
        message: 'a/a would have to wait for itself: names and dependencies change in a cycle.',
        hint: 'Make the change in two revisions.',
      },
    ])
  })

  test('is by address if nothing else decides, and lists each predecessor once', () => {
    const drafts = ['c', 'a', 'b'].map((name) => draft(`a/${name}`, {}))
    expect(ordered(drafts)[0]).toEqual(['a/a', 'a/b', 'a/c'])
    const twice = [draft('a/x', { needs: [at('a/y'), at('a/x'), at('a/gone')], after: [at('a/y')] }), draft('a/y', {})]
    expect(finish(orderChanges(twice, { owned: new Map(), resources: [] }, [])).map(({ after }) => after)).toEqual([
      [],
      ['a/y'],
    ])
  })
})

describe('an apply of a resource that another stack owns', () => {
  const theirs = settled(declare(label('red', 'red', '#111111')))
  const applied = (color: string): ReturnType<typeof planOf> =>
    planOf(
      declare(label('red', 'red', color)),
      { owned: new Map(), observed: theirs.observed },
      { claims: claimed(...theirs.owned.values()), takesOver: true },
    )

  test('with other values takes it over, and warns', () => {
    const { value, problems } = applied('#222222')
    expect(value.changes).toMatchObject([
      { address: 'Label/red', action: 'update', takesFrom: 'theirs', reason: 'edited', fields: [{ path: 'color' }] },
    ])
    expect(problems).toMatchObject([
      { severity: 'warning', code: 'plan/taken-over', message: expect.stringContaining('theirs') as string },
    ])
  })

  test('with the same values shares it', () => {
    const plan = applied('#111111')
    expect([changeLines(plan), plan.problems]).toEqual([['update Label/red (added, shares): ownership'], []])
  })
})
