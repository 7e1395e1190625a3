// How a resource that is created is found again if the answer is lost. The server chooses ids. Where names are unique,
// the new resource is the one with this name that is as it was written and newer than all that were seen before. Other
// resources get a random mark as their description, until an update gives them the true one.
import { randomBytes } from 'node:crypto'
import { isObject, Secret, type Json, type JsonObject } from '../../model/json.js'
import type { Kind } from '../../model/resources/kind.js'
import { jsonDigest } from '../../plan/digest.js'
import type { ApiResource } from './families.js'

/** `fields`: of the state that was written; `digest`: of their values, without secrets; `after`: see `ageOf`. */
interface NameTrace {
  readonly name: string
  readonly fields: readonly string[]
  readonly digest: string
  readonly after: string
}

interface MarkTrace {
  readonly mark: string
}

export type Trace = NameTrace | MarkTrace

/** `newest`: the age of the newest resource of the family that was seen. */
export function traceOf(kind: Kind, state: JsonObject, newest: string): Trace {
  const name = kind.matching?.key(kind.normalise(state))
  if (name === undefined) return { mark: `gitmoor ${randomBytes(12).toString('hex')}` }
  const fields = Object.keys(state).filter((field) => !(state[field] instanceof Secret))
  return { name, fields, digest: digestOf(kind, state, fields), after: newest }
}

/** The state that a creation writes. */
export function markedState(trace: Trace, state: JsonObject): JsonObject {
  return 'mark' in trace ? { ...state, description: trace.mark } : state
}

/** Whether it is the resource that a creation with this trace may have made. `actual`: its state. */
export function isTraced(
  trace: Trace,
  { form, actual }: { readonly form: ApiResource; readonly actual: JsonObject },
  kind: Kind,
): boolean {
  if ('mark' in trace) return descriptionOf(form) === trace.mark
  return ageOf(form) > trace.after && digestOf(kind, actual, trace.fields) === trace.digest
}

/** Those of a listing that may be it. */
export function candidates(trace: Trace, all: Iterable<ApiResource>, kind: Kind): readonly ApiResource[] {
  return [...all].filter((form) =>
    'mark' in trace ? descriptionOf(form) === trace.mark : kind.matching?.key(form) === trace.name,
  )
}

/** A text that is greater for a newer resource of the family: its time; of a label, which has none, its id. */
export function ageOf({ id, createdAt }: ApiResource): string {
  if (typeof createdAt !== 'string') return id
  const [seconds = '', fraction = ''] = createdAt.replace(/Z$/, '').split('.')
  return `${seconds}.${fraction.padEnd(9, '0')}`
}

function digestOf(kind: Kind, state: JsonObject, fields: readonly string[]): string {
  const normal = kind.normalise(state)
  const picked = fields.filter((field) => normal[field] !== undefined).map((field) => [field, normal[field]!] as const)
  return jsonDigest(Object.fromEntries(picked))
}

/** Of a label, it is one of its properties. */
function descriptionOf({ description, properties }: ApiResource): Json | undefined {
  return description ?? (isObject(properties) ? properties['description'] : undefined)
}
