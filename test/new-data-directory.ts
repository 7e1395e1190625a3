import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SqliteStore, type StoreOptions } from '../src/store/sqlite/sqlite-store.js'
import { ManualClock } from './manual-clock.js'

let bytes: Buffer | undefined

/** Writes database and key as a first start leaves them, for their owner only. */
export function writeNewDataDirectory(directory: string): void {
  writeNewDatabase(join(directory, 'gitmoor.db'))
  writeFileSync(join(directory, 'key'), Buffer.alloc(32, 7), { mode: 0o600 })
}

/** Writes a database as a first start leaves it. Migrations cost more than most tests: they run once in a process. */
export function writeNewDatabase(file: string): void {
  bytes ??= firstStart()
  writeFileSync(file, bytes, { mode: 0o600 })
}

/** A store on such a database. To be disposed. */
export function openNewStore(file: string, clock: ManualClock, options?: StoreOptions): SqliteStore {
  writeNewDatabase(file)
  return new SqliteStore(file, clock, options)
}

function firstStart(): Buffer {
  const directory = mkdtempSync(join(tmpdir(), 'gitmoor-new-'))
  const file = join(directory, 'gitmoor.db')
  new SqliteStore(file, new ManualClock())[Symbol.dispose]()
  const written = readFileSync(file)
  rmSync(directory, { recursive: true })
  return written
}
