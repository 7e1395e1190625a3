import { describe, expect, test } from 'vitest'
import { Secret, Unknown, type JsonObject } from '../../src/model/json.js'
import { fieldChanges, isAsPlanned, overlay, sameJson } from '../../src/plan/diff.js'
import { at } from './scenario.js'

const cases: Readonly<
  Record<string, readonly [live: JsonObject | undefined, wanted: JsonObject, paths: readonly string[]]>
> = {
  'of nothing is everything': [undefined, { a: 1, b: { c: 2 } }, ['a', 'b']],
  'of equals is empty': [{ a: [1, { b: 2 }] }, { a: [1, { b: 2 }] }, []],
  'leaves out what is not wanted: objects are open': [{ a: 1, b: 2 }, { a: 1 }, []],
  'leaves out what is not wanted inside': [{ a: { b: 1, c: 2 } }, { a: { b: 1 } }, []],
  'leaves out what is not wanted of an object in a list': [{ a: [{ b: 1, id: 7 }] }, { a: [{ b: 1 }] }, []],
  'goes down objects': [{ a: { b: { c: 1 } } }, { a: { b: { c: 2 } } }, ['a.b.c']],
  'goes down lists': [{ a: [1, 2, 3] }, { a: [1, 5, 3] }, ['a[1]']],
  'goes down lists from their first': [{ a: [1, 2] }, { a: [5, 2] }, ['a[0]']],
  'has what a list lacks': [{ a: [1] }, { a: [1, 2, 3] }, ['a[1]', 'a[2]']],
  'has what a list has too many: lists are closed': [{ a: [1, 2, 3] }, { a: [1] }, ['a[1]', 'a[2]']],
  'has what an empty list has too many': [{ a: [1] }, { a: [] }, ['a[0]']],
  'tells null from absent': [{}, { a: null }, ['a']],
  'tells a number from its text': [{ a: 1 }, { a: '1' }, ['a']],
  'tells a list from an object': [{ a: [] }, { a: {} }, ['a']],
  'quotes keys that are no names': [{}, { 'a b': 1, 'c.d': 2 }, ['["a b"]', '["c.d"]']],
  'is not fooled by what every object has': [{}, { constructor: 1 }, ['constructor']],
  'sees a secret that is another': [{ a: new Secret('x', 'f1') }, { a: new Secret('y', 'f2') }, ['a']],
  'sees no difference between secrets of one fingerprint': [
    { a: new Secret('x', 'f1') },
    { a: new Secret('x', 'f1') },
    [],
  ],
  'sees a difference in what is not known yet': [{ a: 'b' }, { a: new Unknown(at('Label/red'), 'id') }, ['a']],
}

describe('a difference', () => {
  test.each(Object.entries(cases))('%s', (_, [live, wanted, paths]) => {
    expect(fieldChanges(live, wanted).map(({ path }) => path)).toEqual(paths)
  })

  test('has the old and the new value, each if it exists', () => {
    expect(fieldChanges({ a: 1, c: [1] }, { a: 2, b: 3, c: [] })).toEqual([
      { path: 'a', old: 1, new: 2 },
      { path: 'b', new: 3 },
      { path: 'c[0]', old: 1 },
    ])
  })
})

test('unknown values are equal if they wait for the same output', () => {
  expect(sameJson(new Unknown(at('Label/red'), 'id'), new Unknown(at('Label/red'), 'id'))).toBe(true)
  expect(sameJson(new Unknown(at('Label/red'), 'id'), new Unknown(at('Label/red'), 'url'))).toBe(false)
})

test.each([
  ['lists of the same, in the same order', [1, { a: [2] }], [1, { a: [2] }], true],
  ['lists in another order', [1, 2], [2, 1], false],
  ['lists of another length', [1, 2], [1], false],
  ['a list and an object', [], {}, false],
  ['objects of the same, in any order', { a: 1, b: 2 }, { b: 2, a: 1 }, true],
  ['objects of which one has more', { a: 1 }, { a: 1, b: 2 }, false],
  ['objects of which one has more', { a: 1, b: 2 }, { a: 1 }, false],
  ['objects with other keys', { a: undefined as never }, { b: undefined as never }, false],
  ['null and nothing', null, undefined, false],
  ['a number and its text', 1, '1', false],
  ['a secret and one with its fingerprint', new Secret('a', 'f1'), new Secret('a', 'f1'), true],
  ['a secret and one with another fingerprint', new Secret('a', 'f1'), new Secret('b', 'f2'), false],
  ['a secret and its text', new Secret('a', 'f1'), '(secret f1)', true],
  ['the text of a secret and the secret', '(secret f1)', new Secret('a', 'f1'), true],
  ['a secret and the text of another', new Secret('a', 'f1'), '(secret f2)', false],
  ['a secret and its value', new Secret('a', 'f1'), 'a', false],
] as const)('%s: %j and %j are the same: %s', (_, a, b, same) => {
  expect(sameJson(a, b)).toBe(same)
})

test('an overlay replaces a value unless both are objects', () => {
  expect(overlay({ a: 1, b: { c: 1 } }, { a: { d: 1 }, b: 2 })).toEqual({ a: { d: 1 }, b: 2 })
  expect(overlay({}, { toString: 1 })).toEqual({ toString: 1 })
})

test('an overlay keeps undeclared fields and replaces lists', () => {
  expect(overlay({ a: 1, b: { c: 1, d: 2 }, e: [1, 2] }, { b: { c: 9 }, e: [3] })).toEqual({
    a: 1,
    b: { c: 9, d: 2 },
    e: [3],
  })
})

test('an overlay of a secret with its text keeps the secret', () => {
  const secret = new Secret('a', 'f1')
  expect(overlay({ token: secret }, { token: '(secret f1)' })['token']).toBe(secret)
  expect(overlay({ token: secret }, { token: 'b' })).toEqual({ token: 'b' })
})

const unknown = new Unknown(at('Bucket/raw'), 'names')

describe('a write is as planned', () => {
  const live = { a: ['x', 'y'], b: { c: 1 }, d: 'text' }
  const cases: Readonly<Record<string, readonly [planned: JsonObject, now: JsonObject, isPlanned: boolean]>> = {
    'where nothing differs any more': [{ a: ['z'] }, { a: ['x', 'y'] }, true],
    'where a value became another than was planned': [{ d: 'one' }, { d: 'two' }, false],
    'where an unknown became a text': [{ d: unknown }, { d: 'new' }, true],
    'where an unknown became a list over a list': [{ a: unknown }, { a: ['p', 'q', 'r'] }, true],
    'where an unknown became a shorter list': [{ a: unknown }, { a: [] }, true],
    'where an unknown became a map over a map': [{ b: unknown }, { b: { c: 2, e: 3 } }, true],
    'where an unknown of a list became a map': [{ a: [unknown, 'y'] }, { a: [{ k: 1 }, 'y'] }, true],
    'where an unknown in a map that is new became a text': [
      { n: { id: unknown, on: true } },
      { n: { id: '1', on: true } },
      true,
    ],
    'where a map that is new has another key': [{ n: { id: unknown } }, { n: { id: '1', more: 1 } }, false],
    'where a list that is new is longer': [{ n: [unknown] }, { n: ['1', '2'] }, false],
    'where a known value beside an unknown changed': [
      { n: { id: unknown, on: true } },
      { n: { id: '1', on: false } },
      false,
    ],
    'where a field differs of which the plan says nothing': [{ d: unknown }, { d: 'new', b: { c: 2 } }, false],
    'where an element goes of which the plan says nothing': [{ d: unknown }, { d: 'new', a: ['x'] }, false],
    'where a field differs whose name begins like that of an unknown': [{ d: unknown }, { d: 'new', dd: 1 }, false],
  }
  test.each(Object.entries(cases))('%s', (_, [planned, now, isPlanned]) => {
    expect(isAsPlanned(fieldChanges(live, planned), fieldChanges(live, now))).toBe(isPlanned)
  })
})
