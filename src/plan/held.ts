// The rules that hold a plan until a person says so. What was consented to, at this revision, is not asked again.
import type { Address } from '../model/address.js'
import type { Change, Hold, Plan } from '../model/change.js'
import { sameRevision } from '../model/revision.js'
import type { PlanInput } from './draft.js'
import { isProtected } from './protected.js'

/** design: One history, held plans. */
export function heldBy(plan: Pick<Plan, 'changes' | 'revision'>, input: Pick<PlanInput, 'owned' | 'policy' | 'consent'>): readonly Hold[] {
  const consented = coveredBy(input.consent, plan.revision)
  const asked = plan.changes.filter((change) => !consented.has(`${consentAction(change)} ${change.address}`))
  const rules = [deletions, dataLoss, protection, adoptions, approval]
  return rules.flatMap((rule) => rule(asked, input))
}

/** What a person consents to by approving these changes. */
export function consentTo(plan: Plan, by: string): NonNullable<PlanInput['consent']> {
  return {
    revision: plan.revision,
    by,
    changes: plan.changes.map((change) => ({
      address: change.address,
      action: consentAction(change),
      ...(change.takesFrom === undefined ? {} : { takes: true as const }),
    })),
  }
}

function consentAction(change: Change): 'write' | 'remove' {
  return change.action === 'remove' || change.action === 'forget' ? 'remove' : 'write'
}

/** The addresses that may become this stack's though another one owns the things: an apply that was interrupted goes on. */
export function takeoversOf(consent: PlanInput['consent'], revision: string): ReadonlySet<Address> {
  if (consent === null || !sameRevision(consent.revision, revision)) return new Set()
  return new Set(consent.changes.flatMap(({ address, takes }) => (takes === true ? [address] : [])))
}

function coveredBy(consent: PlanInput['consent'], revision: string): ReadonlySet<string> {
  if (consent === null || !sameRevision(consent.revision, revision)) return new Set()
  return new Set(consent.changes.map(({ address, action }) => `${action} ${address}`))
}

function deletions(asked: readonly Change[], { owned, policy }: Pick<PlanInput, 'owned' | 'policy'>): readonly Hold[] {
  const removals = asked.filter((change) => change.action === 'remove' && change.partOf === undefined).length
  const whole = [...owned.values()].filter((record) => record.partOf === undefined && record.shared !== true).length
  const half = Math.max(1, whole / 2)
  const most = Math.max(1, Math.min(policy.maxDeletes, half))
  if (removals <= most) return []
  const limit = removals > half ? moreThanHalf : `at most ${Math.floor(most)} go without approval (maxDeletes ${policy.maxDeletes}).`
  return [{ rule: 'deletions', message: `${removals} of the ${whole} resources this stack owns would be removed; ${limit}` }]
}

const moreThanHalf = 'more than half never go without approval.'

/** Whatever the settings of the stack: only a person lets it pass. */
export function hasNoSetting({ rule, message }: Hold): boolean {
  return rule === 'deletions' && message.endsWith(moreThanHalf)
}

function dataLoss(asked: readonly Change[], { policy }: Pick<PlanInput, 'policy'>): readonly Hold[] {
  if (policy.dataLoss === 'allow') return []
  return asked
    .filter((change) => change.losesData === true)
    .map(({ address }) => ({ rule: 'data-loss', address, message: `Removing ${address} deletes the data in it.` }))
}

/** Whatever else the stack allows, and on uninstall as well. */
function protection(asked: readonly Change[], { policy: { protect = [] } }: Pick<PlanInput, 'policy'>): readonly Hold[] {
  return asked
    .filter(({ action, address }) => action === 'remove' && isProtected(address, protect))
    .map(({ address }) => ({ rule: 'protect', address, message: `${address} is protected, and would be removed.` }))
}

function adoptions(asked: readonly Change[], { policy }: Pick<PlanInput, 'policy'>): readonly Hold[] {
  if (policy.adopt === 'allow') return []
  return asked
    .filter((change) => change.adopts === true)
    .map(({ address }) => ({
      rule: 'adoption',
      address,
      message: `${address} is there already and belongs to no stack; it would be taken over.`,
    }))
}

function approval(asked: readonly Change[], { policy }: Pick<PlanInput, 'policy'>): readonly Hold[] {
  if (policy.apply !== 'approval' || asked.length === 0) return []
  return [{ rule: 'approval', message: 'This stack applies only what a person approved.' }]
}
