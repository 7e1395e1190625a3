import { describe, expect, test } from 'vitest'
import { setsOption } from '../../../../src/influxdb/kinds/flux/flux-words.js'

describe('a query sets an option', () => {
  const cases: Readonly<Record<string, readonly [query: string, sets: boolean]>> = {
    'at its beginning': ['option params = {a: 1}', true],
    'after imports and a comment': ['import "x"\n// option task = {}\noption params={}', true],
    'with a comment inside': ['option // which\n  params\n=\n{}', true],
    'after a pattern with a quote': ['a = b =~ /"/\noption params = {}', true],
    'after a pattern with slashes': ['a = b =~ /x\\/\\/"/\noption params = {}', true],
    'after a quotient': ['a = b / c\noption params = {}\nd = e / f', true],
    'after a text with code in it': ['a = "${f(b: "}")} \\" x"\noption params = {}', true],
    'not in a comment': ['// option params = {}', false],
    'not in a text': ['a = "option params = {}"', false],
    'not in code in a text': ['a = "${option params = {}}"', false],
    'not in a pattern': ['a = b =~ /option params = {}/', false],
    'not in brackets': ['{ option params = {} }', false],
    'not of another name': ['option parameters = {}', false],
    'not in a package': ['option params.a = {}', false],
    'not in an unterminated text': ['a = "\noption params = {}', false],
    'not without a value': ['option params', false],
  }
  test.each(Object.entries(cases))('%s', (_title, [query, sets]) => {
    expect(setsOption(query, 'params')).toBe(sets)
  })
})

test('a search in 64 KiB of any text ends', () => {
  for (const part of ['"', '"${', '/', '{', 'option ', '\\', '//', '}'])
    expect(setsOption(`option ${part.repeat(65_536 / part.length)}`, 'params')).toBe(false)
})
