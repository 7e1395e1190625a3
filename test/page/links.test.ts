// Addresses that the page makes links of.
import { describe, expect, test } from 'vitest'
import { commitUrl, compareUrl, linksOfSources } from '../../web/lib/links.js'

const [a, b] = ['a'.repeat(40), 'b'.repeat(40)]
const links = {
  commit: 'https://git.example/acme/boards/commit/{commit}',
  compare: 'https://git.example/acme/boards/compare/{from}...{to}',
}

describe('the page links', () => {
  test('commits, and what differs between two', () => {
    expect(commitUrl(links, a)).toBe(`https://git.example/acme/boards/commit/${a}`)
    expect(compareUrl(links, a, b)).toBe(`https://git.example/acme/boards/compare/${a}...${b}`)
  })

  test('nothing without an address, without a commit, and between a commit and itself', () => {
    expect(commitUrl(undefined, a)).toBeUndefined()
    expect(commitUrl(links, null)).toBeUndefined()
    expect(compareUrl(links, a, undefined)).toBeUndefined()
    expect(compareUrl(links, a, a)).toBeUndefined()
  })

  test.each([
    'javascript:alert(1)//{commit}',
    'http://git.example/{commit}',
    'data:text/html,{commit}',
    '//git.example',
  ])('nothing to %s', (address) => {
    expect(commitUrl({ commit: address, compare: address }, a)).toBeUndefined()
    expect(compareUrl({ commit: address, compare: address }, a, b)).toBeUndefined()
  })

  test.each(['../../../evil', `${a}/../../x`, 'A'.repeat(40), ''])('no commit %j', (id) => {
    expect(commitUrl(links, id)).toBeUndefined()
    expect(compareUrl(links, id, b)).toBeUndefined()
  })

  test('by the first git source of a stack', () => {
    const git = { kind: 'git', url: 'https://git.example/acme/boards', ref: 'main', path: '', revision: null } as const
    expect(linksOfSources([{ ...git, links }])).toBe(links)
    expect(linksOfSources([git])).toBeUndefined()
    expect(linksOfSources([])).toBeUndefined()
  })
})
