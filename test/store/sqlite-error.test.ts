import { writeFileSync } from 'node:fs'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { Rejected } from '../../src/model/errors.js'
import { isBusy, isDamage, toStoreError, unusable } from '../../src/store/sqlite/file/sqlite-error.js'

const sqliteError = (code: string): Error => new Database.SqliteError('it said so', code)

test.each([
  ['SQLITE_FULL', 'store/full', 'Cannot write to the database: the disk is full.'],
  ['SQLITE_BUSY', 'store/busy', 'Another program has locked the database.'],
  ['SQLITE_LOCKED_SHAREDCACHE', 'store/busy', 'Another program has locked the database.'],
  ['SQLITE_READONLY_DIRECTORY', 'store/read-only', 'The database is read-only.'],
  ['SQLITE_CORRUPT_INDEX', 'store/damaged', 'The database is damaged.'],
  ['SQLITE_NOTADB', 'store/damaged', 'The database is damaged.'],
  ['SQLITE_IOERR', 'store/failed', 'The database failed: it said so.'],
])('%s is reported as %s', (sqlite, code, message) => {
  const cause = sqliteError(sqlite)
  expect(toStoreError(cause)).toMatchObject({ code, message, cause })
  expect([isBusy(cause), isDamage(cause)]).toEqual([code === 'store/busy', code === 'store/damaged'])
})

test.each([
  new Rejected('No.', { code: 'a/b' }),
  Object.assign(new Error('x'), { code: 'EACCES' }),
  Object.assign(new Error('x'), { code: 7 }),
  'x',
])('what is not SQLite’s stays as it is: %s', (error) => {
  expect(toStoreError(error)).toBe(error)
  expect(unusable('gitmoor.db', error)).toBe(error)
  expect([isBusy(error), isDamage(error)]).toEqual([false, false])
})

test.each([
  ['SQLITE_FULL', 'The disk is full. Free space on the disk of /srv/data, then start the agent again.'],
  ['SQLITE_IOERR', 'The agent must own its data directory and have write permission.'],
])('at a start, %s says what the file is and what to do', (code, hint) => {
  expect(unusable('/srv/data/gitmoor.db', sqliteError(code))).toMatchObject({
    code: 'store/unusable',
    message: `Cannot use the database /srv/data/gitmoor.db: it said so (${code}).`,
    path: '/srv/data/gitmoor.db',
    hint,
  })
})

test('at a start, a file beside the database that finds no room says which disk is full', () => {
  const full = thrownBy(() => writeFileSync('/dev/full', 'x'))
  expect(unusable('/srv/data/gitmoor.db', full)).toMatchObject({
    code: 'store/unusable',
    hint: 'The disk is full. Free space on the disk of /srv/data, then start the agent again.',
  })
})

function thrownBy(act: () => void): unknown {
  try {
    act()
  } catch (error) {
    return error
  }
  throw new Error('nothing was thrown')
}
