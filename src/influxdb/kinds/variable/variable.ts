import type { Document } from '../../../model/resources/document.js'
import type { Json, JsonObject } from '../../../model/json.js'
import type { Kind } from '../../../model/resources/kind.js'
import { quoted } from '../../../lib/text/printable.js'
import { readAssociations, type Labelled } from '../label/associations.js'
import { apiVersions, decodeDocument, readDisplayName, cachedDecode, type Referring } from '../envelope.js'
import type { Fields } from '../fields/fields.js'
import { stateName, mappedText, trimmedText, exportedFields } from '../state.js'
import { namedVariables } from '../flux/variables-used.js'
import { labelMappings } from '../label/label-mapping.js'
import { pairsToMap, readValues, sortedValues, wireValues, type KeyValue } from './variable-values.js'
import type { Wire } from '../wire.js'

export interface VariableSpec extends Labelled, Referring {
  readonly name: string
  readonly description: string
  readonly type: string
  /** Texts of a constant, pairs of a map; empty for a query. */
  readonly values: readonly string[] | readonly KeyValue[]
  readonly query: string
  readonly language: string
  readonly selected: readonly string[]
}

const types = ['constant', 'map', 'query']
const languages = ['flux', 'influxql']
/** Reserved words of Flux. */
const reserved = ['and', 'import', 'not', 'return', 'option', 'test', 'empty', 'in', 'or', 'package', 'builtin']

/**
 * State: `{name, description, type, values, query, language, selected}`, always complete; fields that the type does not
 * use are empty. The values of a map are pairs sorted by key. The target compares names without regard to case.
 */
export function variableKind(): Kind<VariableSpec> {
  return {
    kind: 'Variable',
    apiVersions,
    family: 'Variable',
    decode: cachedDecode((document) =>
      decodeDocument(document, (spec) => readVariable(spec, document), readAssociations),
    ),
    references: () => [],
    parts: { documents: ({ associations }, document) => labelMappings('Variable', associations, document) },
    encode: ({ name, description, type, values, query, language, selected }) => ({
      name,
      description,
      type,
      values,
      query,
      language,
      selected,
    }),
    normalise: normaliseVariable,
    matching: { key: (state) => stateName(state)?.toLowerCase() },
    displayName: stateName,
    authored: { declare: declareVariable, uses: namedVariables },
    inputs: { envReferences: ({ envReferences }) => envReferences },
  }
}

/** The InfluxDB API's form of a variable. The selection is repeated under `variables`, where clients expect it. */
export const variableWire: Wire = {
  diff: (state) => ({
    name: state['name'] ?? '',
    description: state['description'] ?? '',
    args: variableArguments(state),
  }),
  summary: (state, { id, orgID }) => {
    const { name, description, selected } = state
    const common = { id, orgID, name: name ?? '', description: description ?? '', arguments: variableArguments(state) }
    return { ...common, variables: selected ?? [], selected: selected ?? [] }
  },
}

function variableArguments(state: JsonObject): JsonObject {
  return { type: state['type'] ?? '', values: wireValues(state) }
}

function readVariable(spec: Fields, document: Document): Omit<VariableSpec, 'associations' | 'envReferences'> {
  const name = readDisplayName(spec, document, 1)
  checkName(spec, name)
  const type = readType(spec)
  const description = spec.text('description') ?? ''
  return {
    name,
    description,
    type,
    values: readValues(spec, type),
    ...readQuery(spec, type),
    selected: readSelected(spec),
  }
}

/** Rejects names that InfluxDB rejects during an apply: words of Flux, and a first character besides letters and _. */
function checkName(spec: Fields, name: string): void {
  if (!/^[A-Za-z_]/.test(name))
    spec.error('name', 'not-allowed', `the variable name ${quoted(name)} does not begin with a letter or _`)
  else if (reserved.includes(name))
    spec.error('name', 'not-allowed', `the variable name ${quoted(name)} is a word of Flux`)
}

function readType(spec: Fields): string {
  const type = spec.word('type') ?? ''
  const what = type === '' ? 'the variable has no type' : `there is no variable of type ${quoted(type)}`
  if (!types.includes(type)) spec.error('type', 'not-allowed', what, `One of ${types.join(', ')}.`)
  return type
}

function readQuery(spec: Fields, type: string): Pick<VariableSpec, 'query' | 'language'> {
  const query = spec.text('query')?.trim() ?? ''
  const language = spec.word('language') ?? ''
  if (type !== 'query') return { query: '', language: '' }
  if (query === '') spec.error('query', 'required', 'there is no query')
  const what = language === '' ? 'the query has no language' : `there is no language ${quoted(language)}`
  if (!languages.includes(language)) spec.error('language', 'not-allowed', what, `One of ${languages.join(', ')}.`)
  return { query, language }
}

/** Texts or envRefs. Empty ones are left out. */
function readSelected(spec: Fields): readonly string[] {
  return spec.list('selected').flatMap((value, at) => {
    const pointer = `${spec.pointer}/selected/${at}`
    const text = spec.resolve(value, pointer)
    if (text === undefined)
      spec.report.warning(pointer, {
        code: 'kinds/wrong-type',
        message: 'the selected value is neither a text nor an envRef',
        hint: 'Write a text, or {envRef: {key: NAME}}.',
      })
    return text === undefined || text === '' ? [] : [text]
  })
}

function normaliseVariable(state: JsonObject): JsonObject {
  const lower = (text: string): string => text.trim().toLowerCase()
  return {
    ...state,
    ...mappedText(state, 'type', lower),
    ...mappedText(state, 'language', lower),
    ...trimmedText(state, 'query'),
    ...(Array.isArray(state['values']) ? { values: sortedValues(state['values'] as readonly Json[]) } : {}),
  }
}

function declareVariable({ name, description, type, values, query, language, selected }: JsonObject): JsonObject {
  const given = type === 'map' ? pairsToMap(values) : values
  return exportedFields({
    name,
    description,
    type,
    values: type === 'query' ? undefined : given,
    query,
    language,
    selected,
  })
}
