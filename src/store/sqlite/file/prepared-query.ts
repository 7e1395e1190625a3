import { sql, type RawBuilder } from 'kysely'
import type { Compilable } from './sqlite-file.js'

/** The place of a value in a prepared query. */
class Placeholder {
  readonly name: string
  constructor(name: string) {
    this.name = name
  }
}

/** A placeholder for every name. */
const placeholders = new Proxy({}, { get: (_, name) => new Placeholder(String(name)) })

/**
 * A query that is compiled once, because each run needs it, or each resource of a plan. `make` gets placeholders
 * instead of values.
 */
export function preparedQuery<Given extends object, Row>(
  make: (given: Given) => Compilable<Row>,
): (given: Given) => Compilable<Row> {
  let known: ReturnType<Compilable<Row>['compile']> | undefined
  return (given) => ({
    compile: (executor) => {
      known ??= make(placeholders as Given).compile(executor)
      return { ...known, parameters: known.parameters.map((value) => filled(value, given)) }
    },
  })
}

/** Any number of values as one parameter, so that the query is the same for each number of them. */
export function listed<T>(values: string): RawBuilder<T> {
  return sql<T>`(select value from json_each(${values}))`
}

function filled(value: unknown, given: object): unknown {
  return value instanceof Placeholder ? (given as Readonly<Record<string, unknown>>)[value.name] : value
}
