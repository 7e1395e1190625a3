// A field of a chart in its three forms: as declared in a package, as state, and as part of a view on the target.
import { isObject, type Json, type JsonObject } from '../../model/json.js'
import { quoted } from '../../model/printable.js'
import { textOf } from '../scalar.js'
import type { ChartPlace } from './chart-queries.js'
import type { Fields } from './fields.js'
import { largest } from './number-limits.js'

/** One field of a chart, or of a map in it. */
export interface ChartField {
  /** What is held: what the package leaves out has its default. */
  readonly read: (from: Fields, key: string, at: ChartPlace) => Json
  /** One spelling of what is held; what is absent gets its default, what is not understood stays. */
  readonly normalise: (value: Json | undefined) => Json
  /** What a view shows of it. What is not understood shows as the default. */
  readonly view: (value: Json | undefined, key: string) => JsonObject
}

export type Shape = Readonly<Record<string, ChartField>>

/** All fields of a map in their held form. Other fields are remarked upon. */
export function readShape(from: Fields, shape: Shape, at: ChartPlace): JsonObject {
  const held = mapShape(shape, (field, key) => field.read(from, key, at))
  from.warnUnknown()
  return held
}

/** What stands beside the shape stays; what is no map stays. */
export function normaliseShape(value: Json, shape: Shape): Json {
  if (!isObject(value)) return value
  return { ...value, ...mapShape(shape, (field, key) => field.normalise(value[key])) }
}

/** All that a view shows of it; what fields show in the same map is put together. */
export function viewShape(value: Json | undefined, shape: Shape): JsonObject {
  const held = isObject(value) ? value : {}
  const shown: Record<string, Json> = {}
  for (const key of Object.keys(shape)) {
    for (const [as, part] of Object.entries(shape[key]!.view(held[key], key))) {
      const before = shown[as]
      shown[as] = isObject(before) && isObject(part) ? { ...before, ...part } : part
    }
  }
  return shown
}

function mapShape(shape: Shape, form: (field: ChartField, key: string) => Json): JsonObject {
  const held: Record<string, Json> = {}
  for (const key of Object.keys(shape)) held[key] = form(shape[key]!, key)
  return held
}

/** `as`: what a view calls it, if it has another name there. */
export const text = (as?: string): ChartField => scalar('', as, (from, key) => from.text(key))
/** A whole number of 64 bits; of 32 bits. */
export const integer = (as?: string): ChartField => scalar(0, as, (from, key) => from.integer(key))
export const int32 = (as?: string): ChartField => scalar(0, as, (from, key) => from.integer(key, largest.int32))
export const number = (as?: string): ChartField => scalar(0, as, (from, key) => from.number(key))
export const flag = (as?: string): ChartField => scalar(false, as, (from, key) => from.boolean(key))
/** A name is trimmed. */
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
  }
}

/** A number of cells above 0. */
export function size(): ChartField {
  const read = (from: Fields, key: string): number => {
    const value = from.integer(key, largest.int32) ?? 0
    if (value <= 0) from.error(key, 'too-small', `the ${key} of a chart is ${value}`, 'Write a number of cells above 0.')
    return value
  }
  return { ...int32(), read }
}

/** One of some words. `anyCase`: compared without case, and one spelling in lower case. */
export function choice(words: readonly string[], { anyCase }: { readonly anyCase: boolean }): ChartField {
  const spell = (word: string): string => (anyCase ? word.toLowerCase() : word)
  const read = (from: Fields, key: string): string => {
    const value = from.text(key) ?? ''
    if (!words.includes(spell(value))) from.error(key, 'not-allowed', notChosen(key, value), `One of ${listOf(words)}.`)
    return value
  }
  return { ...text(), read, normalise: (value) => (typeof value === 'string' ? spell(value) : (value ?? '')) }
}

/** Texts in any number; what is none is left out. */
export function texts(): ChartField {
  return {
    read: (from, key) => readTexts(from, key),
    normalise: (value) => value ?? [],
    view: (value, key) => ({ [key]: Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [] }),
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
  }
}

/** Maps in any number. */
export function list(shape: Shape, as?: string): ChartField {
  return {
    read: (from, key, at) => from.each(key).map((entry) => readShape(entry, shape, at)),
    normalise: (value) => (Array.isArray(value) ? value.map((entry: Json) => normaliseShape(entry, shape)) : (value ?? [])),
    view: (value, key) => ({ [as ?? key]: listed(value).map((entry) => viewShape(entry, shape)) }),
  }
}

/** What no view shows. */
export function unseen(field: ChartField): ChartField {
  return { ...field, view: () => ({}) }
}

/** What a view shows in a map of it. */
export function within(parent: string, field: ChartField): ChartField {
  return { ...field, view: (value, key) => ({ [parent]: field.view(value, key) }) }
}

/** The entries, if it is a list. */
export function listed(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? (value as readonly Json[]) : []
}

function readTexts(from: Fields, key: string): readonly string[] {
  const entries = from.list(key).map((entry) => textOf(entry))
  const found = entries.filter((entry) => entry !== undefined)
  if (found.length < entries.length) from.warning(key, 'wrong-type', `${key} has entries that are no texts, which are left out`)
  return found
}

function notChosen(key: string, value: string): string {
  return value === '' ? `there is no ${key}` : `the ${key} ${quoted(value)} is not known`
}

function listOf(words: readonly string[]): string {
  return words.filter((word) => word !== '').join(', ')
}
