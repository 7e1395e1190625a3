// What kinds may do that those of InfluxDB do not.
import { describe, expect, test } from 'vitest'
import { buildGraph, type KindLookup } from '../../src/graph/graph.js'
import { partApiVersion, type Kind } from '../../src/model/resources/kind.js'
import { addressOf, type Address } from '../../src/model/address.js'
import { noValues, type Document } from '../../src/model/resources/document.js'
import type { JsonObject } from '../../src/model/json.js'
import { readPackage } from '../../src/package/package.js'
import { docs, file } from './read-texts.js'

interface Spec {
  readonly needs: readonly string[]
  readonly parts: readonly string[]
  readonly of?: string
}

const base = {
  removal: { onRemove: 'untrack' },
  references: ({ needs }: Spec) => needs.map((name) => ({ to: addressOf('Box', name) })),
  encode: ({ of }: Spec, resolve) =>
    of === undefined
      ? {}
      : { of: resolve({ to: at(`Box/${of}`) }), url: resolve({ to: at(`Box/${of}`), output: 'url' }) },
  normalise: (state: JsonObject) => state,
} as const satisfies Partial<Kind<Spec>>

/**
 * A box holds lids, its parts; a `spoilt` one cannot be read at all. A box with `of` has the name of that one, and no
 * name for people.
 */
const box: Kind<Spec> = {
  ...base,
  kind: 'Box',
  apiVersions: ['test/v1'],
  family: 'Box',
  decode: ({ body, locate }) => {
    const { needs = [], parts = [], of, spoilt } = body as unknown as Partial<Spec> & { spoilt?: boolean }
    const problem = { severity: 'error', code: 'test/spoilt', message: 'It is spoilt.', place: locate('') } as const
    return spoilt === true
      ? { value: undefined, problems: [problem] }
      : { value: { needs, parts, ...(of === undefined ? {} : { of }) }, problems: [] }
  },
  parts: { documents: ({ parts }, document) => parts.map((name) => lidOf(document, name)) },
  matching: { key: ({ of }) => (of === undefined ? undefined : JSON.stringify(of)) },
}

const lid: Kind<Spec> = {
  ...base,
  kind: 'Lid',
  apiVersions: [partApiVersion],
  family: 'Lid',
  decode: (document) => {
    const problem = {
      severity: 'error',
      code: 'test/loose',
      message: 'The lid is loose.',
      place: document.place,
    } as const
    return document.name.endsWith('loose')
      ? { value: undefined, problems: [problem] }
      : { value: { needs: [], parts: [] }, problems: [] }
  },
}

const at = (text: string): Address => text as Address

function lidOf({ name, place, locate }: Document, own: string): Document {
  return {
    apiVersion: partApiVersion,
    kind: 'Lid',
    name: `Box/${name}/${own}`,
    body: {},
    values: noValues,
    place,
    locate,
  }
}

const kindOf: KindLookup = (kind, apiVersion) =>
  [box, lid].find((one) => one.kind === kind && one.apiVersions.includes(apiVersion))

function outcome(
  boxes: Readonly<Record<string, object>>,
  of = kindOf,
): { names: readonly string[]; errors: readonly string[] } {
  const texts = Object.entries(boxes).map(([name, more]) =>
    JSON.stringify({ apiVersion: 'test/v1', kind: 'Box', metadata: { name }, ...more }),
  )
  const { value, problems } = buildGraph(readPackage([file('a.yml', docs(...texts))]).value, of)
  return {
    names: value.resources.map(({ address }) => address),
    errors: problems.map(({ code, message }) => `${code} ${message}`),
  }
}

describe('a part', () => {
  test('comes after its parent and refers to it, even without needs', () => {
    expect(outcome({ a: { parts: ['x', 'y'] }, b: {} }).names).toEqual(['Box/a', 'Lid/Box/a/x', 'Lid/Box/a/y', 'Box/b'])
  })

  test('of an invalid parent is invalid', () => {
    const reported = ['graph/undeclared Box/a needs Box/gone, which this package does not declare.']
    expect(outcome({ a: { parts: ['x'], needs: ['gone'] } })).toEqual({ names: [], errors: reported })
  })

  test('with errors is reported, and its parent stays valid', () => {
    expect(outcome({ a: { parts: ['loose', 'x'] } })).toEqual({
      names: ['Box/a', 'Lid/Box/a/x'],
      errors: ['test/loose The lid is loose.'],
    })
  })

  test('of an unknown kind is ignored', () => {
    const onlyBoxes: KindLookup = (kind, apiVersion) => (kind === 'Box' ? kindOf(kind, apiVersion) : undefined)
    const noLidsYet: KindLookup = (kind, apiVersion) => (kind === 'Box' ? kindOf(kind, apiVersion) : 'version')
    for (const of of [onlyBoxes, noLidsYet])
      expect(outcome({ a: { parts: ['x'] } }, of)).toEqual({ names: ['Box/a'], errors: [] })
  })

  test('cannot be declared directly', () => {
    const document = { apiVersion: partApiVersion, kind: 'Lid', metadata: { name: 'x' } }
    const { problems } = buildGraph(readPackage([file('a.yml', JSON.stringify(document))]).value, kindOf)
    expect(problems.map(({ code }) => code)).toEqual(['graph/no-kind'])
  })
})

test('an unreadable document is reported once, and its dependants are not reported', () => {
  expect(outcome({ a: { spoilt: true }, b: { needs: ['a'] }, c: {} })).toEqual({
    names: ['Box/c'],
    errors: ['test/spoilt It is spoilt.'],
  })
})

test('two resources of the same name are identified by key if they have no display name, also if the key is known after apply', () => {
  const { names, errors } = outcome({ a: {}, b: { of: 'a' }, c: { of: 'a' } })
  expect(names).toEqual(['Box/a', 'Box/b'])
  expect(errors).toEqual([
    expect.stringMatching(
      /^graph\/duplicate-name Box\/c has the name .*id of Box\/a.*, which is already used by Box\/b at a\.yml:3\.$/,
    ),
  ])
})
