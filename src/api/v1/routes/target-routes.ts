import { z } from '@hono/zod-openapi'
import { withoutUndefined } from '../../../lib/without-undefined.js'
import { addEndpoint, type Api } from '../endpoint.js'
import { pagingShape } from '../paging.js'
import { optionalSelector } from '../stack-listing.js'
import { page } from '../../../views/page.js'
import { targetSchema, targetTestSchema } from '../../../views/target.js'
import { getTarget, listTargets, testTarget } from '../../../stacks/queries/declared-targets.js'
import { listUnmanaged } from '../../../stacks/discover/unmanaged.js'
import { unmanagedSchema } from '../../../views/packages/unmanaged.js'
import type { CallUseCase } from '../../../webhooks/call-use-case.js'

const tag = 'targets'

export function addTargetRoutes(api: Api, call: CallUseCase): void {
  const list = {
    method: 'get',
    path: '/api/v1/targets',
    operationId: 'listTargets',
    role: 'read',
    summary: 'List the declared targets.',
    description: 'Each with the settings of its platform.',
    tag,
    query: z.object({ ...pagingShape, selector: optionalSelector }),
    answer: page(targetSchema),
  } as const
  addEndpoint(api, list, ({ query }) => call(listTargets, withoutUndefined(query)))

  const params = z.object({ name: z.string().min(1).max(100).describe('The name of the target.') })
  const get = {
    method: 'get',
    path: '/api/v1/targets/{name}',
    operationId: 'getTarget',
    role: 'read',
    errors: [404],
    summary: 'Show a declared target.',
    description: 'With the settings of its platform. The agent does not connect to it.',
    tag,
    params,
    answer: targetSchema,
  } as const
  addEndpoint(api, get, ({ params: { name } }) => call(getTarget, name))

  const test = {
    method: 'post',
    path: '/api/v1/targets/{name}/test',
    operationId: 'testTarget',
    role: 'approve',
    errors: [404],
    summary: 'Connect to a target, and read the first page of its resources.',
    description: 'Writes nothing. A target that fails is an answer with `ok: false`.',
    tag,
    params,
    answer: targetTestSchema,
  } as const
  addEndpoint(api, test, ({ params: { name }, signal }) => call(testTarget, name, signal))

  const unmanaged = {
    method: 'get',
    path: '/api/v1/targets/{name}/unmanaged',
    operationId: 'listUnmanaged',
    role: 'read',
    errors: [404, 502, 504],
    summary: 'Show what exists on a target and no stack manages.',
    description: 'With the stacks that the system behind it keeps itself. Reads the whole target.',
    tag,
    params,
    answer: unmanagedSchema,
  } as const
  addEndpoint(api, unmanaged, ({ params: { name }, signal }) => call(listUnmanaged, name, signal))
}
