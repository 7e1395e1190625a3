import { describe, expect, test } from 'vitest'
import {
  hashDigits,
  joinSourceRevisions,
  sourceRevision,
  sourceRevisions,
  revisionRef,
  sameRevision,
  revisionHashes,
  shortRevision,
} from '../../../src/model/sources/revision.js'

const commit = '2f1c9ab'.padEnd(40, '0')
const other = '81d0c3e'.padEnd(40, '1')
const digest = '9c1d'.padEnd(64, 'a')

const parts: Readonly<Record<string, { readonly ref: string; readonly state: string; readonly part: string }>> = {
  'of a branch': { ref: 'main', state: `sha1:${commit}`, part: `main@sha1:${commit}` },
  'of a ref with an @ in it': { ref: 'user@home', state: `sha1:${commit}`, part: `user@home@sha1:${commit}` },
  'of a ref with commas and digits': { ref: 'a,b,0c', state: `sha1:${commit}`, part: `a,b,0c@sha1:${commit}` },
  'of a range of versions, with a comma in what the tags begin with': {
    ref: 'semver:a,b/v:>=2 <3',
    state: `sha1:${commit}`,
    part: `semver:a,b/v:>=2 <3@sha1:${commit}`,
  },
  'of a file or a directory': { ref: '', state: `sha256:${digest}`, part: `sha256:${digest}` },
}

describe.each(Object.entries(parts))('a part %s', (_, { ref, state, part }) => {
  test('is its ref, if there is one, and its state', () => {
    expect(sourceRevision(ref, state)).toBe(part)
    expect(revisionRef(part)).toBe(ref)
    expect(revisionHashes(part)).toBe(state)
    expect(`${state.split(':')[0]!}:${hashDigits(part)}`).toBe(state)
  })

  test.each(Object.entries(parts))('is found again before and after one %s', (_name, { part: next }) => {
    expect(sourceRevisions(joinSourceRevisions([part, next, part]))).toEqual([part, next, part])
  })
})

test('a version range is shown with the version that it chose', () => {
  const versions = { [commit]: 'boards/v1.4.0' }
  expect(shortRevision(`semver:^1.2@sha1:${commit},main@sha1:${other}`, versions)).toBe(
    '^1.2 → boards/v1.4.0@2f1c9ab,main@81d0c3e',
  )
  expect(shortRevision(`semver:boards/v:>=1 <2@sha1:${commit}`, versions)).toBe('>=1 <2 → boards/v1.4.0@2f1c9ab')
  expect(shortRevision(`semver:^1.2@sha1:${commit}`)).toBe('semver:^1.2@2f1c9ab')
})

const pairs: Readonly<Record<string, readonly [string | undefined, string | undefined, boolean]>> = {
  'the same commit under two names': [`main@sha1:${commit}`, `stable@sha1:${commit}`, true],
  'two commits': [`main@sha1:${commit}`, `main@sha1:${other}`, false],
  'the same parts under other names': [
    `main@sha1:${commit},sha256:${digest}`,
    `v1@sha1:${commit},sha256:${digest}`,
    true,
  ],
  'the same parts in another order': [
    `sha256:${digest},main@sha1:${commit}`,
    `main@sha1:${commit},sha256:${digest}`,
    false,
  ],
  'one part and two': [`main@sha1:${commit}`, `main@sha1:${commit},main@sha1:${commit}`, false],
  'something and nothing': [`main@sha1:${commit}`, undefined, false],
  'nothing and nothing': [undefined, undefined, false],
}

test.each(Object.entries(pairs))('two revisions of %s', (_, [a, b, same]) => {
  expect(sameRevision(a, b)).toBe(same)
})

test('an empty revision has one source revision, which is empty', () => {
  expect(sourceRevisions('')).toEqual([''])
  expect(hashDigits('none')).toBe('none')
})
