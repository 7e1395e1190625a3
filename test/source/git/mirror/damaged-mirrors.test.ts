// A mirror to which something happened while no process had it open.
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import type { GitSource } from '../../../../src/source/git/git-source.js'
import { seeded } from '../../../package/seeded.js'
import { never, sha1, useGitWorld } from '../../git-world.js'

const world = useGitWorld({ once: true })

/** What befalls a mirror: `dice` gives whole numbers below a bound. */
type Damage = (directory: string, dice: (below: number) => number) => void

const files = (directory: string, pattern: RegExp): readonly string[] =>
  readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((name) => pattern.test(name))
    .sort()
    .map((name) => join(directory, name))

const onOne =
  (pattern: RegExp, damage: (file: string, dice: (below: number) => number) => void): Damage =>
  (directory, dice) => {
    const found = files(directory, pattern)
    damage(found[dice(found.length)]!, dice)
  }

const flip = (file: string, dice: (below: number) => number): void => {
  const bytes = readFileSync(file)
  bytes[dice(bytes.length)]! ^= 1 << dice(8)
  writeFileSync(file, bytes)
}
const cut = (file: string, dice: (below: number) => number): void => truncateSync(file, dice(statSync(file).size))
const inTheWay = (file: string): void => {
  rmSync(file, { recursive: true })
  mkdirSync(file)
}
const replaced = (path: string): void => {
  rmSync(path, { recursive: true })
  writeFileSync(path, 'in the way')
}

const damages: Readonly<Record<string, Damage>> = {
  'a byte of a pack has flipped': onOne(/\.pack$/, flip),
  'a byte of an index has flipped': onOne(/\.idx$/, flip),
  'a pack is cut short': onOne(/\.pack$/, cut),
  'an index is cut short': onOne(/\.idx$/, cut),
  'a pack is missing': onOne(/\.pack$/, (file) => rmSync(file)),
  'an index is missing': onOne(/\.idx$/, (file) => rmSync(file)),
  'all packs are missing, but not the marks': (directory) =>
    files(directory, /\.(pack|idx)$/).forEach((file) => rmSync(file)),
  'a mark is of what was never fetched': (directory) => writeFileSync(join(directory, 'commits', 'a'.repeat(40)), ''),
  'a folder is in place of a pack': onOne(/\.pack$/, inTheWay),
  'a folder is in place of a mark': onOne(/commits\/./, inTheWay),
  'a file is in place of the marks': (directory) => replaced(join(directory, 'commits')),
  'a file is in place of the packs': (directory) => replaced(join(directory, 'objects')),
  'a file is in place of the mirror': replaced,
}

/** Commits that were fetched one after the other, with what each holds. The last one was not fetched. */
const commits: { readonly id: string; readonly files: Readonly<Record<string, string>> }[] = []
const fetched = 3

const mirrors = (): string => join(world().root, 'data', 'mirrors')
const sound = (): string => join(world().root, 'sound')

beforeAll(async () => {
  const { repository, source, remote } = world()
  for (let at = 0; at <= fetched; at++) {
    const lines = Array.from({ length: 60 }, (_, line) => `line ${line} ${line === at ? 'changed' : ''}`).join('\n')
    const change = { 'a.yaml': lines, [`d/f${at}`]: `${at}` }
    const id = await repository.commit({ files: change })
    commits.push({ id, files: { ...commits.at(-1)?.files, ...change } })
    if (at < fetched) await source.fetch(remote, sha1(id), never)
  }
  cpSync(mirrors(), sound(), { recursive: true })
})

async function readsAll(source: GitSource, at: number): Promise<void> {
  const { id, files: expected } = commits[at]!
  const read = await source.files(world().remote, sha1(id), '', () => true, never)
  expect(Object.fromEntries(read.map(({ path, bytes }) => [path, Buffer.from(bytes).toString()]))).toEqual(expected)
}

describe('where', () => {
  test.each(Object.entries(damages))('%s, every commit is read as it is', async (name, damage) => {
    const dice = seeded(name.length)
    for (let round = 0; round < 3; round++) {
      rmSync(mirrors(), { recursive: true })
      cpSync(sound(), mirrors(), { recursive: true })
      damage(join(mirrors(), readdirSync(mirrors())[0]!), dice)
      const source = world().restart()
      for (const at of round === 0 ? [fetched] : [fetched - 1, dice(fetched), fetched]) await readsAll(source, at)
    }
  })
})
