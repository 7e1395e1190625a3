// Values of parameters: as written in a query, as declared, and as given.
import { isObject, type Json, type JsonObject } from '../../../model/json.js'
import { asText } from '../../../model/scalar.js'
import { formatDuration, parseDuration } from '../fields/duration.js'
import { identifier } from './flux-options.js'

export const parameterTypes = ['bool', 'duration', 'float', 'int', 'string', 'time'] as const
export type ParameterType = (typeof parameterTypes)[number]

/** A value of a type. */
export interface Literal {
  readonly type: ParameterType
  /** As reported: durations and times are texts. */
  readonly value: Json
  /** As written in a query. */
  readonly expression: JsonObject
}

/** The literal, including signed numbers, `true`, `false` and `now()`; undefined for any other expression. */
export function readLiteral(expression: Json): Literal | undefined {
  if (!isObject(expression)) return undefined
  const { type } = expression
  return typeof type === 'string' ? readers[type]?.(expression) : undefined
}

const readers: Readonly<Record<string, (expression: JsonObject) => Literal | undefined>> = {
  StringLiteral: (expression) => ({ type: 'string', value: plain(expression['value']), expression }),
  IntegerLiteral: (expression) => ({ type: 'int', value: toNumber(plain(expression['value'])), expression }),
  FloatLiteral: (expression) => ({ type: 'float', value: expression['value'] ?? 0, expression }),
  DateTimeLiteral: (expression) => ({
    type: 'time',
    value: plain(expression['value']).replace(/\+00:00$/, 'Z'),
    expression,
  }),
  DurationLiteral: durationLiteral,
  UnaryExpression: signedLiteral,
  Identifier: wordLiteral,
  CallExpression: (expression) => (isNow(expression) ? { type: 'time', value: 'now()', expression } : undefined),
}

/** The value as the type; undefined if it does not convert. Texts convert, because given values are texts. */
export function convert(value: Json, type: ParameterType): Literal | undefined {
  switch (type) {
    case 'bool':
      return value === true || value === false || value === 'true' || value === 'false'
        ? boolLiteral(value === true || value === 'true')
        : undefined
    case 'int':
      return intLiteral(asText(value) ?? '')
    case 'float':
      return floatLiteral(asText(value) ?? '')
    case 'duration':
      return typeof value === 'string' ? writtenDuration(value) : undefined
    case 'time':
      return typeof value === 'string' ? timeLiteral(value) : undefined
    case 'string':
      return stringLiteral(asText(value))
  }
}

/** A duration in the form of defaults: `-1d` is `-24h0m0s`. Months and years stay, because their hours vary. */
export function asDefault(literal: Literal): Literal {
  if (literal.type !== 'duration' || /mo|y/.test(plain(literal.value))) return literal
  const duration = parseDuration(plain(literal.value))
  return (duration === undefined ? undefined : writtenDuration(formatDuration(duration) || '0s')) ?? literal
}

/** The type of a value that has no declared type. */
export function valueType(value: Json): ParameterType | undefined {
  if (typeof value === 'boolean') return 'bool'
  if (typeof value === 'number') return Number.isInteger(value) ? 'int' : 'float'
  return typeof value === 'string' ? 'string' : undefined
}

/** '' for a value that is neither text nor number. */
function plain(value: Json | undefined): string {
  return asText(value) ?? ''
}

function toNumber(text: string): Json {
  return Number.isSafeInteger(Number(text)) ? Number(text) : text
}

function negative(expression: JsonObject): JsonObject {
  return { type: 'UnaryExpression', operator: '-', argument: expression }
}

function signed(text: string, literal: (digits: string) => JsonObject): JsonObject {
  return text.startsWith('-') ? negative(literal(text.slice(1))) : literal(text.replace(/^\+/, ''))
}

function boolLiteral(value: boolean): Literal {
  return { type: 'bool', value, expression: identifier(value ? 'true' : 'false') }
}

function stringLiteral(value: string | undefined): Literal | undefined {
  return value === undefined || /[\ud800-\udfff]/u.test(value)
    ? undefined
    : { type: 'string', value, expression: { type: 'StringLiteral', value } }
}

/** 64 bits with a sign. */
function intLiteral(text: string): Literal | undefined {
  if (!/^[+-]?\d{1,19}$/.test(text) || BigInt.asIntN(64, BigInt(text)) !== BigInt(text)) return undefined
  const shortest = BigInt(text).toString()
  return {
    type: 'int',
    value: toNumber(shortest),
    expression: signed(shortest, (value) => ({ type: 'IntegerLiteral', value })),
  }
}

function floatLiteral(text: string): Literal | undefined {
  const value = Number(text)
  if (text.length > 400 || !/^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(text) || !Number.isFinite(value))
    return undefined
  const size: JsonObject = { type: 'FloatLiteral', value: Math.abs(value) }
  return { type: 'float', value, expression: value < 0 ? negative(size) : size }
}

/** In the units it is written in. */
function writtenDuration(value: string): Literal | undefined {
  if (parseDuration(value) === undefined) return undefined
  const units = (digits: string): JsonObject => ({
    type: 'DurationLiteral',
    values: [...digits.matchAll(/(\d+)(\D+)/g)].map(([, magnitude, unit]) => ({
      magnitude: Number(magnitude),
      unit: unit!.replace(/^[µμ]s$/, 'us'),
    })),
  })
  return { type: 'duration', value, expression: signed(value, units) }
}

/** `now()`, a date, or a date with a time and an offset. */
function timeLiteral(text: string): Literal | undefined {
  if (text === 'now()')
    return { type: 'time', value: text, expression: { type: 'CallExpression', callee: identifier('now') } }
  const form = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d))?$/
  if (!form.test(text) || Number.isNaN(Date.parse(text))) return undefined
  const value = text.length === 10 ? `${text}T00:00:00Z` : text
  return { type: 'time', value, expression: { type: 'DateTimeLiteral', value: value.replace(/Z$/, '+00:00') } }
}

function durationLiteral({ values }: JsonObject): Literal | undefined {
  const parts = Array.isArray(values) ? (values as readonly Json[]) : []
  const text = parts.map((part) => (isObject(part) ? `${plain(part['magnitude'])}${plain(part['unit'])}` : '')).join('')
  return writtenDuration(text)
}

function signedLiteral(expression: JsonObject): Literal | undefined {
  const inner = readLiteral(expression['argument'] ?? null)
  const sign = expression['operator']
  if (inner === undefined || (sign !== '-' && sign !== '+') || !['int', 'float', 'duration'].includes(inner.type))
    return undefined
  return convert(sign === '-' ? `-${plain(inner.value)}` : plain(inner.value), inner.type)
}

function wordLiteral(expression: JsonObject): Literal | undefined {
  const { name } = expression
  return name === 'true' || name === 'false' ? { type: 'bool', value: name === 'true', expression } : undefined
}

function isNow({ callee, arguments: given }: JsonObject): boolean {
  return (
    isObject(callee) &&
    callee['name'] === 'now' &&
    (given === undefined || (Array.isArray(given) && given.length === 0))
  )
}
