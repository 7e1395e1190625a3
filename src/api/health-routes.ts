import { z } from '@hono/zod-openapi'
import type { Api } from './v1/endpoint.js'
import { describeLater, errorResponses } from './v1/openapi.js'
import { readiness } from '../stacks/queries/queries.js'
import type { CallUseCase } from '../webhooks/call-use-case.js'

const healthSchema = z
  .object({ status: z.literal('ok').describe('Always the same.') })
  .openapi('Health', { description: 'The process answers.' })
const readySchema = z
  .object({
    ready: z.boolean().describe('false: the agent starts, stops, polls late or cannot write.'),
    reason: z.string().describe('`ready`, or why it is not.'),
  })
  .openapi('Readiness', { description: 'Whether the agent can work; `reason`: why not.' })

/** For probes: no token, any Host. `/healthz`: the process runs. `/readyz`: 503 while the agent is not ready. */
export function addHealthRoutes(api: Api, call: CallUseCase): void {
  describe(
    api,
    '/healthz',
    {
      operationId: 'getHealth',
      summary: 'Whether the process runs.',
      description: 'For liveness probes. It reads nothing, so it answers while the database is busy.',
    },
    { 200: healthSchema },
  )
  api.get('/healthz', (c) => c.json({ status: 'ok' }))
  const ready = {
    operationId: 'getReadiness',
    summary: 'Whether the agent is ready.',
    description: 'For readiness probes. 503 while the agent starts or stops, polls late, or cannot write.',
  }
  describe(api, '/readyz', ready, { 200: readySchema, 503: readySchema })
  api.get('/readyz', async (c) => {
    const { ready, reason } = await call(readiness)
    return c.json({ ready, reason }, ready ? 200 : 503)
  })
}

function describe(
  api: Api,
  path: string,
  about: { readonly operationId: string; readonly summary: string; readonly description: string },
  answers: Readonly<Record<number, z.ZodType>>,
): void {
  const responses = Object.entries(answers).map(([status, schema]) => [
    status,
    { description: about.summary, content: { 'application/json': { schema } } },
  ])
  describeLater(api, 'none', () => ({
    method: 'get',
    path,
    ...about,
    tags: ['health'],
    security: [],
    responses: { ...Object.fromEntries(responses), ...errorResponses([500]) },
  }))
}
