import { z } from '@hono/zod-openapi'
import { fleetDocument, toFleetSpec } from '../../../settings/documents/fleet-document.js'
import { strictObject } from '../../../settings/schema/strict-object.js'
import { applyFleet, deleteFleet, getFleet, listFleets, planFleet } from '../../../stacks/fleets/fleets.js'
import { fleetChangeSchema, fleetPlanSchema, fleetRowSchema, fleetSchema } from '../../../views/fleet.js'
import { page } from '../../../views/page.js'
import { list } from '../../../views/view.js'
import type { CallUseCase } from '../../../webhooks/call-use-case.js'
import { addEndpoint, type Api } from '../endpoint.js'
import { pagingShape } from '../paging.js'

const tag = 'fleets'
const params = z.object({ name: z.string().min(1).max(100).describe('The name of the fleet.') })

/** Fleets: one stack for each directory of a repository, or for each target. */
export function addFleetRoutes(api: Api, call: CallUseCase): void {
  addReadingRoutes(api, call)
  addApplyRoute(api, call)
  addPlanRoute(api, call)
  addDeletionRoute(api, call)
}

const single = { path: '/api/v1/fleets/{name}', tag, params } as const

function addReadingRoutes(api: Api, call: CallUseCase): void {
  const all = {
    method: 'get',
    path: '/api/v1/fleets',
    operationId: 'listFleets',
    role: 'read',
    summary: 'List fleets, by name.',
    description: 'Each with its last listing and the number of its stacks.',
    tag,
    query: z.object(pagingShape),
    answer: page(fleetRowSchema),
  } as const
  addEndpoint(api, all, ({ query }) => call(listFleets, query))

  const get = {
    ...single,
    method: 'get',
    operationId: 'getFleet',
    role: 'read',
    errors: [404],
    summary: 'Get a fleet.',
    description: 'With its settings. `GET /api/v1/stacks?managedBy=fleet:NAME` lists its stacks.',
    answer: fleetSchema,
  } as const
  addEndpoint(api, get, (request) => call(getFleet, request.params.name))
}

function addApplyRoute(api: Api, call: CallUseCase): void {
  const apply = {
    ...single,
    method: 'put',
    operationId: 'applyFleet',
    role: 'admin',
    errors: [404, 409, 422, 502, 504],
    ifMatch: 'fleet',
    summary: 'Create or replace a fleet, and keep its stacks like what it lists.',
    description: 'A listing with a problem changes nothing, and nothing is stored. No stack is deleted.',
    body: fleetDocument,
    answer: z.object({ fleet: fleetSchema, changes: list(fleetChangeSchema).describe('What it changed.') }),
  } as const
  addEndpoint(api, apply, (request) =>
    call(applyFleet, toFleetSpec(request.body), { name: request.params.name, ...request.precondition }, request.signal),
  )
}

function addPlanRoute(api: Api, call: CallUseCase): void {
  const plan = {
    method: 'post',
    path: '/api/v1/fleets/{name}/plan',
    tag,
    params,
    operationId: 'planFleet',
    role: 'admin',
    errors: [404, 502, 504],
    summary: 'Show how the stacks of a fleet would change. Changes nothing.',
    description: 'Polls the repository of the directories. Without `fleet`, the stored document is planned.',
    body: strictObject({ fleet: fleetDocument.optional().describe('The document to plan; absent: the stored one.') }),
    answer: fleetPlanSchema,
  } as const
  addEndpoint(api, plan, (request) => {
    const { fleet } = request.body
    return call(planFleet, request.params.name, fleet && toFleetSpec(fleet), request.signal)
  })
}

function addDeletionRoute(api: Api, call: CallUseCase): void {
  const remove = {
    ...single,
    method: 'delete',
    operationId: 'deleteFleet',
    role: 'admin',
    errors: [404, 409],
    ifMatch: 'fleet',
    summary: 'Delete a fleet. Its stacks stay.',
    description: 'Requests may change and delete its stacks from then on (`managedBy: api`).',
    answer: z.object({ kept: z.int().describe('The number of stacks that stay.') }),
  } as const
  addEndpoint(api, remove, (request) => call(deleteFleet, request.params.name, request.precondition, request.signal))
}
