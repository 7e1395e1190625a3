// A damaged database is mended without a person: it is set aside, the newest whole copy or an empty database takes its
// place, and whatever can be read of it is taken over. Each step may be the last one before a crash: the next start
// goes on.
import Database from 'better-sqlite3'
import { copyFileSync, existsSync, renameSync } from 'node:fs'
import type { Notice } from '../store.js'
import { copiesOf, type CopyFile } from './copy-files.js'
import { damageOf, linkDatabase, removeBeside, removeDatabase, syncFile, timeName } from './database-file.js'
import { lookAgain } from './look-again.js'
import { note } from './notice-rows.js'
import { recordedNames } from './recorded-tables.js'
import { salvage, type Salvaged } from './salvage.js'
import { migrateTo, versionOf } from './upgrade.js'
import { migrations } from './tables.js'

/** `lostDecisions`: not all that people declared or decided could be read. */
export interface Mended {
  readonly notice: Notice
  readonly lostDecisions: boolean
}

/** Puts a whole database in the place of a damaged one. */
export function mend(file: string, damage: string, now: number): Mended {
  const draft = `${file}.mending`
  const aside = `${file}.damaged-${timeName(now)}`
  removeDatabase(draft)
  const copy = newestWhole(file)
  if (copy !== undefined) copyFileSync(copy.path, draft)
  const filled = fill(draft, { file, damage, aside, copy, now })
  linkDatabase(file, aside)
  syncFile(draft)
  renameSync(draft, mended(file))
  finishMending(file)
  return filled
}

/** What was mended takes its place. Also after a start that was killed on the way. */
export function finishMending(file: string): void {
  if (!existsSync(mended(file))) return
  syncFile(mended(file))
  removeBeside(file)
  renameSync(mended(file), file)
  syncFile(file)
}

function mended(file: string): string {
  return `${file}.mended`
}

function newestWhole(file: string): CopyFile | undefined {
  return copiesOf(file).find(({ path }) => damageOf(path) === undefined && isKnown(path))
}

function isKnown(path: string): boolean {
  const database = new Database(path, { readonly: true })
  try {
    return versionOf(database) > 0 && versionOf(database) <= migrations.length
  } finally {
    database.close()
  }
}

interface Mending {
  readonly file: string
  readonly damage: string
  readonly aside: string
  readonly copy: CopyFile | undefined
  readonly now: number
}

function fill(draft: string, { file, damage, aside, copy, now }: Mending): Mended {
  const database = new Database(draft)
  try {
    database.pragma('journal_mode = DELETE')
    if (copy === undefined) migrateTo(database, 1)
    const salvaged = salvage(database, file)
    migrateTo(database, migrations.length)
    lookAgain(database, now, 'the database was damaged')
    const message = `The database was damaged (${damage}) and is kept as ${aside}. ${whatCame(copy, salvaged)}`
    const notice = note(database, { at: now, code: 'store/mended', message })
    return { notice, lostDecisions: recordedNames.some((table) => !salvaged.whole.includes(table)) }
  } finally {
    database.close()
  }
}

function whatCame(copy: CopyFile | undefined, { whole, partly, lost }: Salvaged): string {
  if (partly.length + lost.length === 0) return 'Everything in it could be read: nothing is lost.'
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
    copy === undefined ? 'Stacks of the configuration file come back; they' : 'Stacks look at their sources again; they'
  return `${base}; ${taken}. ${rest} adopt what is on their targets.`
}
