// Changes of one row by its id. Each set of columns is compiled once: writers change few different ones.
import type { UpdateObject } from 'kysely'
import type { Tables } from '../tables/tables.js'
import { preparedQuery } from './prepared-query.js'
import { build } from './query-builder.js'
import type { Compilable } from './sqlite-file.js'

type Table = 'stacks' | 'runs'
type Values = Readonly<Record<string, unknown>>

const known = new Map<string, (given: Values) => Compilable<unknown>>()

/** `set`: values, or expressions; a change with an expression is compiled each time. */
export function rowUpdate<T extends Table>(
  table: T,
  id: Tables[T]['id'] | string | number,
  set: UpdateObject<Tables, T>,
): Compilable<unknown> {
  const values = set as Values
  if (!Object.values(values).every(isValue)) return updateOf(table, id, values)
  const columns = Object.keys(values)
  const key = `${table} ${columns.join(' ')}`
  let prepared = known.get(key)
  if (prepared === undefined) {
    prepared = preparedQuery((given: Values) =>
      updateOf(table, given['id'], Object.fromEntries(columns.map((column) => [column, given[column]]))),
    )
    known.set(key, prepared)
  }
  return prepared({ ...values, id })
}

function updateOf(table: Table, id: unknown, set: Values): Compilable<unknown> {
  const update = build.updateTable(table as 'stacks').set(set as UpdateObject<Tables, 'stacks'>)
  return update.where('id', '=', id as string)
}

function isValue(value: unknown): boolean {
  return value === null || typeof value === 'string' || typeof value === 'number'
}
