import type { Document } from '../../model/document.js'
import type { JsonObject } from '../../model/json.js'
import type { Kind } from '../../model/kind.js'
import { readAssociations, type Labelled } from './associations.js'
import { normaliseChart, readChart } from './chart.js'
import { apiVersions, decodeDocument, readDisplayName, remembering, type Referring } from './envelope.js'
import type { Fields } from './fields.js'
import { heldName } from './held.js'
import { labelMappings } from './label-mapping.js'

export interface DashboardSpec extends Labelled, Referring {
  readonly name: string
  readonly description: string
  readonly charts: readonly JsonObject[]
}

/** Packages 1.8. Held: `{name, description, charts: [...]}`. The target has any number of one name, so none is found by it. */
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
    displayName: heldName,
    envReferences: ({ envReferences }) => envReferences,
  }
}

function readDashboard(spec: Fields, document: Document): Omit<DashboardSpec, 'associations' | 'envReferences'> {
  const name = readDisplayName(spec, document, 2)
  return { name, description: spec.text('description') ?? '', charts: readCharts(spec, document) }
}

function readCharts(spec: Fields, { name: metaName }: Document): readonly JsonObject[] {
  return spec.each('charts').map((chart, index) => readChart(chart, { metaName, index }))
}

function normaliseDashboard(held: JsonObject): JsonObject {
  const { charts } = held
  return Array.isArray(charts) ? { ...held, charts: charts.map(normaliseChart) } : held
}
