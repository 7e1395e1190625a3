import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { releaseAtOnce, policyOf, type ChannelPolicy } from '../../src/channel/channel-policy.js'

const strict: ChannelPolicy = { moves: 'forward-only', minAgeMs: 0 }
const remote = 'https://git.example/acme/boards'

const fits: Readonly<Record<string, Partial<ChannelPolicy>>> = {
  'without any match': {},
  'by a prefix of the address': { remote: 'https://git.example/acme' },
  'by the name in the stack': { ref: 'stable' },
  'by the full name of its ref': { ref: 'refs/tags/stable' },
  'by a pattern': { ref: 'st*e' },
}

const misses: Readonly<Record<string, Partial<ChannelPolicy>>> = {
  'of half a segment of the address': { remote: 'https://git.example/ac' },
  'of another host': { remote: 'https://git.example:8443/' },
  'of another ref': { ref: 'stabl' },
  'of a pattern that ends earlier': { ref: 'sta*b' },
  'by its dot, which matches only a dot': { ref: 'stabl.' },
}

describe('a policy', () => {
  test.each(Object.entries(fits))('applies to a channel %s', (_, policy) => {
    expect(policyOf([{ ...strict, ...policy }], { remote, ref: 'stable', name: 'refs/tags/stable' })).toMatchObject(
      strict,
    )
  })

  test.each(Object.entries(misses))('does not apply to one %s', (_, policy) => {
    expect(policyOf([{ ...strict, ...policy }], { remote, ref: 'stable', name: 'refs/tags/stable' })).toBe(
      releaseAtOnce,
    )
  })

  test.each([
    ['git@git.example:acme/boards', 'ssh://git.example/acme/'],
    ['ssh://git@git.example/acme/boards', 'ssh://git@GIT.example:22/acme'],
    ['file:///srv/git/boards', 'file:///srv/git/'],
    ['git@git.example:acme/boards', 'https://git.example/acme'],
  ])('of %s is found by %s', (address, match) => {
    expect(policyOf([{ ...strict, remote: match }], { remote: address, ref: 'stable', name: '' })).toMatchObject(strict)
  })

  test.each([
    'https://git.example/acme/boards.git',
    'https://git.example/acme/boards.git/',
    'https://git.example/acme/boards/.git',
    'https://git.example//acme//boards',
    'https://git.example/ACME/Boards',
    'https://git.example/acme%2Fboards',
    'https://git.example/x%2F../acme/boards',
    'https://git.example/acme%5Cboards',
    'https://git.example./acme/boards',
    'https://ann@git.example/acme/boards',
    'http://git.example/acme/boards',
    'ssh://git@git.example/acme/boards.git',
  ])('of a repository applies to any spelling of its address: %s', (spelling) => {
    const entry = { ...strict, remote }
    expect(policyOf([entry], { remote: spelling, ref: 'stable', name: '' })).toBe(entry)
    const other = { ...strict, remote: spelling }
    expect(policyOf([other], { remote, ref: 'stable', name: '' })).toBe(other)
  })

  test('of all local repositories does not apply to others', () => {
    expect(policyOf([{ ...strict, remote: 'file:///' }], { remote, ref: 'stable', name: '' })).toBe(releaseAtOnce)
  })

  test.each(['good//', 'good/.git', 'good.git', 'link', 'folder/../link/.git'])(
    'of a local repository applies to any path: %s',
    (path) => {
      const root = mkdtempSync(join(tmpdir(), 'gitmoor-'))
      onTestFinished(() => rmSync(root, { recursive: true }))
      mkdirSync(join(root, 'good', '.git'), { recursive: true })
      symlinkSync(join(root, 'good'), join(root, 'link'))
      const [good, spelling] = [`file://${root}/good`, `file://${root}//${path}`]
      for (const [match, of] of [
        [good, spelling],
        [spelling, good],
      ] as const)
        expect(policyOf([{ ...strict, remote: match }], { remote: of, ref: 'stable', name: '' })).toMatchObject(strict)
      expect(policyOf([{ ...strict, remote: `file://${root}/goo` }], { remote: spelling, ref: 'x', name: '' })).toBe(
        releaseAtOnce,
      )
    },
  )

  test('is the first one that applies', () => {
    const first = { ...releaseAtOnce, ref: 'stable', minAgeMs: 1 }
    expect(policyOf([{ ...strict, ref: 'beta' }, first, strict], { remote, ref: 'stable', name: '' })).toBe(first)
  })

  test.each(['refs/tags/stable', 'stable', 'semver:^1'])('cannot be bypassed by following %s', (ref) => {
    expect(policyOf([{ ...strict, ref: 'stable' }], { remote, ref, name: 'refs/tags/stable' })).toMatchObject(strict)
  })
})
