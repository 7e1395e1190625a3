import { describe, expect, test } from 'vitest'
import { buildGraph, type GraphOptions } from '../../src/graph/graph.js'
import { addressOf, familyOf, nameOf, type Address } from '../../src/model/address.js'
import type { Document } from '../../src/model/resources/document.js'
import type { Kind } from '../../src/model/resources/kind.js'
import { readPackage } from '../../src/package/package.js'
import { doc, docs, file } from './read-texts.js'

/** A kind of this test: it needs what `needs` lists, and breaks where `broken` is. */
const thing: Kind<{ readonly needs: readonly string[] }> = {
  kind: 'Thing',
  apiVersions: ['test/v1'],
  family: 'Thing',
  removal: { onRemove: 'untrack' },
  decode: ({ body, locate }) => {
    const { needs = [], broken } = body as { needs?: readonly string[]; broken?: boolean }
    const problem = {
      severity: 'error',
      code: 'test/broken',
      message: 'It is broken.',
      place: locate('/broken'),
      field: 'broken',
    } as const
    return { value: { needs }, problems: broken === true ? [problem] : [] }
  },
  references: ({ needs }) =>
    needs.map((name) => ({ to: name.includes('/') ? (name as Address) : addressOf('Thing', name) })),
  encode: () => ({}),
  normalise: (state) => state,
}

function kindOf(kind: string, apiVersion: string): Kind | undefined | 'version' {
  return kind !== 'Thing' ? undefined : apiVersion === 'test/v1' ? thing : 'version'
}

function documents(things: Readonly<Record<string, readonly string[] | 'broken'>>): readonly Document[] {
  const bodies = Object.entries(things).map(([name, needs]) => ({
    ...thingNamed(name),
    ...(needs === 'broken' ? { broken: true } : { needs }),
  }))
  return readPackage([file('a.json', JSON.stringify(bodies))]).value
}

function outcome(
  things: Readonly<Record<string, readonly string[] | 'broken'>>,
  options?: GraphOptions,
): { names: string; errors: readonly string[] } {
  const { value, problems } = buildGraph(documents(things), kindOf, options)
  return {
    names: value.resources.map(({ address }) => nameOf(address)).join(' '),
    errors: problems.map(({ field, message }) => `${field} ${message}`),
  }
}

test('reports 200,000 problems of one document', () => {
  const place = documents({ a: [] })[0]!.place
  const problem = { severity: 'warning', code: 'test/odd', message: 'It is odd.', place, field: 'odd' } as const
  const odd: Kind = {
    ...thing,
    decode: () => ({ value: { needs: [] }, problems: Array.from({ length: 200_000 }, () => problem) }),
  }
  expect(buildGraph(documents({ a: [] }), () => odd).problems).toHaveLength(200_000)
})

describe('the order of resources', () => {
  test('is that of the package if no resource needs another', () => {
    expect(outcome({ b: [], a: [], c: [] })).toEqual({ names: 'b a c', errors: [] })
  })

  test('puts a resource after those it needs', () => {
    expect(outcome({ a: ['c', 'b'], b: ['d'], c: [], d: [] })).toEqual({ names: 'c d b a', errors: [] })
  })

  test('is found for a chain of any length', () => {
    const chain = Object.fromEntries(
      Array.from({ length: 20_000 }, (_, at) => [`n${at}`, at < 19_999 ? [`n${at + 1}`] : []]),
    )
    expect(outcome(chain).names).toMatch(/^n19999 n19998 .* n0$/)
  })
})

describe('references', () => {
  test('to undeclared resources are reported with their place, and exclude their dependants', () => {
    expect(outcome({ a: ['b'], b: ['x'], c: [] })).toEqual({
      names: 'c',
      errors: ['root[1] Thing/b needs Thing/x, which this package does not declare.'],
    })
  })

  test('to a name of any length are reported in few words', () => {
    const { errors } = outcome({ a: ['x'.repeat(5_000)] })
    expect(errors[0]!.length).toBeLessThan(400)
  })

  test('to invalid resources are not reported again', () => {
    expect(outcome({ a: ['b'], b: 'broken', c: [] })).toEqual({ names: 'c', errors: ['broken It is broken.'] })
  })

  test('of a resource to itself are reported', () => {
    expect(outcome({ a: ['a'] })).toEqual({ names: '', errors: ['root[0] Thing/a refers to itself.'] })
  })

  test('that are repeated count once', () => {
    const { value } = buildGraph(documents({ a: ['b', 'b'], b: [] }), kindOf)
    expect(value.byAddress.get('Thing/a' as Address)!.edges.map(({ to }) => to)).toEqual(['Thing/b'])
  })
})

describe('a cycle', () => {
  test('is reported with its path, and its dependants are excluded', () => {
    expect(outcome({ a: ['b'], b: ['c'], c: ['b'], d: [] })).toEqual({
      names: 'd',
      errors: ['root[1] Thing/b needs Thing/c, which needs Thing/b.'],
    })
  })

  test('is reported once, like each of several cycles', () => {
    const { errors } = outcome({ a: ['b'], b: ['a'], c: ['d'], d: ['e', 'c'], e: ['c'] })
    expect(errors).toEqual([
      'root[0] Thing/a needs Thing/b, which needs Thing/a.',
      'root[2] Thing/c needs Thing/d, which needs Thing/e, which needs Thing/c.',
    ])
  })

  test('has each member in at most one of at most a hundred reports', () => {
    const all = Array.from({ length: 220 }, (_, at) => `n${at}`)
    const { errors } = outcome(Object.fromEntries(all.map((name) => [name, all.filter((other) => other !== name)])))
    const members = errors.flatMap((error) => [...new Set(error.match(/Thing\/n\d+/g))])
    expect(new Set(members).size).toBe(members.length)
    expect(errors).toHaveLength(100)
  })

  test('with many members is shortened in the middle', () => {
    const ring = Object.fromEntries(Array.from({ length: 5000 }, (_, at) => [`n${at}`, [`n${(at + 1) % 5000}`]]))
    const [error] = outcome(ring).errors
    expect(error).toMatch(
      /^root\[0\] Thing\/n0 needs Thing\/n1, .*, which needs … \(4981 more\), .*, which needs Thing\/n4999, which needs Thing\/n0\.$/,
    )
  })
})

describe('documents', () => {
  test('with the same address are duplicates: the second one is an error', () => {
    const twice = readPackage([
      file('a.yml', JSON.stringify(thingNamed('a'))),
      file('b.yml', JSON.stringify(thingNamed('a'))),
    ]).value
    const { problems, value } = buildGraph(twice, kindOf)
    expect(problems).toMatchObject([
      { code: 'graph/duplicate', field: 'root[1].metadata.name', place: { file: 'b.yml' } },
    ])
    expect(problems[0]!.message).toBe('Thing/a is declared twice; the first is at a.yml:1.')
    expect(value.resources.map(({ document }) => document.place.file)).toEqual(['a.yml'])
  })

  test('of an unknown kind or apiVersion are explained by the platform', () => {
    const unknown = readPackage([file('a.yml', docs(doc('Lamp', 'a'), doc('Thing', 'a')))]).value
    const { problems } = buildGraph(unknown, kindOf, {
      explainUnknownKind: (kind) => ({ code: 'test/none', message: `No ${kind}.` }),
    })
    expect(problems.map(({ field, message }) => [field, message])).toEqual([
      ['root[0].kind', 'No Lamp.'],
      ['root[1].apiVersion', 'No Thing.'],
    ])
    expect(buildGraph(unknown, kindOf).problems[0]!.message).toBe(
      'The target does not support the kind "Lamp" of "plain/v1".',
    )
  })

  test('without an apiVersion have one error each: the missing apiVersion, or an unknown kind', () => {
    const { value, problems } = readPackage([file('a.yml', docs('kind: Lamp', 'kind: Thing'))])
    expect(problems).toEqual([])
    expect(buildGraph(value, kindOf).problems.map(({ field }) => field)).toEqual(['root[0].kind', 'root[1].apiVersion'])
  })

  test('are required, unless an empty package is allowed', () => {
    expect(buildGraph([], kindOf).problems).toMatchObject([{ code: 'graph/empty', severity: 'error' }])
    expect(buildGraph([], kindOf, { allowEmpty: true })).toEqual({
      value: { resources: [], byAddress: new Map() },
      problems: [],
    })
  })
})

function thingNamed(name: string): object {
  return { apiVersion: 'test/v1', kind: 'Thing', metadata: { name } }
}

test('the first slash separates family and name', () => {
  expect([
    familyOf(addressOf('LabelMapping', 'Bucket/raw/red')),
    nameOf(addressOf('LabelMapping', 'Bucket/raw/red')),
  ]).toEqual(['LabelMapping', 'Bucket/raw/red'])
})
