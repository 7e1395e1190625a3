import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SqliteStore } from '../src/store/sqlite/sqlite-store.js'
import { ManualClock } from './manual-clock.js'

/** Of the database. */
let bytes: Buffer | undefined

/**
 * Writes database and key as a first start leaves them, for their owner only. Migrations cost more than most tests:
 * they run once in a process.
 */
export function writeNewDataDirectory(directory: string): void {
  bytes ??= firstStart()
  writeFileSync(join(directory, 'gitmoor.db'), bytes, { mode: 0o600 })
  writeFileSync(join(directory, 'key'), Buffer.alloc(32, 7), { mode: 0o600 })
}

function firstStart(): Buffer {
  const directory = mkdtempSync(join(tmpdir(), 'gitmoor-new-'))
  const file = join(directory, 'gitmoor.db')
  new SqliteStore(file, new ManualClock())[Symbol.dispose]()
  const written = readFileSync(file)
  rmSync(directory, { recursive: true })
  return written
}
