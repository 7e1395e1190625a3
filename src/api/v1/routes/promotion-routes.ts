import { z } from '@hono/zod-openapi'
import { listCommits } from '../../../channels/list-commits.js'
import { mostPlansPerPage, previewPromotionPlans } from '../../../channels/promotion-plans.js'
import { withoutUndefined } from '../../../lib/without-undefined.js'
import { promotionPlansSchema } from '../../../views/channel.js'
import { commitRangeSchema } from '../../../views/commit.js'
import type { CallUseCase } from '../../../webhooks/call-use-case.js'
import { addEndpoint, type Api } from '../endpoint.js'
import { pagingShape, wholeNumber } from '../paging.js'
import { channel, promotionQuery } from './channel-routes.js'

const mostCommits = 100
const about = { method: 'get', tag: 'channels', role: 'read' } as const

/** What a person reads before a promotion: the commits in between, and the plans of the stacks. */
export function addPromotionPreviewRoutes(api: Api, call: CallUseCase): void {
  const limit = wholeNumber(1, mostPlansPerPage).default(mostPlansPerPage).openapi({
    type: 'integer',
    minimum: 1,
    maximum: mostPlansPerPage,
    default: mostPlansPerPage,
    description: 'Plans of a page.',
  })
  const plans = {
    ...about,
    path: '/api/v1/channels/promotion/plans',
    operationId: 'listPromotionPlans',
    errors: [404, 409, 502, 504],
    summary: 'Plan the stacks that follow a tag at the commit of a promotion, page by page.',
    description:
      'The stacks come by name; of a page, the worst plan is first. Polls the repository and writes nothing.',
    query: z.object({ ...promotionQuery, ...pagingShape, limit }),
    answer: promotionPlansSchema,
  } as const
  addEndpoint(api, plans, ({ query: { from, to, ...paging }, signal }) =>
    call(previewPromotionPlans, { from, to }, withoutUndefined(paging), signal),
  )

  const id = z.string().regex(/^[0-9a-f]{40}$/, 'must be a commit of 40 hex digits.')
  const commits = {
    ...about,
    path: '/api/v1/channels/commits',
    operationId: 'listCommits',
    errors: [404, 409, 502, 504],
    summary: 'List the commits between two commits of a channel.',
    description: 'Reads the repository, at most `limit` commits deep; `more`: there are others.',
    query: z.object({
      channel,
      from: id.describe('Its history is left out.'),
      to: id.describe('The newest commit.'),
      limit: wholeNumber(1, mostCommits)
        .default(50)
        .openapi({ type: 'integer', minimum: 1, maximum: mostCommits, default: 50, description: 'At most so many.' }),
    }),
    answer: commitRangeSchema,
  } as const
  addEndpoint(api, commits, ({ query, signal }) => call(listCommits, query, signal))
}
