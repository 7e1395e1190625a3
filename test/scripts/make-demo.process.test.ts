import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildGraph } from '../../src/graph/graph.js'
import { influxdbKind } from '../../src/influxdb/kinds/kinds.js'
import { familyOf } from '../../src/model/address.js'
import { readPackage } from '../../src/package/package.js'

let directory: string
/** Made once, for all tests that only read it. */
let demo: string
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'gitmoor-demo-'))
  demo = makeDemo('demo')
})
afterAll(() => rmSync(directory, { recursive: true, force: true }))

function makeDemo(name: string): string {
  execFileSync(process.execPath, ['scripts/make-demo.mjs', join(directory, name)])
  return join(directory, name)
}

function git(repository: string, ...words: readonly string[]): string {
  const env = { PATH: process.env['PATH'], GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' }
  return execFileSync('git', ['-C', repository, ...words], { env, encoding: 'utf8' }).trim()
}

describe('the demo repository', () => {
  test('has a clean work tree on main at stable, with beta one commit further on another branch', () => {
    expect(git(demo, 'status', '--porcelain', '--branch')).toBe('## main')
    expect(git(demo, 'rev-parse', 'beta', 'beta~1', 'beta~1')).toBe(git(demo, 'rev-parse', 'next', 'main', 'stable'))
    expect(git(demo, 'rev-list', '--count', 'stable')).toBe('2')
  })

  test('differs between stable and beta', () => {
    expect(git(demo, 'diff', '--name-only', 'stable', 'beta').split('\n')).toEqual([
      'monitoring/buckets.yml',
      'monitoring/task.yml',
    ])
  })

  test.each(['stable~1', 'stable', 'beta'])('holds at %s a package without errors or warnings', (revision) => {
    const paths = git(demo, 'ls-tree', '-r', '--name-only', revision, 'monitoring').split('\n')
    const files = paths.map((path) => ({
      path,
      id: path,
      bytes: Buffer.from(git(demo, 'show', `${revision}:${path}`)),
    }))
    const documents = readPackage(files)
    const graph = buildGraph(documents.value, influxdbKind)
    expect([...documents.problems, ...graph.problems]).toEqual([])
    const families = graph.value.resources
      .filter(({ partOf }) => partOf === undefined)
      .map(({ address }) => familyOf(address))
    expect(families.sort()).toEqual(['Bucket', 'Bucket', 'Dashboard', 'Label', 'Task'])
  })

  test('is the same wherever and whenever it is made', () => {
    expect(git(makeDemo('other'), 'rev-parse', 'beta')).toBe(git(demo, 'rev-parse', 'beta'))
  })

  test('can be committed to without a git identity', () => {
    const own = makeDemo('own')
    git(own, 'commit', '--allow-empty', '--message', 'mine')
    git(own, 'tag', '--force', 'stable')
    expect(git(own, 'rev-parse', 'stable')).toBe(git(own, 'rev-parse', 'main'))
  })

  test('is left alone where something is there already', () => {
    mkdirSync(join(directory, 'mine'))
    makeDemo('mine')
    expect(readdirSync(join(directory, 'mine'))).toEqual([])
  })
})
