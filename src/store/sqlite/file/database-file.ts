// A database as files: the file itself, and what SQLite keeps beside it.
import Database from 'better-sqlite3'
import { closeSync, copyFileSync, fsyncSync, linkSync, openSync, readSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { tableWithoutJson } from '../tables/json-columns.js'
import { isUnreadable } from './sqlite-error.js'

const beside = ['-wal', '-shm', '-journal'] as const

/**
 * Why the database is not whole; undefined: it is. Errors of another sort (busy, read-only, no room) are thrown as they
 * are.
 */
export function findDamage(file: string, options: Database.Options = {}): string | undefined {
  const header = headerDamage(file)
  if (header !== undefined) return header
  let database: Database.Database | undefined
  try {
    database = new Database(file, { fileMustExist: true, ...options })
    const answer = database.pragma('quick_check', { simple: true })
    if (answer !== 'ok') return String(answer)
    const table = tableWithoutJson(database)
    return table === undefined ? undefined : `a row of ${table} cannot be read`
  } catch (error) {
    if (isUnreadable(error)) return error.message
    throw error
  } finally {
    database?.close()
  }
}

/** More migrations than there will ever be. */
const mostVersions = 10_000

/** What SQLite takes for a request to leave the file alone: a form or a version that no program has written. */
function headerDamage(file: string): string | undefined {
  const handle = openSync(file, 'r')
  try {
    const header = Buffer.alloc(100)
    if (readSync(handle, header) < header.length) return undefined
    const form = header.subarray(18, 20).every((version) => version === 1 || version === 2)
    return form && header.readUInt32BE(60) <= mostVersions ? undefined : 'the header is not one that SQLite wrote'
  } finally {
    closeSync(handle)
  }
}

/** Removes a database with what is beside it. */
export function removeDatabase(file: string): void {
  rmSync(file, { force: true })
  removeBeside(file)
}

/** Removes what SQLite keeps beside a file. */
export function removeBeside(file: string): void {
  for (const end of beside) rmSync(`${file}${end}`, { force: true })
}

/** The same bytes under another name, with the log that belongs to them; both names stay. */
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

/** On disk: its bytes, and its name. */
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

/** `20261121T040012Z`: sorts as time does, and every file system takes it. */
export function timeName(ms: number): string {
  return new Date(ms).toISOString().replaceAll(/[-:]|\.\d+/g, '')
}
