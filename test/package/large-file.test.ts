// A file that is parsed elsewhere comes in pieces, and says the same as one that is parsed here.
import { expect, test } from 'vitest'
import { isObject, type Json } from '../../src/model/json.js'
import { pointerTo } from '../../src/lib/text/json-pointer.js'
import { finish } from '../../src/lib/async/steps.js'
import { LargeFile, LargeFileParser } from '../../src/package/large-file.js'
import { packageLimits } from '../../src/package/package.js'
import { PackageText, type Format } from '../../src/package/package-text.js'
import { ParseError } from '../../src/package/parse-error.js'
import type { ParsedFile } from '../../src/package/parsed-cache.js'

/** Parses in this thread. */
function parseHere(text: PackageText): ParsedFile | ParseError {
  const parser = new LargeFileParser()
  const file = new LargeFile(text)
  for (let question = file.question; question !== undefined; question = file.question)
    finish(file.take(parser.answer(question)))
  return file.parsed
}

/** Every pointer into a value. */
function pointersIn(value: Json, pointer = ''): readonly string[] {
  if (Array.isArray(value))
    return [pointer, ...value.flatMap((one, at) => pointersIn(one as Json, pointerTo(pointer, at)))]
  if (!isObject(value)) return [pointer]
  return [pointer, ...Object.entries(value).flatMap(([key, one]) => pointersIn(one, pointerTo(pointer, key)))]
}

const texts: Readonly<Record<string, readonly [Format, string]>> = {
  'documents, some of them empty': [
    'yaml',
    'kind: a\n---\n\n---\nkind: b\nspec:\n  list:\n    - 1\n    - {x: [true, null, 2.5]}\n',
  ],
  'a document that is a list': [
    'yaml',
    '- kind: a\n  spec: {x: 1}\n-\n  kind: b\n  spec:\n\n    y: |\n      one\n      two\n- 3\n- []\n',
  ],
  'aliases and merge keys': [
    'yaml',
    'kind: a\nbase: &base\n  x: 1\n  deep: {y: [1, 2]}\nspec:\n  <<: *base\n  z: *base\n  list:\n    - *base\n',
  ],
  'keys that are numbers, or prototypes': [
    'yaml',
    'kind: a\nspec:\n  10: ten\n  b: 1\n  2: two\n  __proto__: p\n  constructor: c\n  a/b~c: 1\n',
  ],
  'a JSON list': ['json', '[\n {"kind": "a",\n  "spec": {"x": [\n1,\n2], "9": 1, "1": 2}},\n {}, "text"]'],
  'a JSON object': ['json', '{"kind": "a", "spec": {"x": {"y": []}}}\n'],
  nothing: ['json', ' '],
  'more than one piece': ['yaml', `kind: a\nspec:\n  list:\n${'    - {a: 1, b: [x, y]}\n'.repeat(3_000)}`],
}

test.each(Object.entries(texts))('%s', (_, [format, written]) => {
  const bytes = Buffer.from(written)
  const here = new PackageText(bytes, format, packageLimits)
  const expected = here.parse()
  const parsed = parseHere(new PackageText(bytes, format, packageLimits))
  if (parsed instanceof ParseError) throw parsed
  expect(parsed.values).toBe(expected.values)
  expect(parsed.entries.map(({ lines: _lines, ...entry }) => entry)).toEqual(expected.entries)
  for (const [at, entry] of expected.entries.entries()) {
    const pointers = [...pointersIn(entry.value).slice(0, 500), '/nowhere', '/spec/nowhere/at/all']
    const lines = pointers.map((pointer) => here.lineOf(parsed.entries[at]!, pointer))
    expect(lines).toEqual(pointers.map((pointer) => here.lineOf(entry, pointer)))
  }
})

test('a file is copied to the other thread in pieces of at most 4 MiB', () => {
  const bytes = Buffer.from(`{"kind": "a", "text": "${'é'.repeat(5 * 2 ** 20)}"}`)
  const file = new LargeFile(new PackageText(bytes, 'json', packageLimits))
  const parser = new LargeFileParser()
  const sizes: number[] = []
  for (let question = file.question; question !== undefined; question = file.question) {
    if (question.ask !== 'piece') sizes.push(question.bytes.length)
    finish(file.take(parser.answer(question)))
  }
  expect(sizes).toEqual([4 * 2 ** 20, 4 * 2 ** 20, bytes.length - 8 * 2 ** 20])
  expect(file.parsed).toMatchObject({ entries: [{ value: JSON.parse(bytes.toString()) as unknown }] })
})

test('an unreadable text has a reason and a place', () => {
  const bytes = Buffer.from('kind: a\nkind: b\n')
  const here = new PackageText(bytes, 'yaml', packageLimits).tryParse()
  const there = parseHere(new PackageText(bytes, 'yaml', packageLimits))
  const facts = (found: unknown): object => {
    const { code, offset, message, hint } = found as ParseError
    return { code, offset, message, hint }
  }
  expect(there).toBeInstanceOf(ParseError)
  expect(facts(there)).toEqual(facts(here))
})
