import { z } from '@hono/zod-openapi'
import { withoutUndefined } from '../../../lib/without-undefined.js'
import { getMatrix } from '../../../stacks/overview/matrix.js'
import { getOverview } from '../../../stacks/overview/overview.js'
import { matrixSchema, overviewSchema } from '../../../views/overview.js'
import type { CallUseCase } from '../../../webhooks/call-use-case.js'
import { addEndpoint, type Api } from '../endpoint.js'
import { pagingShape } from '../paging.js'

const tag = 'stacks'

/** Of all sources of a package together. */
const mostLocationCharacters = 8_000

/** All stacks at a glance. */
export function addOverviewRoutes(api: Api, call: CallUseCase): void {
  const overview = {
    method: 'get',
    path: '/api/v1/overview',
    operationId: 'getOverview',
    role: 'read',
    summary: 'Show all stacks at a glance.',
    description: 'Counts by state, the stacks that need attention, the channels, and what happened last.',
    tag,
    query: z.object({ group: z.enum(['target']).optional().describe('`target`: also the counts of each target.') }),
    answer: overviewSchema,
  } as const
  addEndpoint(api, overview, ({ query }) => call(getOverview, withoutUndefined(query)))

  const matrix = {
    method: 'get',
    path: '/api/v1/overview/matrix',
    operationId: 'getMatrix',
    role: 'read',
    summary: 'Show which package is deployed where, and at which commits.',
    description: 'A row for each package, a cell for each target on which it is. A page has at most 500 rows.',
    tag,
    query: z.object({
      ...pagingShape,
      rows: z.enum(['package']).default('package').describe('What a row is.'),
      columns: z.enum(['target']).default('target').describe('What a column is.'),
      package: z
        .string()
        .min(1)
        .max(mostLocationCharacters)
        .optional()
        .describe('Only this package: `package` of its row.'),
      target: z.string().min(1).max(100).optional().describe('Only the packages on this target.'),
    }),
    answer: matrixSchema,
  } as const
  addEndpoint(api, matrix, ({ query: { rows: _rows, columns: _columns, ...query } }) =>
    call(getMatrix, withoutUndefined(query)),
  )
}
