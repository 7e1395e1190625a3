// The rules for plans that need approval. Changes that were approved at this revision need no second approval.
import type { Address } from '../model/address.js'
import type { Change, Consent, ApprovalReason, Plan } from '../model/change.js'
import type { Owned } from '../model/resource.js'
import { sameRevision } from '../model/revision.js'
import type { PlanInput } from './plan-input.js'
import { isProtected } from './protected.js'

/** The rules that a plan breaks: they need approval. */
export function approvalReasons(
  plan: Pick<Plan, 'changes' | 'revision'>,
  input: ApprovalInput,
): readonly ApprovalReason[] {
  const consented = consentedKeys(input.consent, plan.revision)
  const asked = plan.changes.filter((change) => !consented.has(consentKey(consentEntry(change))))
  const rules = [dataLoss, protection, adoptions, approval]
  return [...deletions(asked, plan.changes, input), ...rules.flatMap((rule) => rule(asked, input))]
}

type ApprovalInput = Pick<PlanInput, 'owned' | 'policy' | 'consent' | 'kindNamed'>

/** What a person consents to by approving these changes. */
export function consentTo(plan: Plan, by: string): NonNullable<PlanInput['consent']> {
  return {
    revision: plan.revision,
    by,
    changes: plan.changes.map(consentEntry),
  }
}

type Consented = Consent['changes'][number]

function consentEntry({ address, action, takesFrom, losesData }: Change): Consented {
  if (action === 'remove' || action === 'forget') return { address, action: 'remove' }
  return {
    address,
    action: 'write',
    ...(takesFrom === undefined ? {} : { takes: true }),
    ...(losesData === true ? { loses: true } : {}),
  }
}

/** Approval of a write does not cover one that loses data. */
function consentKey({
  address,
  action,
  loses = false,
}: {
  readonly address: Address
  readonly action: Consented['action']
  readonly loses?: boolean
}): string {
  return `${action}${loses ? ' losing' : ''} ${address}`
}

/** Addresses whose takeover from another stack was approved: an interrupted apply goes on with them. */
export function consentedTakeovers(consent: PlanInput['consent'], revision: string): ReadonlySet<Address> {
  if (consent === null || !sameRevision(consent.revision, revision)) return new Set()
  return new Set(consent.changes.flatMap(({ address, takes }) => (takes === true ? [address] : [])))
}

function consentedKeys(consent: PlanInput['consent'], revision: string): ReadonlySet<string> {
  if (consent === null || !sameRevision(consent.revision, revision)) return new Set()
  return new Set(
    consent.changes.flatMap((change) => [
      consentKey(change),
      consentKey({ address: change.address, action: change.action }),
    ]),
  )
}

/** `all`: approved changes among them. Resources that are only untracked do not count. */
function deletions(
  asked: readonly Change[],
  all: readonly Change[],
  { owned, policy, kindNamed }: ApprovalInput,
): readonly ApprovalReason[] {
  const removals = asked.filter((change) => change.action === 'remove' && change.partOf === undefined).length
  if (removals === 0) return []
  const counts = ({ kind, partOf, ...one }: Pick<Owned, 'kind' | 'partOf' | 'shared'> | Change): boolean =>
    partOf === undefined && !('shared' in one) && !('shares' in one) && kindNamed(kind)?.onRemove !== 'forget'
  const counted = [...owned.values()].filter(counts)
  const leaving = new Set(
    all.filter((change) => consentEntry(change).action === 'remove').map(({ address }) => address),
  )
  const written = all.some((change) => counts(change) && !leaving.has(change.address))
  if (!written && counted.every(({ address }) => leaving.has(address)))
    return [{ rule: 'deletions', message: 'The last resource that this stack owns would be removed.', always: true }]
  const whole = counted.length
  const half = Math.max(1, whole / 2)
  const most = Math.max(1, Math.min(policy.maxDeletes, half))
  if (removals <= most) return []
  const some = `${removals} of the ${whole} resources this stack owns would be removed`
  if (removals > half)
    return [{ rule: 'deletions', message: `${some}; more than half never go without approval.`, always: true }]
  return [
    {
      rule: 'deletions',
      message: `${some}; at most ${Math.floor(most)} go without approval (maxDeletes ${policy.maxDeletes}).`,
    },
  ]
}

function dataLoss(asked: readonly Change[], { policy }: Pick<PlanInput, 'policy'>): readonly ApprovalReason[] {
  if (policy.dataLoss === 'allow') return []
  return asked
    .filter((change) => change.losesData === true)
    .map((change) => ({ rule: 'data-loss', address: change.address, message: lossMessage(change) }))
}

const lossesNamed = 3

/** A sentence: what data a change loses. */
export function lossMessage({ address, losses }: Pick<Change, 'address' | 'losses'>, name: string = address): string {
  if (losses === undefined) return `Removing ${name} deletes the data in it.`
  const more = losses.length > lossesNamed ? `; and ${losses.length - lossesNamed} more` : ''
  const named = losses.slice(0, lossesNamed).map(({ message }) => message)
  return `Updating ${name} loses data: ${named.join('; ')}${more}.`
}

/** Protected resources need approval under every policy, also on uninstall. */
function protection(
  asked: readonly Change[],
  { policy: { protect = [] } }: Pick<PlanInput, 'policy'>,
): readonly ApprovalReason[] {
  return asked
    .filter(({ action, address }) => action === 'remove' && isProtected(address, protect))
    .map(({ address }) => ({ rule: 'protect', address, message: `${address} is protected, and would be removed.` }))
}

function adoptions(asked: readonly Change[], { policy }: Pick<PlanInput, 'policy'>): readonly ApprovalReason[] {
  if (policy.adopt === 'allow') return []
  return asked
    .filter((change) => change.adopts === true)
    .map(({ address }) => ({
      rule: 'adoption',
      address,
      message: `${address} is there already and belongs to no stack; it would be taken over.`,
    }))
}

function approval(asked: readonly Change[], { policy }: Pick<PlanInput, 'policy'>): readonly ApprovalReason[] {
  if (policy.apply !== 'approval' || asked.length === 0) return []
  return [{ rule: 'approval', message: 'This stack applies only what a person approved.' }]
}
