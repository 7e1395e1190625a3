import { describe, expect, test } from 'vitest'
import { formatProblem } from '../../src/model/problem.js'
import { isPackageFile } from '../../src/package/package-files.js'
import { packageLimits, ParsedCache, readPackage, type PackageFile } from '../../src/package/package.js'
import { doc, docs, file } from '../graph/read-texts.js'

const label = (name: string): string => `apiVersion: influxdata.com/v2alpha1\nkind: Label\nmetadata:\n  name: ${name}\n`

function namesOf(...files: readonly PackageFile[]): readonly string[] {
  return readPackage(files).value.map(({ name }) => name)
}

function codesOf(text: string, path = 'a.yml'): readonly string[] {
  return readPackage([file(path, text)]).problems.map(({ code }) => code)
}

describe('the files of a package', () => {
  test.each([
    'a.yml',
    'a/b.yaml',
    'deep/er/c.json',
    'a.jsonnet',
    'lib/a.libsonnet',
    'daily.flux',
    'agent.toml',
    '.gitmoorignore',
  ])('%s is a package file', (path) => {
    expect(isPackageFile(path)).toBe(true)
  })
  test.each([
    'README.md',
    'a.txt',
    '.a.yml',
    '.github/workflows/ci.yml',
    'a/.b/c.yml',
    'a/.gitmoorignore',
    'yml',
    'a.YML',
  ])('%s is not a package file', (path) => {
    expect(isPackageFile(path)).toBe(false)
  })

  test('are read in the byte order of their paths', () => {
    const paths = ['b.yml', 'a/z.yml', 'a.yml', '\u{1f600}.yml', '\uff5e.yml']
    const documents = readPackage(paths.map((path, at) => file(path, label(`l${at}`)))).value
    expect(documents.map(({ place }) => [place.file, place.index])).toEqual([
      ['a.yml', 0],
      ['a/z.yml', 1],
      ['b.yml', 2],
      ['\uff5e.yml', 3],
      ['\u{1f600}.yml', 4],
    ])
  })

  test('listed in .gitmoorignore are not read; a later line may re-include one', () => {
    const ignored = file('.gitmoorignore', '# drafts\n*.json\n/old/\n!keep.json\n')
    const paths = ['a.json', 'keep.json', 'old/b.yml', 'new/old/c.yml', 'A.JSON.yml']
    expect(
      readPackage([ignored, ...paths.map((path) => file(path, doc('Label', 'aa')))]).value.map(
        ({ place }) => place.file,
      ),
    ).toEqual(['A.JSON.yml', 'keep.json', 'new/old/c.yml'])
  })

  test('are matched in bounded time: a pattern with too many stars is an error', () => {
    const { problems } = readPackage([
      file('.gitmoorignore', 'fine*\n*a*a*a*a*a*a*b\n'),
      file(`${'a'.repeat(250)}.yml`, label('aa')),
    ])
    expect(problems.map(formatProblem)).toEqual([
      '.gitmoorignore:2: The pattern "*a*a*a*a*a*a*b" at line 2 of .gitmoorignore has too many stars.',
    ])
  })

  test('without an apiVersion or kind are skipped with a warning, and use no index', () => {
    const { value, problems } = readPackage([
      file('compose.yml', 'services: {}\n'),
      file('package.json', '{"name": "x"}'),
      file('z.yml', label('aa')),
    ])
    expect(value.map(({ place }) => place.index)).toEqual([0])
    expect(problems.map(({ severity, code, place }) => [severity, code, place!.file])).toEqual([
      ['warning', 'package/skipped', 'compose.yml'],
      ['warning', 'package/skipped', 'package.json'],
    ])
  })
})

describe('the documents of a file', () => {
  test.each([
    ['one', label('aa'), ['aa']],
    ['several', `${label('aa')}---\n${label('bb')}`, ['aa', 'bb']],
    ['empty ones, which are skipped', `---\n---\n# nothing\n---\n${label('aa')}---\n# end\n`, ['aa']],
    [
      'a list of documents',
      `- {apiVersion: v, kind: k, metadata: {name: aa}}\n- apiVersion: v\n  kind: k\n  metadata: {name: bb}\n`,
      ['aa', 'bb'],
    ],
    ['only comments', '# nothing\n', []],
    ['nothing', '', []],
    ['aliases and merge keys', `apiVersion: v\nkind: k\nmetadata: &m {name: aa}\nspec: {<<: *m}\n`, ['aa']],
  ])('in YAML: %s', (_title, text, names) => {
    expect(namesOf(file('a.yml', text))).toEqual(names)
  })
  test.each([
    ['an array', `[${doc('Label', 'aa')}, ${doc('Label', 'bb')}]`, ['aa', 'bb']],
    ['one object', doc('Label', 'aa'), ['aa']],
    ['an empty array', '[]', []],
    ['nothing', ' \n', []],
    ['a byte order mark', `\ufeff${doc('Label', 'aa')}`, ['aa']],
  ])('in JSON: %s', (_title, text, names) => {
    expect(namesOf(file('a.json', text))).toEqual(names)
  })

  test('have null prototypes, so __proto__ and constructor are ordinary keys', () => {
    for (const [path, text] of [
      ['a.yml', `${label('aa')}spec: {__proto__: {polluted: 1}, constructor: 2, deep: {toString: 3}}\n`],
      [
        'a.json',
        doc('Label', 'aa').replace(
          '"spec":{}',
          '"spec":{"__proto__":{"polluted":1},"constructor":2,"deep":{"toString":3}}',
        ),
      ],
    ] as const) {
      const spec = readPackage([file(path, text)]).value[0]!.body['spec'] as Record<string, object>
      expect(Object.keys(spec)).toEqual(['__proto__', 'constructor', 'deep'])
      expect([Object.getPrototypeOf(spec), Object.getPrototypeOf(spec['deep'])]).toEqual([null, null])
      expect(({} as { polluted?: number }).polluted).toBeUndefined()
    }
  })

  test('have numbers of YAML 1.2 that JSON can represent', () => {
    const text = `${label('aa')}spec: {a: 2.592e+06, b: 1e+08, c: 0o17, d: 017, e: .inf, f: .nan, g: yes, h: 2020-01-01, i: 1e999, j: ~}\n`
    const { spec } = readPackage([file('a.yml', text)]).value[0]!.body
    expect(spec).toEqual({
      a: 2592000,
      b: 100000000,
      c: 15,
      d: 17,
      e: '.inf',
      f: '.nan',
      g: 'yes',
      h: '2020-01-01',
      i: '1e999',
      j: null,
    })
  })

  test.each([
    ['|\n    a', 'a'],
    ['|\n    a\n', 'a\n'],
    ['|\n    a\n  ', 'a\n'],
    ['|+\n    a', 'a'],
    ['>-\n    a\n', 'a'],
    ['|\n    a\n# b', 'a\n'],
    ['"a"', 'a'],
  ])('have block scalars with their own line breaks: %j is %j', (written, read) => {
    const [document] = readPackage([file('a.yml', `${label('red')}spec:\n  color: ${written}`)]).value
    expect(document!.body['spec']).toEqual({ color: read })
  })

  test('have the name that an envRef resolves to', () => {
    const named = (ref: object): PackageFile =>
      file('a.json', doc('Label', '', {}, { metadata: { name: { envRef: ref } } }))
    expect(namesOf(named({ key: 'k' }))).toEqual(['env-k'])
    expect(namesOf(named({ key: 'k', default: 'd' }))).toEqual(['d'])
    expect(namesOf(named({}))).toEqual([''])
    expect(readPackage([named({ key: 'k', default: 'd' })], { values: new Map([['k', 'v']]) }).value[0]!.name).toBe('v')
  })
})

describe('lines', () => {
  const yaml = `# a comment\n${label('aa')}---\n\n${label('bb')}spec:\n  associations:\n  - kind: Label\n    name: x\n  - kind: Label\n    name: >-\n      y\n`
  const json = `[\n${doc('Label', 'aa')},\n{"apiVersion": "v", "kind": "k",\n "metadata": {\n  "name": "bb"},\n "spec": {"a/b": [1,\n 2]}}]\n`

  test.each([
    ['a.yml', yaml, '', 8],
    ['a.yml', yaml, '/kind', 9],
    ['a.yml', yaml, '/metadata/name', 11],
    ['a.yml', yaml, '/spec', 12],
    ['a.yml', yaml, '/spec/associations/0', 14],
    ['a.yml', yaml, '/spec/associations/1/name', 17],
    ['a.yml', yaml, '/spec/associations/1/nothing/here', 16],
    ['a.yml', yaml, '/spec/other', 12],
    ['a.json', json, '', 3],
    ['a.json', json, '/metadata/name', 5],
    ['a.json', json, '/spec/a~1b/1', 7],
    ['a.json', json, '/spec/a~1b/7', 6],
  ])('%s: of %4$s', (path, text, pointer, line) => {
    const document = readPackage([file(path, text)]).value[1]!
    expect(document.locate(pointer)).toEqual({ file: path, index: 1, pointer, line })
  })

  test("of an alias's content are the line of the alias", () => {
    const text = `apiVersion: v\nkind: k\nmetadata: &m\n  name: aa\nspec:\n  copy: *m\n`
    expect(readPackage([file('a.yml', text)]).value[0]!.locate('/spec/copy/name').line).toBe(6)
  })

  test('of documents in a list are those of the entries', () => {
    const text = `- apiVersion: v\n  kind: k\n  metadata: {name: aa}\n- apiVersion: v\n  kind: k\n  metadata:\n    name: bb\n`
    const [, second] = readPackage([file('a.yml', text)]).value
    expect([second!.place.line, second!.locate('/metadata/name').line]).toEqual([4, 7])
  })

  test('count every kind of line break', () => {
    expect(
      readPackage([file('a.yml', label('aa').replaceAll('\n', '\r\n'))]).value[0]!.locate('/metadata/name').line,
    ).toBe(4)
  })
})

describe('an unreadable file is one problem with file, line and column', () => {
  test.each([
    ['a flow that is not closed', 'a.yml', 'a: [1, 2', 'package/syntax', 1],
    ['a tab as indentation', 'a.yml', 'a:\n\t- b', 'package/syntax', 2],
    ['a control character', 'a.yml', 'a: \u0001', 'package/syntax', 1],
    ['a custom tag', 'a.yml', 'a: 1\nb: !secret x', 'package/syntax', 2],
    ['an alias to nothing', 'a.yml', 'a: *b', 'package/syntax', 1],
    ['an alias that refers to itself', 'a.yml', 'a: &a\n  - *a', 'package/alias', 2],
    ['a duplicate key', 'a.yml', 'a: 1\nb: 2\na: 3', 'package/duplicate-key', 3],
    ['a key that is a list', 'a.yml', '? [a]\n: b', 'package/syntax', 1],
    ['a duplicate key in JSON', 'a.json', '{"a": 1,\n "a": 2}', 'package/duplicate-key', 2],
    ['a duplicate key in JSON with another spelling', 'a.json', '{"a": 1, "\\u0061": 2}', 'package/duplicate-key', 1],
    ['a comma at the end in JSON', 'a.json', '[1,\n]', 'package/syntax', 2],
    ['a comment in JSON', 'a.json', '// x\n{}', 'package/syntax', 1],
    ['an unclosed string in JSON', 'a.json', '{"a', 'package/syntax', 1],
    ['an infinite number in JSON', 'a.json', '[1e999]', 'package/syntax', 1],
    ['lists too deep', 'a.yml', '['.repeat(65) + ']'.repeat(65), 'package/depth', 1],
    ['lists too deep in JSON', 'a.json', '['.repeat(100_000), 'package/depth', 1],
  ])('%s', (_title, path, text, code, line) => {
    const { value, problems } = readPackage([file(path, text), file('z.yml', label('aa'))])
    expect(problems).toMatchObject([{ severity: 'error', code, place: { file: path, line } }])
    expect(problems[0]!.message).toMatch(new RegExp(`^${path}:${line}:\\d+ cannot be read: `))
    expect(problems[0]!.field).toBeUndefined()
    expect(value.map(({ name }) => name)).toEqual(['aa'])
  })

  test.each([
    ['a.yml', 'a: 1\n"b c": 2\n"b c": 3', 3, '"b c"', 2],
    ['a.yml', 'x:\n  k: 1\n  l: {k: 2}\n  k: 3', 4, '"k"', 2],
    ['a.yml', '- k: 1\n- l: 1\n  m: [{k: 2}]\n  l: 3', 4, '"l"', 2],
    ['a.yml', 'x: &a {k: 1}\n---\nx: 1\ny: 2\nx: 3', 5, '"x"', 3],
    ['a.json', '{"a": 1,\n "\\u0061": 2}', 2, '"a"', 1],
    ['a.json', '[{"x": {"b": {"c": 1},\n "c": 2,\n "c": 3}}]', 3, '"c"', 2],
  ])('a duplicate key in %s names both places and the key: %j', (path, text, line, key, first) => {
    const [problem] = readPackage([file(path, text)], { pathOf: (name) => `boards/${name}` }).problems
    const at = `boards/${path}`
    expect(problem!.place).toMatchObject({ file: at, line })
    expect(problem!.message).toMatch(
      new RegExp(`^${at}:${line}:\\d+ cannot be read: duplicate key ${key}, first at ${at}:${first}\\.$`),
    )
  })

  test('bytes that are not UTF-8', () => {
    for (const bytes of [
      Buffer.from([0x61, 0xff]),
      Buffer.from('a: 1', 'utf16le').subarray(0, 7),
      Buffer.from([0xff, 0xfe, 0x61, 0]),
    ]) {
      const { problems } = readPackage([{ path: 'a.yml', id: 'x', bytes }])
      expect(['package/encoding', 'package/syntax']).toContain(problems[0]!.code)
    }
  })

  test('and its file name is printed with control characters escaped', () => {
    const [problem] = readPackage([file('a\u202egpj.\u001b[31m.yml', 'a: [')]).problems
    expect(formatProblem(problem!)).toMatch(/^a\\u202egpj\.\\u001b\[31m\.yml:1: a\\u202egpj/)
  })
})

describe('entries that are not documents', () => {
  test.each([
    ['without a kind', '{"apiVersion": "v"}', 'root[0].kind'],
    ['with a kind that is not a text', '{"apiVersion": "v", "kind": true}', 'root[0].kind'],
    ['in a list in a list', `[[], ${doc('Label', 'aa')}]`, 'root[0].kind'],
    ['beside others', docs('a: 1', doc('Label', 'aa')), 'root[0].kind'],
  ])('%s', (_title, text, field) => {
    expect(readPackage([file('a.yml', text)]).problems.map((problem) => problem.field)).toEqual([field])
  })
})

describe('limits', () => {
  test('an alias bomb costs no more than its text', () => {
    const bomb = ['a: &a [x,x,x,x,x,x,x,x,x]']
    for (const [at, letter] of 'bcdefghi'.split('').entries())
      bomb.push(`${letter}: &${letter} [${Array(9).fill(`*${'abcdefgh'[at]}`).join(',')}]`)
    expect(codesOf(bomb.join('\n'))).toEqual(['package/alias'])
  })

  test('the number of aliases is limited', () => {
    expect(codesOf(`a: &a 1\nb: [${Array(1001).fill('*a').join(',')}]`)).toEqual(['package/alias'])
    expect(codesOf(`a: &a 1\nb: [${Array(1000).fill('*a').join(',')}]`)).toEqual(['package/skipped'])
  })

  test('repeated merge keys are limited', () => {
    const keys = Array.from({ length: 900 }, (_, at) => `k${at}: 1`).join(', ')
    expect(codesOf(`a: &a {${keys}}\nb: [${Array(200).fill('{<<: *a}').join(',')}]`)).toEqual(['package/alias'])
  })

  test('the number of documents is limited', () => {
    const limits = { ...packageLimits, documents: 2 }
    const { value, problems } = readPackage(
      [file('a.yml', docs(label('aa'), label('bb'), label('cc'))), file('b.yml', label('dd'))],
      {
        limits,
      },
    )
    expect([value.length, problems.map(({ code }) => code)]).toEqual([2, ['package/too-large']])
  })

  test('the bytes of a package are limited', () => {
    const { value, problems } = readPackage([file('a.yml', label('aa'))], { limits: { ...packageLimits, bytes: 10 } })
    expect([value.length, problems.map(({ code }) => code)]).toEqual([0, ['package/too-large']])
  })
})

describe('a file that was parsed before', () => {
  test('is not parsed again, even under another path', () => {
    const cache = new ParsedCache(1_000_000)
    const bytes = Buffer.from(label('aa'))
    const [first] = readPackage([{ path: 'a.yml', id: '1', bytes }], { cache }).value
    const [, second] = readPackage([file('a.yml', label('bb')), { path: 'b.yml', id: '1', bytes }], { cache }).value
    expect(second!.body).toBe(first!.body)
    expect(second!.place).toEqual({ file: 'b.yml', index: 1, pointer: '', line: 1 })
    expect(second!.locate('/metadata/name')).toEqual({ file: 'b.yml', index: 1, pointer: '/metadata/name', line: 4 })
  })

  test('is parsed again under an extension of another format', () => {
    const cache = new ParsedCache(1_000_000)
    const bytes = Buffer.from(label('aa'))
    readPackage([{ path: 'a.yml', id: '1', bytes }], { cache })
    expect(readPackage([{ path: 'a.json', id: '1', bytes }], { cache }).problems).toHaveLength(1)
  })

  test('is removed when the cache is full', () => {
    const cache = new ParsedCache(200)
    const files = [1, 2, 3, 4].map((id) => ({ path: `${id}.yml`, id: `${id}`, bytes: Buffer.from(label(`l${id}`)) }))
    const [first] = readPackage(files, { cache }).value
    expect(readPackage(files, { cache }).value[0]!.body).not.toBe(first!.body)
  })
})
