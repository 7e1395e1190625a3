// The parameters of a query: the entries of `option params` and `option task`. Values can be given for them.
import { compareText } from '../../../lib/text/compare-text.js'
import type { EnvReference } from '../../../model/resources/document.js'
import type { Json, JsonObject } from '../../../model/json.js'
import { quoted } from '../../../lib/text/printable.js'
import { fieldBelow } from '../../../model/problem.js'
import type { Fields } from '../fields/fields.js'
import {
  asDefault,
  convert,
  readLiteral,
  parameterTypes,
  valueType,
  type Literal,
  type ParameterType,
} from './flux-literals.js'
import type { Property } from './flux-options.js'

/** The map with the query and its lists, and its owner: `dashboards[boards]`, `tasks[hourly]`. */
export interface QueryOwner {
  readonly fields: Fields
  readonly owner: string
}

/** One entry of an option. */
export interface Parameter {
  readonly key: string
  readonly envKey: string
  readonly type: ParameterType | undefined
  /** The given value, else the default beside the query, else the literal in it; undefined: none that converts. */
  readonly literal: Literal | undefined
}

/** In the order of summaries. */
export function inKeyOrder(references: readonly EnvReference[]): readonly EnvReference[] {
  return [...references].sort((a, b) => compareText(a.key, b.key))
}

type ListName = 'params' | 'task'

/** The declaration of one entry beside a query. */
interface ParameterDeclaration {
  readonly entry: Fields
  readonly type: ParameterType | undefined
  readonly fallback: Json | undefined
}

const reportedTypes: Readonly<Record<ParameterType, string>> = {
  bool: 'bool',
  duration: 'duration',
  float: 'float',
  int: 'integer',
  string: 'string',
  time: 'time',
}

/** The parameters of an option with these entries in the query. Each is recorded as a reference. */
export function readParameters(at: QueryOwner, list: ListName, properties: readonly Property[]): readonly Parameter[] {
  const declared = readDeclared(at.fields, list)
  const literals = new Map(properties.map(({ key, value }) => [key, readLiteral(value)]))
  const keys = new Set([...literals.keys(), ...declared.keys()])
  return [...keys].map((key) => readParameter(at, list, key, literals.get(key), declared.get(key)))
}

/** The expressions to write into the query. */
export function parameterExpressions(parameters: readonly Parameter[]): ReadonlyMap<string, JsonObject> {
  return new Map(
    parameters.flatMap(({ key, literal }) => (literal === undefined ? [] : [[key, literal.expression] as const])),
  )
}

/** `params: [{key, default, type}]`. The last entry of a key wins. */
function readDeclared(fields: Fields, list: ListName): ReadonlyMap<string, ParameterDeclaration> {
  const declared = new Map<string, ParameterDeclaration>()
  for (const entry of fields.each(list)) {
    const key = entry.text('key') ?? ''
    const fallback = entry.raw('default')
    const type = readType(entry)
    entry.warnUnknown()
    if (key !== '') declared.set(key, { entry, type, fallback })
  }
  return declared
}

function readType(entry: Fields): ParameterType | undefined {
  const word = entry.word('type')
  const type = parameterTypes.find((known) => known === word)
  if (word !== undefined && type === undefined)
    entry.error(
      'type',
      'not-allowed',
      `there is no type ${quoted(word)} of parameters`,
      `One of ${parameterTypes.join(', ')}.`,
    )
  return type
}

function readParameter(
  at: QueryOwner,
  list: ListName,
  key: string,
  inQuery: Literal | undefined,
  declared?: ParameterDeclaration,
): Parameter {
  const field = `${fieldBelow('', at.fields.pointer).slice(1)}.${list}.${key}`
  const envKey = `${at.owner}.${field}`
  const type =
    declared?.type ?? inQuery?.type ?? (declared?.fallback === undefined ? undefined : valueType(declared.fallback))
  const given = at.fields.inputValue(envKey)
  const converted = given === undefined || type === undefined ? undefined : convert(given, type)
  const fallback = defaultLiteral(type, inQuery, declared)
  at.fields.report.envReferences.push({
    field,
    key: envKey,
    valueType: type === undefined ? '' : reportedTypes[type],
    ...(given === undefined ? {} : { value: converted?.value ?? given }),
    ...(fallback.reported === undefined ? {} : { defaultValue: fallback.reported }),
    ...(list === 'task' && key !== 'name' ? { mayBeMissing: true as const } : {}),
  })
  if (given !== undefined && converted === undefined) refuseGiven(at.fields, envKey, type)
  else if (given === undefined && fallback.mismatch && declared !== undefined) refuseDefault(declared, envKey, type)
  return { key, envKey, type, literal: converted ?? (given === undefined ? fallback.literal : undefined) }
}

/** The default beside the query overrides the literal in it. */
function defaultLiteral(
  type: ParameterType | undefined,
  inQuery: Literal | undefined,
  declared: ParameterDeclaration | undefined,
): { readonly literal?: Literal; readonly reported?: Json; readonly mismatch?: true } {
  const raw = declared?.fallback ?? inQuery?.value
  if (raw === undefined) return {}
  const isAsWritten = declared?.fallback === undefined && inQuery?.type === type
  const literal = isAsWritten ? inQuery : type && convert(raw, type)
  return literal === undefined
    ? { reported: raw, mismatch: true }
    : { literal: asDefault(literal), reported: asDefault(literal).value }
}

function refuseGiven(fields: Fields, envKey: string, type: ParameterType | undefined): void {
  const hint = type === undefined ? 'Declare its type in a list beside the query.' : `Give a value of type ${type}.`
  fields.error(
    'query',
    'parameter-type',
    `the value given for ${quoted(envKey)} ${type === undefined ? 'has an unknown type' : `is not of type ${type}`}`,
    hint,
  )
}

function refuseDefault(
  { entry, fallback }: ParameterDeclaration,
  envKey: string,
  type: ParameterType | undefined,
): void {
  const [key, what] =
    fallback === undefined ? (['type', 'value in the query'] as const) : (['default', 'default'] as const)
  entry.error(
    key,
    'parameter-type',
    `the ${what} of ${quoted(envKey)} ${type === undefined ? 'has an unknown type' : `is not of type ${type}`}`,
    'Change the value, or the type.',
  )
}
