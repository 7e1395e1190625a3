// A problem is what an author can fix: collected, never thrown. A stage returns `Checked<T>`: all problems in file order, the spoilt parts left out of the value.
import type { Address } from './address.js'
import { printable } from './printable.js'

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
  /** The field in InfluxDB's notation: `root[0].spec.charts[1].geom`. */
  readonly field?: string
  readonly hint?: string
  /** The kind that is written there, where no document came of it. */
  readonly kind?: string
  /** What could not be done, or undone, where that is it. */
  readonly about?: Address
  /** It stands for so many others of its severity, which are not listed. */
  readonly more?: number
}

/** What is wrong, said by one who does not say where. */
export interface Finding {
  readonly code: string
  readonly message: string
  readonly hint?: string
}

export interface Checked<T> {
  readonly value: T
  readonly problems: readonly Problem[]
}

/** How many problems there are, with those that are not listed. */
export function countProblems(problems: readonly Problem[]): number {
  return problems.reduce((sum, { more = 1 }) => sum + more, 0)
}

export function errorsOf(problems: readonly Problem[]): readonly Problem[] {
  return problems.filter((problem) => problem.severity === 'error')
}

/** A problem at a place. Its field is in InfluxDB's notation; `shown` is the pointer, where InfluxDB's differs. */
export function problemAt(severity: Problem['severity'], place: Place, { code, message, hint }: Finding, shown = place.pointer): Problem {
  return { severity, code, message, place, field: fieldOf(place.index, shown), ...(hint === undefined ? {} : { hint }) }
}

/**
 * `root[0].spec.charts[1].geom` for `/spec/charts/1/geom` of document 0. InfluxDB reports associations at
 * `root[0].associations[1]`, though they are written below `spec`.
 */
export function fieldOf(index: number, pointer: string): string {
  return fieldBelow(`root[${index}]`, pointer.replace(/^\/spec(?=\/associations(?:\/|$))/, ''))
}

/** What a pointer names below a field, in the same notation: `.spec.charts[1].geom`. */
export function fieldBelow(field: string, pointer: string): string {
  let whole = field
  for (const token of pointer.split('/').slice(1))
    whole += /^\d+$/.test(token) ? `[${token}]` : `.${token.replaceAll('~1', '/').replaceAll('~0', '~')}`
  return whole
}

/** The path of a key below a pointer, escaped as RFC 6901 says. */
export function pointerTo(pointer: string, key: string | number): string {
  return `${pointer}/${typeof key === 'number' ? key : key.replaceAll('~', '~0').replaceAll('/', '~1')}`
}

/** Sorted by document; within one as found, associations last. Problems without a place come first. */
export function inFileOrder(problems: readonly Problem[]): readonly Problem[] {
  const isLate = (problem: Problem): number => (problem.place?.pointer.startsWith('/spec/associations') === true ? 1 : 0)
  return [...problems].sort((a, b) => (a.place?.index ?? -1) - (b.place?.index ?? -1) || isLate(a) - isLate(b))
}

/** Of one package, and of one answer: what is beyond is counted, not listed. */
export const mostProblems = 1_000

/** At most so many problems, in their order; the last one counts those that are left out. Errors take the places of warnings. */
export function firstProblems(problems: readonly Problem[], most = mostProblems): readonly Problem[] {
  if (problems.length <= most) return problems
  const room = most - 1
  const errors = errorsOf(problems).length
  let warnings = Math.max(0, room - errors)
  const kept = problems.filter(({ severity }) => severity === 'error' || warnings-- > 0).slice(0, room)
  const left = problems.length - room
  const counted = errors > room ? ({ severity: 'error', more: errors - room } as const) : ({ severity: 'warning', more: left } as const)
  const message = `There are ${left} more problems.`
  return [...kept, { ...counted, code: 'package/more-problems', message, hint: 'Fix these first.' }]
}

/** One line: `dashboards/a.yml:12: root[0].spec.name: …`. The hint is not in it. */
export function formatProblem({ severity, message, place, field }: Problem): string {
  const parts = [
    ...(place === undefined ? [] : [`${place.file}:${place.line}`]),
    ...(severity === 'warning' ? ['warning'] : []),
    ...(field === undefined ? [] : [field]),
    message,
  ]
  return printable(parts.join(': '))
}
