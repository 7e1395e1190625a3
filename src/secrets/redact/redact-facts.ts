// Removes secrets from data that people read: sentences in structured data, errors, facts of a log line. Data that is
// applied, compared or stored as a package is not changed.

import { Slices } from '../../lib/steps.js'

export type Redact = (text: string) => string

const turns = new Slices()

/** Fields with sentences. Names, addresses and IDs decide things, so they are never changed. */
const sentences: ReadonlySet<string> = new Set(
  'message hint why next purpose cli note text problem reason detail error delays lastRun'.split(' '),
)
/** Fields written by the author of a commit or tag, below `facts`. */
const authored: ReadonlySet<string> = new Set([...sentences, 'name', 'email'])
/** Fields with content of packages and targets. */
const contents: ReadonlySet<string> = new Set(
  'plan spec actual documents diff summary changes files save bytes owned resources'.split(' '),
)

/** The same data with redacted sentences; the same object if nothing changed. */
export function redactFacts<T>(value: T, redact: Redact): T {
  return walk(value, { redact, fields: sentences, isSentence: false }) as T
}

/** The same with every string redacted. */
export function redactStrings<T>(value: T, redact: Redact): T {
  return walk(value, { redact, fields: undefined, isSentence: true }) as T
}

interface Walk {
  readonly redact: Redact
  /** Fields with sentences; undefined: all fields. */
  readonly fields: ReadonlySet<string> | undefined
  readonly isSentence: boolean
}

function walk(value: unknown, how: Walk): unknown {
  if (typeof value === 'string') return how.isSentence ? how.redact(value) : value
  if (Array.isArray(value))
    return changed(
      value,
      value.map((one) => walk(one, how)),
    )
  if (!isPlain(value)) return value
  const entries = Object.entries(value)
  const isPage = 'items' in value // its `next` is a cursor
  const redacted = entries.map(([key, one]) => (isPage && key === 'next' ? one : walkField(key, one, how)))
  return redacted.every((one, at) => one === entries[at]![1])
    ? value
    : Object.fromEntries(entries.map(([key], at) => [key, redacted[at]]))
}

function walkField(key: string, value: unknown, how: Walk): unknown {
  const { fields } = how
  if (fields === undefined) return walk(value, how)
  if (contents.has(key)) return value
  return walk(value, { ...how, fields: key === 'facts' ? authored : fields, isSentence: fields.has(key) })
}

function changed(before: readonly unknown[], after: readonly unknown[]): readonly unknown[] {
  return after.every((one, at) => one === before[at]) ? before : after
}

function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

/** Redacts the error and its causes in place, because callers decide by its class. */
export function redactError(error: unknown, redact: Redact): Error {
  if (!(error instanceof Error)) return new Error(redact(String(error)))
  const seen = new Set<Error>()
  for (let at: unknown = error; at instanceof Error && !seen.has(at); at = at.cause) {
    seen.add(at)
    redactFields(at as Error & Readonly<Record<string, unknown>>, redact)
  }
  return error
}

function redactFields(error: Error & Readonly<Record<string, unknown>>, redact: Redact): void {
  for (const field of ['message', 'stack', 'hint', 'path', 'problems']) {
    const value = field === 'problems' ? redactFacts(error[field], redact) : redactStrings(error[field], redact)
    if (value !== error[field]) Object.defineProperty(error, field, { value, configurable: true, writable: true })
  }
}

/** Calls `work`. What it answers, throws and reports to functions among its arguments is redacted. */
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
      async (value: unknown) => {
        await turns.afterStep() // many may wait for one result
        return redactFacts(value, redact)
      },
      (error: unknown) => Promise.reject(redactError(error, redact)),
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

/** Wraps an object: the arguments of the named methods are redacted. */
export function redactArguments<T extends object>(door: T, methods: readonly (keyof T)[], redact: Redact): T {
  return new Proxy(door, {
    get(target, key) {
      const method: unknown = Reflect.get(target, key)
      if (typeof method !== 'function') return method
      const isNamed = (methods as readonly PropertyKey[]).includes(key)
      return (...given: readonly unknown[]): unknown =>
        Reflect.apply(method, target, isNamed ? redactFacts(given, redact) : given) as unknown
    },
  })
}
