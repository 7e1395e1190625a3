import { expect, test } from 'vitest'
import { mayMatchRef } from '../../../src/model/agent/notification.js'

const cases: Readonly<Record<string, readonly [followed: string, ref: string | undefined, matches: boolean]>> = {
  'a branch matches its full name': ['main', 'refs/heads/main', true],
  'a tag matches its full name': ['stable', 'refs/tags/stable', true],
  'a short name matches a branch or a tag': ['refs/tags/stable', 'stable', true],
  'another branch does not match': ['main', 'refs/heads/maintenance', false],
  'a name with the same end does not match': ['main', 'refs/heads/old/main', false],
  'a branch does not match the tag of the same name': ['refs/tags/stable', 'refs/heads/stable', false],
  'HEAD matches any branch': ['HEAD', 'refs/heads/trunk', true],
  'HEAD does not match a tag': ['HEAD', 'refs/tags/v1', false],
  'a version range matches a tag in the range': ['semver:boards/v:^1.2', 'refs/tags/boards/v1.3.0', true],
  'a version range does not match a tag outside of it': ['semver:^1.2', 'refs/tags/v2.0.0', false],
  'a version range does not match a tag with another prefix': ['semver:boards/v:^1.2', 'refs/tags/v1.3.0', false],
  'a version range does not match a branch': ['semver:^1.2', 'refs/heads/main', false],
  'a notification without a ref matches any ref': ['main', undefined, true],
}

test.each(Object.entries(cases))('%s', (_, [followed, ref, matches]) => {
  expect(mayMatchRef(followed, ref)).toBe(matches)
})
