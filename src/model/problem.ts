// A problem is something an author can fix: collected, never thrown. A stage returns `Checked<T>`: all problems in file
// order, and a value without the invalid parts.
import type { Address } from './address.js'
import { pointerKeys } from '../lib/text/json-pointer.js'
import { printable } from '../lib/text/printable.js'

/** A place in a package. `index`: of the document, over all files, from 0. `pointer`: RFC 6901. `line`: from 1. */
export interface Place {
  readonly file: string
  readonly index: number
  readonly pointer: string
  readonly line: number
}

export interface Problem {
  readonly severity: 'error' | 'warning'
  /** The room that found it, then the rule: `graph/cycle`. */
  readonly code: string
  readonly message: string
  readonly place?: Place
  /** The field, with the index of its document: `root[0].spec.charts[1].geom`. */
  readonly field?: string
  readonly hint?: string
  /** The written kind, if the document has no known kind. */
  readonly kind?: string
  /** The address that could not be changed, or whose change could not be undone. */
  readonly about?: Address
  /** The number of unlisted problems of its severity that it summarizes. */
  readonly more?: number
  /** The name of the stack of a configuration file or of a fleet that it is about. */
  readonly stack?: string
}

/** A problem without its place. */
export interface Finding {
  readonly code: string
  readonly message: string
  readonly hint?: string
}

export interface Checked<T> {
  readonly value: T
  readonly problems: readonly Problem[]
}

/** The number of problems, including unlisted ones. */
export function countProblems(problems: readonly Problem[]): number {
  return problems.reduce((sum, { more = 1 }) => sum + more, 0)
}

const adviceCodes: readonly string[] = ['kinds/plain-credential']

/**
 * True for advice on how a package is written: it is given where a package is checked, planned or first applied, and by
 * the doctor. What shows the state of a stack does not repeat it.
 */
export function isAdvice({ code }: Finding): boolean {
  return adviceCodes.includes(code)
}

/** True for problems of resources that an undo left as they are. */
export function isUndoProblem({ code }: Finding): boolean {
  return code === 'engine/undo-failed' || code === 'engine/undo-skipped'
}

export function errorsOf(problems: readonly Problem[]): readonly Problem[] {
  return problems.filter((problem) => problem.severity === 'error')
}

/** True if something else on the target has a declared name: the problem may end without a change of the package. */
export function isTargetConflict({ code }: Pick<Problem, 'code'>): boolean {
  return code === 'plan/name-taken'
}

/** A problem at a place. `shown`: the pointer that its field shows, where it differs. */
export function problemAt(
  severity: Problem['severity'],
  place: Place,
  { code, message, hint }: Finding,
  shown = place.pointer,
): Problem {
  return { severity, code, message, place, field: fieldAt(place.index, shown), ...(hint === undefined ? {} : { hint }) }
}

/**
 * `root[0].spec.charts[1].geom` for `/spec/charts/1/geom` of document 0. Associations are at
 * `root[0].associations[1]`, although documents have them below `spec`.
 */
export function fieldAt(index: number, pointer: string): string {
  return fieldBelow(`root[${index}]`, pointer.replace(/^\/spec(?=\/associations(?:\/|$))/, ''))
}

/** The field of a pointer below a field, in the same notation: `.spec.charts[1].geom`. */
export function fieldBelow(field: string, pointer: string): string {
  let whole = field
  for (const key of pointerKeys(pointer)) whole += /^\d+$/.test(key) ? `[${key}]` : `.${key}`
  return whole
}

/** Sorted by document; within one as found, associations last. Problems without a place come first. */
export function inFileOrder(problems: readonly Problem[]): readonly Problem[] {
  const isLate = (problem: Problem): number =>
    problem.place?.pointer.startsWith('/spec/associations') === true ? 1 : 0
  return [...problems].sort((a, b) => (a.place?.index ?? -1) - (b.place?.index ?? -1) || isLate(a) - isLate(b))
}

/** The limit of one package, and of one answer: further problems are counted, not listed. */
export const mostProblems = 1_000

/** At most `most` problems in order; the last one counts the rest. Errors are kept before warnings. */
export function firstProblems(problems: readonly Problem[], most = mostProblems): readonly Problem[] {
  if (problems.length <= most) return problems
  const room = most - 1
  const errors = errorsOf(problems).length
  let warnings = Math.max(0, room - errors)
  const kept = problems.filter(({ severity }) => severity === 'error' || warnings-- > 0).slice(0, room)
  const left = problems.length - room
  const counted =
    errors > room
      ? ({ severity: 'error', more: errors - room } as const)
      : ({ severity: 'warning', more: left } as const)
  const message = `There are ${left} more problems.`
  return [...kept, { ...counted, code: 'package/more-problems', message, hint: 'Fix these first.' }]
}

/** The problem with another path of its file, also where its message begins with the path. */
export function inFile(problem: Problem, pathOf: (file: string) => string): Problem {
  const { place, message } = problem
  if (place === undefined) return problem
  const file = pathOf(place.file)
  const old = printable(place.file)
  const isNamed = message.startsWith(`${old}:`)
  return {
    ...problem,
    message: isNamed ? printable(file) + message.slice(old.length) : message,
    place: { ...place, file },
  }
}

/** `dashboards/a.yml:12`, in messages about two places. */
export function shownPlace({ file, line }: Place): string {
  return `${printable(file)}:${line}`
}

/** `dashboards/a.yml:12: Bucket/raw is declared twice`: the message, after its place if it does not begin with it. */
export function placedMessage({ message, place }: Problem): string {
  if (place === undefined) return message
  const at = shownPlace(place)
  return message.startsWith(at) ? message : `${at}: ${message}`
}

/** The first error after its place, and how many others there are: `a.yml:3: … (and 2 more errors)`. */
export function errorSummary(problems: readonly Problem[]): string | undefined {
  const errors = errorsOf(problems)
  const [first] = errors
  if (first === undefined) return undefined
  const others = countProblems(errors) - countProblems([first])
  const message = placedMessage(first)
  if (others === 0) return message
  return `${message.replace(/\.$/, '')} (and ${others} more ${others === 1 ? 'error' : 'errors'})`
}

/** One line: `dashboards/a.yml:12: warning: spec.name: …`, without the hint. */
export function formatProblem(problem: Problem): string {
  return lineOf(problem, problem.severity === 'warning' ? ['warning'] : [])
}

/** The same after its severity: `warning: dashboards/a.yml:12: spec.name: …`. */
export function formatWithSeverity(problem: Problem): string {
  return `${problem.severity}: ${lineOf(problem, [])}`
}

function lineOf(problem: Problem, severity: readonly string[]): string {
  const { message, place } = problem
  const at = place === undefined ? '' : `${place.file}:${place.line}`
  const field = shownField(problem)
  const parts = [
    ...(at === '' || message.startsWith(at) ? [] : [at]),
    ...severity,
    ...(field === '' ? [] : [field]),
    message,
  ]
  return printable(parts.join(': '))
}

/** Fields of template requests. Other clients send other ones. */
const requestFields = ['envRefs', 'secrets']

/** The field below its document: `spec.charts[1].geom`. '' if it is unknown, or named in the message. */
export function shownField({ message, place, field = '' }: Problem): string {
  const isOfDocument = /^root\[\d+\]/.test(field)
  const path =
    isOfDocument && place !== undefined ? fieldBelow('', place.pointer).slice(1) : field.replace(/^root\[\d+\]\.?/, '')
  const isKnown = message.includes(`"${path}"`) || (place === undefined && requestFields.includes(path))
  return isKnown ? '' : path
}
