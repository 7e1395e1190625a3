import type { Compilable } from './sqlite-file.js'

/** Stands in a query for a value that is given each time. */
class Placeholder {
  readonly name: string
  constructor(name: string) {
    this.name = name
  }
}

/** Every name a hole. */
const placeholders = new Proxy({}, { get: (_, name) => new Placeholder(String(name)) })

/**
 * A query that is built and compiled once, for what is asked for each thing of a plan. `make` may only name what it is
 * given: it never sees a value.
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

function filled(value: unknown, given: object): unknown {
  return value instanceof Placeholder ? (given as Readonly<Record<string, unknown>>)[value.name] : value
}
