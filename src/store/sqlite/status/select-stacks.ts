// Selects a page of stacks from the status table and the live status of the process.
import { sql, type RawBuilder } from 'kysely'
import { Refused } from '../../../model/errors.js'
import type { FollowedRef, LabelCondition, LiveStatus, StackSort } from '../../../model/stacks/stack.js'
import { states, type State } from '../../../status/status.js'
import type { LiveStacks, StackQuery } from '../../stack-table.js'
import { listed } from '../file/prepared-query.js'
import type { SqliteFile } from '../file/sqlite-file.js'

/** The position of a stack in a list: the value that the list is sorted by, then the name. */
export interface ListPosition {
  readonly stack: string
  readonly name: string
  readonly key: number | string | null
  /** 0: none. */
  readonly lastRun: number
  readonly behindSince: number | null
}

/** Errors: `Refused` usage, if `after` is not a valid cursor. */
export function selectStacks(file: SqliteFile, query: StackQuery): readonly ListPosition[] {
  const { sort = 'name', limit } = query
  const key = keyOf(query)
  const way = sql.raw(sort.startsWith('-') ? 'desc' : 'asc')
  const ties = isFromAToZ(sort) ? sql.raw('asc') : way
  const conditions = [...conditionsOf(query), ...(query.after === undefined ? [] : [beyond(query.after, query)])]
  const order = key === undefined ? sql`name ${way}` : sql`${key} ${way}, name ${ties}`
  return file.all(
    sql<ListPosition>`
      select stack, name, ${key ?? null} as key, last_run as lastRun, nullif(behind_since, 0) as behindSince
      from stack_status ${whereAll(conditions)} order by ${order} limit ${limit}`,
  )
}

/** The number of stacks on all pages. */
export function countStacks(file: SqliteFile, query: StackQuery): number {
  const where = whereAll(conditionsOf(query))
  return file.get(sql<{ readonly count: number }>`select count(*) as count from stack_status ${where}`)!.count
}

function whereAll(conditions: readonly RawBuilder<unknown>[]): RawBuilder<unknown> {
  return conditions.length === 0 ? sql`` : sql`where ${sql.join(conditions, sql` and `)}`
}

/** The cursor of a position, for `after`. */
export function cursorOf({ name, key }: ListPosition): string {
  return key === null ? name : `${key}:${name}`
}

/** Stacks with the same value are sorted by name also if the value is sorted in descending order. */
function isFromAToZ(sort: StackSort): boolean {
  return sort === '-lag' || sort === '-needs'
}

/** Greater than any time in milliseconds: a stack that is behind for longer has a greater key, others have 0. */
const latest = 999_999_999_999_999

/** Of a package: a cursor must stay short. */
const mostKeyCharacters = 500

function keyOf({ sort = 'name', stored }: StackQuery): RawBuilder<number | string> | undefined {
  switch (sort.replace('-', '')) {
    case 'createdAt':
      return sql.ref<number>('created_at')
    case 'lastRun':
      return sql.ref<number>('last_run')
    case 'lag':
      return sql`iif(behind_since = 0, 0, ${latest} - behind_since)`
    case 'needs':
      return sql`case ${stateNow(stored?.liveStates)} ${sql.join(
        states.map((state, at) => sql`when ${state} then ${states.length - at}`),
        sql` `,
      )} end`
    case 'target':
      return sql.ref<string>('target')
    case 'package':
      return sql`substr(package, 1, ${mostKeyCharacters})`
    default:
      return undefined
  }
}

function beyond(after: string, query: StackQuery): RawBuilder<unknown> {
  const { sort = 'name' } = query
  const key = keyOf(query)
  const than = sql.raw(sort.startsWith('-') ? '<' : '>')
  if (key === undefined) return sql`name ${than} ${after}`
  const isText = /target|package/.test(sort)
  const [, at, name] = (isText ? /^(.*):([^:]*)$/s : /^(\d{1,15}):(.*)$/s).exec(after) ?? []
  if (at === undefined)
    throw new Refused('usage', `Invalid cursor "${after}" for a list sorted by ${sort}.`, {
      code: 'stacks/invalid-cursor',
    })
  if (isFromAToZ(sort)) return sql`(${key} < ${Number(at)} or (${key} = ${Number(at)} and name > ${name}))`
  return sql`(${key}, name) ${than} (${isText ? at : Number(at)}, ${name})`
}

/** The state by what is stored, unless the process knows another one. */
function stateNow(live: ReadonlyMap<string, State> = new Map()): RawBuilder<unknown> {
  const known = states.flatMap((state) => {
    const stacks = [...live].flatMap(([stack, one]) => (one === state ? [stack] : []))
    return among('stack', stacks).map((condition) => sql`when ${condition} then ${state}`)
  })
  return known.length === 0 ? sql`state` : sql`case ${sql.join(known, sql` `)} else state end`
}

function conditionsOf({ filter, liveStatus, stored }: StackQuery): readonly RawBuilder<unknown>[] {
  const { name, names, target, sync, health, phase, suspended, managedBy, selector = [], path, follows } = filter
  const degraded = (): readonly string[] => [...liveStatus.pollFailures.keys(), ...liveStatus.unreadableInputs.keys()]
  return [
    name === undefined ? undefined : sql`instr(name, ${name}) > 0`,
    target === undefined ? undefined : sql`target = ${target}`,
    sync === undefined ? undefined : sql`sync = ${sync}`,
    health === undefined ? undefined : sql`${healthNow(degraded())} = ${health}`,
    phase === undefined ? undefined : sql`${phaseNow([...liveStatus.inProgress])} = ${phase}`,
    suspended === undefined ? undefined : sql`suspended = ${suspended ? 1 : 0}`,
    managedBy === undefined ? undefined : sql`managed_by = ${managedBy}`,
    names === undefined ? undefined : sql`name in ${listed(JSON.stringify(names))}`,
    ...selector.map(labelCondition),
    path === undefined ? undefined : hasSource(sql`(value ->> 0 = ${path} or instr(value ->> 0, ${`${path}/`}) = 1)`),
    follows === undefined ? undefined : hasSource(followCondition(follows)),
    stored?.states === undefined
      ? undefined
      : sql`${stateNow(stored.liveStates)} in ${listed(JSON.stringify(stored.states))}`,
    stored?.needsPerson === undefined
      ? undefined
      : sql`(needs_person = ${Number(stored.needsPerson)} or ${liveCondition(stored.live, liveStatus)})`,
  ].filter((condition) => condition !== undefined)
}

/** True of the sources of a stack, each `[path, url, ref]`. */
function hasSource(condition: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`exists (select 1 from json_each(sources) where ${condition})`
}

function followCondition({ urls, ref }: FollowedRef): RawBuilder<unknown> {
  return sql`value ->> 2 = ${ref} and value ->> 1 in ${listed(JSON.stringify(urls))}`
}

/** Stacks of which the process may know something that is not stored. */
export function liveCondition(live: LiveStacks, status: LiveStatus): RawBuilder<unknown> {
  const { pollFailures, unreadableInputs, blockers } = status
  const liveIds = [pollFailures, unreadableInputs, blockers].flatMap((known) => [...known.keys()])
  const isLive = [
    ...among('stack', [...live.stacks, ...liveIds]),
    ...among('last_run', [...status.inProgress.keys()].map(Number)),
    noneOf('target', live.exceptTargets),
    ...(live.exceptManagedBy === undefined ? [] : [sql`managed_by <> ${live.exceptManagedBy}`]),
  ]
  return sql`(${sql.join(isLive, sql` or `)})`
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
