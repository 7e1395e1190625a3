import { describe, expect, test } from 'vitest'
import { matchesPath } from '../../../src/lib/text/path-pattern.js'
import { cpuMs } from '../../cpu-time.js'

describe('a pattern of paths', () => {
  test.each([
    ['teams', 'teams', true],
    ['teams', 'team', false],
    ['*', 'teams', true],
    ['*', 'teams/web', false],
    ['teams/*', 'teams/web', true],
    ['teams/*', 'teams', false],
    ['teams/*', 'teams/web/deep', false],
    ['teams/w*b', 'teams/wb', true],
    ['teams/w*b', 'teams/web-web', true],
    ['teams/w*b', 'teams/webs', false],
    ['teams/w?b', 'teams/web', true],
    ['teams/w?b', 'teams/wb', false],
    ['**', 'teams/web/deep', true],
    ['teams/**', 'teams/web/deep', true],
    ['teams/**', 'teams', true],
    ['**/web', 'web', true],
    ['**/web', 'teams/web', true],
    ['**/web', 'teams/web/deep', false],
    ['a/**/z', 'a/z', true],
    ['a/**/z', 'a/b/c/z', true],
    ['a/**/z', 'a/b/c', false],
    ['w.b', 'web', false],
  ])('%s matches %s: %s', (pattern, path, expected) => {
    expect(matchesPath(pattern, path)).toBe(expected)
  })

  test('takes a moment also with many stars', async () => {
    const ms = await cpuMs(() => {
      expect(matchesPath(`${'a*'.repeat(90)}b`, 'a'.repeat(250))).toBe(false)
      expect(matchesPath(`${'**/a/'.repeat(30)}b`, 'a/'.repeat(250))).toBe(false)
    })
    expect(ms).toBeLessThan(1_000)
  })
})
