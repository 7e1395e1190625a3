import { z } from '@hono/zod-openapi'
import { addEndpoint, type Api } from '../endpoint.js'
import { pagingShape } from '../paging.js'
import { page } from '../../../views/page.js'
import { targetSchema } from '../../../views/target.js'
import { listTargets } from '../../../stacks/queries/queries.js'
import type { CallUseCase } from '../../../webhooks/call-use-case.js'

export function addTargetRoutes(api: Api, call: CallUseCase): void {
  const list = {
    method: 'get',
    path: '/api/v1/targets',
    operationId: 'listTargets',
    summary: 'List the declared targets.',
    description: 'Each with the settings of its platform.',
    tag: 'targets',
    query: z.object(pagingShape),
    answer: page(targetSchema),
  } as const
  addEndpoint(api, list, ({ query }) => call(listTargets, query))
}
