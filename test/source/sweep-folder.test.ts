// What is removed from the folders of sources, and what is not.
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openFiles } from '../../src/source/git/mirror/mirror-files.js'
import { sweepFolder } from '../../src/source/sweep-folder.js'

let root: string
let elsewhere: string

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'gitmoor-sweep-'))
  elsewhere = join(root, 'elsewhere')
  mkdirSync(join(elsewhere, 'pack'), { recursive: true })
  for (const name of ['letter', 'pack/pack-1.pack', 'pack/photo']) writeFileSync(join(elsewhere, name), 'x')
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const left = (): readonly string[] => [...readdirSync(elsewhere), ...readdirSync(join(elsewhere, 'pack'))].sort()
const all = ['letter', 'pack', 'pack-1.pack', 'photo']

test('removes all but what is kept; of links only the links', async () => {
  const folder = join(root, 'git')
  mkdirSync(join(folder, 'old'), { recursive: true })
  mkdirSync(join(folder, 'kept'))
  symlinkSync(elsewhere, join(folder, 'link'))
  expect(await sweepFolder(folder, (name) => name === 'kept')).toBe(2)
  expect([readdirSync(folder), left()]).toEqual([['kept'], all])
})

test('removes nothing behind a link', async () => {
  symlinkSync(elsewhere, join(root, 'git'))
  expect(await sweepFolder(join(root, 'git'), () => false)).toBe(0)
  expect(left()).toEqual(all)
})

test.each(['', 'objects', 'objects/pack', 'commits'])(
  'a mirror of which "%s" is a link is made anew without it',
  async (name) => {
    const mirror = join(root, 'mirror')
    if (name !== '') mkdirSync(join(mirror, name, '..'), { recursive: true })
    symlinkSync(elsewhere, join(mirror, name))
    expect(await openFiles(mirror)).toEqual({ commits: [], packs: [] })
    expect(readdirSync(mirror).sort()).toEqual(['commits', 'objects'])
    expect(left()).toEqual(all)
  },
)
