// Why a plan that needs approval is not applied.
import { command, stackCommand, type Blocker, type NextStep } from '../model/stacks/blocker.js'
import type { ApprovalReason } from '../model/resources/change.js'
import type { Run } from '../model/stacks/run.js'
import { approvalGroups, approvalSummary, listed } from './approval-steps.js'
import type { StatusInput } from './axes.js'

/** One for each group of reasons: the resources, what keeps them, and how to approve the plan. */
export function awaitedApprovals(
  { stack, approvalReasons = [] }: StatusInput,
  { plan, intent, finishedAt }: Run,
): readonly Blocker[] {
  const { name } = stack.spec
  const blocker = (message: string, next: readonly NextStep[]): Blocker => ({
    reason: 'NeedsApproval',
    message,
    since: finishedAt,
    until: null,
    next,
  })
  const see = stackCommand('See it', 'plan', name)
  const what = intent === 'sync' ? 'The plan' : 'The uninstall'
  const summary = approvalReasons.length === 0 ? '' : `: ${approvalSummary(approvalReasons)}`
  if (plan === null) return [blocker(`${what} needs approval${summary}.`, [see])]
  const digest = plan.digest.slice(0, 12)
  const approve = (purpose: string): NextStep =>
    command(purpose, 'approve', { stack: name, digest }, `gitmoor approve ${name} ${digest}`)
  const groups = approvalGroups(name, plan)
  if (intent !== 'sync') {
    const protection = groups.find(({ rule }) => rule === 'protect')
    const why = protection === undefined ? '' : `: ${reasonSummary(protection.reasons)}`
    const next = [see, stackCommand('Keep everything', 'cancel', name), approve('Uninstall anyway')]
    return [blocker(`The uninstall needs approval${why === '' ? '.' : why}`, next)]
  }
  if (groups.length === 0) return [blocker('The plan needs approval.', [see, approve('Apply the plan')])]
  return groups.map(({ rule, reasons, keep }) =>
    blocker(`The plan needs approval (${rule}): ${reasonSummary(reasons)}`, [see, ...keep, approve('Apply the plan')]),
  )
}

/** The message of the first reason, and the addresses of the others. */
function reasonSummary([first, ...more]: readonly ApprovalReason[]): string {
  if (more.length === 0) return first?.message ?? ''
  return `${first!.message} The same applies to ${listed(more.flatMap(({ address }) => address ?? []))}.`
}
