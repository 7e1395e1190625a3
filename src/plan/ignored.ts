// Ignored fields (`ignore` of a stack): never planned or corrected. List entries are matched by position.
import type { FieldChange } from '../model/change.js'
import { parseFieldPath, type PathStep } from '../lib/field-path.js'
import { isObject, type Json, type JsonObject } from '../model/json.js'
import type { Problem } from '../model/problem.js'
import type { IgnoreRule } from '../model/stack.js'
import { fieldChanges } from './diff.js'

type Path = readonly PathStep[]

/** The ignore rules of one family, applied to a normalized state. */
export interface IgnoredFields {
  /** The desired state with the actual values of ignored fields: they do not differ, and an update keeps them. */
  readonly keepActual: (wanted: JsonObject, live: JsonObject) => JsonObject
  /** The state without ignored fields, for ownership and for comparing two stacks' declarations. */
  readonly strip: (value: JsonObject) => JsonObject
}

const nothing: IgnoredFields = { keepActual: (wanted) => wanted, strip: (value) => value }

/** For all families. A family without rules keeps all fields. */
export function ignoredFieldsByFamily(rules: readonly IgnoreRule[] = []): (family: string) => IgnoredFields {
  const families = new Map<string, Path[]>()
  for (const { family, path } of rules) {
    const steps = parseFieldPath(path)
    if (steps !== undefined) families.set(family, [...(families.get(family) ?? []), steps])
  }
  return (family) => {
    const paths = families.get(family)
    return paths === undefined ? nothing : ignoredFields(paths)
  }
}

function ignoredFields(paths: readonly Path[]): IgnoredFields {
  return {
    keepActual: (wanted, live) => paths.reduce((value, path) => leaveAt(value, live, path) as JsonObject, wanted),
    strip: (value) => paths.reduce((rest, path) => stripAt(rest, path) as JsonObject, value),
  }
}

/** Warns of rules that match nothing in any resource. Call it with every resource first. */
export class UnmatchedRules {
  #open: readonly { readonly rule: IgnoreRule; readonly path: Path }[]

  constructor(rules: readonly IgnoreRule[] = []) {
    this.#open = rules.map((rule) => ({ rule, path: parseFieldPath(rule.path) ?? [] }))
  }

  see(family: string, ...forms: readonly (JsonObject | undefined)[]): void {
    if (this.#open.length === 0) return
    this.#open = this.#open.filter(
      ({ rule, path }) => rule.family !== family || !forms.some((form) => leadsTo(form, path)),
    )
  }

  problems(): readonly Problem[] {
    return this.#open.map(({ rule: { family, path } }) => ({
      severity: 'warning',
      code: 'plan/ignores-nothing',
      message: `The stack ignores ${path} of ${family}, which no resource has.`,
      hint: 'Write the path as a plan prints it, with [*] for any place in a list: charts[*].yPos.',
    }))
  }
}

/** Compares a resource with its desired state: the goal of an update, its differences, and ignored differences. */
export function compareIgnoring(
  live: JsonObject,
  wanted: JsonObject,
  { keepActual }: IgnoredFields,
): { readonly goal: JsonObject; readonly fields: readonly FieldChange[]; readonly left: readonly string[] } {
  const goal = keepActual(wanted, live)
  const fields = fieldChanges(live, goal)
  if (goal === wanted) return { goal, fields, left: [] }
  const planned = new Set(fields.map(({ path }) => path))
  const left = fieldChanges(live, wanted).map(({ path }) => path)
  return { goal, fields, left: left.filter((path) => !planned.has(path)) }
}

/** True if the pattern matches something in the value. */
function leadsTo(value: Json | undefined, [step, ...rest]: Path): boolean {
  if (step === undefined) return value !== undefined
  if (isObject(value)) return keysAt(step, value).some((key) => leadsTo(value[key], rest))
  return isList(value) && indexesAt(step, value.length).some((i) => leadsTo(value[i], rest))
}

function leaveAt(wanted: Json, live: Json | undefined, [step, ...rest]: Path): Json {
  if (step === undefined) return live ?? wanted
  if (isObject(wanted) && isObject(live)) return leaveKeys(wanted, live, step, rest)
  return isList(wanted) && isList(live) ? leaveElements(wanted, live, step, rest) : wanted
}

function leaveKeys(wanted: JsonObject, live: JsonObject, step: PathStep, rest: Path): JsonObject {
  const result: Record<string, Json> = { ...wanted }
  for (const key of keysAt(step, { ...live, ...wanted })) {
    const there = Object.hasOwn(live, key) ? live[key] : undefined
    if (rest.length === 0 && there === undefined) delete result[key]
    else if (rest.length === 0) result[key] = there!
    else if (Object.hasOwn(wanted, key)) result[key] = leaveAt(wanted[key]!, there, rest)
  }
  return result
}

/** `[*]` at the end ignores the whole list. An element that only one side has follows the package. */
function leaveElements(wanted: readonly Json[], live: readonly Json[], step: PathStep, rest: Path): readonly Json[] {
  if (rest.length === 0 && step === 'any') return live
  const at = new Set(indexesAt(step, Math.min(wanted.length, live.length)))
  return wanted.map((one, i) => (at.has(i) ? leaveAt(one, live[i], rest) : one))
}

function stripAt(value: Json, [step, ...rest]: Path): Json {
  if (step === undefined) return null
  if (isObject(value)) return stripKeys(value, step, rest)
  if (!isList(value)) return value
  if (rest.length === 0 && step === 'any') return []
  const at = new Set(indexesAt(step, value.length))
  return value.map((one, i) => (at.has(i) ? stripAt(one, rest) : one))
}

function stripKeys(value: JsonObject, step: PathStep, rest: Path): JsonObject {
  const at = new Set(keysAt(step, value))
  const kept = Object.entries(value).filter(([key]) => rest.length > 0 || !at.has(key))
  return Object.fromEntries(kept.map(([key, one]) => [key, at.has(key) ? stripAt(one, rest) : one]))
}

function keysAt(step: PathStep, value: JsonObject): readonly string[] {
  if (step === 'any') return Object.keys(value)
  return 'key' in step && Object.hasOwn(value, step.key) ? [step.key] : []
}

function indexesAt(step: PathStep, length: number): readonly number[] {
  if (step === 'any') return Array.from({ length }, (_, i) => i)
  return 'index' in step && step.index < length ? [step.index] : []
}

function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value)
}
