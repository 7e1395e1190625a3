// Plain JSON with two more leaves: Secret, which is never printed, and Unknown, which another resource gives later.
import type { Address } from './address.js'

export type Json =
  | null
  | boolean
  | number
  | string
  | readonly Json[]
  | { readonly [key: string]: Json }
  | Secret
  | Unknown
export type JsonObject = { readonly [key: string]: Json }

/** A value that is never printed: its keyed fingerprint is written instead. */
export class Secret {
  readonly fingerprint: string
  readonly #value: string
  constructor(value: string, fingerprint: string) {
    this.#value = value
    this.fingerprint = fingerprint
  }
  reveal(): string {
    return this.#value
  }
  toJSON(): string {
    return `(secret ${this.fingerprint})`
  }
  toString(): string {
    return this.toJSON()
  }
}

/**
 * A value that is known only after `to` has been applied. `samples`: two values that it might have (undefined: absent),
 * for a kind that works on known values only (graph/late).
 */
export class Unknown {
  readonly to: Address
  readonly output: string
  readonly samples?: readonly [Json | undefined, Json | undefined]
  constructor(to: Address, output: string, samples?: Unknown['samples']) {
    this.to = to
    this.output = output
    if (samples !== undefined) this.samples = samples
  }
  toJSON(): string {
    return `(known after apply: ${this.output} of ${this.to})`
  }
  toString(): string {
    return this.toJSON()
  }
}

/**
 * A map without keys. Its prototype is null, so `__proto__` and `constructor` are ordinary keys. It takes a third
 * of the memory of `Object.create(null)`, and is read faster.
 */
export function newMap<Value = Json>(): Record<string, Value> {
  return Object.setPrototypeOf({}, null) as Record<string, Value>
}

/** True for a map: not a list, not null, not a Secret or Unknown. */
export function isObject(value: unknown): value is JsonObject {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof Secret) &&
    !(value instanceof Unknown)
  )
}

/** True if a value has more than `most` values, counting itself and those in lists and maps. */
export function hasMoreValues(value: Json, most: number): boolean {
  const left: Json[] = [value]
  for (let counted = 0; left.length > 0; counted++) {
    if (counted === most) return true
    const one = left.pop()
    if (Array.isArray(one)) for (const item of one as readonly Json[]) left.push(item)
    else if (isObject(one)) for (const key in one) left.push(one[key]!)
  }
  return false
}

/** Encrypted with the data directory's key. */
export type Sealed = string & { readonly brand: 'sealed' }
