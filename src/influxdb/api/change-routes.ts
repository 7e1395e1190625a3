// InfluxDB's resource API: changes that a client makes itself, of targets that permit direct writes.
import type { Json } from '../../model/json.js'
import { Refused } from '../../model/errors.js'
import type { Api } from '../../api/v1/endpoint.js'
import type { CallUseCase } from '../../webhooks/call-use-case.js'
import {
  createResource,
  putSecret,
  removeResource,
  updateResource,
  type StateChange,
} from '../resources/change-resources.js'
import { createdState, patchedState, replacedState } from '../resources/requested-state.js'
import { addCellChangeRoutes } from './cell-change-routes.js'
import { addChangeEndpoint, findChangeable, ofBody, permitted, readObject, refuseUnlessAny } from './direct-writes.js'
import { namedOrganisation } from './instance-routes.js'
import { findResource, labelJson, resourceJson, resourceTypes, type ResourceType } from './resource-routes.js'
import type { WireAnswer, WireRequest } from './wire-endpoint.js'
import { WireRefusal } from './wire-error.js'
import { readId } from './wire-id.js'

const label: ResourceType = { family: 'Label', type: 'labels' }
/** The others are changed by PATCH only. */
const replaceable: readonly string[] = ['Check', 'NotificationEndpoint', 'NotificationRule', 'Telegraf', 'Variable']

/** Changes of resources, their cells and labels, and secrets. Other requests that change something are refused. */
export function addChangeRoutes(api: Api, call: CallUseCase): void {
  for (const type of [...resourceTypes, label]) {
    addCreateRoute(api, call, type)
    addUpdateRoutes(api, call, type)
    addRemoveRoute(api, call, type)
    if (type !== label) addMappingRoutes(api, call, type)
  }
  addCellChangeRoutes(api, call)
  addSecretRoutes(api, call)
  const names = [...resourceTypes, label].map(({ type }) => `/api/v2/${type}`)
  const paths = [...names, '/api/v2/orgs/:id/secrets'].flatMap((path) => [path, `${path}/*`])
  api.on(['POST', 'PUT', 'PATCH', 'DELETE'], paths, async () => {
    await refuseUnlessAny(call)
    throw new WireRefusal('method not allowed', 'gitmoor does not serve this request of InfluxDB.')
  })
}

function addCreateRoute(api: Api, call: CallUseCase, type: ResourceType): void {
  const path = `/api/v2/${type.type}`
  addChangeEndpoint(api, call, { method: 'post', path }, async (request) => {
    const { family } = type
    const body = readObject(request.body)
    const organisation = await permitted(call, await ofBody(call, body))
    const id = await call(createResource, { organisation, family, state: createdState(family, body) }, request.signal)
    return shown(call, { ...request, param: () => id }, type, 201)
  })
}

function addUpdateRoutes(api: Api, call: CallUseCase, type: ResourceType): void {
  const { family } = type
  const path = `/api/v2/${type.type}/:id`
  addChangeEndpoint(api, call, { method: 'patch', path }, (request) =>
    update(call, request, type, patchedState(family, readObject(request.body))),
  )
  if (!replaceable.includes(family)) return
  addChangeEndpoint(api, call, { method: 'put', path }, (request) =>
    update(call, request, type, replacedState(family, readObject(request.body))),
  )
}

async function update(
  call: CallUseCase,
  request: WireRequest,
  type: ResourceType,
  change: StateChange,
): Promise<WireAnswer> {
  const { family } = type
  const { id, organisation } = await findChangeable(call, request, family)
  await call(updateResource, { organisation, family, id }, change, request.signal)
  return shown(call, request, type, 200)
}

function addRemoveRoute(api: Api, call: CallUseCase, { family, type }: ResourceType): void {
  addChangeEndpoint(api, call, { method: 'delete', path: `/api/v2/${type}/:id` }, async (request) => {
    const { id, organisation } = await findChangeable(call, request, family)
    const removed = await call(removeResource, { organisation, family, id }, request.signal)
    if (!removed) throw new WireRefusal('not found', `There is no ${family} with the id ${id}.`)
    return { status: 204 }
  })
}

function addMappingRoutes(api: Api, call: CallUseCase, { family, type }: ResourceType): void {
  const path = `/api/v2/${type}/:id/labels`
  addChangeEndpoint(api, call, { method: 'post', path }, async (request) => {
    const { id: resourceID, organisation } = await findChangeable(call, request, family)
    const labelID = readId(readObject(request.body)['labelID'], 'label id')
    const { form } = await findResource(call, { ...request, param: () => labelID }, 'Label')
    const state = { resourceType: type, resourceID, labelID }
    await call(createResource, { organisation, family: 'LabelMapping', state }, request.signal).catch(labelledTwice)
    return { status: 201, json: labelJson(labelID, form) }
  })
  addChangeEndpoint(api, call, { method: 'delete', path: `${path}/:label` }, async (request) => {
    const { id, organisation } = await findChangeable(call, request, family)
    const mapping = `${id}/${readId(request.param('label'), 'label id')}`
    await call(removeResource, { organisation, family: 'LabelMapping', id: mapping }, request.signal)
    return { status: 204 }
  })
}

function labelledTwice(error: unknown): never {
  if (error instanceof Refused && error.status === 'conflict')
    throw new WireRefusal('conflict', 'label already exists on resource', { cause: error })
  throw error
}

function addSecretRoutes(api: Api, call: CallUseCase): void {
  const path = '/api/v2/orgs/:id/secrets'
  addChangeEndpoint(api, call, { method: 'patch', path }, async ({ param, body, signal }) => {
    const organisation = await permitted(call, await namedOrganisation(call, param('id')))
    const secrets = Object.entries(readObject(body))
    for (const [key, value] of secrets)
      if (key === '' || typeof value !== 'string')
        throw new WireRefusal('invalid', 'The body must be an object of keys with texts as values.')
    for (const [key, value] of secrets) await call(putSecret, { organisation, key, value: value as string }, signal)
    return { status: 204 }
  })
  addChangeEndpoint(api, call, { method: 'post', path: `${path}/delete` }, async (request) => {
    const organisation = await permitted(call, await namedOrganisation(call, request.param('id')))
    const { secrets } = readObject(request.body)
    const keys: readonly Json[] = Array.isArray(secrets) ? (secrets as readonly Json[]) : []
    if (!keys.every((key) => typeof key === 'string'))
      throw new WireRefusal('invalid', '`secrets` must be a list of keys.')
    for (const id of keys) await call(removeResource, { organisation, family: 'Secret', id }, request.signal)
    return { status: 204 }
  })
  addChangeEndpoint(api, call, { method: 'delete', path: `${path}/:key` }, async ({ param, signal }) => {
    const organisation = await permitted(call, await namedOrganisation(call, param('id')))
    await call(removeResource, { organisation, family: 'Secret', id: param('key') }, signal)
    return { status: 204 }
  })
}

/** The resource as it is now. */
async function shown(
  call: CallUseCase,
  request: Pick<WireRequest, 'param' | 'signal'>,
  type: ResourceType,
  status: 200 | 201,
): Promise<WireAnswer> {
  const one = await findResource(call, request, type.family)
  return { status, json: type === label ? labelJson(one.id, one.form) : resourceJson(one, type) }
}
