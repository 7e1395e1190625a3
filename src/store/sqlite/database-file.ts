// A database as files: the file itself, and what SQLite keeps beside it.
import Database from 'better-sqlite3'
import { closeSync, copyFileSync, fsyncSync, linkSync, openSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { tableWithoutJson } from './json-columns.js'
import { isDamage } from './sqlite-error.js'

const beside = ['-wal', '-shm', '-journal'] as const

/** Why the database is not whole; undefined: it is. Errors of another sort (busy, read-only, no room) are thrown as they are. */
export function damageOf(file: string, options: Database.Options = {}): string | undefined {
  let database: Database.Database | undefined
  try {
    database = new Database(file, { fileMustExist: true, ...options })
    const answer = database.pragma('quick_check', { simple: true })
    if (answer !== 'ok') return String(answer)
    const table = tableWithoutJson(database)
    return table === undefined ? undefined : `a row of ${table} cannot be read`
  } catch (error) {
    if (isDamage(error)) return error.message
    throw error
  } finally {
    database?.close()
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
