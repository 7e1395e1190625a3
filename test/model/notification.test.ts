import { expect, test } from 'vitest'
import { mayMatchRef } from '../../src/model/notification.js'

const meant: Readonly<Record<string, readonly [followed: string, told: string | undefined, may: boolean]>> = {
  'a branch is its full name': ['main', 'refs/heads/main', true],
  'a tag is its full name': ['stable', 'refs/tags/stable', true],
  'a short name may be a branch or a tag': ['refs/tags/stable', 'stable', true],
  'another branch is not meant': ['main', 'refs/heads/maintenance', false],
  'a name that ends alike is not meant': ['main', 'refs/heads/old/main', false],
  'a branch is not the tag of that name': ['refs/tags/stable', 'refs/heads/stable', false],
  'HEAD may be any branch': ['HEAD', 'refs/heads/trunk', true],
  'HEAD is no tag': ['HEAD', 'refs/tags/v1', false],
  'a range of versions may be a tag that fits': ['semver:boards/v:^1.2', 'refs/tags/boards/v1.3.0', true],
  'a range of versions is no tag beside it': ['semver:^1.2', 'refs/tags/v2.0.0', false],
  'a range of versions is no tag of another prefix': ['semver:boards/v:^1.2', 'refs/tags/v1.3.0', false],
  'a range of versions is no branch': ['semver:^1.2', 'refs/heads/main', false],
  'where no ref is told, any may be meant': ['main', undefined, true],
}

test.each(Object.entries(meant))('%s', (_, [followed, told, may]) => {
  expect(mayMatchRef(followed, told)).toBe(may)
})
