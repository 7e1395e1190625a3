// Which requests may change resources: those of organisations whose target permits direct writes.
import type { ApiContext } from '../../api/request-context.js'
import { bodyText } from '../../api/server/bounded-body.js'
import type { Api } from '../../api/v1/endpoint.js'
import { isObject, type JsonObject } from '../../model/json.js'
import type { CallUseCase } from '../../webhooks/call-use-case.js'
import { directTarget } from '../resources/change-resources.js'
import { listOrganisations } from '../templates/organisations.js'
import type { OrganisationView } from '../templates/template-stack.js'
import { namedOrganisation } from './instance-routes.js'
import { findResource } from './resource-routes.js'
import { readWireBody } from './wire-body.js'
import { addWireEndpoint, anyType, type WireAnswer, type WireEndpoint, type WireRequest } from './wire-endpoint.js'
import { WireRefusal } from './wire-error.js'

/** Adds a route that changes something. Without any permission its answer does not depend on the request. */
export function addChangeEndpoint(
  api: Api,
  call: CallUseCase,
  { method, path }: Pick<WireEndpoint, 'method' | 'path'>,
  handle: (request: WireRequest) => Promise<WireAnswer>,
): void {
  const takesBody = method === 'delete' ? {} : { takesBody: anyType, read: readOptionalBody }
  addWireEndpoint(api, { method, path, ...takesBody }, async (request) => {
    await refuseUnlessAny(call)
    return handle(request)
  })
}

async function readOptionalBody(c: ApiContext): Promise<unknown> {
  return bodyText(c).trim() === '' ? undefined : readWireBody(c)
}

/** A resource of an organisation that permits direct writes. Errors: `WireRefusal` forbidden, not found. */
export async function findChangeable(
  call: CallUseCase,
  request: WireRequest,
  family: string,
): Promise<{ readonly id: string; readonly organisation: OrganisationView }> {
  const { id, orgID } = await findResource(call, request, family)
  return { id, organisation: await permitted(call, await namedOrganisation(call, orgID)) }
}

export function readObject(body: unknown): JsonObject {
  if (isObject(body)) return body
  throw new WireRefusal('invalid', 'The body must be an object.')
}

/** By `orgID`, else by `org`, the name of InfluxDB's clients. */
export async function ofBody(call: CallUseCase, { orgID, org }: JsonObject): Promise<OrganisationView> {
  if (orgID !== undefined && orgID !== '') return namedOrganisation(call, orgID as string)
  const found = (await call(listOrganisations)).find(({ name }) => name === org)
  if (found === undefined) throw new WireRefusal('invalid', 'The body names no organization: give its orgID.')
  return found
}

export async function permitted(call: CallUseCase, organisation: OrganisationView): Promise<OrganisationView> {
  if ((await call(directTarget, organisation)) === undefined) throw forbidden(organisation.target)
  return organisation
}

/** Errors: `WireRefusal` forbidden if no target permits direct writes. */
export async function refuseUnlessAny(call: CallUseCase): Promise<void> {
  const all = await call(listOrganisations)
  for (const one of all) if ((await call(directTarget, one)) !== undefined) return
  throw forbidden(all[0]?.target ?? 'NAME')
}

function forbidden(target: string): WireRefusal {
  return new WireRefusal(
    'forbidden',
    'Only packages change what gitmoor keeps. Change the package of its stack, or apply another one: `influx apply`. ' +
      `To permit direct writes, set \`targets.${target}.directWrites: true\` in the configuration file.`,
  )
}
