import semver from 'semver'
import { describe, expect, test } from 'vitest'
import { finish } from '../../../../src/lib/async/steps.js'
import { compileRange } from '../../../../src/model/sources/ref.js'
import { chosenVersionSteps, highestVersionSteps, tagPrefixes } from '../../../../src/source/git/refs/version-tags.js'
import { seeded } from '../../../package/seeded.js'

const refs = (tags: readonly string[]): readonly string[] => tags.map((tag) => `refs/tags/${tag}`)
const chosen = (range: string, tags: readonly string[], prefix = ''): string | undefined =>
  finish(chosenVersionSteps(refs(tags), { prefix, range }))?.slice('refs/tags/'.length)

describe('of tags is chosen', () => {
  const cases: Readonly<
    Record<string, readonly [range: string, tags: readonly string[], expected: string | undefined]>
  > = {
    'the highest version that fits, as numbers': ['^1.2', ['v1.2.0', 'v1.10.0', 'v1.9.9', 'v2.0.0'], 'v1.10.0'],
    'a version with or without a v': ['1.x', ['1.2.0', 'v1.1.0'], '1.2.0'],
    'no prerelease where the range names none': ['>=1', ['v1.0.0', 'v2.0.0-rc.1'], 'v1.0.0'],
    'a prerelease where the range names one': ['>=1.0.0-0', ['v1.0.0', 'v2.0.0-rc.1'], 'v2.0.0-rc.1'],
    'no prerelease of what the range ends before': ['>=1.0.0-0 <2', ['v1.0.0', 'v2.0.0-rc.1'], 'v1.0.0'],
    'the release after its prereleases': ['>=1.2.0-0', ['v1.2.0-rc.1', 'v1.2.0'], 'v1.2.0'],
    'the later prerelease': ['>=1.2.0-0', ['v1.2.0-rc.10', 'v1.2.0-rc.9', 'v1.2.0-alpha'], 'v1.2.0-rc.10'],
    'the greater build metadata of equal versions': ['^1', ['v1.2.0+5', 'v1.2.0+12', 'v1.2.0'], 'v1.2.0+12'],
    'the name with a v of equal versions': ['^1', ['1.2.0', 'v1.2.0'], 'v1.2.0'],
    'no name that is not a version of three numbers': [
      '*',
      ['v1', 'v1.2', 'stable', 'v01.2.3', 'v1.2.3.4', 'vv1.2.3', 'v1.0.0'],
      'v1.0.0',
    ],
    'no version of another prefix': ['^1', ['boards/v1.5.0', 'v1.0.0'], 'v1.0.0'],
    'nothing where nothing fits': ['^3', ['v1.0.0', 'v2.0.0'], undefined],
  }
  test.each(Object.entries(cases))('%s', (_, [range, tags, expected]) => {
    expect(chosen(range, tags)).toBe(expected)
    expect(chosen(range, tags.toReversed())).toBe(expected)
  })

  test('what begins with the prefix', () => {
    const tags = ['boards/v1.5.0', 'boards/v1.6.0', 'boards/1.7.0', 'alerts/v1.9.0', 'v1.8.0', 'boards/x1.9.0']
    expect(chosen('^1', tags, 'boards/v')).toBe('boards/v1.6.0')
    expect(chosen('^1', tags, 'boards/')).toBe('boards/1.7.0')
  })
})

test('the highest versions are listed, the highest first', () => {
  expect(finish(highestVersionSteps(refs(['v1.2.0', 'v1.10.0', 'x', 'v1.9.0', 'v0.1.0']), '', 3))).toEqual([
    'v1.10.0',
    'v1.9.0',
    'v1.2.0',
  ])
})

test.each([
  ['^1.2', ['1.']],
  ['~1.2.3', ['1.2.']],
  ['^0.2.3', ['0.2.']],
  ['1.2.3', ['1.2.']],
  ['>=1.2 <4', ['1.', '2.', '3.']],
  ['1.2 - 1.4', ['1.2.', '1.3.', '1.4.']],
  ['^1 || ~3.1', ['1.', '3.1.']],
  ['<2.0.0', ['0.', '1.']],
  ['>2 <1', []],
])('for %s no more is listed than what begins with %j', (range, expected) => {
  const beginnings = tagPrefixes({ prefix: 'a/', range }).map((name) => name.slice('refs/tags/a/'.length))
  expect(beginnings).toEqual(expected.flatMap((one) => [one, `v${one}`]))
})

test('the listing for a range has every tag that filtering all tags finds, over hundreds of ranges and sets of tags', () => {
  const below = seeded(7)
  const once = (of: number): boolean => below(of) === 0
  const one = <T>(list: readonly T[]): T => list[below(list.length)]!
  const number = (): number => one([0, 1, 2, 3, 9, 10, 11, 12, 20, 100])
  const version = (): string =>
    `${number()}.${number()}.${number()}${once(3) ? one(['-0', '-rc.1', '-rc.10', '-alpha']) : ''}`
  const comparator = (): string => {
    const plain = one([version(), `${number()}`, `${number()}.${number()}`, `${number()}.x`])
    return `${one(['', '^', '~', '>', '>=', '<', '<=', '='])}${plain}`
  }
  const comparators = (): string => (once(10) ? '*' : Array.from({ length: 1 + below(3) }, comparator).join(' '))
  const rangeText = (): string => Array.from({ length: 1 + below(3) }, comparators).join(once(5) ? ' || ' : '||')
  let found = 0
  let narrowed = 0
  for (let round = 0; round < 600; round++) {
    const range = rangeText()
    const tags = Array.from({ length: 60 }, () => `${one(['', 'v'])}${version()}${once(10) ? '+b.1' : ''}`)
    const prefixes = tagPrefixes({ prefix: '', range })
    const listed = refs(tags).filter((name) => prefixes.some((prefix) => name.startsWith(prefix)))
    const fitting = tags.filter((tag) => compileRange(range).test(tag))
    const highest = fitting
      .map((tag) => semver.parse(tag)!)
      .sort(semver.compareBuild)
      .at(-1)
    const choice = finish(chosenVersionSteps(listed, { prefix: '', range }))
    expect({ range, version: choice && semver.parse(choice.slice('refs/tags/'.length))?.raw.replace('v', '') }).toEqual(
      {
        range,
        version: highest?.raw.replace('v', ''),
      },
    )
    if (choice !== undefined) found++
    if (listed.length < tags.length / 2) narrowed++
  }
  expect(found).toBeGreaterThan(100)
  expect(narrowed).toBeGreaterThan(100)
})
