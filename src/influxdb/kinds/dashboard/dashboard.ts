import { withinStep } from '../../../lib/async/pending.js'
import type { Document } from '../../../model/resources/document.js'
import { isObject, type Json, type JsonObject } from '../../../model/json.js'
import type { Kind } from '../../../model/resources/kind.js'
import { asInteger, asText } from '../../../model/scalar.js'
import { readAssociations, type Labelled } from '../label/associations.js'
import { canonicalFlux } from '../flux/canonical-flux.js'
import { declareChart, byPosition, normaliseChart, readChart, chartView } from './chart.js'
import { listEntries } from './chart-field.js'
import { withQueries } from './chart-queries.js'
import { apiVersions, decodeDocumentSteps, readDisplayName, cachedDecodeSteps, type Referring } from '../envelope.js'
import type { Fields } from '../fields/fields.js'
import type { FluxPort } from '../flux/flux.js'
import { stateName } from '../state.js'
import { labelMappings } from '../label/label-mapping.js'
import type { KindContext } from '../kind-context.js'
import { inKeyOrder } from '../flux/parameters.js'
import { namedVariables } from '../flux/variables-used.js'
import type { Wire } from '../wire.js'

export interface DashboardSpec extends Labelled, Referring {
  readonly name: string
  readonly description: string
  /** In the order of the package. */
  readonly charts: readonly JsonObject[]
}

/**
 * State: `{name, description, charts: [...]}`. Each chart has the fields of a package with every default, in its order.
 * Of a target, a chart may also have the `id` of its cell, and its `view`: see `chartFromView`.
 * A target may have several dashboards with one name, so a dashboard is never found by its name.
 */
export function dashboardKind({ flux }: Pick<KindContext, 'flux'>): Kind<DashboardSpec> {
  const canonical = canonicalFlux(flux)
  const decodeSteps = cachedDecodeSteps((document) =>
    decodeDocumentSteps(document, (spec) => readDashboard(spec, document, flux), readAssociations),
  )
  return {
    kind: 'Dashboard',
    apiVersions,
    family: 'Dashboard',
    decode: (document) => withinStep(decodeSteps(document)),
    references: () => [],
    documents: { decodeSteps },
    parts: { documents: ({ associations }, document) => labelMappings('Dashboard', associations, document) },
    encode: ({ name, description, charts }) => ({ name, description, charts }),
    normalise: (state) => normaliseDashboard(state, canonical),
    comparison: { anyOrder: ['charts'] },
    displayName: stateName,
    authored: { declare: declareDashboard, uses: namedVariables },
    inputs: { envReferences: ({ envReferences }) => inKeyOrder(envReferences) },
  }
}

/** The InfluxDB API's form of a dashboard. Both sides of a diff list all charts, so each real change shows. */
export const dashboardWire: Wire<DashboardSpec> = {
  diff: wireDashboard,
  summary: (state, { id, orgID }, spec) => ({ id, orgID, ...wireDashboard({ ...state, ...asFilledIn(spec) }) }),
}

/** Queries are shown with parameters filled in, not in the canonical form that is compared. */
function asFilledIn({ charts }: Partial<DashboardSpec>): JsonObject {
  return charts === undefined ? {} : { charts: charts.map(normaliseChart) }
}

/** A step for each chart. */
function* readDashboard(
  spec: Fields,
  document: Document,
  flux: FluxPort,
): Generator<void, Omit<DashboardSpec, 'associations' | 'envReferences'>, void> {
  const name = readDisplayName(spec, document, 2)
  return { name, description: spec.text('description') ?? '', charts: yield* readCharts(spec, document, flux) }
}

/** Without charts that have errors. */
function* readCharts(
  spec: Fields,
  { name: metaName }: Document,
  flux: FluxPort,
): Generator<void, readonly JsonObject[], void> {
  const charts: JsonObject[] = []
  for (const [index, fields] of spec.each('charts').entries()) {
    yield
    const chart = readChart(fields, { metaName, index, flux })
    if (chart !== undefined) charts.push(chart)
  }
  return charts
}

function normaliseDashboard(state: JsonObject, canonical: (query: string) => string): JsonObject {
  const { charts } = state
  return Array.isArray(charts)
    ? { ...state, charts: charts.map((chart: Json) => withQueries(normaliseChart(chart), canonical)) }
    : state
}

/** Charts that a package cannot express are omitted. */
function declareDashboard(state: JsonObject): JsonObject {
  const { name, description } = described(state)
  const charts = byPosition(listEntries(state['charts']))
    .map(declareChart)
    .filter((chart) => chart !== undefined)
  return {
    name: name!,
    ...(description === '' ? {} : { description: description! }),
    ...(charts.length === 0 ? {} : { charts }),
  }
}

function wireDashboard(state: JsonObject): JsonObject {
  return { ...described(state), charts: listEntries(state['charts']).map(wireChart) }
}

export function described({ name, description }: JsonObject): JsonObject {
  return { name: asText(name) ?? '', description: asText(description) ?? '' }
}

function wireChart(chart: Json): JsonObject {
  const { xPos, yPos, height, width } = isObject(chart) ? chart : {}
  const [x, y, h, w] = [xPos, yPos, height, width].map((value) => asInteger(value) ?? 0)
  return { properties: chartView(chart), xPos: x!, yPos: y!, height: h!, width: w! }
}
