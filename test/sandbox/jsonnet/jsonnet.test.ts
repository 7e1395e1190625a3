// What packages in Jsonnet evaluate to. Where the optional evaluator is not installed, this says so and is skipped.
import { describe, expect, test } from 'vitest'
import { JsonnetSandbox } from '../../../src/sandbox/jsonnet/jsonnet-sandbox.js'
import { sandboxLimits, type Evaluated } from '../../../src/sandbox/sandbox.js'
import { never } from '../../source/git-world.js'
import { describeWithJsonnet } from '../with-jsonnet.js'

const sandbox = new JsonnetSandbox({ ...sandboxLimits, evaluationMs: 20_000 })
const evaluate = (files: Readonly<Record<string, string>>): Promise<Evaluated> =>
  sandbox.jsonnet(new Map(Object.entries(files)), never)

async function valueOf(files: Readonly<Record<string, string>>): Promise<unknown> {
  const { texts, problems } = await evaluate(files)
  expect(problems).toEqual([])
  expect([...texts.values()].join('')).not.toContain('\n')
  return Object.fromEntries([...texts].map(([path, text]) => [path, JSON.parse(text) as unknown]))
}

/** `file:line code message` of each fault. */
async function faultsOf(files: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const { problems } = await evaluate(files)
  return problems.map(({ file, line, code, message }) => `${file}:${line} ${code} ${message}`)
}

describeWithJsonnet('a package in Jsonnet', () => {
  test('evaluates each file that no other one imports', async () => {
    const files = {
      'a.jsonnet': '[{a: 1}]',
      'b/b.jsonnet': "import '../lib.jsonnet'",
      'lib.jsonnet': '{b: 2}',
      'unused.libsonnet': 'bad (',
    }
    expect(await valueOf(files)).toEqual({ 'a.jsonnet': [{ a: 1 }], 'b/b.jsonnet': { b: 2 } })
    expect([...(await evaluate(files)).imported]).toEqual(['lib.jsonnet'])
  })

  test.each([
    ['single quotes', "import 'l.libsonnet'"],
    ['double quotes', 'import "l.libsonnet"'],
    ['verbatim quotes', "import @'l.libsonnet'"],
    ['a comment between', "import /* a 'b' */ // c\n  # d\n 'l.libsonnet'"],
    ['dots in the path', "import './l.libsonnet'"],
    ['nothing between', "import'l.libsonnet'"],
    ['brackets after it', "(import 'l.libsonnet') + {}"],
    ['a local before it', "local import_ = 1, l = import 'l.libsonnet'; l"],
  ])('imports with %s', async (_, text) => {
    expect(await valueOf({ 'a.jsonnet': text, 'l.libsonnet': '{v: 1}' })).toEqual({ 'a.jsonnet': { v: 1 } })
  })

  test('imports functions and hidden fields, which stay what they are', async () => {
    const lib = '{hidden:: 3, double(x):: x * 2, shown: self.hidden}'
    const text = "local l = import 'l.libsonnet'; [l.double(l.hidden), l { hidden:: 4 }]"
    expect(await valueOf({ 'a.jsonnet': text, 'l.libsonnet': lib })).toEqual({ 'a.jsonnet': [6, { shown: 4 }] })
  })

  test('imports texts and bytes as they are', async () => {
    const files = {
      'a.jsonnet': "[importstr 'q.flux', importbin 'q.flux', importstr 'q.flux']",
      'q.flux': 'a"\\\n\u2028é|||',
    }
    const bytes = [...Buffer.from(files['q.flux'])]
    expect(await valueOf(files)).toEqual({ 'a.jsonnet': [files['q.flux'], bytes, files['q.flux']] })
  })

  test('imports JSON, which is Jsonnet too', async () => {
    expect(await valueOf({ 'a.jsonnet': "(import 'd.json').list", 'd.json': '{"list": [1, "//x", "/*"]}' })).toEqual({
      'a.jsonnet': [1, '//x', '/*'],
    })
  })

  test('reads every form of text as the language has it', async () => {
    const text = [
      "{a: 'it''s'[0], ",
      ' b: "import \'/etc/passwd\' // no", // "comment',
      " c: @'it''s \\n', d: @\"a\"\"b\", # import 'x'",
      ' e: |||',
      '',
      '    import "x"',
      '      |||  not the end',
      '',
      '    // y',
      '   |||, /* import "z" */',
      " f: '\\u00e9\\'\\\\', g: 'two",
      "lines'}",
    ]
      .join('\n')
      .replace("'it''s'[0]", "'i'")
    expect(await valueOf({ 'a.jsonnet': text })).toEqual({
      'a.jsonnet': {
        a: 'i',
        b: "import '/etc/passwd' // no",
        c: "it's \\n",
        d: 'a"b',
        e: '\nimport "x"\n  |||  not the end\n\n// y\n',
        f: "é'\\",
        g: 'two\nlines',
      },
    })
  })

  test('may have files that import each other, as long as no value needs itself', async () => {
    const files = {
      'a.jsonnet': "(import 'b.libsonnet').x",
      'b.libsonnet': "{x: (import 'c.libsonnet').y, z: 1}",
      'c.libsonnet': "{y: (import 'b.libsonnet').z}",
    }
    expect(await valueOf(files)).toEqual({ 'a.jsonnet': 1 })
  })

  test('does not let a file see the names of another one', async () => {
    const files = { 'a.jsonnet': "local secret = 1; import 'b.libsonnet'", 'b.libsonnet': 'secret' }
    expect(await faultsOf(files)).toEqual(['b.libsonnet:1 sandbox/syntax Unknown variable: secret.'])
    const outer = { 'a.jsonnet': "{v: 1, w: import 'b.libsonnet'}", 'b.libsonnet': '$.v' }
    expect(await faultsOf(outer)).toEqual(['b.libsonnet:1 sandbox/syntax No top-level object found.'])
  })

  test('is evaluated to numbers and keys that are read back as they were', async () => {
    const text = '{"10": 1.1, "2": 12345678901234567890, __proto__: {a: 1}, n: -0.5e-7}'
    const { texts } = await evaluate({ 'a.jsonnet': text })
    expect(texts.get('a.jsonnet')).toContain('"__proto__":')
    expect(JSON.parse(texts.get('a.jsonnet')!)).toMatchObject({ '10': 1.1, '2': 12345678901234567000, n: -0.5e-7 })
  })
})

describeWithJsonnet('what is wrong', () => {
  const lib = ['// one', 'local text = |||', '  a', '  b', '|||;', "{ f(x):: error 'no ' + x, g:: text + 1 / 0 }"].join(
    '\n',
  )
  test.each([
    [
      'a bracket that is not closed',
      { 'a.jsonnet': '\n[1,\n {' },
      'a.jsonnet:3 sandbox/syntax the bracket { is not closed.',
    ],
    [
      'a bracket that has no opening bracket',
      { 'a.jsonnet': '[1])\n' },
      'a.jsonnet:1 sandbox/syntax the bracket ) has no opening bracket.',
    ],
    [
      'a text without an end',
      { 'a.jsonnet': '\n"abc' },
      'a.jsonnet:2 sandbox/syntax the string that starts here has no closing quote.',
    ],
    [
      'a comment without an end',
      { 'a.jsonnet': '1 /* ' },
      'a.jsonnet:1 sandbox/syntax the comment that starts here has no end.',
    ],
    ['a strange character', { 'a.jsonnet': '1\n`' }, 'a.jsonnet:2 sandbox/syntax this character is not valid Jsonnet.'],
    [
      'a NUL, after which the evaluator would see nothing',
      { 'a.jsonnet': '1\n\0' },
      'a.jsonnet:2 sandbox/syntax the text contains a NUL character.',
    ],
    [
      'a syntax error',
      { 'a.jsonnet': '[\n\n  {a: }]' },
      'a.jsonnet:3 sandbox/syntax unexpected: "}" while parsing terminal.',
    ],
    [
      'an unknown variable below comments and texts',
      { 'a.jsonnet': "/* a\n b */ local x = 'a\n\nb'; @'\n' +\n y" },
      'a.jsonnet:6 sandbox/syntax Unknown variable: y.',
    ],
    [
      'an unset external variable',
      { 'a.jsonnet': '{\n a: std.extVar("HOME") }' },
      'a.jsonnet:2 sandbox/evaluation undefined external variable: HOME.',
    ],
    [
      'a top-level argument',
      { 'a.jsonnet': 'function(x) x' },
      'a.jsonnet:1 sandbox/evaluation function parameter x not bound in call.',
    ],
    [
      'an error in an imported file',
      { 'a.jsonnet': "local l = import 'l.libsonnet';\n\nl.f('way')", 'l.libsonnet': lib },
      'l.libsonnet:6 sandbox/evaluation no way.',
    ],
    [
      'a syntax error in an imported file',
      { 'a.jsonnet': "import 'l.libsonnet'", 'l.libsonnet': '{\n a: b.c, }' },
      'l.libsonnet:2 sandbox/syntax Unknown variable: b.',
    ],
    [
      'a deep recursion',
      { 'a.jsonnet': 'local f(n) = f(n + 1) + 1;\nf(1)' },
      'a.jsonnet:1 sandbox/evaluation max stack frames exceeded.',
    ],
    [
      'a value that needs itself by imports',
      {
        'a.jsonnet': "import 'b.libsonnet'",
        'b.libsonnet': "import 'c.libsonnet'",
        'c.libsonnet': "\nimport 'b.libsonnet'",
      },
      expect.stringMatching(/^[bc]\.libsonnet:[12] sandbox\/evaluation max stack frames exceeded\.$/),
    ],
    [
      'entry points that import each other',
      { 'a.jsonnet': "import 'b.jsonnet'", 'b.jsonnet': "import 'a.jsonnet'" },
      'a.jsonnet:1 sandbox/import-cycle it imports files that import it, so there is no entry point.',
    ],
  ])('%s is reported with its file and line', async (_, files, fault) => {
    expect(await faultsOf(files as Readonly<Record<string, string>>)).toEqual([fault])
  })

  test('is reported for all files at once', async () => {
    expect(await faultsOf({ 'a.jsonnet': '1/0', 'b.jsonnet': '[]', 'c.jsonnet': 'nope' })).toEqual([
      'a.jsonnet:1 sandbox/evaluation division by zero.',
      'c.jsonnet:1 sandbox/syntax Unknown variable: nope.',
    ])
  })
})

describe('an import', () => {
  test.each([
    '/etc/passwd',
    '//etc/passwd',
    '../../../../../../etc/passwd',
    'x/../../../etc/passwd',
    './../../lib.libsonnet',
    '..',
    'file:///etc/passwd',
    'http://127.0.0.1/lib.libsonnet',
    'c:/lib.libsonnet',
    '%2e%2e/lib.libsonnet',
    '%2Fetc%2Fpasswd',
    '..\\\\..\\\\etc\\\\passwd',
    '\\u002fetc/passwd',
    '\\/etc/passwd',
    'lib.libsonnet\u0000',
    'lib\u202e.libsonnet',
    '/proc/self/environ',
    '/dev/stdin',
    'etc/passwd',
    '~/.ssh/id_rsa',
    '',
    'a'.repeat(2000),
    'lib',
    'LIB.libsonnet',
  ])('of %j is refused before anything is evaluated', async (path) => {
    for (const how of ['import', 'importstr', 'importbin'] as const) {
      const [fault, ...others] = await faultsOf({
        'sub/a.jsonnet': `\n[${how} '${path}']`,
        'sub/lib.libsonnet': '1',
        'lib.libsonnet': '1',
      })
      expect(others).toEqual([])
      expect(fault).toMatch(/^sub\/a\.jsonnet:2 sandbox\/(import|syntax) /)
    }
  })

  test.each([
    "import 'a' + 'b'",
    "import ('lib.libsonnet')",
    "import 'lib.libsonnet' + {}",
    "import 'lib.libsonnet'.x",
    "import 'lib.libsonnet' { }",
    "import 'lib.libsonnet' in {}",
    'import std.extVar("x")',
    'import |||\n  lib.libsonnet\n|||',
    'import',
    'import import "lib.libsonnet"',
    "importstr('lib.libsonnet')",
  ])('that is computed is refused: %s', async (text) => {
    const [fault, ...others] = await faultsOf({ 'a.jsonnet': text, 'lib.libsonnet': '{}' })
    expect(others).toEqual([])
    expect(fault).toMatch(/^a\.jsonnet:1 sandbox\/syntax import/)
  })
})
