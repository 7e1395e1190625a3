import { z } from '@hono/zod-openapi'
import { withoutUndefined } from '../../lib/without-undefined.js'
import type { WindowOverrideOptions } from '../../status/run-blockers.js'
import { addEndpoint, type Api } from './endpoint.js'
import { toOverride, overrideQuery } from './override-window.js'
import { page } from '../../views/page.js'
import { resourceSchema } from '../../views/resource.js'
import { jsonObject } from '../../views/view.js'
import { pagingShape, toPaging } from './paging.js'
import { deleteResource } from '../../stacks/resources/resources.js'
import { createResource, editResource, getResource, listResources } from '../../stacks/resources/resources.js'
import type { CallUseCase } from '../../webhooks/call-use-case.js'

const tag = 'resources'
const single = '/api/v1/resource'

const target = z.string().min(1).max(100).optional().openapi({ description: 'Default: the only target, or `local`.' })
const stack = z.string().min(1).max(100).optional()
const which = z
  .string()
  .min(1)
  .max(1_000)
  .openapi({ description: 'An address of a stack (`Bucket/raw`), or FAMILY/ID.' })
const whichQuery = z.object({ which, target, stack })

const consent = z.string().min(1).max(1_000).optional().openapi({
  description:
    'Required if the request loses data or removes a protected resource: its address, or FAMILY/ID if no stack owns it.',
})
const writingQuery = whichQuery.extend({ consent, ...overrideQuery })

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
    summary: 'List the resources of a target or of a stack.',
    query: listQuery,
  } as const
  addEndpoint(api, { ...list, answer: page(resourceSchema) }, ({ query, signal }) =>
    call(listResources, { ...toPaging(query), ...scope(query) }, signal),
  )

  const createBody = z.strictObject({ family: z.string().min(1).max(100), desired: jsonObject })
  const create = {
    ...about,
    method: 'post',
    summary: 'Create a resource that no stack owns.',
    query: z.object({ target, ...overrideQuery }),
    body: createBody,
  } as const
  addEndpoint(api, { ...create, status: 201, answer: resourceSchema }, ({ query, body, by, signal }) =>
    call(createResource, body.family, body.desired, { ...scope(query), ...toOverride(query), by }, signal),
  )
}

function addSingleRoutes(api: Api, call: CallUseCase): void {
  const about = { path: single, tag, query: whichQuery } as const
  const get = { ...about, method: 'get', summary: 'Get a resource of a target.', answer: resourceSchema } as const
  addEndpoint(api, get, ({ query, signal }) => call(getResource, query.which, scope(query), signal))

  const writing = { ...about, query: writingQuery } as const
  const edit = {
    ...writing,
    method: 'put',
    summary: 'Change a resource of a target.',
    body: z.strictObject({ desired: jsonObject }),
  } as const
  addEndpoint(api, { ...edit, answer: resourceSchema }, ({ query, body, by, signal }) =>
    call(editResource, query.which, body.desired, { ...writeOptions(query), by }, signal),
  )

  const remove = {
    ...writing,
    method: 'delete',
    summary: 'Remove a resource from a target.',
    answer: z.object({ deleted: z.string() }),
  } as const
  addEndpoint(api, remove, async ({ query, by, signal }) => {
    await call(deleteResource, query.which, { ...writeOptions(query), by }, signal)
    return { deleted: query.which }
  })
}

function writeOptions(
  query: z.output<typeof writingQuery>,
): ReturnType<typeof scope> & WindowOverrideOptions & { readonly consent?: string } {
  return {
    ...scope(query),
    ...(query.consent === undefined ? {} : { consent: query.consent }),
    ...toOverride(query),
  }
}

function scope(query: { readonly target?: string | undefined; readonly stack?: string | undefined }): {
  readonly target?: string
  readonly stack?: string
} {
  return withoutUndefined({ target: query.target, stack: query.stack })
}
