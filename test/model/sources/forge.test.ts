import { describe, expect, test } from 'vitest'
import { commitLinks, knownForge } from '../../../src/model/sources/forge.js'

describe('the forge of an address', () => {
  test.each([
    ['https://github.com/acme/boards', 'github'],
    ['git@github.com:acme/boards.git', 'github'],
    ['ssh://git@gitlab.com/acme/boards', 'gitlab'],
    ['https://gitea.com/acme/boards', 'gitea'],
    ['https://codeberg.org/acme/boards', 'forgejo'],
    ['https://github.com.evil.example/acme/boards', undefined],
    ['https://git.example/acme/boards', undefined],
    ['file:///srv/boards', undefined],
  ])('%s: %s', (address, expected) => {
    expect(knownForge(address)).toBe(expected)
  })
})

describe('the web addresses of commits', () => {
  test.each([
    ['https://github.com/acme/boards.git', 'github', 'https://github.com/acme/boards/commit/{commit}'],
    ['https://git.example:8443/acme/boards/', 'gitea', 'https://git.example:8443/acme/boards/commit/{commit}'],
    ['https://gitlab.com/acme/team/boards.git', 'gitlab', 'https://gitlab.com/acme/team/boards/-/commit/{commit}'],
    ['git@codeberg.org:acme/boards.git', 'forgejo', 'https://codeberg.org/acme/boards/commit/{commit}'],
    ['ssh://git@git.example:2222/acme/boards', 'gitea', 'https://git.example/acme/boards/commit/{commit}'],
  ] as const)('of %s on %s', (address, forge, expected) => {
    const links = commitLinks(address, { forge })
    expect(links?.commit).toBe(expected)
    expect(links?.compare).toBe(expected.replace('/commit/{commit}', '/compare/{from}...{to}'))
  })

  test.each([
    'http://git.example/acme/boards',
    'file:///srv/boards',
    'git://git.example/boards',
    'ssh://host/~ann/boards',
  ])('do not exist for %s', (address) => {
    expect(commitLinks(address, { forge: 'gitea' })).toBeUndefined()
  })

  test.each([
    ['git@git.example:acme/boards.git', 'https://code.example:8443/acme/boards/commit/{commit}'],
    ['ssh://git@git.example:2222/acme/boards', 'https://code.example:8443/acme/boards/commit/{commit}'],
    ['https://git.example/acme/boards', 'https://git.example/acme/boards/commit/{commit}'],
  ])('of %s with a web address of its host', (address, expected) => {
    expect(commitLinks(address, { forge: 'gitea', web: 'https://code.example:8443' })?.commit).toBe(expected)
  })

  test('contain no user, no braces of the address and no script', () => {
    expect(commitLinks('https://ann@git.example/{commit}/x', { forge: 'gitea' })?.commit).toBe(
      'https://git.example/%7Bcommit%7D/x/commit/{commit}',
    )
    expect(commitLinks('javascript:alert(1)', { forge: 'gitea' })).toBeUndefined()
  })
})
