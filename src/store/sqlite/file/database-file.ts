// The files of a database: the file itself, and those that SQLite keeps beside it.
import Database from 'better-sqlite3'
import { closeSync, copyFileSync, fsyncSync, linkSync, openSync, readSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { tableWithoutJson } from '../tables/json-columns.js'
import { schemaDamage, storedColumns } from '../tables/schema.js'
import { isUnreadable } from './sqlite-error.js'

const beside = ['-wal', '-shm', '-journal'] as const

/** The damage of a database; undefined: none. Other errors (busy, read-only, disk full) are thrown. */
export function findDamage(file: string): string | undefined {
  const header = headerDamage(file)
  if (header !== undefined) return header
  let database: Database.Database | undefined
  try {
    database = new Database(file, { fileMustExist: true })
    return damageIn(database)
  } catch (error) {
    if (isUnreadable(error)) return error.message
    throw error
  } finally {
    database?.close()
  }
}

/** The damage of an open database with an intact header; undefined: none. Errors: those of SQLite. */
export function damageIn(database: Database.Database): string | undefined {
  const answer = database.pragma('quick_check', { simple: true })
  if (answer !== 'ok') return damageText(String(answer))
  const columns = storedColumns(database)
  const schema = schemaDamage(database, columns)
  if (schema !== undefined) return schema
  const table = tableWithoutJson(database, columns)
  return table === undefined ? undefined : `a row of table ${table} is damaged`
}

/** The problems that an integrity check of SQLite lists at most. */
const mostDamage = 100

/** What an integrity check of SQLite found: the first problem, and how many more it lists in one text. */
export function damageText(found: string): string {
  const lines = found.split('\n').map((line) => line.trim())
  const [first = '', ...others] = lines.filter((line) => line !== '' && !/^\*\*\* in database \w+ \*\*\*$/.test(line))
  if (others.length === 0) return first
  const least = others.length + 1 >= mostDamage ? 'at least ' : ''
  return `${first} (and ${least}${others.length} more ${others.length === 1 ? 'problem' : 'problems'})`
}

/** A number that no version ever reaches. */
const mostVersions = 10_000

/** A header with a format or version that no program writes. SQLite would treat such a file as read-only. */
export function headerDamage(file: string): string | undefined {
  const handle = openSync(file, 'r')
  try {
    const header = Buffer.alloc(100)
    if (readSync(handle, header) < header.length) return undefined
    const form = header.subarray(18, 20).every((version) => version === 1 || version === 2)
    return form && header.readUInt32BE(60) <= mostVersions ? undefined : 'its header is not that of a SQLite database'
  } finally {
    closeSync(handle)
  }
}

/** Removes a database and the files beside it. */
export function removeDatabase(file: string): void {
  rmSync(file, { force: true })
  removeBeside(file)
}

/** Removes the files that SQLite keeps beside a database. */
export function removeBeside(file: string): void {
  for (const end of beside) rmSync(`${file}${end}`, { force: true })
}

/** Gives a database and its log a second name. The first name stays. */
export function linkDatabase(file: string, name: string): void {
  linkOrCopy(file, name)
  for (const end of ['-wal', '-journal']) if (sizeOf(`${file}${end}`) > 0) linkOrCopy(`${file}${end}`, `${name}${end}`)
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0
}

function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to)
  } catch {
    copyFileSync(from, to)
  }
}

/** Syncs a file and its directory entry to disk. */
export function syncFile(file: string): void {
  for (const path of [file, dirname(file)]) {
    const handle = openSync(path, 'r')
    try {
      fsyncSync(handle)
    } finally {
      closeSync(handle)
    }
  }
}

/** `20261121T040012Z`: sorts by time and is valid on every file system. */
export function timeName(ms: number): string {
  return new Date(ms).toISOString().replaceAll(/[-:]|\.\d+/g, '')
}
