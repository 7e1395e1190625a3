import type { Document, EnvReference } from '../../model/document.js'
import { isObject, type Json, type JsonObject } from '../../model/json.js'
import type { Kind } from '../../model/kind.js'
import { integerOf, textOf } from '../scalar.js'
import { readAssociations, type Labelled } from './associations.js'
import { declareChart, inPlace, normaliseChart, readChart, viewOf } from './chart.js'
import { listed } from './chart-field.js'
import { apiVersions, decodeDocument, readDisplayName, remembering, type Referring } from './envelope.js'
import type { Fields } from './fields.js'
import { heldName } from './held.js'
import { labelMappings } from './label-mapping.js'
import type { Wire } from './wire.js'

export interface DashboardSpec extends Labelled, Referring {
  readonly name: string
  readonly description: string
  /** In the order of the package. */
  readonly charts: readonly JsonObject[]
}

/**
 * Packages 1.8. Held: `{name, description, charts: [...]}`, each chart as a package has it with every default, and in its order. The target has any number of one name, so none is found by it.
 */
export function dashboardKind(): Kind<DashboardSpec> {
  return {
    kind: 'Dashboard',
    apiVersions,
    family: 'Dashboard',
    onRemove: 'remove',
    decode: remembering((document) => decodeDocument(document, (spec) => readDashboard(spec, document), readAssociations)),
    references: () => [],
    parts: ({ associations }, document) => labelMappings('Dashboard', associations, document),
    encode: ({ name, description, charts }) => ({ name, description, charts }),
    normalise: normaliseDashboard,
    anyOrder: ['charts'],
    displayName: heldName,
    declare: declareDashboard,
    envReferences: ({ envReferences }) => byKey(envReferences),
  }
}

/** Dashboards of the wire format (packages 4.2, 4.3), with their charts in full on both sides of a diff (D23). */
export const dashboardWire: Wire<DashboardSpec> = {
  diff: wireDashboard,
  summary: (held, { id, orgID }) => ({ id, orgID, ...wireDashboard(held) }),
}

function readDashboard(spec: Fields, document: Document): Omit<DashboardSpec, 'associations' | 'envReferences'> {
  const name = readDisplayName(spec, document, 2)
  return { name, description: spec.text('description') ?? '', charts: readCharts(spec, document) }
}

/** Without those that have an error. */
function readCharts(spec: Fields, { name: metaName }: Document): readonly JsonObject[] {
  const charts = spec.each('charts').map((chart, index) => readChart(chart, { metaName, index }))
  return charts.filter((chart) => chart !== undefined)
}

function normaliseDashboard(held: JsonObject): JsonObject {
  const { charts } = held
  return Array.isArray(charts) ? { ...held, charts: charts.map(normaliseChart) } : held
}

/** Charts that no package can hold are left out (packages 7.2). */
function declareDashboard(held: JsonObject): JsonObject {
  const { name, description } = described(held)
  const charts = inPlace(listed(held['charts']))
    .map(declareChart)
    .filter((chart) => chart !== undefined)
  return { name: name!, ...(description === '' ? {} : { description: description! }), ...(charts.length === 0 ? {} : { charts }) }
}

function wireDashboard(held: JsonObject): JsonObject {
  return { ...described(held), charts: listed(held['charts']).map(wireChart) }
}

function described({ name, description }: JsonObject): JsonObject {
  return { name: textOf(name) ?? '', description: textOf(description) ?? '' }
}

function wireChart(chart: Json): JsonObject {
  const { xPos, yPos, height, width } = isObject(chart) ? chart : {}
  const [x, y, h, w] = [xPos, yPos, height, width].map((value) => integerOf(value) ?? 0)
  return { properties: viewOf(chart), xPos: x!, yPos: y!, height: h!, width: w! }
}

function byKey(references: readonly EnvReference[]): readonly EnvReference[] {
  return [...references].sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
}
