// The first requests of InfluxDB clients: whether the server is up, healthy and set up, and its organisations.
import type { MiddlewareHandler } from 'hono'
import type { OrganisationView } from '../templates/template-stack.js'
import type { ApiEnv } from '../../api/request-context.js'
import type { Api } from '../../api/v1/endpoint.js'
import { addWireEndpoint, type WireRequest } from './wire-endpoint.js'
import { WireRefusal } from './wire-error.js'
import { readId } from './wire-id.js'
import { readiness } from '../../stacks/queries/queries.js'
import { listOrganisations } from '../templates/organisations.js'
import type { CallUseCase } from '../../webhooks/call-use-case.js'

/** Headers by which InfluxDB clients recognise the server. */
export function addVersionHeaders(version: string): MiddlewareHandler<ApiEnv> {
  return async (c, next) => {
    await next()
    c.header('X-Influxdb-Build', 'OSS')
    c.header('X-Influxdb-Version', `gitmoor-${version}`)
  }
}

/** Without token: `/ping`, `/health`, `/api/v2/setup`. */
export function addProbeRoutes(api: Api, call: CallUseCase, version: string): void {
  api.get('/ping', (c) => c.body(null, 204))
  api.get('/health', async (c) => {
    const { ready, reason } = await call(readiness)
    const message = ready ? 'ready for packages and stacks' : reason
    const health = { name: 'gitmoor', message, checks: [], status: ready ? 'pass' : 'fail', version, commit: 'none' }
    return c.json(health, ready ? 200 : 503)
  })
  addWireEndpoint(api, { method: 'get', path: '/api/v2/setup' }, async () => ({
    status: 200,
    json: { allowed: false },
  }))
}

/** `/api/v2/orgs`, filtered by `org` (a name) and `orgID`. */
export function addOrganisationRoutes(api: Api, call: CallUseCase): void {
  addWireEndpoint(api, { method: 'get', path: '/api/v2/orgs' }, async ({ query }) => {
    const orgs = await selectOrganisations(call, query)
    return { status: 200, json: { links: { self: '/api/v2/orgs' }, orgs: orgs.map(organisationJson) } }
  })
  addWireEndpoint(api, { method: 'get', path: '/api/v2/orgs/:id' }, async ({ param }) => {
    return { status: 200, json: organisationJson(await namedOrganisation(call, param('id'))) }
  })
}

/** Those that `org` (a name) and `orgID` name; all of them without both. Errors: `WireRefusal` invalid, not found. */
export async function selectOrganisations(
  call: CallUseCase,
  query: WireRequest['query'],
): Promise<readonly OrganisationView[]> {
  const [name = '', given = ''] = [query('org')[0], query('orgID')[0]]
  const id = given === '' ? '' : readId(given, 'organization id')
  const all = await call(listOrganisations)
  const found = all.filter((one) => (name === '' || one.name === name) && (id === '' || one.id === id))
  if (found.length === 0 && (name !== '' || id !== '')) throw unknownOrganisation(name || id, all)
  return found
}

/** By its id. Errors: `WireRefusal` invalid, not found. */
export async function namedOrganisation(call: CallUseCase, given: string): Promise<OrganisationView> {
  const id = readId(given, 'organization id')
  const all = await call(listOrganisations)
  const found = all.find((one) => one.id === id)
  if (found === undefined) throw unknownOrganisation(id, all)
  return found
}

function organisationJson({ id, name }: OrganisationView): object {
  return { links: { self: `/api/v2/orgs/${id}` }, id, name, description: '', type: 'user' }
}

function unknownOrganisation(which: string, all: readonly OrganisationView[]): WireRefusal {
  const names = all.map(({ name }) => name).join(', ')
  return new WireRefusal(
    'not found',
    `There is no organization ${JSON.stringify(which.slice(0, 100))}. There are: ${names}.`,
  )
}
