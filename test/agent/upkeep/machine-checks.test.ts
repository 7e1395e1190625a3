import Database from 'better-sqlite3'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { machineChecks } from '../../../src/agent/upkeep/machine-checks.js'
import { integrityProblems } from '../../../src/store/sqlite/repair/integrity-check.js'
import { SqliteStore } from '../../../src/store/sqlite/sqlite-store.js'
import { ManualClock } from '../../manual-clock.js'

let data: string
beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), 'gitmoor-doctor-'))
  chmodSync(data, 0o700)
  writeFileSync(join(data, 'key'), Buffer.alloc(32, 7), { mode: 0o600 })
  new SqliteStore(join(data, 'gitmoor.db'), new ManualClock())[Symbol.dispose]()
  chmodSync(join(data, 'gitmoor.db'), 0o600)
})
afterEach(() => rmSync(data, { recursive: true, force: true }))

async function checkTexts(searchPath = process.env['PATH']!): Promise<Readonly<Record<string, string>>> {
  const checks = await machineChecks({ data, integrity: integrityProblems, searchPath })
  return Object.fromEntries(
    checks.map(({ name, state, message, next }) => [
      name,
      [state, message, ...(next === undefined ? [] : [next])].join(' | '),
    ]),
  )
}

test('a valid data directory passes all checks', async () => {
  const { node, data: directory, key, database, token } = await checkTexts()
  expect(node).toContain(`ok | Node ${process.versions.node}`)
  expect(directory).toBe(`ok | ${data}, only accessible to its owner`)
  expect([key, database!.slice(0, 27)]).toEqual(['ok | only accessible to its owner', 'ok | integrity check passed'])
  expect(token).toMatch(/^skipped/)
})

test('files that others may read are a problem, with the command that fixes it', async () => {
  chmodSync(data, 0o755)
  chmodSync(join(data, 'key'), 0o604)
  const { data: directory, key } = await checkTexts()
  expect(directory).toBe(`problem | ${data} is accessible to its group and everybody. | chmod 700 ${data}`)
  expect(key).toBe(`problem | ${join(data, 'key')} is readable for everybody. | chmod 600 ${join(data, 'key')}`)
})

test('a key of another length is reported, and a missing one', async () => {
  writeFileSync(join(data, 'key'), 'short')
  expect((await checkTexts())['key']).toContain('has 5 bytes; a key has 32')
  rmSync(join(data, 'key'))
  expect((await checkTexts())['key']).toMatch(/^warning \| .*key does not exist\./)
})

test('a database that was removed from a directory that an agent used is a problem', async () => {
  rmSync(join(data, 'gitmoor.db'))
  expect((await checkTexts())['gitmoor.db']).toBe('skipped | gitmoor.db does not exist yet.')
  writeFileSync(join(data, 'agent.json'), '{}', { mode: 0o600 })
  expect((await checkTexts())['gitmoor.db']).toMatch(/^problem \| .*gitmoor\.db was removed\. \| Put it back/)
})

test('a corrupt database is found while another process has it open, and nothing is changed', async () => {
  const file = join(data, 'gitmoor.db')
  const open = new Database(file)
  open.exec('create table filler (text text); ')
  const fill = open.prepare('insert into filler values (?)')
  open.transaction(() => {
    for (let i = 0; i < 200; i++) fill.run('x'.repeat(500))
  })()
  open.pragma('wal_checkpoint(TRUNCATE)')
  expect((await checkTexts())['database']).toMatch(/^ok/)
  open.close()
  const bytes = readFileSync(file)
  for (let i = bytes.length - 40_960; i + 256 <= bytes.length; i += 512) bytes.fill(0x5a, i, i + 256)
  writeFileSync(file, bytes)
  expect((await checkTexts())['database']).toMatch(/^problem \| It is corrupt: /)
  expect(readFileSync(file)).toEqual(bytes)
})

test('a file that is not a database is reported in the words of SQLite', async () => {
  writeFileSync(join(data, 'gitmoor.db'), 'no database\n'.repeat(500))
  expect((await checkTexts())['database']).toMatch(/^problem \| It is corrupt: file is not a database\. \| /)
})

test('a database that takes too long is skipped', async () => {
  const checks = await machineChecks({ data, integrity: (file) => integrityProblems(file, 0), searchPath: '' })
  expect(checks.find(({ name }) => name === 'database')).toMatchObject({ state: 'skipped' })
})

test('without git, only git is reported', async () => {
  expect((await checkTexts(data))['git']).toMatch(/^warning \| git is not installed\. \| Install git 2\.31/)
})
