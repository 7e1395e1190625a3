// Options in the tree of a query: `option params = {a: 1, b: 2}`. Trees are changed by copying.
import { isObject, type Json, type JsonObject } from '../../../model/json.js'

/** One entry of an option's record. */
export interface Property {
  readonly key: string
  /** The expression; null in `{a}`, where the name is also the value. */
  readonly value: Json
}

/** The entries of the option's record; undefined: the option is not set, or not to a record. */
export function readOption(tree: JsonObject, name: string): readonly Property[] | undefined {
  const record = optionRecord(
    treeStatements(tree).find((statement) => optionRecord(statement, name) !== undefined) ?? null,
    name,
  )
  return record && recordProperties(record).flatMap((property) => readProperty(property))
}

/** The tree with new values of some entries. Entries that the record does not have are added. */
export function withValues(tree: JsonObject, name: string, values: ReadonlyMap<string, JsonObject>): JsonObject {
  return mapFirst(tree, name, (statement, record) => {
    const old = recordProperties(record).map((property) => replaced(property, values))
    const had = new Set(old.flatMap((property) => readProperty(property)).map(({ key }) => key))
    const added = [...values].filter(([key]) => !had.has(key)).map(([key, value]) => newProperty(key, value))
    const assignment = isObject(statement['assignment']) ? statement['assignment'] : {}
    return [{ ...statement, assignment: { ...assignment, init: { ...record, properties: [...old, ...added] } } }]
  })
}

/** The tree without the option. */
export function withoutOption(tree: JsonObject, name: string): JsonObject {
  return mapFirst(tree, name, () => [])
}

/** As the parser would read `name`. */
export function identifier(name: string): JsonObject {
  return { type: 'Identifier', name }
}

function mapFirst(
  tree: JsonObject,
  name: string,
  change: (statement: JsonObject, record: JsonObject) => readonly JsonObject[],
): JsonObject {
  const statements = treeStatements(tree)
  const at = statements.findIndex((statement) => optionRecord(statement, name) !== undefined)
  const statement = statements[at]
  const record = optionRecord(statement ?? null, name)
  return record === undefined
    ? tree
    : { ...tree, body: statements.toSpliced(at, 1, ...change(isObject(statement) ? statement : {}, record)) }
}

function treeStatements({ body }: JsonObject): readonly Json[] {
  return Array.isArray(body) ? (body as readonly Json[]) : []
}

function optionRecord(statement: Json, name: string): JsonObject | undefined {
  if (!isObject(statement) || statement['type'] !== 'OptionStatement' || !isObject(statement['assignment']))
    return undefined
  const { type, id, init } = statement['assignment']
  const isIt = type === 'VariableAssignment' && isObject(id) && id['name'] === name
  return isIt && isObject(init) && init['type'] === 'ObjectExpression' ? init : undefined
}

function recordProperties({ properties }: JsonObject): readonly Json[] {
  return Array.isArray(properties) ? (properties as readonly Json[]) : []
}

function readProperty(property: Json): readonly Property[] {
  if (!isObject(property) || !isObject(property['key'])) return []
  const key = property['key']['name'] ?? property['key']['value']
  return typeof key === 'string' ? [{ key, value: property['value'] ?? null }] : []
}

function replaced(property: Json, values: ReadonlyMap<string, JsonObject>): Json {
  const [read] = readProperty(property)
  const value = read && values.get(read.key)
  return value === undefined || !isObject(property) ? property : { ...property, value }
}

function newProperty(key: string, value: JsonObject): JsonObject {
  const name = /^[A-Za-z_]\w*$/.test(key) ? identifier(key) : { type: 'StringLiteral', value: key }
  return { type: 'Property', key: name, value }
}
