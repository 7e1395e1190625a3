// `needs` and `meta` of a document, for kinds that take them (`KindDocuments.takesMeta`).
import { pointerTo } from '../lib/text/json-pointer.js'
import { printable, quoted } from '../lib/text/printable.js'
import type { Address } from '../model/address.js'
import type { Document } from '../model/resources/document.js'
import { isObject, type Json, type JsonObject } from '../model/json.js'
import type { Reference } from '../model/resources/kind.js'
import { noMeta, type Meta } from '../model/resources/meta.js'
import { problemAt, type Checked, type Finding, type Problem } from '../model/problem.js'
import { didYouMean } from '../settings/did-you-mean.js'
import { parseInterval } from '../settings/schema/interval.js'

/** The addresses that `needs` lists. */
export function readNeeds(document: Document): Checked<readonly Reference[]> {
  const needs = document.body['needs'] ?? []
  if (!Array.isArray(needs)) return { value: [], problems: [problem(document, '/needs', notAddress('needs'))] }
  const entries = (needs as readonly Json[]).map((entry, at) => ({ entry, pointer: pointerTo('/needs', at) }))
  const invalid = entries.filter(({ entry }) => !isAddress(entry))
  return {
    value: entries.flatMap(({ entry, pointer }) => (isAddress(entry) ? [{ to: entry, pointer }] : [])),
    problems: invalid.map(({ pointer }) => problem(document, pointer, notAddress(`needs[${pointer.slice(7)}]`))),
  }
}

function isAddress(value: Json): value is Address {
  return typeof value === 'string' && /^[^/]+\/./.test(value)
}

function notAddress(field: string): Finding {
  const hint = 'Write a list of KIND/NAME, such as [Room/hall].'
  return { code: 'graph/needs-form', message: `${field} is not the address of a resource`, hint }
}

/** The keys of `meta`, each with its reader; undefined: the value is invalid. */
const readers = {
  timeout: {
    read: (value) => {
      const timeoutMs = typeof value === 'string' ? parseInterval(value) : undefined
      return timeoutMs === undefined || timeoutMs < 1_000 || timeoutMs > 86_400_000 ? undefined : { timeoutMs }
    },
    form: 'a time from 1s to 24h, such as 10m',
  },
} as const satisfies Readonly<
  Record<string, { readonly read: (value: Json) => Meta | undefined; readonly form: string }>
>

type MetaKey = keyof typeof readers

export function readMeta(document: Document): Checked<Meta> {
  const written = document.body['meta'] ?? {}
  if (!isObject(written)) {
    const finding = { code: 'graph/meta-form', message: 'meta is not a map' }
    return { value: noMeta, problems: [problem(document, '/meta', finding)] }
  }
  const keys = Object.keys(written).filter((key) => (written[key] ?? null) !== null)
  const read = keys.map((key) => readKey(document, key, written))
  return {
    value: Object.assign({}, ...read.map(({ value }) => value)) as Meta,
    problems: read.flatMap(({ problems }) => problems),
  }
}

function readKey(document: Document, key: string, written: JsonObject): Checked<Meta> {
  const pointer = pointerTo('/meta', key)
  if (!isKnown(key)) {
    const known = Object.keys(readers)
    const hint = didYouMean(key, known) ?? `The keys of meta are: ${known.join(', ')}.`
    const finding = { code: 'graph/unknown-meta', message: `there is no key ${quoted(key)} of meta`, hint }
    return { value: noMeta, problems: [problem(document, pointer, finding)] }
  }
  const { read, form } = readers[key]
  const value = read(written[key]!)
  if (value !== undefined) return { value, problems: [] }
  const finding = { code: 'graph/meta-form', message: `meta.${key} is not ${form}` }
  return { value: noMeta, problems: [problem(document, pointer, finding)] }
}

function isKnown(key: string): key is MetaKey {
  return Object.hasOwn(readers, key)
}

function problem(document: Document, pointer: string, { message, ...finding }: Finding): Problem {
  const subject = printable(`${document.kind}/${document.name}`)
  return problemAt('error', document.locate(pointer), { ...finding, message: `${subject}: ${message}.` })
}
