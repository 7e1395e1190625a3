// Removes secrets from data that people read: sentences in structured data, errors, facts of a log line. Data that is
// applied, compared or stored as a package is not changed.

import { finish, inSlices, type Steps } from '../../lib/async/steps.js'
import { isPlain, isSmall } from '../../lib/small-json.js'

export type Redact = (text: string) => string

/** Fields with sentences. Names, addresses and IDs decide things, so they are never changed. */
const sentences: ReadonlySet<string> = new Set(
  'message hint why next purpose cli note text problem reason detail error delays lastRun unhealthy'.split(' '),
)
/** Fields written by the author of a commit or tag, below `facts`. */
const authored: ReadonlySet<string> = new Set([...sentences, 'name', 'email'])
/** Fields with content of packages and targets. */
const contents: ReadonlySet<string> = new Set(
  'plan spec actual documents diff summary changes files save bytes owned resources'.split(' '),
)

/** The same data with redacted sentences; the same object if nothing changed. */
export function redactFacts<T>(value: T, redact: Redact): T {
  return finish(redactSteps(value, redact))
}

/** The same with every string redacted. */
export function redactStrings<T>(value: T, redact: Redact): T {
  return finish(walk(value, new Walk(redact, undefined, true))) as T
}

/** `redactFacts`, a step for each entry of a list that is not small. */
export function* redactSteps<T>(value: T, redact: Redact): Steps<T> {
  return (yield* walk(value, new Walk(redact, sentences, false))) as T
}

/** How values are redacted at one place of the data. Most fields of a map are at the same one, or at its sibling. */
class Walk {
  readonly redact: Redact
  /** Fields with sentences; undefined: all fields. */
  readonly fields: ReadonlySet<string> | undefined
  readonly isSentence: boolean
  #other: Walk | undefined

  constructor(redact: Redact, fields: ReadonlySet<string> | undefined, isSentence: boolean) {
    this.redact = redact
    this.fields = fields
    this.isSentence = isSentence
  }

  /** undefined: the field is not changed. */
  below(key: string): Walk | undefined {
    const { redact, fields } = this
    if (fields === undefined) return this
    if (contents.has(key)) return undefined
    if (key === 'facts') return new Walk(redact, authored, authored.has(key))
    const isSentence = fields.has(key)
    return isSentence === this.isSentence ? this : (this.#other ??= new Walk(redact, fields, isSentence))
  }
}

function* walk(value: unknown, how: Walk): Steps<unknown> {
  if (typeof value !== 'object' || value === null || isSmall(value)) return redacted(value, how)
  if (Array.isArray(value)) return yield* walkList(value, how)
  return isPlain(value) ? yield* walkMap(value, how) : value
}

function* walkList(list: readonly unknown[], how: Walk): Steps<readonly unknown[]> {
  const all: unknown[] = []
  for (const one of list) {
    yield
    all.push(yield* walk(one, how))
  }
  return sameOr(list, all)
}

function* walkMap(map: object, how: Walk): Steps<object> {
  const changed: Field[] = []
  for (const [key, one] of Object.entries(map)) {
    const below = belowField(map, key, how)
    const value = below === undefined ? one : yield* walk(one, below)
    if (value !== one) changed.push([key, value])
  }
  return withFields(map, changed)
}

/** A small value in one step: a generator for each map and text would take longer than the redaction. */
function redacted(value: unknown, how: Walk): unknown {
  if (typeof value === 'string') return how.isSentence ? how.redact(value) : value
  if (Array.isArray(value))
    return sameOr(
      value,
      value.map((one: unknown) => redacted(one, how)),
    )
  return isPlain(value) ? redactedMap(value, how) : value
}

function redactedMap(map: object, how: Walk): object {
  const changed: Field[] = []
  for (const key of Object.keys(map)) {
    const one: unknown = (map as Readonly<Record<string, unknown>>)[key]
    if (typeof one !== 'string' && (typeof one !== 'object' || one === null)) continue
    const below = belowField(map, key, how)
    const value = below === undefined ? one : redacted(one, below)
    if (value !== one) changed.push([key, value])
  }
  return withFields(map, changed)
}

type Field = readonly [key: string, value: unknown]

function belowField(map: object, key: string, how: Walk): Walk | undefined {
  return key === 'next' && 'items' in map ? undefined : how.below(key) // the cursor of a page
}

function sameOr(list: readonly unknown[], all: readonly unknown[]): readonly unknown[] {
  return all.every((one, at) => one === list[at]) ? list : all
}

function withFields(map: object, changed: readonly Field[]): object {
  return changed.length === 0 ? map : Object.fromEntries([...Object.entries(map), ...changed])
}

/** Redacts the error and its causes in place, because callers decide by its class. */
export function redactError(error: unknown, redact: Redact): Error {
  return finish(redactErrorSteps(error, redact))
}

function* redactErrorSteps(error: unknown, redact: Redact): Steps<Error> {
  if (!(error instanceof Error)) return new Error(redact(String(error)))
  const seen = new Set<Error>()
  for (let at: unknown = error; at instanceof Error && !seen.has(at); at = at.cause) {
    seen.add(at)
    yield* redactFields(at as Error & Readonly<Record<string, unknown>>, redact)
  }
  return error
}

function* redactFields(error: Error & Readonly<Record<string, unknown>>, redact: Redact): Steps<void> {
  for (const field of ['message', 'stack', 'hint', 'path', 'problems']) {
    const value = field === 'problems' ? yield* redactSteps(error[field], redact) : redactStrings(error[field], redact)
    if (value !== error[field]) Object.defineProperty(error, field, { value, configurable: true, writable: true })
  }
}

/**
 * Calls `work`. What it answers, throws and reports to functions among its arguments is redacted; in slices, if it
 * answers later.
 */
export function redactCall<Args extends readonly unknown[], Answer>(
  work: (...args: Args) => Answer,
  args: Args,
  redact: Redact,
): Answer {
  const given = args.map((one) => redactCallback(one, redact)) as unknown as Args
  return redacting(redact, () => work(...given)) as Answer
}

function redacting(redact: Redact, call: () => unknown): unknown {
  try {
    const answer = call()
    if (!(answer instanceof Promise)) return redactFacts(answer, redact)
    return answer.then(
      (value: unknown) => inSlices(redactSteps(value, redact)),
      async (error: unknown) => Promise.reject(await inSlices(redactErrorSteps(error, redact))),
    )
  } catch (error) {
    throw redactError(error, redact)
  }
}

function redactCallback(given: unknown, redact: Redact): unknown {
  if (typeof given !== 'function') return given
  return (...facts: readonly unknown[]): unknown =>
    Reflect.apply(given, undefined, redactFacts(facts, redact)) as unknown
}

/**
 * Wraps the parts of an object: the arguments of the named methods are redacted in slices. These methods return
 * promises.
 */
export function redactParts<T extends object>(
  whole: T,
  methods: { readonly [Part in keyof T]?: readonly (keyof T[Part])[] },
  redact: Redact,
): T {
  const parts = new Map<PropertyKey, unknown>(
    Object.entries(methods).map(([part, names]) => [
      part,
      redactArguments(whole[part as keyof T] as object, names as readonly PropertyKey[], redact),
    ]),
  )
  return new Proxy(whole, {
    get(target, key) {
      const value: unknown = parts.get(key) ?? Reflect.get(target, key)
      return typeof value === 'function' ? (value.bind(target) as unknown) : value
    },
  })
}

function redactArguments<T extends object>(part: T, methods: readonly PropertyKey[], redact: Redact): T {
  return new Proxy(part, {
    get(target, key) {
      const method: unknown = Reflect.get(target, key)
      if (typeof method !== 'function') return method
      const call = (given: readonly unknown[]): unknown => Reflect.apply(method, target, given) as unknown
      const isNamed = methods.includes(key)
      return (...given: readonly unknown[]): unknown =>
        isNamed ? inSlices(redactSteps(given, redact)).then(call) : call(given)
    },
  })
}
