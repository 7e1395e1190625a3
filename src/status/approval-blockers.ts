// Why a plan that needs approval is not applied.
import { command, stackCommand, type Blocker, type NextStep } from '../model/stacks/blocker.js'
import type { ApprovalReason } from '../model/resources/change.js'
import type { Run } from '../model/stacks/run.js'
import { approvalGroups, listed } from './approval-steps.js'
import type { StatusInput } from './axes.js'

/**
 * One for each group of reasons: the resources, what keeps them, and how to approve the plan. Lists have no plan: their
 * messages are the same, but they only name the command that shows the plan.
 */
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
  const groups = approvalGroups(name, plan ?? { changes: [], needsApproval: approvalReasons })
  const approve = (purpose: string): readonly NextStep[] => {
    if (plan === null) return []
    const digest = plan.digest.slice(0, 12)
    return [command(purpose, 'approve', { stack: name, digest }, `gitmoor approve ${name} ${digest}`)]
  }
  if (intent !== 'sync') {
    const protection = groups.find(({ rule }) => rule === 'protect')
    const why = protection === undefined ? '.' : `: ${reasonSummary(protection.reasons)}`
    const next = [see, stackCommand('Keep everything', 'cancel', name), ...approve('Uninstall anyway')]
    return [blocker(`The uninstall needs approval${why}`, next)]
  }
  if (groups.length === 0) return [blocker('The plan needs approval.', [see, ...approve('Apply the plan')])]
  // A list shows only the first message, so it names the other rules, too.
  const rules = [...new Set(groups.map(({ rule }) => rule))]
  const named = rules.length === 1 ? '' : ` (${rules.join(', ')})`
  return groups.map(({ rule, reasons, keep }, at) =>
    blocker(`The plan needs approval${at === 0 ? named : ` (${rule})`}: ${reasonSummary(reasons)}`, [
      see,
      ...(plan === null ? [] : keep),
      ...approve('Apply the plan'),
    ]),
  )
}

/** The message of the first reason, and the addresses of the others. */
function reasonSummary([first, ...more]: readonly ApprovalReason[]): string {
  if (more.length === 0) return first?.message ?? ''
  return `${first!.message} The same applies to ${listed(more.flatMap(({ address }) => address ?? []))}.`
}
