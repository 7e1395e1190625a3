import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import type { z } from 'zod'
import type { StackSpec } from '../../../src/model/stacks/stack.js'
import { fleetDocument } from '../../../src/settings/documents/fleet-document.js'
import { schemaProblems } from '../../../src/settings/schema/schema-problems.js'
import {
  printStackDocument,
  readStackDocument,
  stackPatchDocument,
  toStackPatch,
} from '../../../src/settings/documents/stack-document.js'
import { parseInterval, printInterval } from '../../../src/settings/schema/interval.js'
import { refProblem } from '../../../src/model/sources/ref.js'

const least = 'name: boards\nsources:\n  - url: https://git.example/boards.git\n'

function specOf(text: string, directory?: string): StackSpec {
  const { value, problems } = readStackDocument('boards.yaml', text, directory)
  expect(problems).toEqual([])
  return value!
}

function linesOf(text: string): readonly string[] {
  const { value, problems } = readStackDocument('boards.yaml', text)
  expect(value).toBeUndefined()
  return problems.map(
    ({ code, place, field, message }) => `${code} ${place!.file}:${place!.line} ${field ?? '-'}: ${message}`,
  )
}

/** The smallest good document with other settings of its source or of itself. */
const withSource = (settings: string): string => `${least}    ${settings}\n`
const withSetting = (settings: string): string => `${least}${settings}\n`

describe('a stack document', () => {
  test('may give values, which are printed with it', () => {
    const spec = specOf(withSetting('values: {region: eu-1, deep: 3, on: true}'))
    expect(spec.values).toEqual({ region: 'eu-1', deep: 3, on: true })
    expect(specOf(printStackDocument(spec))).toEqual(spec)
  })

  test('may refer to secrets, and never contains one', () => {
    const spec = specOf(withSetting("secrets: {slack: '${env:A}'}"))
    expect(spec.secrets).toEqual({ slack: '${env:A}' })
    expect(specOf(printStackDocument(spec))).toEqual(spec)
    const [line] = linesOf(withSetting('secrets: {slack: hunter2}'))
    expect(line).toContain('boards.yaml:4')
    expect(line).toContain('must be ${env:NAME} or ${file:PATH}')
    expect(line).not.toContain('hunter2')
  })

  test('needs a name and the address of a source; everything else has a default', () => {
    expect(specOf(least)).toEqual({
      name: 'boards',
      labels: {},
      target: 'local',
      sources: [{ kind: 'git', url: 'https://git.example/boards.git', ref: 'HEAD', path: '' }],
      intervalMs: 60_000,
      driftIntervalMs: 300_000,
      schedule: 'never',
      timeZone: 'UTC',
      windows: [],
      dependsOn: [],
      drift: 'correct',
      apply: 'auto',
      maxDeletes: 10,
      adopt: 'allow',
      dataLoss: 'refuse',
      ignore: [],
      protect: [],
    })
  })

  test.each([
    ['boards', 'boards'],
    ['boards/eu/', 'boards/eu'],
    ['./boards', 'boards'],
    ['.', ''],
    ['./', ''],
    ['', ''],
    ['boards/a b..c.yml', 'boards/a b..c.yml'],
  ])('takes the path %j as %j', (written, path) => {
    expect(specOf(withSource(`path: ${JSON.stringify(written)}`)).sources[0]).toMatchObject({ path })
  })

  test('takes an absolute path and a file: address', () => {
    for (const url of ['/srv/boards', 'file:///srv/boards']) {
      expect(specOf(`name: b\nsources: [{ url: ${url} }]`).sources[0]).toMatchObject({ url })
    }
  })

  test.each([
    ['./boards', 'file:///srv/git/boards'],
    ['../a b', 'file:///srv/a%20b'],
    ['file:./boards', 'file:///srv/git/boards'],
    ['https://h/x', 'https://h/x'],
  ])('takes the address %s, where a directory is given, as %s', (url, expected) => {
    expect(specOf(`name: b\nsources: [{ url: ${url} }]`, '/srv/git').sources[0]).toMatchObject({ url: expected })
  })

  test('leaves ${…} as it is: it is plain text here', () => {
    expect(specOf(withSetting('displayName: ${env:HOME}')).displayName).toBe('${env:HOME}')
  })
})

const bad: Readonly<Record<string, readonly [string, string]>> = {
  'without a name': [
    'sources: [{ url: https://h/x }]',
    'stacks/invalid boards.yaml:1 name: "name" is missing: a text is needed.',
  ],
  'with a name that is not a DNS label': [
    'name: Boards_1\nsources: [{ url: https://h/x }]',
    'stacks/invalid boards.yaml:1 name: "name" must be 1 to 63 of',
  ],
  'with a number as its name': ['name: 7\nsources: [{ url: https://h/x }]', '"name" must be a text, not a number.'],
  'without sources': ['name: b', '"sources" is missing: a list is needed.'],
  'with no source': ['name: b\nsources: []', 'boards.yaml:2 sources: "sources" must list at least one source.'],
  'with eleven sources': [`${least}${'  - url: https://h/y\n'.repeat(10)}`, '"sources" must list at most 10 sources.'],
  'with two inline sources': [
    'name: b\nsources: [{ kind: inline }, { kind: inline }]',
    'must list at most one source of kind inline.',
  ],
  'with a source of an unknown kind': [
    'name: b\nsources: [{ kind: svn, url: https://h/y }]',
    'boards.yaml:2 sources[0].kind: "sources[0].kind" must be one of git, url, directory, inline.',
  ],
  'with a ref of a single file': [
    'name: b\nsources: [{ kind: url, url: https://h/y.yml, ref: main }]',
    'Unknown key "ref"',
  ],
  'with an invalid digest': [
    'name: b\nsources: [{ kind: url, url: https://h/y.yml, digest: abc }]',
    'must be sha256: and 64 hex digits',
  ],
  'with a single file of this machine': [
    'name: b\nsources: [{ kind: url, url: file:///srv/y.yml }]',
    'Use a source of kind directory',
  ],
  'with a relative directory': [
    'name: b\nsources: [{ kind: directory, directory: ./boards }]',
    'must be absolute. Only the configuration file may use ./….',
  ],
  'with a typo in a key': [
    withSetting('intervall: 30s'),
    'stacks/unknown-key boards.yaml:4 intervall: Unknown key "intervall". Did you mean "interval"?',
  ],
  'with a key of its source': [
    withSetting('ref: stable'),
    'boards.yaml:4 ref: Unknown key "ref". It belongs at "sources[].ref".',
  ],
  'with a key in another case': [
    withSetting('drift_interval: 30s'),
    'Unknown key "drift_interval". Did you mean "driftInterval"?',
  ],
  'with a key from elsewhere': [
    withSource('username: me'),
    'boards.yaml:4 sources[0].username: Unknown key "username": known keys are kind, url, ref, path.',
  ],
  'with an unknown choice': [
    withSetting('drift: corect'),
    '"drift" must be one of correct, report, ignore, not "corect". Did you mean "correct"?',
  ],
  'with an interval without unit': [
    withSetting('interval: 30'),
    '"interval" must be a whole number and a unit: 30s, 5m, 1h.',
  ],
  'with an interval that is a list': [withSetting('interval: []'), '"interval" must be a text, not a list.'],
  'with an interval in words': [
    withSetting('interval: 1h30m'),
    '"interval" must be a whole number and a unit: 30s, 5m, 1h.',
  ],
  'with too short an interval': [withSetting('interval: 4s'), '"interval" must be between 5s and 7d.'],
  'with too long an interval': [withSetting('driftInterval: 8d'), '"driftInterval" must be between 5s and 7d.'],
  'with a negative number': [withSetting('maxDeletes: -1'), '"maxDeletes" is too small: at least 0.'],
  'that is too large for a number': [withSetting('maxDeletes: 1e999'), '"maxDeletes" must be a finite number.'],
  'with a fraction': [
    withSetting('maxDeletes: 1.5'),
    '"maxDeletes" must be a whole number, not a number with a fraction.',
  ],
  'with an empty value': [withSetting('apply:'), '"apply" must be one of auto, approval, not empty.'],
  'with a path that leaves the repository': [withSource('path: ../x'), '"sources[0].path" must not contain ..'],
  'with a path that leaves it further in': [withSource('path: a/../../x'), '"sources[0].path" must not contain ..'],
  'with an absolute path': [withSource('path: /x'), '"sources[0].path" must be relative'],
  'with a doubled slash in its path': [withSource('path: a//b'), '"sources[0].path" must not contain //'],
  'with an invalid ref': [withSource('ref: main..next'), '"sources[0].ref" must not contain two dots in a row.'],
  'with an ignored field that is not a path': [
    withSetting('ignore: [{ family: Dashboard, path: "charts[x]" }]'),
    '"ignore[0].path" must be the path of a field as plans print it',
  ],
  'with a field to ignore of no family': [withSetting('ignore: [{ path: charts }]'), '"ignore[0].family" is missing'],
  'with a protected name that is not an address': [
    withSetting('protect: [raw]'),
    '"protect[0]" must be an address such as Bucket/raw',
  ],
  'with an invalid protected pattern': [
    withSetting('protect: ["Bucket/r*"]'),
    '"protect[0]" must be an address such as Bucket/raw',
  ],
  'with a password for ssh': [
    'name: b\nsources: [{ url: "ssh://git:s3cret@github.com/acme/x" }]',
    'contains a password',
  ],
  'with a file behind ssh': [
    'name: b\nsources: [{ kind: url, url: "git@github.com:acme/x" }]',
    'Use a source of kind git',
  ],
  'with another scheme': ['name: b\nsources: [{ url: "ftp://h/x" }]', 'has the scheme ftp'],
  'with a name instead of an address': ['name: b\nsources: [{ url: github.com/acme/x }]', 'has no scheme'],
  'with a relative address': ['name: b\nsources: [{ url: ./x }]', 'is relative. Only the configuration file'],
  'with a query in its address': ['name: b\nsources: [{ url: "https://h/x?a=1" }]', 'has a query or a fragment.'],
  'that is a list': ['- name: b', 'stacks/invalid boards.yaml:1 -: The document must be a map, not a list.'],
  'with a key twice': [
    withSetting('name: c'),
    'stacks/syntax boards.yaml:4 -: Duplicate key "name", first at boards.yaml:1.',
  ],
  'that is not YAML': ['name: [b', 'stacks/syntax boards.yaml:1'],
  'of several documents': [
    `${least}---\n${least}`,
    'stacks/several boards.yaml:1 -: The file contains several YAML documents',
  ],
}

describe('a stack document is refused', () => {
  test.each(Object.entries(bad))('%s', (_, [text, words]) => {
    const lines = linesOf(text)
    expect(lines).toHaveLength(1)
    expect(lines[0]).toContain(words)
  })

  test('with all problems at once, each at its line', () => {
    const text =
      'name: B\ntarget: local\nsources:\n  - url: https://h/x\n    ref: -x\n    branch: y\n    paht: z\ndrift: yes\nexpect: 1\n'
    expect(linesOf(text).map((line) => line.replace(/: .*/, ''))).toEqual([
      'stacks/invalid boards.yaml:1 name',
      'stacks/invalid boards.yaml:5 sources[0].ref',
      'stacks/unknown-key boards.yaml:6 sources[0].branch',
      'stacks/unknown-key boards.yaml:7 sources[0].paht',
      'stacks/invalid boards.yaml:8 drift',
      'stacks/unknown-key boards.yaml:9 expect',
    ])
  })

  test('without repeating a password in its address', () => {
    const text = 'name: b\nsources: [{ url: "https://me:s3cret@h/x" }]'
    expect(linesOf(text)[0]).toContain('contains a username or password')
    expect(JSON.stringify(readStackDocument('boards.yaml', text).problems)).not.toContain('s3cret')
  })

  test('with aliases that would grow without end', () => {
    const bomb = [
      'a: &a [x, x, x, x, x, x, x, x, x, x]',
      ...'bcdefg'.split('').map((key, at) => `${key}: &${key} [${Array(10).fill(`*${'abcdef'[at]}`).join(', ')}]`),
    ]
    expect(linesOf(bomb.join('\n'))[0]).toContain('stacks/syntax')
  })

  test('with control characters of an unknown key made visible', () => {
    expect(linesOf(withSetting('"\\e[31m": 1'))[0]).toContain('Unknown key "\\u001b[31m"')
  })
})

describe('printing a stack document', () => {
  const full: StackSpec = {
    name: 'true',
    displayName: 'yes: # "quoted" \u00e9 - 1e3',
    labels: { 'example.com/on': 'yes', no: '1e3', empty: '' },
    target: 'null',
    sources: [{ kind: 'git', url: 'file:///srv/a%20b', ref: 'refs/tags/1.0', path: 'a b/0x1F.yml' }],
    intervalMs: 90_000,
    driftIntervalMs: 3_600_000,
    schedule: '0 2 * * mon-fri',
    timeZone: 'Europe/Berlin',
    windows: [
      { kind: 'deny', schedule: '0 22 * * 5', durationMs: 56 * 3_600_000, reason: 'nobody is here' },
      { kind: 'allow', schedule: '@daily', durationMs: 7_200_000, timeZone: 'UTC' },
    ],
    dependsOn: ['base', 'labels'],
    drift: 'report',
    apply: 'approval',
    onFailure: 'continue',
    maxDeletes: 0,
    adopt: 'refuse',
    dataLoss: 'allow',
    ignore: [{ family: 'Dashboard', path: 'charts[*].yPos' }],
    protect: ['Bucket/raw', 'Label/*'],
  }

  test('gives what is read back as the same spec', () => {
    expect(specOf(printStackDocument(full))).toEqual(full)
    expect(specOf(printStackDocument(specOf(least)))).toEqual(specOf(least))
  })

  test('writes lengths of time as people do', () => {
    expect(parse(printStackDocument(full))).toMatchObject({ interval: '90s', driftInterval: '1h' })
  })
})

describe('a change of settings', () => {
  test('has the given settings and nothing else', () => {
    const written = { source: { ref: 'beta', path: 'x/' }, interval: '30s', maxDeletes: 0 }
    expect(toStackPatch(stackPatchDocument.parse(written))).toEqual({
      source: { ref: 'beta', path: 'x' },
      intervalMs: 30_000,
      maxDeletes: 0,
    })
    expect(toStackPatch(stackPatchDocument.parse({}))).toEqual({})
  })

  test.each<[string, z.ZodType, object]>([
    ['url', stackPatchDocument, { source: { repo: 'https://git.example.test/boards' } }],
    ['repo', fleetDocument, { name: 'teams', directories: { url: 'https://git.example.test/boards' } }],
  ])('suggests the key %s for its other name', (key, document, written) => {
    const { error } = document.safeParse(written, { reportInput: true })
    const messages = schemaProblems(error!).map(({ message }) => message)
    expect(messages).toContain(`Unknown key "${key === 'url' ? 'repo' : 'url'}". Did you mean "${key}"?`)
  })

  test('cannot rename a stack', () => {
    const result = stackPatchDocument.safeParse({ name: 'other', source: { reff: 'x' } }, { reportInput: true })
    expect(schemaProblems(result.error!).map((finding) => finding.message)).toEqual([
      'Unknown key "reff". Did you mean "ref"?',
      expect.stringContaining('Unknown key "name": known keys are source, displayName, description, labels'),
    ])
  })
})

describe('a length of time', () => {
  test.each([
    ['1500ms', 1_500],
    ['0s', 0],
    ['30s', 30_000],
    ['90s', 90_000],
    ['5m', 300_000],
    ['36h', 129_600_000],
    ['7d', 604_800_000],
  ])('%s is %i ms, and is printed so', (text, ms) => {
    expect(parseInterval(text)).toBe(ms)
    expect(printInterval(ms)).toBe(text)
  })

  test.each(['', '5', 's', '-5s', '1.5s', '5 s', '5S', '5w', '1h30m', '9999999999s'])('%j is none', (text) => {
    expect(parseInterval(text)).toBeUndefined()
  })
})

describe('the name of a ref', () => {
  test.each(['main', 'HEAD', 'v1.2.3', 'feature/x', 'refs/tags/stable', 'a'.repeat(40), 'größe', 'x@y', 'a-'])(
    'may be %s',
    (ref) => {
      expect(refProblem(ref)).toBeUndefined()
    },
  )

  // https://git-scm.com/docs/git-check-ref-format
  test.each([
    '',
    '-x',
    '--upload-pack=x',
    'a..b',
    'a b',
    'a\nb',
    'a\x7fb',
    'a~1',
    'a^',
    'a:b',
    'a?',
    'a*',
    'a[',
    'a\\b',
    '/a',
    'a/',
    'a//b',
    '.a',
    'a/.b',
  ])('is not %j', (ref) => expect(refProblem(ref)).toBeDefined())
  test.each(['a.lock', 'a.lock/b', 'a.', '@', 'a@{1}', 'x'.repeat(256)])('is not %j either', (ref) => {
    expect(refProblem(ref)).toBeDefined()
  })
})
