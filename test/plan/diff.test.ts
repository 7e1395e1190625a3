import { describe, expect, test } from 'vitest'
import { Secret, Unknown, type JsonObject } from '../../src/model/json.js'
import { fieldChanges, isAsPlanned, overlay, sameJson } from '../../src/plan/diff.js'
import { at } from './scenario.js'

const cases: Readonly<
  Record<string, readonly [actual: JsonObject | undefined, desired: JsonObject, paths: readonly string[]]>
> = {
  'of nothing is everything': [undefined, { a: 1, b: { c: 2 } }, ['a', 'b']],
  'of equal states is empty': [{ a: [1, { b: 2 }] }, { a: [1, { b: 2 }] }, []],
  'ignores undeclared fields: objects are open': [{ a: 1, b: 2 }, { a: 1 }, []],
  'ignores undeclared fields of nested objects': [{ a: { b: 1, c: 2 } }, { a: { b: 1 } }, []],
  'ignores undeclared fields of an object in a list': [{ a: [{ b: 1, id: 7 }] }, { a: [{ b: 1 }] }, []],
  'has the path in nested objects': [{ a: { b: { c: 1 } } }, { a: { b: { c: 2 } } }, ['a.b.c']],
  'has the index in lists': [{ a: [1, 2, 3] }, { a: [1, 5, 3] }, ['a[1]']],
  'has the first index in lists': [{ a: [1, 2] }, { a: [5, 2] }, ['a[0]']],
  'has missing elements of a list': [{ a: [1] }, { a: [1, 2, 3] }, ['a[1]', 'a[2]']],
  'has additional elements of a list: lists are closed': [{ a: [1, 2, 3] }, { a: [1] }, ['a[1]', 'a[2]']],
  'has the elements that an empty list does not have': [{ a: [1] }, { a: [] }, ['a[0]']],
  'distinguishes null and absent': [{}, { a: null }, ['a']],
  'distinguishes a number and its text': [{ a: 1 }, { a: '1' }, ['a']],
  'distinguishes a list and an object': [{ a: [] }, { a: {} }, ['a']],
  'quotes keys that are not names': [{}, { 'a b': 1, 'c.d': 2 }, ['["a b"]', '["c.d"]']],
  'does not read inherited properties': [{}, { constructor: 1 }, ['constructor']],
  'has a secret with another fingerprint': [{ a: new Secret('x', 'f1') }, { a: new Secret('y', 'f2') }, ['a']],
  'does not have a secret with the same fingerprint': [{ a: new Secret('x', 'f1') }, { a: new Secret('x', 'f1') }, []],
  'has a value that is known after apply': [{ a: 'b' }, { a: new Unknown(at('Label/red'), 'id') }, ['a']],
}

describe('a difference', () => {
  test.each(Object.entries(cases))('%s', (_, [actual, desired, paths]) => {
    expect(fieldChanges(actual, desired).map(({ path }) => path)).toEqual(paths)
  })

  test('has the old and the new value, each if it exists', () => {
    expect(fieldChanges({ a: 1, c: [1] }, { a: 2, b: 3, c: [] })).toEqual([
      { path: 'a', old: 1, new: 2 },
      { path: 'b', new: 3 },
      { path: 'c[0]', old: 1 },
    ])
  })

  test('has the fields that only the actual state has, at every depth, if asked for', () => {
    const actual = { a: 1, b: { c: 1, d: 2 }, e: [{ f: 1, g: 2 }] }
    const desired = { b: { c: 1 }, e: [{ f: 2 }] }
    expect(fieldChanges(actual, desired, { withRemoved: true })).toEqual([
      { path: 'b.d', old: 2 },
      { path: 'e[0].f', old: 1, new: 2 },
      { path: 'e[0].g', old: 2 },
      { path: 'a', old: 1 },
    ])
  })
})

test('unknown values are equal if they wait for the same output', () => {
  const id = new Unknown(at('Label/red'), 'id')
  expect(sameJson(id, new Unknown(at('Label/red'), 'id'))).toBe(true)
  expect(sameJson(id, new Unknown(at('Label/red'), 'url'))).toBe(false)
  expect(sameJson(id, new Unknown(at('Label/blue'), 'id'))).toBe(false)
  expect(sameJson(id, { to: 'Label/red', output: 'id' })).toBe(false)
})

test.each([
  ['lists of the same elements in the same order', [1, { a: [2] }], [1, { a: [2] }], true],
  ['lists in another order', [1, 2], [2, 1], false],
  ['lists of another length', [1, 2], [1], false],
  ['lists of another length', [1], [1, 2], false],
  ['lists of which one element differs', [1, 2], [1, 3], false],
  ['empty lists', [], [], true],
  ['a list and a text of its letters', ['x'], 'x', false],
  ['a list and an object', [], {}, false],
  ['an object and a list', {}, [], false],
  ['an object and a number', {}, 1, false],
  ['objects of the same fields in any order', { a: 1, b: 2 }, { b: 2, a: 1 }, true],
  ['objects with additional fields', { a: 1 }, { a: 1, b: 2 }, false],
  ['objects with additional fields', { a: 1, b: 2 }, { a: 1 }, false],
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
  const actual = { a: ['x', 'y'], b: { c: 1 }, d: 'text' }
  const cases: Readonly<Record<string, readonly [planned: JsonObject, now: JsonObject, isPlanned: boolean]>> = {
    'if nothing differs any more': [{ a: ['z'] }, { a: ['x', 'y'] }, true],
    'not if a value differs from the planned one': [{ d: 'one' }, { d: 'two' }, false],
    'if an unknown value became a text': [{ d: unknown }, { d: 'new' }, true],
    'if an unknown value became a list that replaces a list': [{ a: unknown }, { a: ['p', 'q', 'r'] }, true],
    'if an unknown value became a shorter list': [{ a: unknown }, { a: [] }, true],
    'if an unknown value became a map that replaces a map': [{ b: unknown }, { b: { c: 2, e: 3 } }, true],
    'if an unknown element became a map': [{ a: [unknown, 'y'] }, { a: [{ k: 1 }, 'y'] }, true],
    'if an unknown value in a new map became a text': [
      { n: { id: unknown, on: true } },
      { n: { id: '1', on: true } },
      true,
    ],
    'not if a new map has another key': [{ n: { id: unknown } }, { n: { id: '1', more: 1 } }, false],
    'not if a new list is longer': [{ n: [unknown] }, { n: ['1', '2'] }, false],
    'not if a known value beside an unknown one changed': [
      { n: { id: unknown, on: true } },
      { n: { id: '1', on: false } },
      false,
    ],
    'if an unknown element of a new list became a text': [{ n: [unknown, 'y'] }, { n: ['x', 'y'] }, true],
    'not if a new list became a text': [{ n: [unknown] }, { n: 'x' }, false],
    'not if a known element beside an unknown one changed': [{ n: [unknown, 'y'] }, { n: ['x', 'z'] }, false],
    'not if a new map became a number': [{ n: {} }, { n: 1 }, false],
    'if one of two unknown values became a list': [{ a: unknown, d: unknown }, { a: ['p', 'q', 'r'], d: 'new' }, true],
    'not if a field below a known value differs': [{ b: 5, d: unknown }, { b: { c: 2 }, d: 'new' }, false],
    'not if an unplanned field differs': [{ d: unknown }, { d: 'new', b: { c: 2 } }, false],
    'not if an unplanned element is removed': [{ d: unknown }, { d: 'new', a: ['x'] }, false],
    'not if a field differs whose name begins like that of an unknown value': [
      { d: unknown },
      { d: 'new', dd: 1 },
      false,
    ],
  }
  test.each(Object.entries(cases))('%s', (_, [planned, now, isPlanned]) => {
    expect(isAsPlanned(fieldChanges(actual, planned), fieldChanges(actual, now))).toBe(isPlanned)
  })
})
