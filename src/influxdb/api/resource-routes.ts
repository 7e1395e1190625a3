// InfluxDB's resource API: the resources of the embedded platform, for reading. What changes them: change-routes.ts.
import { compareText } from '../../lib/text/compare-text.js'
import { quoted } from '../../lib/text/printable.js'
import type { JsonObject } from '../../model/json.js'
import type { Api } from '../../api/v1/endpoint.js'
import type { CallUseCase } from '../../webhooks/call-use-case.js'
import type { DashboardCell } from '../kinds/kinds.js'
import { listOrganisations } from '../templates/organisations.js'
import type { OrganisationView } from '../templates/template-stack.js'
import { listResources, listSecretKeys, type ShownResource } from '../resources/resources.js'
import { namedOrganisation, selectOrganisations } from './instance-routes.js'
import { readPage, type PageSize } from './wire-page.js'
import { addWireEndpoint, type WireAnswer, type WireRequest } from './wire-endpoint.js'
import { WireRefusal } from './wire-error.js'
import { readId } from './wire-id.js'

export interface ResourceType {
  readonly family: string
  /** Its name in paths. */
  readonly type: string
  /** Of the list in an answer. Default: `type`. */
  readonly collection?: string
  /** Absent: a list has all of them. */
  readonly page?: PageSize
}

const page: PageSize = { usual: 20, most: 100 }

export const resourceTypes: readonly ResourceType[] = [
  { family: 'Bucket', type: 'buckets', page },
  { family: 'Check', type: 'checks', page },
  { family: 'Dashboard', type: 'dashboards' },
  { family: 'NotificationEndpoint', type: 'notificationEndpoints', page },
  { family: 'NotificationRule', type: 'notificationRules', page },
  { family: 'Task', type: 'tasks', page: { usual: 100, most: 500 } },
  { family: 'Telegraf', type: 'telegrafs', collection: 'configurations' },
  { family: 'Variable', type: 'variables', page },
]

/** The resources of each family, their labels, cells and secrets. */
export function addResourceRoutes(api: Api, call: CallUseCase): void {
  for (const type of resourceTypes) addTypeRoutes(api, call, type)
  addLabelRoutes(api, call)
  addCellRoute(api, call)
  addSecretRoute(api, call)
}

function addTypeRoutes(api: Api, call: CallUseCase, type: ResourceType): void {
  const path = `/api/v2/${type.type}`
  addWireEndpoint(api, { method: 'get', path }, async (request) => {
    const found = await listMatching(call, request, type.family)
    refuseMissingBucket(found, type, request)
    const { some, links } = readPage(path, found, request, type.page)
    return json({ links, [type.collection ?? type.type]: some.map((one) => resourceJson(one, type)) })
  })
  addWireEndpoint(api, { method: 'get', path: `${path}/:id` }, async (request) => {
    const one = await findResource(call, request, type.family)
    if (type.family === 'Telegraf' && !wantsJson(request)) return toml(one)
    return json(resourceJson(one, type, request.query('include')[0] === 'properties'))
  })
  addWireEndpoint(api, { method: 'get', path: `${path}/:id/labels` }, async (request) => {
    const { id, labels } = await findResource(call, request, type.family)
    return json({ links: { self: `${path}/${id}/labels` }, labels })
  })
}

function addLabelRoutes(api: Api, call: CallUseCase): void {
  const path = '/api/v2/labels'
  addWireEndpoint(api, { method: 'get', path }, async (request) => {
    const labels = (await listMatching(call, request, 'Label')).map(({ form }) => form)
    return json({ links: { self: path }, labels })
  })
  addWireEndpoint(api, { method: 'get', path: `${path}/:id` }, async (request) => {
    const { id, form } = await findResource(call, request, 'Label')
    return json(labelJson(id, form))
  })
}

function addCellRoute(api: Api, call: CallUseCase): void {
  const path = '/api/v2/dashboards/:id/cells/:cell/view'
  addWireEndpoint(api, { method: 'get', path }, async (request) => {
    const { id: dashboard, cells } = await findResource(call, request, 'Dashboard')
    const id = readId(request.param('cell'), 'cell id')
    const cell = cells.find((known) => known.id === id)
    if (cell === undefined) throw new WireRefusal('not found', `The dashboard ${dashboard} has no cell ${id}.`)
    return json(viewJson(dashboard, cell))
  })
}

export function viewJson(dashboard: string, { id, name, properties }: DashboardCell): JsonObject {
  return { links: { self: `/api/v2/dashboards/${dashboard}/cells/${id}/view` }, id, name, properties }
}

export function labelJson(id: string, form: JsonObject): JsonObject {
  return { links: { self: `/api/v2/labels/${id}` }, label: form }
}

function addSecretRoute(api: Api, call: CallUseCase): void {
  addWireEndpoint(api, { method: 'get', path: '/api/v2/orgs/:id/secrets' }, async ({ param, signal }) => {
    const organisation = await namedOrganisation(call, param('id'))
    const org = `/api/v2/orgs/${organisation.id}`
    return json({ links: { org, self: `${org}/secrets` }, secrets: await call(listSecretKeys, organisation, signal) })
  })
}

/** Of the organisations that `org` and `orgID` name, all without both; filtered by `id`, `name` and `status`. */
async function listMatching(
  call: CallUseCase,
  request: WireRequest,
  family: string,
): Promise<readonly ShownResource[]> {
  const ids = new Set(request.query('id').map((id) => readId(id, 'id')))
  const all = await listFamily(call, await selectOrganisations(call, request.query), { family }, request.signal)
  return all.filter(({ id, form }) => {
    const isNamed = ids.size === 0 || ids.has(id)
    return isNamed && filters(family).every((key) => ['', undefined, form[key]].includes(request.query(key)[0]))
  })
}

function filters(family: string): readonly string[] {
  return family === 'Task' ? ['name', 'status'] : ['name']
}

async function listFamily(
  call: CallUseCase,
  organisations: readonly OrganisationView[],
  which: { readonly family: string; readonly id?: string },
  signal: AbortSignal,
): Promise<readonly ShownResource[]> {
  const lists = await Promise.all(organisations.map((one) => call(listResources, one, which, signal)))
  return lists.flat().sort((a, b) => compareText(a.id, b.id))
}

/** By the id in the path. Errors: `WireRefusal` invalid, not found. */
export async function findResource(
  call: CallUseCase,
  { param, signal }: Pick<WireRequest, 'param' | 'signal'>,
  family: string,
): Promise<ShownResource> {
  const id = readId(param('id'), `${family} id`)
  const [found] = await listFamily(call, await call(listOrganisations), { family, id }, signal)
  if (found === undefined) throw new WireRefusal('not found', `There is no ${family} with the id ${id}.`)
  return found
}

/** Clients know an absent bucket by 404. */
function refuseMissingBucket(found: readonly unknown[], { family }: ResourceType, { query }: WireRequest): void {
  const [name = ''] = query('name')
  if (family === 'Bucket' && found.length === 0 && name !== '')
    throw new WireRefusal('not found', `There is no bucket ${quoted(name)}.`)
}

export function resourceJson(
  { id, orgID, form, labels, cells }: ShownResource,
  type: ResourceType,
  withProperties = false,
): JsonObject {
  const self = `/api/v2/${type.type}/${id}`
  return {
    ...form,
    ...(type.family === 'Dashboard' ? { cells: cells.map((cell) => cellJson(id, cell, withProperties)) } : {}),
    labels,
    links: { self, org: `/api/v2/orgs/${orgID}`, labels: `${self}/labels` },
  }
}

export function cellJson(
  dashboard: string,
  { name, properties, ...cell }: DashboardCell,
  withProperties: boolean,
): JsonObject {
  const links = { view: `/api/v2/dashboards/${dashboard}/cells/${cell.id}/view` }
  return { ...cell, ...(withProperties ? { name, properties } : {}), links }
}

/** InfluxDB answers with the configuration itself unless JSON is asked for. */
function wantsJson({ header }: WireRequest): boolean {
  return (header('accept') ?? '').includes('application/json')
}

function toml({ form: { config } }: ShownResource): WireAnswer {
  return { status: 200, text: { type: 'application/toml', pieces: [typeof config === 'string' ? config : ''] } }
}

function json(body: JsonObject): WireAnswer {
  return { status: 200, json: body }
}
