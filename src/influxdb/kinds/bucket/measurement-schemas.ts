// Explicit schemas of a bucket.
import type { JsonObject } from '../../../model/json.js'
import { quoted } from '../../../lib/text/printable.js'
import { pointerTo } from '../../../lib/text/json-pointer.js'
import { countCharacters } from '../../../model/scalar.js'
import type { Fields } from '../fields/fields.js'

export interface Column {
  readonly name: string
  readonly type: string
  readonly dataType?: string
}

export interface MeasurementSchema {
  readonly name: string
  readonly columns: readonly Column[]
}

const columnTypes = ['timestamp', 'tag', 'field']
const dataTypes = ['float', 'integer', 'unsigned', 'string', 'boolean']

export function readSchema(schema: Fields): MeasurementSchema {
  const name = readName(schema, 'schema')
  const entries = schema.each('columns')
  const columns = entries.map(readColumn)
  schema.warnUnknown()
  refuseDuplicates(schema, entries, columns)
  checkColumns(schema, columns)
  return { name, columns }
}

/** Sorted by name, and so are their columns: the target does not keep an order. */
export function encodeSchemas(schemas: readonly MeasurementSchema[]): readonly JsonObject[] {
  return schemas.map(({ name, columns }) => ({ name, columns: columns.map((column) => ({ ...column })) }))
}

function readColumn(column: Fields): Column {
  const name = readName(column, 'column')
  const type = column.word('type') ?? ''
  const dataType = column.word('dataType')
  column.warnUnknown()
  if (columnTypes.includes(type)) checkColumn(column, name, type, dataType)
  else column.error('type', 'not-allowed', `the column type ${quoted(type)} is not one of ${columnTypes.join(', ')}`)
  return { name, type, ...(dataType === undefined ? {} : { dataType }) }
}

function checkColumn(column: Fields, name: string, type: string, dataType: string | undefined): void {
  if (name === 'time' && type !== 'timestamp')
    column.error('type', 'not-allowed', 'the type of the column "time" is not timestamp')
  if (name !== 'time' && type === 'timestamp')
    column.error('name', 'not-allowed', `the timestamp column is ${quoted(name)}, not "time"`)
  if (type === 'field') checkDataType(column, dataType)
  else if (dataType !== undefined) column.error('dataType', 'not-allowed', `a ${type} column has a dataType`)
}

function checkDataType(column: Fields, dataType: string | undefined): void {
  if (dataType === undefined) column.error('dataType', 'required', 'a field column has no dataType')
  else if (!dataTypes.includes(dataType))
    column.error('dataType', 'not-allowed', `the dataType ${quoted(dataType)} is not one of ${dataTypes.join(', ')}`)
}

/** InfluxDB compares names of columns without case, and reports the list. */
function refuseDuplicates(schema: Fields, entries: readonly Fields[], columns: readonly Column[]): void {
  const firsts = new Map<string, Fields>()
  for (const [at, { name }] of columns.entries()) {
    const entry = entries[at]!
    const first = firsts.get(name.toLowerCase())
    if (first === undefined) {
      firsts.set(name.toLowerCase(), entry)
      continue
    }
    const twice = `the column ${quoted(name)} is declared twice (case is ignored), first at ${first.entryPlace}`
    entry.errorShown(pointerTo(schema.pointer, 'columns'), 'name', 'duplicate-column', twice, 'Remove one of the two.')
  }
}

function checkColumns(schema: Fields, columns: readonly Column[]): void {
  if (!columns.some(({ name }) => name === 'time')) schema.error('columns', 'required', 'there is no column "time"')
  if (!columns.some(({ type }) => type === 'field')) schema.error('columns', 'required', 'there is no field column')
}

/** 1 to 128 characters of printable UTF-8, no leading `_`, no quotes. */
function readName(fields: Fields, what: string): string {
  const name = fields.text('name') ?? ''
  const length = countCharacters(name)
  if (length < 1 || length > 128)
    fields.error('name', 'name-form', `the name of a ${what} has ${length === 0 ? 'no' : 'more than 128'} characters`)
  else if (/^_|["']|[^\P{C}\p{Co}]/u.test(name))
    fields.error(
      'name',
      'name-form',
      `the name ${quoted(name)} of a ${what} begins with _, or contains quotes or control characters`,
    )
  return name
}
