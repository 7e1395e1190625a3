import { describe, expect, test } from 'vitest'
import { refProblem, readVersionRange } from '../../../src/model/sources/ref.js'

test.each([
  ['semver:^1.2', { prefix: '', range: '^1.2' }],
  ['semver:boards/v:>=2 <3', { prefix: 'boards/v', range: '>=2 <3' }],
  ['semver:*', { prefix: '', range: '*' }],
])('%s is a range over tags', (ref, expected) => {
  expect(readVersionRange(ref)).toEqual(expected)
  expect(refProblem(ref)).toBeUndefined()
})

test.each(['semver', 'main', 'refs/tags/semver', 'semver/^1'])('%s is not a range', (ref) => {
  expect(readVersionRange(ref)).toBeUndefined()
})

describe('a valid range', () => {
  const ranges = {
    'is a caret, a tilde, an x': ['^1.2', '~1.2.3', '1.x', '1'],
    'compares, several times': ['>=1.2.0 <2', '>1 <=1.9'],
    'goes from one version to another': ['1.2 - 1.4'],
    'has alternatives': ['1.x || >=3.1'],
    'names a prerelease': ['>=1.2.0-0', '1.2.3-beta.1'],
  }
  test.each(Object.entries(ranges))('%s', (_, all) => {
    for (const range of all) expect(refProblem(`semver:${range}`)).toBeUndefined()
  })
})

test.each([
  ['semver:', 'must name a range of versions'],
  ['semver:boards/:', 'must name a range of versions'],
  ['semver:latest', '"latest" is not valid'],
  ['semver:>=1.2 <banana', '"<banana" is not valid'],
  ['semver:^1 || 2.x.y.z', '"2.x.y.z" is not valid'],
  ['semver:01.2', '"01.2" is not valid'],
  ['semver:^1\n0000', 'control characters'],
  ['semver:^1\u200b', 'non-ASCII letters'],
  ['semver:a:b:^1', '"b:^1" is not valid'],
  ['semver:-v:^1', 'must not begin with -'],
  ['semver:a..b/v:^1', 'two dots'],
  ['semver:a b:^1', 'blanks'],
  ['semver:/v:^1', 'slash'],
  [`semver:${'v'.repeat(250)}:^1`, 'longer than 255'],
])('%j is refused with a reason', (ref, why) => {
  expect(refProblem(ref)).toContain(why)
})
