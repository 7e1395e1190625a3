// influxdb/resources: what an organisation has, for reading. Takes an organisation and a family; gives its resources in
// the form of InfluxDB's resource API.
// Promises: a request reads the families that it shows, page by page; nothing is written; no secret is shown.
import type { Json, JsonObject } from '../../model/json.js'
import type { Identity } from '../../model/address.js'
import type { ListedResource, TargetPlatform } from '../../platform/platform.js'
import { asText } from '../../model/scalar.js'
import { labelsByResource, nameOnTarget } from '../../platform/labelled-resources.js'
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

/**
 * Resources of a family that has a form, in the order of their ids. `id`: only this one. Errors: those of the target.
 */
export async function listResources(
  context: Context,
  organisation: OrganisationView,
  { family, id }: { readonly family: string; readonly id?: string },
  signal: AbortSignal,
): Promise<readonly ShownResource[]> {
  const families = new Set([family, ...(shownWith[family] ?? []), 'Label', 'LabelMapping'])
  const { platform, listed } = await readFamilies(context, organisation, families, signal)
  const labels = await inSlices(labelsByResource(platform, listed), signal)
  const shown = (one: ListedResource): boolean =>
    one.family === family && (id === undefined || one.observed.identity === id)
  return inSlices(showing(organisation, listed.filter(shown), { listed, labels }), signal)
}

/** The keys of secrets, also of those that belong to an endpoint. Errors: those of the target. */
export async function listSecretKeys(
  context: Context,
  organisation: OrganisationView,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const { listed } = await readFamilies(context, organisation, new Set(['Secret']), signal)
  return listed.map(({ observed }) => observed.identity)
}

function readFamilies(
  { sync: { targets } }: Context,
  { target }: OrganisationView,
  families: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<{ readonly platform: TargetPlatform; readonly listed: readonly ListedResource[] }> {
  return targets.reach(target, {}, signal, async (reached) => {
    const listed: ListedResource[] = []
    for (const family of families)
      for await (const page of pagesOfListings(reached, signal, family)) {
        const own = page.filter((one) => one.family === family)
        listed.push(...own)
        if (own.length < page.length) break // other families follow
      }
    return { platform: reached.platform, listed }
  })
}

interface Surroundings {
  readonly listed: readonly ListedResource[]
  /** Ids of labels, by `family/identity`. */
  readonly labels: ReadonlyMap<string, readonly string[]>
}

/** A step for each resource. */
function* showing(
  { id: orgID, name: orgName }: OrganisationView,
  resources: readonly ListedResource[],
  { listed, labels }: Surroundings,
): Steps<readonly ShownResource[]> {
  const byName = new Map(listed.map((one) => [nameOf(one.family, one.observed.identity), one]))
  const endpointType = (id: Json): Json =>
    byName.get(nameOf('NotificationEndpoint', asText(id) ?? ''))?.observed.actual['type'] ?? ''
  const formOf = ({ family, observed: { identity, actual, readOnly } }: ListedResource): JsonObject =>
    resourceForms[family]!({ ...actual, ...readOnly }, { id: identity, orgID, orgName, endpointType })
  const shown: ShownResource[] = []
  for (const one of resources) {
    yield
    const { identity: id, actual } = one.observed
    const ids = labels.get(nameOf(one.family, id)) ?? []
    const labelled = ids.map((label) => byName.get(nameOf('Label', label))).filter((label) => label !== undefined)
    const cells = one.family === 'Dashboard' ? dashboardCells(actual, id) : []
    shown.push({ id, orgID, form: formOf(one), labels: labelled.map(formOf), cells })
  }
  return shown
}

function nameOf(family: string, id: string): string {
  return nameOnTarget({ family, identity: id as Identity })
}
