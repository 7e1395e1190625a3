import { OpenAPIHono, z } from '@hono/zod-openapi'
import { expect, test } from 'vitest'
import { addEndpoint } from '../../../src/api/v1/endpoint.js'
import type { ApiEnv } from '../../../src/api/request-context.js'

test('a route that answers another shape than its schema does not compile', () => {
  const api = new OpenAPIHono<ApiEnv>()
  const answer = z.object({ id: z.string(), owner: z.string().optional(), state: z.enum(['open', 'closed']) })
  const named = {
    operationId: 'listThings',
    role: 'read',
    summary: 'List.',
    description: 'With their owners.',
    tag: 'things',
  } as const
  const route = { method: 'get', path: '/api/v1/things', ...named, answer } as const
  const state = 'open' as const
  addEndpoint(api, route, async () => ({ id: '1', state }))
  addEndpoint(api, route, async () => ({ id: '1', state, owner: 'ann' }))
  // @ts-expect-error -- `id` is a text
  addEndpoint(api, route, async () => ({ id: 1, state }))
  // @ts-expect-error -- `state` is missing
  addEndpoint(api, route, async () => ({ id: '1' }))
  // @ts-expect-error -- `state` has only two words
  addEndpoint(api, route, async () => ({ id: '1', state: 'ajar' as const }))
  // @ts-expect-error -- an optional field is absent, never undefined
  addEndpoint(api, route, async () => ({ id: '1', state, owner: undefined }))
  expect(api.routes.map(({ path }) => path)).toEqual(Array.from({ length: 6 }, () => '/api/v1/things'))
})
