import { z } from '@hono/zod-openapi'
import type { Api } from './v1/endpoint.js'

/** What is counted and how it stands, as text for a program that asks every so often. */
export interface Metrics {
  /** Its media type. */
  readonly type: string
  print(): Promise<string>
  /** Answered without the token: names of stacks and targets are then for everybody who reaches the port. */
  readonly public: boolean
}

/** `GET /metrics`, as Prometheus reads it: docs/reference/metrics.md. */
export function addMetricsRoute(api: Api, metrics: Metrics): void {
  api.openAPIRegistry.registerPath({
    method: 'get',
    path: '/metrics',
    summary: 'What is counted and how it stands, as Prometheus reads it.',
    tags: ['health'],
    ...(metrics.public ? { security: [] } : {}),
    responses: {
      200: { description: 'Done.', content: { 'text/plain': { schema: z.string() } } },
      ...(metrics.public ? {} : { default: { description: 'Refused or failed.' } }),
    },
  })
  api.get('/metrics', async (c) => c.body(await metrics.print(), 200, { 'Content-Type': metrics.type }))
}
