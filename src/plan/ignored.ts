// Fields that others own (`ignore` of a stack): never planned, never corrected, left as they are. Lists go by position.
import type { FieldChange } from '../model/change.js'
import { parseFieldPath, type PathStep } from '../model/field-path.js'
import { isObject, type Json, type JsonObject } from '../model/json.js'
import type { Problem } from '../model/problem.js'
import type { Ignored } from '../model/stack.js'
import { diffFields } from './diff.js'

type Path = readonly PathStep[]

/** What one family's rules mean for a normalised form. */
export interface Ignoring {
  /** What is wanted, with what is there wherever others own it: nothing differs there, and an update writes it back as it is. */
  readonly leave: (wanted: JsonObject, live: JsonObject) => JsonObject
  /** Without what others own: for records and for comparing what two stacks declare. */
  readonly strip: (value: JsonObject) => JsonObject
}

const nothing: Ignoring = { leave: (wanted) => wanted, strip: (value) => value }

/** Of all families; what has no rule is left whole. */
export function ignoringOf(rules: readonly Ignored[] = []): (family: string) => Ignoring {
  const families = new Map<string, Path[]>()
  for (const { family, path } of rules) {
    const steps = parseFieldPath(path)
    if (steps !== undefined) families.set(family, [...(families.get(family) ?? []), steps])
  }
  return (family) => {
    const paths = families.get(family)
    return paths === undefined ? nothing : ignoring(paths)
  }
}

function ignoring(paths: readonly Path[]): Ignoring {
  return {
    leave: (wanted, live) => paths.reduce((value, path) => leaveAt(value, live, path) as JsonObject, wanted),
    strip: (value) => paths.reduce((rest, path) => stripAt(rest, path) as JsonObject, value),
  }
}

/** Which rules lead to nothing in any resource, as warnings; asked with every resource first. */
export class UnmatchedRules {
  #open: readonly { readonly rule: Ignored; readonly path: Path }[]

  constructor(rules: readonly Ignored[] = []) {
    this.#open = rules.map((rule) => ({ rule, path: parseFieldPath(rule.path) ?? [] }))
  }

  see(family: string, ...forms: readonly (JsonObject | undefined)[]): void {
    if (this.#open.length === 0) return
    this.#open = this.#open.filter(({ rule, path }) => rule.family !== family || !forms.some((form) => leadsTo(form, path)))
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

/** What of a thing is there, against what is wanted: the goal of an update, where it differs, and where it differs and is left. */
export function compareLeaving(
  live: JsonObject,
  wanted: JsonObject,
  { leave }: Ignoring,
): { readonly goal: JsonObject; readonly fields: readonly FieldChange[]; readonly left: readonly string[] } {
  const goal = leave(wanted, live)
  const fields = diffFields(live, goal)
  if (goal === wanted) return { goal, fields, left: [] }
  const planned = new Set(fields.map(({ path }) => path))
  const left = diffFields(live, wanted).map(({ path }) => path)
  return { goal, fields, left: left.filter((path) => !planned.has(path)) }
}

/** True if the pattern leads to something in the value. */
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

/** `[*]` at the end leaves the whole list. An element that only one side has is as the package says. */
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
