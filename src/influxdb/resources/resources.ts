// influxdb/resources: what an organisation has, for reading. Takes an organisation and a family; gives its resources in
// the form of InfluxDB's resource API.
// Promises: a request reads the families that it shows, page by page; nothing is written; no secret is shown.
import type { Json, JsonObject } from '../../model/json.js'
import type { ListedResource } from '../../platform/platform.js'
import { asText } from '../../model/scalar.js'
import { pagesOfListings } from '../../stacks/targets.js'
import type { Context } from '../../stacks/context.js'
import { inSlices, type Steps } from '../../lib/async/steps.js'
import { dashboardCells, resourceForms, type DashboardCell } from '../kinds/kinds.js'
import type { OrganisationView } from '../templates/template-stack.js'

export interface ShownResource {
  readonly id: string
  readonly orgID: string
  readonly form: JsonObject
  /** In the order of their ids. */
  readonly labels: readonly JsonObject[]
  /** Of a dashboard; else none. */
  readonly cells: readonly DashboardCell[]
}

/** The families that the form of another one names. */
const shownWith: Readonly<Record<string, readonly string[]>> = { NotificationRule: ['NotificationEndpoint'] }

/** Resources of a family with a form, in the order of their ids. Errors: those of the target. */
export async function listResources(
  context: Context,
  organisation: OrganisationView,
  family: string,
  signal: AbortSignal,
): Promise<readonly ShownResource[]> {
  const families = new Set([family, ...(shownWith[family] ?? []), 'Label', 'LabelMapping'])
  const listed = await readFamilies(context, organisation, families, signal)
  return inSlices(showing(organisation, family, listed), signal)
}

/** The keys of secrets, also of those that belong to an endpoint. Errors: those of the target. */
export async function listSecretKeys(
  context: Context,
  organisation: OrganisationView,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const listed = await readFamilies(context, organisation, new Set(['Secret']), signal)
  return [...(listed.get('Secret')?.keys() ?? [])]
}

/** Resources by family and id. */
type ListedFamilies = ReadonlyMap<string, ReadonlyMap<string, ListedResource['observed']>>

async function readFamilies(
  { sync: { targets } }: Context,
  { target }: OrganisationView,
  families: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<ListedFamilies> {
  const found = new Map<string, Map<string, ListedResource['observed']>>()
  await targets.reach(target, {}, signal, async (reached) => {
    for (const family of families) {
      const own = new Map<string, ListedResource['observed']>()
      found.set(family, own)
      for await (const page of pagesOfListings(reached, signal, family)) {
        const some = page.filter((one) => one.family === family)
        for (const { observed } of some) own.set(observed.identity, observed)
        if (some.length < page.length) break // other families follow
      }
    }
  })
  return found
}

/** A step for each resource. */
function* showing(
  { id: orgID, name: orgName }: OrganisationView,
  family: string,
  listed: ListedFamilies,
): Steps<readonly ShownResource[]> {
  const labelIds = yield* labelsByResource(listed)
  const stateOf = (of: string, id: string): JsonObject | undefined => {
    const observed = listed.get(of)?.get(id)
    return observed && { ...observed.actual, ...observed.readOnly }
  }
  const formOf = (of: string, id: string): JsonObject | undefined => {
    const state = stateOf(of, id)
    const endpointType = (endpoint: Json): Json =>
      stateOf('NotificationEndpoint', asText(endpoint) ?? '')?.['type'] ?? ''
    return state && resourceForms[of]!(state, { id, orgID, orgName, endpointType })
  }
  const shown: ShownResource[] = []
  for (const id of listed.get(family)?.keys() ?? []) {
    yield
    const labels = (labelIds.get(id) ?? []).map((label) => formOf('Label', label)).filter((form) => form !== undefined)
    const cells = family === 'Dashboard' ? dashboardCells(stateOf(family, id)!, id) : []
    shown.push({ id, orgID, form: formOf(family, id)!, labels, cells })
  }
  return shown
}

function* labelsByResource(listed: ListedFamilies): Steps<ReadonlyMap<string, readonly string[]>> {
  const found = new Map<string, string[]>()
  for (const { actual } of listed.get('LabelMapping')?.values() ?? []) {
    yield
    const [resource = '', label = ''] = [asText(actual['resourceID']), asText(actual['labelID'])]
    const labels = found.get(resource)
    if (labels === undefined) found.set(resource, [label])
    else labels.push(label)
  }
  return found
}
