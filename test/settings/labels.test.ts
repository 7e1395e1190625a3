// Labels and selectors have the syntax of Kubernetes.
import { describe, expect, test } from 'vitest'
import type { LabelCondition } from '../../src/model/stacks/stack.js'
import { matchesLabels, parseSelector } from '../../src/settings/labels.js'
import { readStackDocument } from '../../src/settings/documents/stack-document.js'

const least = 'name: boards\nsources: [{ url: https://git.example/boards }]\n'
const name63 = 'a'.repeat(63)

function problemsOf(labels: string): readonly string[] {
  return readStackDocument('boards.yaml', `${least}labels: ${labels}\n`).problems.map(({ message }) => message)
}

describe('the labels of a document', () => {
  test.each([
    '{ team: ops }',
    '{ example.com/team: ops, Tier_2.a-b: "" }',
    `{ ${name63}: ${name63} }`,
    `{ ${'a.'.repeat(126)}a/x: "1" }`,
  ])('may be %s', (labels) => {
    expect(problemsOf(labels)).toEqual([])
  })

  test.each([
    ['{ -team: ops }', '"labels.-team": must be 1 to 63 of'],
    ['{ team_: ops }', '"labels.team_": must be 1 to 63 of'],
    [`{ ${name63}a: ops }`, 'must be 1 to 63 of'],
    ['{ Example.com/team: ops }', 'optionally after a DNS name and a slash'],
    ['{ a/b/c: ops }', 'must be 1 to 63 of'],
    ['{ /team: ops }', 'must be 1 to 63 of'],
    ['{ team: "not ops" }', '"labels.team" must be empty, or 1 to 63 of'],
    [`{ team: ${name63}a }`, '"labels.team" must be empty, or 1 to 63 of'],
    ['{ tier: 1 }', '"labels.tier" must be a text, not a number.'],
    [`{ ${Array.from({ length: 51 }, (_, at) => `l${at}: x`).join(', ')} }`, '"labels" must have at most 50 labels.'],
  ])('may not be %s', (labels, message) => {
    expect(problemsOf(labels).join('\n')).toContain(message)
  })
})

describe('a selector', () => {
  test('has conditions on equality and existence, which combine with AND', () => {
    expect(parseSelector('team=ops, tier!=test,zone == eu-1 ,example.com/env,!old,none=,')).toMatchObject({
      position: 63,
    })
    expect(parseSelector('team=ops, tier!=test,zone == eu-1 ,example.com/env,! old,none=')).toEqual([
      { operator: 'equals', key: 'team', value: 'ops' },
      { operator: 'differs', key: 'tier', value: 'test' },
      { operator: 'equals', key: 'zone', value: 'eu-1' },
      { operator: 'exists', key: 'example.com/env' },
      { operator: 'absent', key: 'old' },
      { operator: 'equals', key: 'none', value: '' },
    ])
  })

  test.each([
    ['', 1, 'expected the key of a label, found the end.'],
    [' ', 2, 'expected the key of a label, found the end.'],
    ['team=ops,', 10, 'expected the key of a label, found the end.'],
    [',team', 1, 'expected the key of a label, found ",".'],
    ['=ops', 1, 'expected the key of a label, found "=".'],
    ['!', 2, 'expected the key of a label, found the end.'],
    ['!!old', 2, 'expected the key of a label, found "!".'],
    ['!old=1', 5, 'expected a comma or the end after !KEY, found "=".'],
    ['team in (a,b)', 6, 'expected =, !=, a comma or the end after a key, found "in".'],
    ['team=ops tier=a', 10, 'expected a comma or the end after a value, found "tier".'],
    ['team==!ops', 7, 'expected a value, a comma or the end, found "!".'],
    ['a=b,te*m=ops', 5, 'a key must be 1 to 63 of'],
    ['team=o*s', 6, 'a value must be empty, or 1 to 63 of'],
    [Array.from({ length: 21 }, () => 'a').join(','), 1, 'a selector has at most 20 conditions.'],
  ])('%j is malformed at character %i', (text, position, message) => {
    const read = parseSelector(text)
    expect(read).toMatchObject({ position })
    expect('message' in read && read.message).toContain(message)
  })
})

describe('labels match a selector', () => {
  const labels = { env: 'prod', empty: '', constructor: 'x' }

  test.each([
    ['env=prod', true],
    ['env=test', false],
    ['env!=test', true],
    ['env!=prod', false],
    ['tier!=edge', true],
    ['env', true],
    ['tier', false],
    ['!tier', true],
    ['!env', false],
    ['empty=', true],
    ['tier=', false],
    ['env=prod,!tier,empty', true],
    ['env=prod,tier', false],
    ['toString', false],
    ['!toString', true],
  ])('%s: %s', (selector, expected) => {
    expect(matchesLabels(labels, parseSelector(selector) as readonly LabelCondition[])).toBe(expected)
  })
})
