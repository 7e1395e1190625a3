// The rows of stacks with their newest pushes: how they are read, checked in the transaction that changes them, and
// changed.
import { sql, type RawBuilder, type UpdateObject } from 'kysely'
import { sameSources } from '../../../model/sources/source-spec.js'
import type { Unhealthy } from '../../../model/stacks/stack.js'
import { jsonText, specOf, toStack } from '../tables/rows.js'
import type { Tables } from '../tables/tables.js'
import { preparedQuery } from '../file/prepared-query.js'
import { build } from '../file/query-builder.js'
import { rowUpdate } from '../file/row-update.js'
import type { SqliteFile } from '../file/sqlite-file.js'
import { replaceDrift } from './drift-rows.js'
import type { StackObservation } from '../../run-table.js'
import type { StackChange, StackCheck } from '../../stack-table.js'

/** A query of stacks, for `toStack`. */
export function stackRows() {
  return build
    .selectFrom('stacks')
    .selectAll('stacks')
    .select((select) =>
      select.selectFrom('pushes').select('pushes.digest').whereRef('pushes.stack', '=', 'stacks.id').as('pushed'),
    )
}

/** The stack of this id. */
const stackRow = preparedQuery(({ id }: { readonly id: string }) => stackRows().where('id', '=', id))

/** Inside a transaction. `check` throws if the stack must not change; a stack that does not exist is not checked. */
export function checkStack(file: SqliteFile, id: string, check: StackCheck | undefined): void {
  if (check === undefined) return
  const row = file.get(stackRow({ id }))
  if (row !== undefined) check(toStack(row))
}

/** Inside a transaction: true if the stack exists, and has these sources and this pin. */
export function isAsPolled(file: SqliteFile, id: string, { sources, pinned }: StackObservation['polled']): boolean {
  const row = file.get(polledColumns({ id }))
  return row !== undefined && sameSources(specOf(row.spec).sources, sources) && row.pinned === jsonText(pinned)
}

const polledColumns = preparedQuery(({ id }: { readonly id: string }) =>
  build.selectFrom('stacks').select(['spec', 'pinned']).where('id', '=', id),
)

/** Inside a transaction: sets columns of a stack. */
export function updateStack(file: SqliteFile, id: string, set: UpdateObject<Tables, 'stacks'>): void {
  file.run(rowUpdate('stacks', id, set))
}

/** Columns for the number of differences. The time of the first one stays until there are none. */
export function driftColumns(drifted: number, now: number) {
  return { drifted, drifted_since: drifted === 0 ? null : sql<number>`coalesce(drifted_since, ${now})` }
}

/** Columns for resources that do not work. The time of the first one stays until there are none. */
export function healthColumns(unhealthy: Unhealthy | null, now: number) {
  const since = unhealthy === null ? null : sql<number>`coalesce(unhealthy_since, ${now})`
  return { unhealthy: jsonText(unhealthy), unhealthy_since: since }
}

/** Inside a transaction. */
export function changeStack(file: SqliteFile, id: string, change: StackChange, now: number): void {
  const set = changedColumns(change, now)
  if (Object.keys(set).length > 0) updateStack(file, id, set)
  if (change.drifted !== undefined) replaceDrift(file, id, change.drift, change.checkedAt ?? now)
}

type Column = string | number | null | RawBuilder<unknown>

function changedColumns(change: StackChange, now: number): Record<string, Column> {
  const { spec, managedBy, suspended, pinned, consent, checkedAt, triedAt, drifted, unhealthy } = change
  const { failure, retries, retryAt } = change
  return Object.fromEntries(
    Object.entries({
      name: spec?.name,
      spec: spec && JSON.stringify(spec),
      managed_by: managedBy,
      suspended: suspended === undefined ? undefined : jsonText(suspended),
      pinned: pinned === undefined ? undefined : jsonText(pinned),
      consent: consent === undefined ? undefined : jsonText(consent),
      checked_at: triedAt === undefined ? checkedAt : sql`iif(checked_at is null, null, ${triedAt})`,
      ...(drifted === undefined ? {} : driftColumns(drifted, now)),
      ...(unhealthy === undefined ? {} : healthColumns(unhealthy, now)),
      failure: failure === undefined ? undefined : jsonText(failure),
      retries,
      retry_at: retryAt,
    }).filter((column): column is [string, Column] => column[1] !== undefined),
  )
}
