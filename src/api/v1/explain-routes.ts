import { z } from '@hono/zod-openapi'
import { addEndpoint, type Api } from './endpoint.js'
import { explainedResourceSchema, explanationSchema, resourceDetailSchema } from '../../views/explanation.js'
import { page } from '../../views/page.js'
import { toPaging, pagingShape } from './paging.js'
import { stackParams } from './stack-routes.js'
import { explainResource, explainResources, explainStack } from '../../stacks/explain/explain.js'
import type { CallUseCase } from '../../webhooks/call-use-case.js'

/** Explains the status of a stack and of its resources. */
export function addExplainRoutes(api: Api, call: CallUseCase): void {
  const path = '/api/v1/stacks/{name}/explain'
  const about = { tag: 'stacks', params: stackParams, method: 'get' } as const
  const explain = { ...about, path, summary: 'Explain the status of a stack.', answer: explanationSchema } as const
  addEndpoint(api, explain, ({ params }) => call(explainStack, params.name))

  const all = {
    ...about,
    path: `${path}/resources`,
    summary: 'Explain each resource of a stack, most recent change first.',
  } as const
  addEndpoint(
    api,
    { ...all, query: z.object(pagingShape), answer: page(explainedResourceSchema) },
    ({ params, query }) => call(explainResources, params.name, toPaging(query)),
  )

  const query = z.object({ address: z.string().min(1).max(1_000) })
  const one = { ...about, path: `${path}/resource`, summary: 'Explain one resource of a stack.', query } as const
  addEndpoint(api, { ...one, answer: resourceDetailSchema }, ({ params, query: { address } }) =>
    call(explainResource, params.name, address),
  )
}
