import Database from 'better-sqlite3'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sql } from 'kysely'
import { SqliteFile } from '../../src/store/sqlite/file/sqlite-file.js'

test('every commit waits for the disk, also when the file is opened again, which SQLite by itself would not do', () => {
  const directory = mkdtempSync(join(tmpdir(), 'gitmoor-durable-'))
  const file = join(directory, 'gitmoor.db')
  try {
    for (let i = 0; i < 2; i++) {
      const opened = new SqliteFile(file)
      expect(opened.get(sql<{ synchronous: number }>`pragma synchronous`)).toEqual({ synchronous: 2 })
      expect(opened.get(sql<{ foreign_keys: number }>`pragma foreign_keys`)).toEqual({ foreign_keys: 1 })
      expect(opened.get(sql<{ journal_mode: string }>`pragma journal_mode`)).toEqual({ journal_mode: 'wal' })
      opened.close()
    }
    const plain = new Database(file)
    expect(plain.pragma('synchronous', { simple: true })).toBe(1)
    plain.close()
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
})
