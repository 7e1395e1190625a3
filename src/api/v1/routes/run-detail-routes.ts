import { z } from '@hono/zod-openapi'
import { compareRuns } from '../../../stacks/plans/compare-runs.js'
import { getRunEvents } from '../../../stacks/queries/run-events.js'
import { runComparisonSchema } from '../../../views/run.js'
import { runEventsSchema } from '../../../views/run-events.js'
import type { CallUseCase } from '../../../webhooks/call-use-case.js'
import { addEndpoint, type Api } from '../endpoint.js'
import { pagingShape } from '../paging.js'
import { below, runId } from './run-routes.js'
import { stackParams } from './stack-routes.js'

const tag = 'runs'

/** The phases and steps of one run; what two runs declare differently. */
export function addRunDetailRoutes(api: Api, call: CallUseCase): void {
  const events = {
    method: 'get',
    tag,
    path: below('runs/{run}/events'),
    operationId: 'getRunEvents',
    role: 'read',
    errors: [404],
    summary: 'Show when a run entered its phases, and what became of each change of its plan.',
    description: 'From what is stored. The changes come in pages; each page has the phases.',
    params: z.object({ ...stackParams.shape, run: runId }),
    query: z.object(pagingShape),
    answer: runEventsSchema,
  } as const
  addEndpoint(api, events, ({ params: { name, run }, query }) => call(getRunEvents, name, run, query))

  const compare = {
    method: 'get',
    tag,
    path: below('runs/{a}/compare/{b}'),
    operationId: 'compareRuns',
    role: 'read',
    errors: [404, 422, 502, 504],
    summary: 'Compare what two runs declare, and their settings.',
    description: 'Each package with the settings that its run read. Reads stored files, and no resource of the target.',
    params: z.object({ ...stackParams.shape, a: runId, b: runId }),
    answer: runComparisonSchema,
  } as const
  addEndpoint(api, compare, ({ params: { name, a, b }, signal }) => call(compareRuns, name, [a, b], signal))
}
