// Repairs a damaged database by itself: the file is set aside, the newest intact copy or an empty database takes its
// place, and all readable rows are salvaged. The next start finishes a repair that a crash interrupted.
import Database from 'better-sqlite3'
import { copyFileSync, existsSync, renameSync } from 'node:fs'
import type { DatabaseEvent } from '../../database-event-table.js'
import { listCopies, type CopyFile } from '../backup/copy-files.js'
import { findDamage, linkDatabase, removeBeside, removeDatabase, syncFile, timeName } from '../file/database-file.js'
import { recheckStacks } from './recheck-stacks.js'
import { addDatabaseEvent } from '../sqlite-database-events.js'
import { recordedNames } from '../decisions/recorded-tables.js'
import { salvage, type Salvaged } from './salvage.js'
import { migrateTo, databaseVersion } from '../tables/upgrade.js'
import { migrations } from '../tables/migrations.js'

/** `lostDecisions`: not all declarations and decisions could be read. */
export interface Repaired {
  readonly event: DatabaseEvent
  readonly lostDecisions: boolean
}

/** Replaces a damaged database with an intact one. */
export function repairDatabase(file: string, damage: string, now: number): Repaired {
  const draft = `${file}.repairing`
  const aside = `${file}.damaged-${timeName(now)}`
  removeDatabase(draft)
  const copy = newestIntactCopy(file)
  if (copy !== undefined) copyFileSync(copy.path, draft)
  const filled = fill(draft, { file, damage, aside, copy, now })
  linkDatabase(file, aside)
  syncFile(draft)
  renameSync(draft, repairedPath(file))
  finishRepair(file)
  return filled
}

/** Moves a repaired database into place, also after a start that was killed before that. */
export function finishRepair(file: string): void {
  const repaired = [repairedPath(file), `${file}.mended`].find((path) => existsSync(path)) // versions before 18
  if (repaired === undefined) return
  syncFile(repaired)
  removeBeside(file)
  renameSync(repaired, file)
  syncFile(file)
}

function repairedPath(file: string): string {
  return `${file}.repaired`
}

function newestIntactCopy(file: string): CopyFile | undefined {
  return listCopies(file).find(({ path }) => findDamage(path) === undefined && isKnown(path))
}

function isKnown(path: string): boolean {
  const database = new Database(path, { readonly: true })
  try {
    return databaseVersion(database) > 0 && databaseVersion(database) <= migrations.length
  } finally {
    database.close()
  }
}

interface RepairInput {
  readonly file: string
  readonly damage: string
  readonly aside: string
  readonly copy: CopyFile | undefined
  readonly now: number
}

function fill(draft: string, { file, damage, aside, copy, now }: RepairInput): Repaired {
  const database = new Database(draft)
  try {
    database.pragma('journal_mode = DELETE')
    if (copy === undefined) migrateTo(database, 1)
    const salvaged = salvage(database, file)
    migrateTo(database, migrations.length)
    recheckStacks(database, now, 'the database was damaged')
    const message = `The database was damaged (${damage}) and is kept as ${aside}. ${repairSummary(copy, salvaged, now)}`
    const event = addDatabaseEvent(database, { at: now, code: 'store/repaired', message })
    return {
      event,
      lostDecisions: recordedNames.some((table) => [...salvaged.partly, ...salvaged.lost].includes(table)),
    }
  } finally {
    database.close()
  }
}

function repairSummary(copy: CopyFile | undefined, { whole, partly, lost }: Salvaged, now: number): string {
  if (partly.length + lost.length === 0) return 'All rows could be read: nothing is lost.'
  const base =
    copy === undefined ? 'There was no copy' : `The copy of ${new Date(copy.at).toISOString()} took its place`
  const read = [
    ...(whole.length > 0 ? [`all of ${whole.join(', ')}`] : []),
    ...(partly.length > 0 ? [`parts of ${partly.join(', ')}`] : []),
  ]
  const taken =
    read.length === 0
      ? 'nothing could be read of the damaged file'
      : `${read.join(' and ')} could be read of the damaged file`
  const rest =
    copy === undefined
      ? 'Stacks of the configuration file are declared again; they'
      : 'Stacks poll their sources again; they'
  const since = copy === undefined ? '' : ` written from then until ${new Date(now).toISOString()}`
  const missing = `All other data${since} is lost, also that of targets inside the database.`
  return `${base}; ${taken}. ${missing} ${rest} adopt the resources on their targets.`
}
