import { describe, expect, test } from 'vitest'
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

  test('a template with a source', () => {
    expect(problemsOf(`${minimal}template:\n  sources: [{ kind: inline }]\n`)).toEqual([
      'fleets/invalid 4 template.sources: "template.sources" must be absent: each directory is a source.',
    ])
  })
})
