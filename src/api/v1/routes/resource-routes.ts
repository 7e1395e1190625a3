import { z } from '@hono/zod-openapi'
import { addEndpoint, type Api } from '../endpoint.js'
import { toOverride, overrideQuery } from '../override-window.js'
import { page } from '../../../views/page.js'
import { resourceSchema } from '../../../views/resource.js'
import { jsonObject } from '../../../views/view.js'
import { pagingShape } from '../paging.js'
import {
  createResource,
  deleteResource,
  editResource,
  getResource,
  listResources,
  type WriteRequest,
} from '../../../stacks/resources/resources.js'
import type { CallUseCase } from '../../../webhooks/call-use-case.js'
import { mostNameCharacters } from '../../../settings/setting-forms.js'
import { strictObject } from '../../../settings/schema/strict-object.js'

const tag = 'resources'
const single = '/api/v1/resources/{address}'

const target = z.string().min(1).max(100).optional().describe('Default: the only target, or `local`.')
const stack = z.string().min(1).max(mostNameCharacters).optional().describe('Name or id of a stack: only what it owns.')

/** Slashes may be encoded or not: a proxy may decode them. */
export const addressParams = z.object({
  address: z.string().min(1).max(1_000).openapi({
    description: 'An address of a stack (`Bucket/raw`, as `Bucket%2Fraw` or with its slash), or FAMILY/ID.',
    example: 'Bucket/raw',
  }),
})
const scopeQuery = z.object({ target, stack })

const consent = z
  .string()
  .min(1)
  .max(1_000)
  .optional()
  .describe(
    'Required if the request loses data or removes a protected resource: its address, ' +
      'or FAMILY/ID if no stack owns it.',
  )
const writingQuery = z.object({ target, stack, consent, ...overrideQuery })

/** Resources on targets, read and written outside of stacks. */
export function addResourceRoutes(api: Api, call: CallUseCase): void {
  addCollectionRoutes(api, call)
  addSingleRoutes(api, call)
}

function addCollectionRoutes(api: Api, call: CallUseCase): void {
  const about = { path: '/api/v1/resources', tag } as const
  const listQuery = z.object({ target, stack, ...pagingShape })
  const list = {
    ...about,
    method: 'get',
    operationId: 'listResources',
    role: 'read',
    errors: [404, 502, 504],
    summary: 'List the resources of a target or of a stack.',
    description: 'Reads them from the target now, with the stack that owns each one.',
    query: listQuery,
  } as const
  addEndpoint(api, { ...list, answer: page(resourceSchema) }, ({ query, signal }) => call(listResources, query, signal))

  const createBody = strictObject({
    family: z.string().min(1).max(100).describe('`Bucket`, `Dashboard`, `Check`, ….'),
    desired: jsonObject.describe('The fields of the new resource.'),
  })
  const create = {
    ...about,
    method: 'post',
    operationId: 'createResource',
    role: 'admin',
    errors: [404, 409, 423, 502, 504],
    summary: 'Create a resource that no stack owns.',
    description: 'A stack that declares it later finds it by its name.',
    query: z.object({ target, ...overrideQuery }),
    body: createBody,
  } as const
  addEndpoint(api, { ...create, status: 201, answer: resourceSchema }, ({ query, body, by, signal }) =>
    call(createResource, body.family, body.desired, toWriteRequest(query, by), signal),
  )
}

function addSingleRoutes(api: Api, call: CallUseCase): void {
  const about = { path: single, tag, params: addressParams, query: scopeQuery } as const
  const get = {
    ...about,
    method: 'get',
    operationId: 'getResource',
    role: 'read',
    errors: [404, 409, 502, 504],
    summary: 'Get a resource of a target.',
    description: 'Reads it from the target now.',
    answer: resourceSchema,
  } as const
  addEndpoint(api, get, ({ params, query, signal }) => call(getResource, params.address, query, signal))

  const writing = { ...about, query: writingQuery } as const
  const edit = {
    ...writing,
    method: 'put',
    operationId: 'updateResource',
    role: 'admin',
    errors: [404, 409, 423, 502, 504],
    summary: 'Change a resource of a target.',
    description: 'If a stack owns the resource, drift correction may restore what the package declares.',
    body: strictObject({ desired: jsonObject.describe('All fields of the resource.') }),
  } as const
  addEndpoint(api, { ...edit, answer: resourceSchema }, ({ params, query, body, by, signal }) =>
    call(editResource, params.address, body.desired, toWriteRequest(query, by), signal),
  )

  const remove = {
    ...writing,
    method: 'delete',
    operationId: 'deleteResource',
    role: 'admin',
    errors: [404, 409, 422, 423, 502, 504],
    summary: 'Remove a resource from a target.',
    description: 'If a stack owns the resource, drift correction may create it again.',
    answer: z.object({ deleted: z.string().describe('The address of the request.') }),
  } as const
  addEndpoint(api, remove, async ({ params, query, by, signal }) => {
    await call(deleteResource, params.address, toWriteRequest(query, by), signal)
    return { deleted: params.address }
  })
}

function toWriteRequest({ overrideWindow, why, ...request }: z.output<typeof writingQuery>, by: string): WriteRequest {
  return { ...request, ...toOverride({ overrideWindow, why }), ...(why === undefined ? {} : { why }), by }
}
