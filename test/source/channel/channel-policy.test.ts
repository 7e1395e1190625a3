import { describe, expect, test } from 'vitest'
import { freePolicy, policyOf, type ChannelPolicy } from '../../../src/source/channel/channel-policy.js'

const strict: ChannelPolicy = { moves: 'forward-only', minAgeMs: 0 }
const remote = 'https://git.example/acme/boards'

const fits: Readonly<Record<string, Partial<ChannelPolicy>>> = {
  'without anything': {},
  'by the beginning of the address': { remote: 'https://git.example/acme' },
  'by the name that the stack wrote': { ref: 'stable' },
  'by the full name of what it stands for': { ref: 'refs/tags/stable' },
  'by a pattern': { ref: 'st*e' },
}

const misses: Readonly<Record<string, Partial<ChannelPolicy>>> = {
  'of half a segment of the address': { remote: 'https://git.example/ac' },
  'of another host': { remote: 'https://git.example:8443/' },
  'of another ref': { ref: 'stabl' },
  'of a pattern that ends sooner': { ref: 'sta*b' },
  'whose dot is no pattern': { ref: 'stabl.' },
}

describe('a policy', () => {
  test.each(Object.entries(fits))('fits a channel %s', (_, policy) => {
    expect(policyOf([{ ...strict, ...policy }], { remote, ref: 'stable', name: 'refs/tags/stable' })).toMatchObject(
      strict,
    )
  })

  test.each(Object.entries(misses))('does not fit one %s', (_, policy) => {
    expect(policyOf([{ ...strict, ...policy }], { remote, ref: 'stable', name: 'refs/tags/stable' })).toBe(freePolicy)
  })

  test.each([
    ['git@git.example:acme/boards', 'ssh://git.example/acme/'],
    ['ssh://git@git.example/acme/boards', 'ssh://git@GIT.example:22/acme'],
    ['file:///srv/git/boards', 'file:///srv/git/'],
  ])('of %s is found by %s', (address, match) => {
    expect(policyOf([{ ...strict, remote: match }], { remote: address, ref: 'stable', name: '' })).toMatchObject(strict)
  })

  test('is the first that fits', () => {
    const first = { ...freePolicy, ref: 'stable', minAgeMs: 1 }
    expect(policyOf([{ ...strict, ref: 'beta' }, first, strict], { remote, ref: 'stable', name: '' })).toBe(first)
  })

  test.each(['refs/tags/stable', 'stable', 'semver:^1'])('is not got round by following %s', (ref) => {
    expect(policyOf([{ ...strict, ref: 'stable' }], { remote, ref, name: 'refs/tags/stable' })).toMatchObject(strict)
  })
})
