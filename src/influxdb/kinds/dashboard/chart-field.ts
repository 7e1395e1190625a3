// A field of a chart in its three forms: as declared in a package, as state, and as part of a view on the target.
import { isObject, type Json, type JsonObject } from '../../../model/json.js'
import { quoted } from '../../../lib/text/printable.js'
import { asText } from '../../../model/scalar.js'
import type { ChartContext } from './chart-queries.js'
import type { Fields } from '../fields/fields.js'
import { largest } from '../fields/number-limits.js'

/** One field of a chart, or of a map in it. */
export interface ChartField {
  /** The state: fields that are absent in the package have their defaults. */
  readonly read: (from: Fields, key: string, at: ChartContext) => Json
  /** The canonical form of the state: absent values get their defaults, invalid ones stay. */
  readonly normalise: (value: Json | undefined) => Json
  /** The field as a view has it. An invalid value becomes the default. */
  readonly view: (value: Json | undefined, key: string) => JsonObject
  /** The state of the field in a view, the inverse of `view`; undefined: the view does not have it. */
  readonly fromView: (view: JsonObject, key: string) => Json | undefined
}

export type Shape = Readonly<Record<string, ChartField>>

/** All fields of a map as state. Other fields are reported. */
export function readShape(from: Fields, shape: Shape, at: ChartContext): JsonObject {
  const state = mapShape(shape, (field, key) => field.read(from, key, at))
  from.warnUnknown()
  return state
}

/** Fields outside the shape stay, and so does a value that is not a map. */
export function normaliseShape(value: Json, shape: Shape): Json {
  if (!isObject(value)) return value
  return { ...value, ...mapShape(shape, (field, key) => field.normalise(value[key])) }
}

/** All properties of the view. Fields of the same map are merged. */
export function viewShape(value: Json | undefined, shape: Shape): JsonObject {
  const state = isObject(value) ? value : {}
  const shown: Record<string, Json> = {}
  for (const key of Object.keys(shape)) {
    for (const [as, part] of Object.entries(shape[key]!.view(state[key], key))) {
      const before = shown[as]
      shown[as] = isObject(before) && isObject(part) ? { ...before, ...part } : part
    }
  }
  return shown
}

/** The state that a view has, with defaults: the inverse of `viewShape`. A value that is not a map stays. */
export function shapeFromView(view: Json, shape: Shape): Json {
  if (!isObject(view)) return view
  return mapShape(shape, (field, key) => field.normalise(field.fromView(view, key)))
}

function mapShape(shape: Shape, form: (field: ChartField, key: string) => Json): JsonObject {
  const state: Record<string, Json> = {}
  for (const key of Object.keys(shape)) state[key] = form(shape[key]!, key)
  return state
}

/** `as`: the name in a view, if it differs. */
export const text = (as?: string): ChartField => scalar('', as, (from, key) => from.text(key))
/** A whole number of 64 bits; of 32 bits. */
export const integer = (as?: string): ChartField => scalar(0, as, (from, key) => from.integer(key))
export const int32 = (as?: string): ChartField => scalar(0, as, (from, key) => from.integer(key, largest.int32))
export const number = (as?: string): ChartField => scalar(0, as, (from, key) => from.number(key))
export const flag = (as?: string): ChartField => scalar(false, as, (from, key) => from.boolean(key))
/** Trimmed. */
export const name = (): ChartField => scalar('', undefined, (from, key) => from.text(key)?.trim())

function scalar<T extends string | number | boolean>(
  fallback: T,
  as: string | undefined,
  read: (from: Fields, key: string) => T | undefined,
): ChartField {
  return {
    read: (from, key) => read(from, key) ?? fallback,
    normalise: (value) => value ?? fallback,
    view: (value, key) => ({ [as ?? key]: typeof value === typeof fallback ? value! : fallback }),
    fromView: (view, key) => view[as ?? key],
  }
}

/** A number of cells above 0. */
export function size(): ChartField {
  const read = (from: Fields, key: string): number => {
    const value = from.integer(key, largest.int32) ?? 0
    if (value <= 0)
      from.error(key, 'too-small', `the ${key} of a chart is ${value}`, 'Write a number of cells above 0.')
    return value
  }
  return { ...int32(), read }
}

/** One of some words. `anyCase`: compared without case, and stored in lower case. */
export function choice(words: readonly string[], { anyCase }: { readonly anyCase: boolean }): ChartField {
  const spell = (word: string): string => (anyCase ? word.toLowerCase() : word)
  const read = (from: Fields, key: string): string => {
    const value = from.text(key) ?? ''
    if (!words.includes(spell(value)))
      from.error(key, 'not-allowed', notChosen(key, value), `One of ${choices(words)}.`)
    return value
  }
  return { ...text(), read, normalise: (value) => (typeof value === 'string' ? spell(value) : (value ?? '')) }
}

/** A list of texts. Other values are ignored. */
export function texts(): ChartField {
  return {
    read: (from, key) => readTexts(from, key),
    normalise: (value) => value ?? [],
    view: (value, key) => ({ [key]: Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [] }),
    fromView: (view, key) => view[key],
  }
}

export function map(shape: Shape): ChartField {
  const fallback = normaliseShape({}, shape)
  return {
    read: (from, key, at) => {
      const below = from.map(key)
      return below === undefined ? fallback : readShape(below, shape, at)
    },
    normalise: (value) => (value == null ? fallback : normaliseShape(value, shape)),
    view: (value, key) => ({ [key]: viewShape(value, shape) }),
    fromView: (view, key) => shapeFromView(view[key] ?? null, shape),
  }
}

/** A list of maps. */
export function list(shape: Shape, as?: string): ChartField {
  return {
    read: (from, key, at) => from.each(key).map((entry) => readShape(entry, shape, at)),
    normalise: (value) =>
      Array.isArray(value) ? value.map((entry: Json) => normaliseShape(entry, shape)) : (value ?? []),
    view: (value, key) => ({ [as ?? key]: listEntries(value).map((entry) => viewShape(entry, shape)) }),
    fromView: (view, key) => mapEntries(view[as ?? key], (entry) => shapeFromView(entry, shape)),
  }
}

/** A field that no view has. */
export function notInView(field: ChartField): ChartField {
  return { ...field, view: () => ({}), fromView: () => undefined }
}

/** A field that a view has inside a map. */
export function within(parent: string, field: ChartField): ChartField {
  const inside = (view: JsonObject): JsonObject => (isObject(view[parent]) ? view[parent] : {})
  return {
    ...field,
    view: (value, key) => ({ [parent]: field.view(value, key) }),
    fromView: (view, key) => field.fromView(inside(view), key),
  }
}

/** The entries, if it is a list. */
export function listEntries(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? (value as readonly Json[]) : []
}

/** The list with changed entries; any other value stays. */
export function mapEntries(value: Json | undefined, change: (entry: Json) => Json): Json | undefined {
  return Array.isArray(value) ? (value as readonly Json[]).map(change) : value
}

function readTexts(from: Fields, key: string): readonly string[] {
  const entries = from.list(key).map((entry) => asText(entry))
  const found = entries.filter((entry) => entry !== undefined)
  if (found.length < entries.length)
    from.warning(key, 'wrong-type', `${key} has entries that are not texts; they are ignored`)
  return found
}

function notChosen(key: string, value: string): string {
  return value === '' ? `there is no ${key}` : `the ${key} ${quoted(value)} is unknown`
}

function choices(words: readonly string[]): string {
  return words.filter((word) => word !== '').join(', ')
}
