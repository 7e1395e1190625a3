import type { EnvReference, EnvValues } from '../../../model/resources/document.js'
import { isObject, Secret, type Json, type JsonObject } from '../../../model/json.js'
import { quoted } from '../../../lib/text/printable.js'
import { pointerTo } from '../../../lib/text/json-pointer.js'
import { fieldBelow } from '../../../model/problem.js'
import { didYouMean } from '../../../settings/did-you-mean.js'
import { readEnvRef, resolveText } from '../../../model/resources/env-ref.js'
import { asBoolean, asInteger, asText } from '../../../model/scalar.js'
import { parseDuration } from './duration.js'
import type { DocumentReport } from './document-report.js'
import { largest } from './number-limits.js'

/** The most unknown fields of one map that are reported. */
export const mostUnknown = 20

/**
 * A map as its author wrote it, read field by field. null reads as absent. A value of the wrong type also reads as
 * absent, with a warning. `docs/reference/influxdb-packages.md#types` lists what each type accepts. A field that is
 * never read is unknown.
 */
export class Fields {
  readonly pointer: string
  readonly report: DocumentReport
  readonly #map: JsonObject
  readonly #values: EnvValues
  readonly #keysRead = new Set<string>()

  constructor(map: JsonObject, pointer: string, findings: DocumentReport, values: EnvValues) {
    this.#map = map
    this.pointer = pointer
    this.report = findings
    this.#values = values
  }

  /** The index, for a map in a list. */
  get position(): number {
    return Number(this.pointer.slice(this.pointer.lastIndexOf('/') + 1))
  }

  /** `charts[1] (a.yml:12)`, for a map in a list: in messages about two entries. */
  get entryPlace(): string {
    const [list, position] = this.pointer.split('/').slice(-2)
    return `${list}[${position}] (${this.report.placeOf(this.pointer)})`
  }

  /** The whole map as written. */
  whole(): JsonObject {
    return this.#map
  }

  /** The value as written; undefined: absent. */
  raw(key: string): Json | undefined {
    this.#keysRead.add(key)
    return this.#map[key] ?? undefined
  }

  text(key: string): string | undefined {
    return this.#as(key, 'a text', asText)
  }

  /** A text, or an envRef, which is recorded. */
  name(key: string): string | undefined {
    return this.#as(key, 'a text or an envRef', (value) => this.resolve(value, pointerTo(this.pointer, key)))
  }

  /** The value of a text or an envRef at this place; an envRef is recorded. */
  resolve(value: Json, pointer: string, more: Pick<EnvReference, 'unlisted'> = {}): string | undefined {
    const envRef = readEnvRef(value)
    const given = envRef && this.#values.get(envRef.key)
    if (envRef !== undefined) {
      const visible = more.unlisted === true ? given : this.#visibleValue(envRef.key, pointer)
      this.report.envReferences.push({
        field: fieldBelow('', pointer).slice(1),
        key: envRef.key,
        valueType: '',
        ...(visible === undefined ? {} : { value: visible }),
        ...(envRef.default === undefined ? {} : { defaultValue: envRef.default }),
        ...more,
      })
    }
    return more.unlisted === true && given instanceof Secret ? given.reveal() : resolveText(value, this.#values)
  }

  /** The given value of a key whose use is visible. */
  inputValue(key: string): string | undefined {
    return this.#visibleValue(key, this.pointer)
  }

  /** A text, trimmed and in lower case. */
  word(key: string): string | undefined {
    return this.text(key)?.trim().toLowerCase()
  }

  /** A whole number from `-most - 1` to `most`. A number outside is an error, and is clamped. */
  integer(key: string, most: number = largest.int64): number | undefined {
    const value = this.#as(key, 'a number', asInteger)
    if (value === undefined || (value <= most && value >= -most - 1)) return value
    const [side, limit] = value > most ? (['above', most] as const) : (['below', -most - 1] as const)
    this.error(
      key,
      'out-of-range',
      `${key} is ${value}, which is ${side} ${limit}`,
      'InfluxDB and its clients cannot read such a number.',
    )
    return limit
  }

  /** A float or an integer. */
  number(key: string): number | undefined {
    return this.#as(key, 'a number', (value) => (typeof value === 'number' ? value : undefined))
  }

  boolean(key: string): boolean | undefined {
    return this.#as(key, 'true or false', asBoolean)
  }

  /** Nanoseconds; 'unparsable' for a value that is not a duration, so the error differs from that of an absent one. */
  duration(key: string): bigint | 'unparsable' | undefined {
    const value = this.raw(key)
    if (value === undefined) return undefined
    return typeof value === 'string' ? (parseDuration(value) ?? 'unparsable') : 'unparsable'
  }

  list(key: string): readonly Json[] {
    return this.#as(key, 'a list', (value) => (Array.isArray(value) ? (value as readonly Json[]) : undefined)) ?? []
  }

  map(key: string): Fields | undefined {
    const map = this.#as(key, 'a map', (value) => (isObject(value) ? value : undefined))
    return map && this.#below(map, pointerTo(this.pointer, key))
  }

  /** The entries of a list that are maps; the others are ignored, with a warning. */
  each(key: string): readonly Fields[] {
    const pointer = pointerTo(this.pointer, key)
    return this.list(key).flatMap((entry, at) => {
      if (isObject(entry)) return [this.#below(entry, pointerTo(pointer, at))]
      const message = `entry ${at + 1} of ${key} is not a map and is ignored`
      this.warning(key, 'wrong-type', message, 'Write a map, or remove the entry.')
      return []
    })
  }

  error(key: string, rule: string, message: string, hint?: string): void {
    this.report.error(pointerTo(this.pointer, key), finding(rule, message, hint))
  }

  /** An error at a field that InfluxDB reports at the pointer `shown`. */
  errorShown(shown: string, key: string, rule: string, message: string, hint?: string): void {
    this.report.error(pointerTo(this.pointer, key), finding(rule, message, hint), shown)
  }

  /** An error of the map itself. */
  errorHere(rule: string, message: string, hint?: string): void {
    this.report.error(this.pointer, finding(rule, message, hint))
  }

  warning(key: string, rule: string, message: string, hint?: string): void {
    this.report.warning(pointerTo(this.pointer, key), finding(rule, message, hint))
  }

  /** Warns of unknown fields. Call it after all known fields were read. */
  warnUnknown(): void {
    const unknown = Object.keys(this.#map).filter((key) => !this.#keysRead.has(key))
    const known = [...this.#keysRead]
    for (const key of unknown.slice(0, mostUnknown)) {
      this.warning(key, 'unknown-field', `there is no field ${quoted(key)}; it is ignored`, didYouMean(key, known))
    }
  }

  /** An error if the value is for credentials only. */
  #visibleValue(key: string, pointer: string): string | undefined {
    const value = this.#values.get(key)
    if (!(value instanceof Secret)) return value
    const message = `the value of ${quoted(key)} comes from a file, and only credentials may use it`
    const hint = 'If it is not a secret, write it in `values` of the stack as plain text, or as `${env:NAME}`.'
    this.report.error(pointer, finding('value-of-credential', message, hint))
    return undefined
  }

  #as<T>(key: string, expected: string, read: (value: Json) => T | undefined): T | undefined {
    const value = this.raw(key)
    if (value === undefined) return undefined
    const result = read(value)
    if (result === undefined)
      this.warning(key, 'wrong-type', `${key} is not ${expected} and is ignored`, typeHint(value, expected))
    return result
  }

  #below(map: JsonObject, pointer: string): Fields {
    return new Fields(map, pointer, this.report, this.#values)
  }
}

/** What to write in place of a value of the wrong type. */
function typeHint(value: Json, expected: string): string {
  const isReference = isObject(value) && ('envRef' in value || 'secretRef' in value)
  return isReference && !expected.includes('envRef')
    ? `Write ${expected} instead: only names and credentials may be references.`
    : `Write ${expected}, or remove the field.`
}

function finding(
  rule: string,
  message: string,
  hint: string | undefined,
): { code: string; message: string; hint?: string } {
  return { code: `kinds/${rule}`, message, ...(hint === undefined ? {} : { hint }) }
}
