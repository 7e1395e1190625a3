import { z } from '@hono/zod-openapi'
import { addEndpoint, type Api } from '../endpoint.js'
import {
  driftSchema,
  explainedResourceSchema,
  explanationSchema,
  resourceDetailSchema,
  stackResourceSchema,
} from '../../../views/explanation.js'
import { page } from '../../../views/page.js'
import { pagingShape } from '../paging.js'
import { addressParams } from './resource-routes.js'
import { stackParams } from './stack-routes.js'
import {
  explainResource,
  explainResources,
  explainStack,
  getDrift,
  listStackResources,
} from '../../../stacks/explain/explain.js'
import type { CallUseCase } from '../../../webhooks/call-use-case.js'

/** Explains the status of a stack and of its resources. */
export function addExplainRoutes(api: Api, call: CallUseCase): void {
  const path = '/api/v1/stacks/{name}/explain'
  const about = { tag: 'stacks', params: stackParams, method: 'get' } as const
  const explain = {
    ...about,
    path,
    operationId: 'explainStack',
    role: 'read',
    errors: [404],
    summary: 'Explain the status of a stack.',
    description: 'Its blockers, its sources, its windows and dependencies, and the times of what comes next.',
    answer: explanationSchema,
  } as const
  addEndpoint(api, explain, ({ params }) => call(explainStack, params.name))

  const all = {
    ...about,
    path: `${path}/resources`,
    operationId: 'explainResources',
    role: 'read',
    errors: [404],
    summary: 'Explain each resource of a stack, most recent change first.',
    description: 'For each one the run, the reason and the fields of its last change.',
  } as const
  addEndpoint(
    api,
    { ...all, query: z.object(pagingShape), answer: page(explainedResourceSchema) },
    ({ params, query }) => call(explainResources, params.name, query),
  )

  const listed = {
    ...about,
    path: '/api/v1/stacks/{name}/resources',
    operationId: 'listStackResources',
    role: 'read',
    errors: [404],
    summary: 'List the resources of a stack with their needs, parts, last change and health.',
    description: 'Most recent change first. Answers from what is stored: no target is read.',
  } as const
  addEndpoint(
    api,
    { ...listed, query: z.object(pagingShape), answer: page(stackResourceSchema) },
    ({ params, query }) => call(listStackResources, params.name, query),
  )

  const drift = {
    ...about,
    path: '/api/v1/stacks/{name}/drift',
    operationId: 'getDrift',
    role: 'read',
    errors: [404],
    summary: 'List the differences that the last drift check found.',
    description: 'Answers from what is stored: no source and no target is read. Corrected drift is not listed.',
    answer: driftSchema,
  } as const
  addEndpoint(api, drift, ({ params }) => call(getDrift, params.name))

  const one = {
    ...about,
    path: `${path}/resources/{address}`,
    operationId: 'explainResource',
    role: 'read',
    errors: [404],
    summary: 'Explain one resource of a stack.',
    description: 'Its last change in full, its owner, what refers to it, and how it differs on its target.',
    params: z.object({ ...stackParams.shape, ...addressParams.shape }),
  } as const
  addEndpoint(api, { ...one, answer: resourceDetailSchema }, ({ params, signal }) =>
    call(explainResource, params.name, params.address, signal),
  )
}
