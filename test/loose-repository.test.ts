import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { makeRepository, type CommitOptions, type Repository } from './git-server.js'

let root: string
let repository: Repository
beforeEach(async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'gitmoor-loose-')))
  repository = await makeRepository(root)
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

/** Each on the one before. */
const commits: readonly CommitOptions[] = [
  { files: { 'a.yml': 'a: 1\n', 'b/c/d': Buffer.from([0, 255]), 'b/é': 'e', 'b.c': '1', link: { link: 'a.yml' } } },
  {
    files: { 'a.yml': 'a: 2\n', module: { submodule: '1'.repeat(40) } },
    message: 'Grüße\n\nmore',
    tags: ['v1', 'a/b'],
  },
  { files: { 'b/c': 'a file in place of a folder', 'a.yml/x': 'a folder in place of a file' }, removed: ['b.c'] },
  { removed: ['b'] },
  { removed: [''] },
]

test('commits are those that git makes', async () => {
  const other = await makeRepository(root, 'other')
  const byHand: string[] = []
  for (const options of commits) byHand.push(await repository.commit(options))
  // Git makes a commit of many files, and all that follow one of git.
  const many = Object.fromEntries(Array.from({ length: 101 }, (_, at) => [`${at}`, `${at}`]))
  let from = await other.commit({ files: { ...many, ...commits[0]!.files } })
  expect(await other.git('count-objects', '-v')).toContain('in-pack: 1')
  const trees = async (at: Repository, commit: string): Promise<string> => at.git('ls-tree', '-r', '-t', commit)
  from = await other.commit({ removed: Object.keys(many), from })
  expect(await trees(other, from)).toBe(await trees(repository, byHand[0]!))
  for (const [at, options] of commits.slice(1).entries()) {
    from = await other.commit({ ...options, from })
    expect(await trees(other, from)).toBe(await trees(repository, byHand[at + 1]!))
    const text = async (of: Repository, commit: string): Promise<string> =>
      (await of.git('cat-file', 'commit', commit)).replaceAll(/^(parent) .*$| \d+ \+0000$/gm, '$1')
    expect(await text(other, from)).toBe(await text(repository, byHand[at + 1]!))
  }
  expect(await repository.git('rev-parse', 'v1', 'a/b', 'main')).toBe([byHand[1], byHand[1], byHand[4]].join('\n'))
  await repository.git('fsck', '--strict', '--full')
})

test('tags, branches and their removal are those of git', async () => {
  const one = await repository.commit({ files: { a: '1' }, tags: ['light'] })
  await repository.tag('signed', one, { annotated: true })
  await repository.tag('again', 'refs/tags/signed', { annotated: true })
  await repository.branch('other', one)
  const listed = await repository.git('for-each-ref', '--format=%(refname) %(objecttype) %(*objecttype) %(contents)')
  expect(listed.split('\n').filter(Boolean)).toEqual([
    'refs/heads/main commit  Change',
    'refs/heads/other commit  Change',
    'refs/tags/again tag tag Tag again',
    'refs/tags/light commit  Change',
    'refs/tags/signed tag commit Tag signed',
  ])
  await repository.remove('refs/heads/other', 'refs/tags/light')
  await repository.git('pack-refs', '--all')
  await repository.remove('refs/tags/again', 'refs/heads/main')
  expect(await repository.git('for-each-ref', '--format=%(refname)')).toBe('refs/tags/signed')
  await repository.git('fsck', '--strict', '--full')
})
