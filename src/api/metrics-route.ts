import { z } from '@hono/zod-openapi'
import type { Api } from './v1/endpoint.js'
import { describeLater, errorResponses } from './v1/openapi.js'

/** The metrics of the agent as text. */
export interface Metrics {
  /** The media type. */
  readonly type: string
  print(): Promise<string>
  /** No token needed. Then anyone who reaches the port sees the names of stacks and targets. */
  readonly public: boolean
}

/** `GET /metrics`, as Prometheus reads it: docs/reference/metrics.md. */
export function addMetricsRoute(api: Api, metrics: Metrics): void {
  describeLater(api, metrics.public ? 'none' : 'read', () => ({
    method: 'get',
    path: '/metrics',
    operationId: 'getMetrics',
    summary: 'Metrics in the format of Prometheus.',
    description: 'docs/reference/metrics.md lists them. Values are those of the moment of the request.',
    tags: ['health'],
    ...(metrics.public ? { security: [] } : {}),
    responses: {
      200: { description: 'Done.', content: { 'text/plain': { schema: z.string() } } },
      ...errorResponses([...(metrics.public ? [] : [401 as const]), 421, 500, 503]),
    },
  }))
  api.get('/metrics', async (c) => c.body(await metrics.print(), 200, { 'Content-Type': metrics.type }))
}
