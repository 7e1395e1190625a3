// Restores a data directory from a backup. It is built in a subfolder, and the database is moved into place last: if
// the process is killed, the restore is either complete or can be started again.
import Database from 'better-sqlite3'
import {
  chmodSync,
  closeSync,
  copyFileSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { faultText } from '../../../lib/text/fault-text.js'
import { Refused, Rejected } from '../../../model/errors.js'
import type { Sealed } from '../../../model/json.js'
import { Keyring, mostKeyFileBytes } from '../../../secrets/keyring.js'
import { readBoundedFile } from '../../../settings/bounded-file.js'
import type { Restore, Restored } from '../../copies.js'
import { findDamage, syncFile } from '../file/database-file.js'
import { hasTable, takeLabel, type BackupLabel } from './backup-label.js'
import { recheckStacks } from '../repair/recheck-stacks.js'
import { addDatabaseEvent } from '../sqlite-database-events.js'
import { unusable } from '../file/sqlite-error.js'
import { migrateTo, refuseNewer, databaseVersion } from '../tables/upgrade.js'
import { migrations } from '../tables/migrations.js'

/** The folder in which a restore builds the directory. A start of the agent removes it. */
export const restoringName = 'restoring'

/**
 * Errors: `Refused` store/not-empty, store/no-backup, store/backup-damaged, store/newer, store/other-key. The caller
 * has locked the directory.
 */
export function restoreBackup({ file, key: keyFile, directory }: Restore, now: number): Restored {
  checkEmpty(directory)
  const work = join(directory, restoringName)
  rmSync(work, { recursive: true, force: true })
  mkdirSync(work, { mode: 0o700 })
  try {
    const { label, ...facts } = prepare(copyBackup(file, work), now, file)
    const key = keyFile === undefined ? label?.key : readKey(keyFile)
    const cannotUndo = countUnopened(facts.sealed, key ?? undefined)
    publish(work, directory, {
      ...(key == null ? {} : { key }),
      ...(label?.token == null ? {} : { token: `${label.token}\n` }),
    })
    const { stacks, declared } = facts
    return { directory, stacks, declared, createdAt: label?.made_at ?? null, withKey: key != null, cannotUndo }
  } catch (error) {
    throw unusable(file, error)
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

/** The directory is empty, or has the leftovers of a killed restore. */
function checkEmpty(directory: string): void {
  const names = readdirSync(directory)
  const ours = new Set([
    'lock.db',
    'lock.db-journal',
    restoringName,
    ...(names.includes(restoringName) ? ['key', 'token'] : []),
  ])
  const others = names.filter((name) => !ours.has(name))
  if (others.length === 0) return
  throw new Refused(
    'conflict',
    `The data directory ${directory} is not empty. It contains ${others.slice(0, 3).join(', ')}.`,
    {
      code: 'store/not-empty',
      path: directory,
      hint: 'Choose another directory with --data, or move this one away.',
    },
  )
}

function copyBackup(file: string, work: string): string {
  const draft = join(work, 'gitmoor.db')
  try {
    const status = statSync(file)
    if (!status.isFile()) throw new Error(status.isDirectory() ? 'it is a directory' : 'it is not a regular file')
    copyFileSync(file, draft)
  } catch (cause) {
    throw new Refused('usage', `Cannot read the backup ${file}: ${faultText(cause)}.`, {
      code: 'store/no-backup',
      path: file,
      hint: 'Choose a file that `gitmoor backup FILE` wrote.',
    })
  }
  chmodSync(draft, 0o600)
  const other = otherContent(draft)
  if (other !== undefined) throw noBackup(`${file} is not a backup of gitmoor: it is ${other}.`, file)
  const damage = findDamage(draft)
  if (damage === undefined) return draft
  throw new Refused('failed', `The backup ${file} is damaged: ${damage}.`, {
    code: 'store/backup-damaged',
    path: file,
    hint: 'Use another backup, or the newest copy in the folder `copies` of the data directory.',
  })
}

/** What a file is that does not begin as databases of SQLite do; undefined: it does. */
function otherContent(file: string): string | undefined {
  const start = Buffer.alloc(sqliteMagic.length)
  const handle = openSync(file, 'r')
  try {
    const bytes = readSync(handle, start)
    if (bytes === 0) return 'empty'
    return start.equals(sqliteMagic) ? undefined : 'not a database'
  } finally {
    closeSync(handle)
  }
}

const sqliteMagic = Buffer.from('SQLite format 3\0')

/** Upgrades the database, removes the key from it without a trace, and makes every stack poll again. */
function prepare(
  draft: string,
  now: number,
  file: string,
): {
  readonly label: BackupLabel | undefined
  readonly stacks: number
  readonly declared: number
  readonly sealed: ReadonlyMap<string, Sealed>
} {
  const database = new Database(draft)
  try {
    checkKnown(database, file)
    database.pragma('journal_mode = MEMORY')
    const label = takeLabel(database) // undefined: a copy without a label, which is accepted, too
    const made = label === undefined ? '' : ` of ${new Date(label.made_at).toISOString()}`
    database.transaction(() => {
      migrateTo(database, migrations.length)
      recheckStacks(database, now, `restored from a backup${made}`)
      database.exec('update recorded set database = lower(hex(randomblob(8))), seq = 0') // a new decision log begins
      addDatabaseEvent(database, {
        at: now,
        code: 'store/restored',
        message: `The database was restored from a backup${made}.`,
      })
    })()
    database.exec('vacuum')
    database.pragma('journal_mode = DELETE')
    const sealed = database.prepare('select stack, before from journal where before is not null').raw().all() as [
      string,
      Sealed,
    ][]
    return {
      label,
      stacks: database.prepare('select count(*) from stacks').pluck().get() as number,
      declared: database.prepare(declaredStacks).pluck().get() as number,
      sealed: new Map(sealed),
    }
  } finally {
    database.close()
  }
}

/** The number of stacks that need the configuration file: it declares them, or their fleet. */
const declaredStacks = `
  select count(*) from stacks
  where managed_by = 'file' or managed_by in (select 'fleet:' || name from fleets where managed_by = 'file')`

function checkKnown(database: Database.Database, file: string): void {
  refuseNewer(database, file)
  if (databaseVersion(database) > 0 && hasTable(database, 'stacks')) return
  throw noBackup(`${file} is not a backup of gitmoor: it is the database of another program.`, file)
}

function noBackup(message: string, file: string): Refused {
  const hint = 'Choose a file that `gitmoor backup FILE` wrote.'
  return new Refused('failed', message, { code: 'store/no-backup', path: file, hint })
}

/** The number of stacks whose snapshots cannot be opened. */
function countUnopened(sealed: ReadonlyMap<string, Sealed>, key: Uint8Array | undefined): number {
  if (key === undefined) return sealed.size
  const keyring = new Keyring(key)
  for (const one of sealed.values()) {
    try {
      keyring.open(one)
    } catch (cause) {
      if (!(cause instanceof Rejected) || cause.code !== 'secrets/other-key') throw cause
      throw new Refused('failed', 'The key does not belong to this backup.', {
        code: 'store/other-key',
        hint: 'Use the file `key` of the same data directory. Without a key, unfinished applies cannot be undone.',
        cause,
      })
    }
  }
  return 0
}

function readKey(path: string): Buffer {
  try {
    return readBoundedFile(path, mostKeyFileBytes)
  } catch (cause) {
    throw new Refused('usage', `Cannot read the key ${path}: ${faultText(cause)}.`, {
      code: 'store/no-key',
      path,
      hint:
        'Use the file `key` of the data directory that was backed up. ' +
        'Without a key, unfinished applies cannot be undone.',
    })
  }
}

function publish(work: string, directory: string, secrets: Readonly<Record<string, Uint8Array | string>>): void {
  for (const [name, value] of Object.entries(secrets)) writeFileSync(join(work, name), value, { mode: 0o600 })
  for (const name of [...Object.keys(secrets), 'gitmoor.db']) {
    syncFile(join(work, name))
    renameSync(join(work, name), join(directory, name))
  }
  syncFile(join(directory, 'gitmoor.db'))
}
