// A problem is what an author can fix: collected, never thrown. A stage returns `Checked<T>`: all problems in file order, the spoilt parts left out of the value.

/** Where in a package: `index` is the document's position over all files (root[i]), `pointer` the RFC 6901 path inside it, `line` counts from 1. */
export interface Place {
  readonly file: string
  readonly index: number
  readonly pointer: string
  readonly line: number
}

export interface Problem {
  readonly severity: 'error' | 'warning'
  /** The room to look in, then what: `graph/cycle`. */
  readonly code: string
  readonly message: string
  readonly place?: Place
  /** The field in the reference's notation: `root[0].spec.charts[1].geom`. */
  readonly field?: string
  readonly hint?: string
}

export interface Checked<T> {
  readonly value: T
  readonly problems: readonly Problem[]
}

export function errorsOf(problems: readonly Problem[]): readonly Problem[] {
  return problems.filter((problem) => problem.severity === 'error')
}
