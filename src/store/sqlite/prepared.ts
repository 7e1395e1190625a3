import type { Compilable } from './sqlite-file.js'

/** Stands in a query for a value that is given each time. */
class Hole {
  readonly name: string
  constructor(name: string) {
    this.name = name
  }
}

/** Every name a hole. */
const holes = new Proxy({}, { get: (_, name) => new Hole(String(name)) })

/**
 * A query that is built and compiled once, for what is asked for each thing of a plan. `make` may only name what it is
 * given: it never sees a value.
 */
export function prepared<Given extends object, Row>(
  make: (given: Given) => Compilable<Row>,
): (given: Given) => Compilable<Row> {
  let known: ReturnType<Compilable<Row>['compile']> | undefined
  return (given) => ({
    compile: (executor) => {
      known ??= make(holes as Given).compile(executor)
      return { ...known, parameters: known.parameters.map((value) => filled(value, given)) }
    },
  })
}

function filled(value: unknown, given: object): unknown {
  return value instanceof Hole ? (given as Readonly<Record<string, unknown>>)[value.name] : value
}
