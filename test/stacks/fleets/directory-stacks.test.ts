// Which directories of a repository are stacks of a fleet, and what the stacks are.
import { describe, expect, test } from 'vitest'
import type { DirectoryFleet } from '../../../src/model/stacks/fleet.js'
import { fleetDocument, toFleetSpec, type FleetDocument } from '../../../src/settings/documents/fleet-document.js'
import { stackDefaults } from '../../../src/settings/stack-settings.js'
import { directoryStacks, matchingDirectories } from '../../../src/stacks/fleets/directory-stacks.js'

const repo = 'https://git.example/platform'

function fleet(
  directories: Partial<FleetDocument['directories']> = {},
  more: Partial<FleetDocument> = {},
): DirectoryFleet {
  const spec = toFleetSpec(fleetDocument.parse({ name: 'boards', directories: { repo, ...directories }, ...more }))
  return spec as DirectoryFleet
}

describe('directories', () => {
  const paths = [
    'README.md',
    'top.yml',
    'teams/web/a.yml',
    'teams/api/x/b.json',
    'docs/a.md',
    '.github/ci.yml',
    'teams/c.yml',
  ]

  test.each([
    ['the default is every folder at the top', {}, ['teams']],
    ['a pattern of one level', { include: ['teams/*'] }, ['teams/api', 'teams/web']],
    ['any depth', { include: ['**'] }, ['teams', 'teams/api', 'teams/api/x', 'teams/web']],
    ['without excluded ones', { include: ['teams/**'], exclude: ['teams', '**/x'] }, ['teams/api', 'teams/web']],
    ['a trailing slash changes nothing', { include: ['teams/*/'], exclude: ['./teams/web'] }, ['teams/api']],
    ['without package files there is none', { include: ['docs', '.github'] }, []],
  ])('%s', (_, from, expected) => {
    expect(matchingDirectories(fleet(from).directories, paths)).toEqual(expected)
  })
})

test('each directory becomes a stack with the settings of the template', () => {
  const spec = fleet({ ref: 'stable' }, { template: { interval: '30s', labels: { team: 'web' } } })
  expect(directoryStacks(spec, ['teams/web'])).toEqual({
    value: [
      {
        ...stackDefaults,
        intervalMs: 30_000,
        labels: { team: 'web' },
        name: 'teams-web',
        sources: [{ kind: 'git', url: repo, ref: 'stable', path: 'teams/web' }],
      },
    ],
    problems: [],
  })
})

describe('names', () => {
  test.each([
    ['{path}', 'teams-my-app'],
    ['{path.basename}', 'my-app'],
    ['boards-{path[0]}-{path[1]}', 'boards-teams-my-app'],
  ])('of %s', (name, expected) => {
    expect(directoryStacks(fleet({ name }), ['teams/My_App']).value.map((one) => one.name)).toEqual([expected])
  })
})

describe('a listing changes nothing', () => {
  test.each([
    ['without any directory', {}, [], ['fleets/empty']],
    ['with more directories than maxStacks', { maxStacks: 1 }, ['a', 'b'], ['fleets/too-many']],
    ['with two directories of one name', {}, ['a_b', 'a-b'], ['fleets/same-name']],
    ['with a directory whose name is no name of a stack', {}, ['a', '___'], ['fleets/name']],
    ['with a name that is too long', {}, ['x'.repeat(64)], ['fleets/name']],
  ] as const)('%s', (_, more, found, codes) => {
    const { value, problems } = directoryStacks(fleet({}, more), found)
    expect({ value, codes: problems.map(({ code }) => code) }).toEqual({ value: [], codes })
    for (const { hint } of problems) expect(hint).toBeDefined()
  })
})

describe('directories inside others', () => {
  test('are a problem that names both, once for each outer directory', () => {
    const { value, problems } = directoryStacks(fleet(), ['teams', 'teams/api', 'teams/api/x', 'teams/web', 'tools'])
    expect(value).toEqual([])
    expect(problems.map(({ code, message }) => [code, message.replace(/:.*/, '')])).toEqual([
      ['fleets/nested', 'Directories teams and teams/api (and 1 more) match, and the first contains the second'],
      ['fleets/nested', 'Directories teams/api and teams/api/x match, and the first contains the second'],
    ])
    expect(problems[0]!.hint).toBe('Add teams to `exclude` of fleet boards, or the others.')
  })

  test('are none if only their names begin alike', () => {
    expect(directoryStacks(fleet(), ['team', 'team-api', 'team-web/x']).problems).toEqual([])
  })
})
