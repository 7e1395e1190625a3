import { describe, expect, test } from 'vitest'
import { stackDefaults } from '../../../src/settings/stack-settings.js'
import { printFleetDocument, readFleetDocument } from '../../../src/settings/documents/fleet-document.js'

const minimal = 'name: boards\ndirectories: { repo: https://git.example/x }\n'

function problemsOf(text: string): readonly string[] {
  return readFleetDocument('fleet.yaml', text, '/srv').problems.map(
    ({ code, place, field, message }) => `${code} ${place?.line} ${field}: ${message}`,
  )
}

test('the shortest fleet has one stack for each folder, named after it', () => {
  expect(readFleetDocument('fleet.yaml', minimal, '/srv').value).toMatchObject({
    name: 'boards',
    directories: { repo: 'https://git.example/x', ref: 'HEAD', include: ['*'], exclude: [], name: '{path}' },
    template: { target: 'local', intervalMs: 60_000 },
    maxStacks: 100,
  })
})

function ofTargets(targets: string, ...template: readonly string[]): string {
  return [targets, 'template:', ...[...template, 'sources: [{ url: https://h/x }]'].map((line) => `  ${line}`)].join(
    '\n',
  )
}

test('a fleet of targets has sources, no target, and the defaults of stacks', () => {
  const text = `name: boards\n${ofTargets('targets: { selector: "env=prod" }')}\n`
  const { value, problems } = readFleetDocument('fleet.yaml', text, '/srv')
  const { target: _, ...defaults } = stackDefaults
  const sources = [{ kind: 'git', url: 'https://h/x', ref: 'HEAD', path: '' }]
  expect({ value, problems }).toEqual({
    value: { name: 'boards', targets: { selector: 'env=prod' }, template: { ...defaults, sources }, maxStacks: 100 },
    problems: [],
  })
  expect(readFleetDocument('f', printFleetDocument(value!), '/srv')).toEqual({ value, problems: [] })
})

test('relative sources of a fleet of targets are below the folder of the file', () => {
  const text = 'name: a\ntargets: { names: [eu1] }\ntemplate: { sources: [{ url: ./x }] }'
  expect(readFleetDocument('f', text, '/srv').value?.template).toMatchObject({ sources: [{ url: 'file:///srv/x' }] })
})

test('a printed fleet is read back as it was', () => {
  const { value } = readFleetDocument('f', `${minimal}template: { windows: [], interval: 5m, drift: report }`, '/srv')
  expect(readFleetDocument('f', printFleetDocument(value!), '/srv')).toEqual({ value, problems: [] })
})

test('a relative repository is below the folder of the file', () => {
  const { value } = readFleetDocument('f', 'name: a\ndirectories: { repo: ./x }', '/srv')
  expect(value).toMatchObject({ directories: { repo: 'file:///srv/x' } })
})

describe('is refused, with its line:', () => {
  test.each([
    ['a name without a placeholder', 'name: boards', 'must contain {path}'],
    ['an unknown placeholder', "name: '{path}-{dir}'", 'no other { or }'],
    ['a name with capitals', "name: 'Boards-{path}'", 'must be a-z'],
    ['a pattern outside', "include: ['../x']", 'must be relative'],
    ['no pattern', 'include: []', 'must list a pattern'],
    ['a pattern twice', 'include: [a, a]', 'each pattern once'],
  ])('%s', (_, setting, words) => {
    const [line, ...others] = problemsOf(`name: a\ndirectories:\n  repo: https://git.example/x\n  ${setting}\n`)
    expect(others).toEqual([])
    expect(line).toContain('fleets/invalid 4 directories.')
    expect(line).toContain(words)
  })

  test.each([
    [
      'neither directories nor targets',
      'template: {}',
      ['1 undefined: The document must have either directories or targets.'],
    ],
    [
      'both directories and targets',
      'directories: { repo: https://h/x }\ntargets: { names: [eu1] }',
      ['1 undefined: The document must have either directories or targets.'],
    ],
    ['targets without sources', 'targets: { names: [eu1] }', ['1 template.sources: "template.sources" is missing:']],
    ['a template with a target', ofTargets('targets: { names: [eu1] }', 'target: eu1'), ['4 template.target: ']],
    ['no target', ofTargets('targets: { names: [] }'), ['2 targets.names: "targets.names" must list a target.']],
    [
      'a target twice',
      ofTargets('targets: { names: [a, a] }'),
      ['2 targets.names: "targets.names" must list each target once.'],
    ],
    [
      'names and a selector',
      ofTargets('targets: { names: [a], selector: env }'),
      ['2 targets: "targets" must have either names or selector.'],
    ],
    [
      'neither names nor a selector',
      ofTargets('targets: {}'),
      ['2 targets: "targets" must have either names or selector.'],
    ],
    [
      'a name with capitals',
      ofTargets('targets: { names: [Eu] }'),
      ['2 targets.names[0]: "targets.names[0]" must be 1 to 63'],
    ],
    [
      'a selector without a key',
      ofTargets("targets: { selector: '=prod' }"),
      ['2 targets.selector: "targets.selector" is malformed at character 1: expected the key of a label, found "=".'],
    ],
  ])('%s', (_, rest, expected) => {
    const found = problemsOf(`name: boards\n${rest}\n`)
    expect(found).toHaveLength(expected.length)
    for (const [at, words] of expected.entries()) expect(found[at]).toContain(`fleets/invalid ${words}`)
  })

  test('a template with a source', () => {
    expect(problemsOf(`${minimal}template:\n  sources: [{ kind: inline }]\n`)).toEqual([
      'fleets/invalid 4 template.sources: "template.sources" must be absent: each directory is a source.',
    ])
  })
})
