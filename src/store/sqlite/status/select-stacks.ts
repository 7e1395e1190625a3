// Selects a page of stacks from the status table and the live status of the process.
import { sql, type RawBuilder } from 'kysely'
import { Refused } from '../../../model/errors.js'
import type { LabelCondition, LiveStatus, StackSort } from '../../../model/stacks/stack.js'
import type { StackQuery, StoredStatus } from '../../stack-table.js'
import { listed } from '../file/prepared-query.js'
import type { SqliteFile } from '../file/sqlite-file.js'

/** The position of a stack in a list: the value that the list is sorted by, then the name. */
export interface ListPosition {
  readonly stack: string
  readonly name: string
  readonly key: number | null
  /** 0: none. */
  readonly lastRun: number
}

const keys = { createdAt: sql.ref<number>('created_at'), lastRun: sql.ref<number>('last_run') }

/** Errors: `Refused` usage, if `after` is not a valid cursor. */
export function selectStacks(file: SqliteFile, query: StackQuery): readonly ListPosition[] {
  const { sort = 'name', limit } = query
  const key = keyOf(sort)
  const way = sql.raw(sort.startsWith('-') ? 'desc' : 'asc')
  const conditions = [...conditionsOf(query), ...(query.after === undefined ? [] : [beyond(query.after, sort)])]
  const where = conditions.length === 0 ? sql`` : sql`where ${sql.join(conditions, sql` and `)}`
  const order = key === undefined ? sql`name ${way}` : sql`${key} ${way}, name ${way}`
  return file.all(
    sql<ListPosition>`
      select stack, name, ${key ?? null} as key, last_run as lastRun from stack_status
      ${where} order by ${order} limit ${limit}`,
  )
}

/** The cursor of a position, for `after`. */
export function cursorOf({ name, key }: ListPosition): string {
  return key === null ? name : `${key}:${name}`
}

function keyOf(sort: StackSort): RawBuilder<number> | undefined {
  const by = sort.replace('-', '')
  return by === 'name' ? undefined : keys[by as keyof typeof keys]
}

function beyond(after: string, sort: StackSort): RawBuilder<unknown> {
  const key = keyOf(sort)
  const than = sql.raw(sort.startsWith('-') ? '<' : '>')
  if (key === undefined) return sql`name ${than} ${after}`
  const [, at, name] = /^(\d{1,15}):(.*)$/s.exec(after) ?? []
  if (at === undefined)
    throw new Refused('usage', `Invalid cursor "${after}" for a list sorted by ${sort}.`, {
      code: 'stacks/invalid-cursor',
    })
  return sql`(${key}, name) ${than} (${Number(at)}, ${name})`
}

function conditionsOf({ filter, liveStatus, stored }: StackQuery): readonly RawBuilder<unknown>[] {
  const { name, target, sync, health, phase, suspended, managedBy, selector = [] } = filter
  const degraded = [...liveStatus.pollFailures, ...liveStatus.unreadableInputs].map(([stack]) => stack)
  return [
    name === undefined ? undefined : sql`instr(name, ${name}) > 0`,
    target === undefined ? undefined : sql`target = ${target}`,
    sync === undefined ? undefined : sql`sync = ${sync}`,
    health === undefined ? undefined : sql`${healthNow(degraded)} = ${health}`,
    phase === undefined ? undefined : sql`${phaseNow([...liveStatus.inProgress])} = ${phase}`,
    suspended === undefined ? undefined : sql`suspended = ${suspended ? 1 : 0}`,
    managedBy === undefined ? undefined : sql`managed_by = ${managedBy}`,
    ...selector.map(labelCondition),
    stored === undefined ? undefined : storedCondition(stored, liveStatus),
  ].filter((condition) => condition !== undefined)
}

function storedCondition({ states, needsPerson, live }: StoredStatus, status: LiveStatus): RawBuilder<unknown> {
  const isAlike = [
    ...(states === undefined ? [] : [sql`state in ${listed(JSON.stringify(states))}`]),
    ...(needsPerson === undefined ? [] : [sql`needs_person = ${Number(needsPerson)}`]),
  ]
  const { pollFailures, unreadableInputs, blockers } = status
  const liveIds = [pollFailures, unreadableInputs, blockers].flatMap((known) => [...known.keys()])
  const isLive = [
    ...among('stack', [...live.stacks, ...liveIds]),
    ...among('last_run', [...status.inProgress.keys()].map(Number)),
    noneOf('target', live.exceptTargets),
    ...(live.exceptManagedBy === undefined ? [] : [sql`managed_by <> ${live.exceptManagedBy}`]),
  ]
  return sql`((${sql.join(isAlike, sql` and `)}) or ${sql.join(isLive, sql` or `)})`
}

/** No condition for no values: each row would be looked up in the empty list. */
function among(column: string, values: readonly (string | number)[]): readonly RawBuilder<unknown>[] {
  return values.length === 0 ? [] : [sql`${sql.ref(column)} in ${listed(JSON.stringify(values))}`]
}

/** A few comparisons are twice as fast as a list; SQLite refuses a thousand of them. */
const mostComparisons = 100

function noneOf(column: string, values: readonly string[]): RawBuilder<unknown> {
  if (values.length === 0) return sql`true`
  if (values.length > mostComparisons) return sql`${sql.ref(column)} not in ${listed(JSON.stringify(values))}`
  const differences = values.map((value) => sql`${sql.ref(column)} <> ${value}`)
  return sql`(${sql.join(differences, sql` and `)})`
}

/** Keys of labels contain no quotes, so each is one step of a JSON path. */
export function labelCondition(condition: LabelCondition): RawBuilder<unknown> {
  const value = sql`json_extract(labels, ${`$."${condition.key}"`})`
  switch (condition.operator) {
    case 'equals':
      return sql`${value} = ${condition.value}`
    case 'differs':
      return sql`${value} is not ${condition.value}`
    case 'exists':
      return sql`${value} is not null`
    case 'absent':
      return sql`${value} is null`
  }
}

function healthNow(degraded: readonly string[]): RawBuilder<unknown> {
  const [isDegraded] = among('stack', degraded)
  return isDegraded === undefined ? sql`health` : sql`iif(${isDegraded}, 'Degraded', health)`
}

function phaseNow(inHand: readonly (readonly [string, string])[]): RawBuilder<unknown> {
  const phases = JSON.stringify(Object.fromEntries(inHand))
  const inProgress = sql`(select value from json_each(${phases}) where key = cast(last_run as text))`
  return sql`iif(unfinished = 1 and phase <> 'done', coalesce(${inProgress}, phase), phase)`
}
