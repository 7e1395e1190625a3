// Ignored fields (`ignore` of a stack): never planned or corrected. List entries are matched by position.
import type { FieldChange } from '../model/resources/change.js'
import { parseFieldPath, type PathStep } from '../lib/text/field-path.js'
import { isObject, type Json, type JsonObject } from '../model/json.js'
import type { Problem } from '../model/problem.js'
import type { IgnoreRule } from '../model/stacks/stack.js'
import { fieldChanges } from './diff.js'
import { unmatchedIgnore } from './plan-problems.js'

type Path = readonly PathStep[]

/** The ignore rules of one family, applied to a normalized state. */
export interface IgnoredFields {
  /** The desired state with the actual values of ignored fields: they do not differ, and an update keeps them. */
  readonly keepActual: (desired: JsonObject, actual: JsonObject) => JsonObject
  /** The state without ignored fields, for ownership and for comparing two stacks' declarations. */
  readonly strip: (value: JsonObject) => JsonObject
}

const nothing: IgnoredFields = { keepActual: (desired) => desired, strip: (value) => value }

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
    keepActual: (desired, actual) => paths.reduce((value, path) => keepAt(value, actual, path) as JsonObject, desired),
    strip: (value) => paths.reduce((rest, path) => stripAt(rest, path) as JsonObject, value),
  }
}

/** Warns of rules that match nothing in any resource. Call it with every resource first. */
export class UnmatchedRules {
  #open: readonly { readonly rule: IgnoreRule; readonly path: Path }[]

  constructor(rules: readonly IgnoreRule[] = []) {
    this.#open = rules.map((rule) => ({ rule, path: parseFieldPath(rule.path) ?? [] }))
  }

  see(family: string, ...states: readonly (JsonObject | undefined)[]): void {
    this.#open = this.#open.filter(
      ({ rule, path }) => rule.family !== family || !states.some((state) => matchesIn(state, path)),
    )
  }

  problems(): readonly Problem[] {
    return this.#open.map(({ rule: { family, path } }) => unmatchedIgnore(family, path))
  }
}

/** `desired`: what an update writes, with the actual values of ignored fields. `ignored`: paths that differ. */
export interface Comparison {
  readonly desired: JsonObject
  readonly fields: readonly FieldChange[]
  readonly ignored: readonly string[]
}

/** Compares the actual state of a resource with its desired one. Both are normalized. */
export function compareIgnoring(actual: JsonObject, desired: JsonObject, { keepActual }: IgnoredFields): Comparison {
  const kept = keepActual(desired, actual)
  const fields = fieldChanges(actual, kept)
  if (kept === desired) return { desired, fields, ignored: [] }
  const planned = new Set(fields.map(({ path }) => path))
  const differing = fieldChanges(actual, desired).map(({ path }) => path)
  return { desired: kept, fields, ignored: differing.filter((path) => !planned.has(path)) }
}

/** True if the pattern matches something in the value. */
function matchesIn(value: Json | undefined, [step, ...rest]: Path): boolean {
  if (step === undefined) return true
  if (isObject(value)) return keysAt(step, value).some((key) => matchesIn(value[key], rest))
  return isList(value) && indexesAt(step, value.length).some((i) => matchesIn(value[i], rest))
}

function keepAt(desired: Json, actual: Json | undefined, [step, ...rest]: Path): Json {
  if (step === undefined) return actual === undefined ? desired : actual
  if (isObject(desired) && isObject(actual)) return keepKeys(desired, actual, step, rest)
  return isList(desired) && isList(actual) ? keepElements(desired, actual, step, rest) : desired
}

function keepKeys(desired: JsonObject, actual: JsonObject, step: PathStep, rest: Path): JsonObject {
  const result: Record<string, Json> = { ...desired }
  for (const key of keysAt(step, { ...actual, ...desired })) {
    const there = Object.hasOwn(actual, key) ? actual[key] : undefined
    if (rest.length === 0 && there === undefined) delete result[key]
    else if (rest.length === 0) result[key] = there!
    else if (Object.hasOwn(desired, key)) result[key] = keepAt(desired[key]!, there, rest)
  }
  return result
}

/** `[*]` at the end ignores the whole list. Elements that only one side has are as declared. */
function keepElements(desired: readonly Json[], actual: readonly Json[], step: PathStep, rest: Path): readonly Json[] {
  if (rest.length === 0 && step === 'any') return actual
  const at = new Set(indexesAt(step, desired.length))
  return desired.map((one, i) => (at.has(i) ? keepAt(one, actual[i], rest) : one))
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
