// The plans of the stacks that follow a tag, at the commit that a promotion would move it to, page by page.
import type { Context } from '../stacks/context.js'
import { invalidCursor } from '../model/cursor.js'
import { nextCursor, type Paging } from '../stacks/paging.js'
import type { PlannedStackView, PromotionPlans } from '../views/channel.js'
import { planStacks } from './followers.js'
import { preparePromotion, type PromotionRequest } from './promote-tag.js'

/** Plans of one page: each reads its target. */
export const mostPlansPerPage = 20

/**
 * The stacks come by name. A page has the worst plans first: those that fail, then those that need approval, then by
 * the number of changes. Errors: those of the preview of the promotion.
 */
export async function previewPromotionPlans(
  context: Context,
  request: PromotionRequest,
  { limit = mostPlansPerPage, after }: Paging,
  signal: AbortSignal,
): Promise<PromotionPlans> {
  const { plan, followers } = await preparePromotion(context, request, signal)
  const { commit } = plan
  if (plan.before?.commit === commit) return { commit, items: [], next: null, total: 0 }
  const names = followers.map(({ spec }) => spec.name)
  const from = after === undefined ? 0 : names.indexOf(after) + 1
  if (after !== undefined && from === 0) throw invalidCursor(after)
  const shown = followers.slice(from, from + limit)
  const items = await planStacks(context, shown, plan, signal)
  const isLast = from + limit >= followers.length
  const next = isLast ? null : nextCursor(shown, limit, ({ spec }) => spec.name)
  return { commit, items: items.toSorted((a, b) => badness(b) - badness(a)), next, total: followers.length }
}

function badness({ plan, error, leaves }: PlannedStackView): number {
  if (error !== undefined) return Number.MAX_SAFE_INTEGER
  if (leaves !== undefined) return Number.MAX_SAFE_INTEGER / 2
  const { create = 0, update = 0, remove = 0 } = plan?.counts ?? {}
  const needsApproval = (plan?.needsApproval.length ?? 0) > 0 ? 1e9 : 0
  return needsApproval + create + update + remove
}
