import { renameSync, statSync } from 'node:fs'
import { basename } from 'node:path'
import type Database from 'better-sqlite3'
import type { Suspension } from '../../../model/stacks/stack.js'
import type { DatabaseEvent } from '../../database-event-table.js'
import { timeName } from '../file/database-file.js'
import { decisionsFile, readDecisions, writeDecisions, type Decisions } from './decision-log.js'
import { recheckStacks } from '../repair/recheck-stacks.js'
import { addDatabaseEvent } from '../sqlite-database-events.js'
import { restoreRows, rowsToRecord } from './recorded-tables.js'

/**
 * What the start did to the database before. `lostDecisions`: not all decisions in it could be read. `upgraded`: rows
 * may have changed.
 */
export interface StartActions {
  readonly repaired?: { readonly lostDecisions: boolean } | undefined
  readonly upgraded: boolean
  readonly now: number
}

interface Position {
  readonly database: string
  readonly seq: number
}

/**
 * Makes the database agree with the decision log, and writes a new log. The log is right after a lost commit, a repair,
 * a flipped bit, or if someone put an older database back. Without a log no stack counts as synced. If a repair also
 * lost decisions, every stack is suspended with that reason.
 */
export function reconcileDecisions(
  database: Database.Database,
  file: string,
  prepared: StartActions,
): readonly DatabaseEvent[] {
  database.pragma('foreign_keys = ON')
  const log = readDecisions(file)
  const position = database.prepare('select database, seq from recorded')
  const before = position.get() as Position
  const counts = log !== undefined && isNewest(log, before, prepared)
  const events = database.transaction(() => {
    const isOurs = log?.database === before.database
    if (counts) return restoreAs(database, log, before, prepared.now)
    return isOurs ? [] : withoutLog(database, file, { ...prepared, ...before })
  })()
  const after = position.get() as Position
  writeDecisions(file, after.database, after.seq, rowsToRecord(database))
  return events
}

function isNewest(log: Decisions, { database, seq }: Position, { repaired, upgraded }: StartActions): boolean {
  if (repaired !== undefined) return true
  return log.database === database && (log.seq > seq || (log.seq === seq && !upgraded))
}

function restoreAs(
  database: Database.Database,
  log: Decisions,
  before: Position,
  now: number,
): readonly DatabaseEvent[] {
  const events = restore(database, log, now)
  database.prepare('update recorded set database = ?, seq = ?').run(log.database, Math.max(log.seq, before.seq))
  return events
}

function restore(database: Database.Database, log: Decisions, now: number): readonly DatabaseEvent[] {
  const restored = restoreRows(database, log.rows)
  if (restored === 0) return []
  recheckStacks(database, now, 'the database was missing or outdated')
  const rows = restored === 1 ? '1 row was' : `${restored} rows were`
  const message = `The database lacked decisions or declarations: ${rows} restored from decisions.jsonl.`
  return [addDatabaseEvent(database, { at: now, code: 'store/decisions-restored', message })]
}

/**
 * It is unknown whether the database is the newest. Before the first decision there is no log. What there is, is kept
 * beside it: it may have decisions that this database lacks.
 */
function withoutLog(
  database: Database.Database,
  file: string,
  { repaired, seq, now }: StartActions & Position,
): readonly DatabaseEvent[] {
  const kept = keepAside(file, now)
  if (repaired?.lostDecisions === true) return [suspendAll(database, now)]
  if (repaired !== undefined || seq === 0) return []
  recheckStacks(database, now, 'the decision log was lost')
  const message =
    'decisions.jsonl is missing, damaged or of another database, so this database may be outdated. ' +
    'Every stack reads its target again.' +
    (kept === undefined ? '' : ` The file is kept as ${kept}. Check vetoes, pins and suspensions.`)
  return [addDatabaseEvent(database, { at: now, code: 'store/decisions-lost', message })]
}

/** The new name of the log; undefined: there is none. */
function keepAside(file: string, now: number): string | undefined {
  const log = decisionsFile(file)
  const kept = `${log}.${timeName(now)}`
  if (statSync(log, { throwIfNoEntry: false }) === undefined) return undefined
  renameSync(log, kept)
  return basename(kept)
}

function suspendAll(database: Database.Database, now: number): DatabaseEvent {
  const reason = 'the database was repaired, and a veto, suspension, pin or cancelled run may be lost'
  const suspended = JSON.stringify({ reason, by: 'gitmoor', until: null } satisfies Suspension)
  const { changes } = database.prepare('update stacks set suspended = ? where suspended is null').run(suspended)
  const count = `${changes} ${changes === 1 ? 'stack is' : 'stacks are'} suspended`
  const lost = `Decisions may be lost, and decisions.jsonl is missing or damaged: ${count}.`
  const message = `${lost} Check the stacks, then run: gitmoor resume NAME`
  return addDatabaseEvent(database, { at: now, code: 'store/decisions-lost', message })
}
