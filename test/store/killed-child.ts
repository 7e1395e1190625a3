// A process that restores a backup or opens a damaged database, and is ended before the call at `point`: of the file
// system, or of SQLite where it writes.
import Database from 'better-sqlite3'
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { restoreBackup } from '../../src/store/sqlite/backup/restore-backup.js'
import { SqliteStore } from '../../src/store/sqlite/sqlite-store.js'
import { ManualClock } from '../manual-clock.js'

export interface KilledOrder {
  readonly what: 'restore' | 'open'
  /** The backup, or the database. */
  readonly file: string
  /** What the backup is restored to. */
  readonly directory: string
  /** 0: never. */
  readonly point: number
}

const watched = [
  'copyFileSync',
  'renameSync',
  'writeFileSync',
  'mkdirSync',
  'linkSync',
  'rmSync',
  'fsyncSync',
  'chmodSync',
] as const
const { what, file, directory, point } = JSON.parse(process.argv[2]!) as KilledOrder
const calls: string[] = []

function endAt<T extends object>(target: T, name: keyof T & string): void {
  const call = target[name] as (...args: unknown[]) => unknown
  const ending = function (this: unknown, ...args: unknown[]): unknown {
    calls.push(name)
    if (calls.length === point) process.kill(process.pid, 'SIGKILL')
    return call.apply(this, args)
  }
  Object.assign(target, { [name]: ending })
}

for (const name of watched) endAt(fs, name)
endAt(Database.prototype as { exec: unknown }, 'exec')
syncBuiltinESMExports()

const clock = new ManualClock()
if (what === 'restore') restoreBackup({ file, directory }, clock.now())
else new SqliteStore(file, clock)[Symbol.dispose]()
fs.writeSync(1, JSON.stringify(calls))
