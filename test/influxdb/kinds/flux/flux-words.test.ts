import { describe, expect, test } from 'vitest'
import { afterImports, setsOption } from '../../../../src/influxdb/kinds/flux/flux-words.js'

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

describe('imports end', () => {
  const cases: Readonly<Record<string, readonly [imports: string, rest: string]>> = {
    'nowhere without one': ['', 'a = 1'],
    'after the last': ['import "a"\nimport b "c/d"', '\n\nfrom()'],
    'after a package clause': ['package main', '\na = 1'],
    'after comments between them': ['// x\nimport "a" // y\nimport "b"', ' // z\na = 1'],
    'before a text that resembles one': ['import "a"', '\nx = "import \\"b\\""'],
  }
  test.each(Object.entries(cases))('%s', (_title, [imports, rest]) => {
    const query = imports + rest
    expect(query.slice(0, afterImports(query))).toBe(imports)
  })
})

test('a search in 64 KiB of any text ends', () => {
  for (const part of ['"', '"${', '/', '{', 'option ', '\\', '//', '}'])
    expect(setsOption(`option ${part.repeat(65_536 / part.length)}`, 'params')).toBe(false)
})
