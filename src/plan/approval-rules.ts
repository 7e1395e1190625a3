// The rules by which a plan needs approval. Changes that were approved at this revision need no second approval.
import type { Address } from '../model/address.js'
import type { ApprovalReason, Change, Consent, Plan } from '../model/resources/change.js'
import type { Owned } from '../model/resources/resource.js'
import { sameRevision } from '../model/sources/revision.js'
import type { PlanInput } from './plan-input.js'
import { isProtected } from './protected.js'

/** Why a plan needs approval; empty: it needs none. */
export function approvalReasons(
  plan: Pick<Plan, 'changes' | 'revision'>,
  input: ApprovalInput,
): readonly ApprovalReason[] {
  const approved = consentedKeys(input.consent, plan.revision)
  const unapproved = plan.changes.filter((change) => !approved.has(consentKey(consentEntry(change))))
  const rules = [dataLoss, protection, adoptions, approval]
  return [...deletions(unapproved, plan.changes, input), ...rules.flatMap((rule) => rule(unapproved, input))]
}

type ApprovalInput = Pick<PlanInput, 'owned' | 'policy' | 'consent' | 'kindNamed'>

/** The consent that approving this plan gives. */
export function consentTo(plan: Pick<Plan, 'revision' | 'changes'>, by: string): NonNullable<PlanInput['consent']> {
  return {
    revision: plan.revision,
    by,
    changes: plan.changes.map(consentEntry),
  }
}

type Consented = Consent['changes'][number]

function consentEntry({ address, action, takesFrom, losesData }: Change): Consented {
  if (action === 'remove' || action === 'untrack') return { address, action: 'remove' }
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
  return `${action} ${loses} ${address}`
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

/** `all`: all changes of the plan, with those approved before. Resources that are only untracked do not count. */
function deletions(
  unapproved: readonly Change[],
  all: readonly Change[],
  { owned, policy, kindNamed }: ApprovalInput,
): readonly ApprovalReason[] {
  const removals = unapproved.filter((change) => change.action === 'remove' && change.partOf === undefined).length
  if (removals === 0) return []
  const counts = ({ kind, address, partOf, ...one }: Pick<Owned, 'kind' | 'address' | 'partOf' | 'shared'> | Change) =>
    partOf === undefined &&
    !('shared' in one) &&
    !('shares' in one) &&
    kindNamed(kind, address)?.removal?.onRemove !== 'untrack'
  const counted = [...owned.values()].filter(counts)
  const removed = new Set(
    all.filter((change) => consentEntry(change).action === 'remove').map(({ address }) => address),
  )
  const keepsOne = all.some((change) => counts(change) && !removed.has(change.address))
  if (!keepsOne && counted.every(({ address }) => removed.has(address)))
    return [{ rule: 'deletions', message: 'The last resource that this stack owns would be removed.', always: true }]
  const total = counted.length
  const half = Math.max(1, total / 2)
  const most = Math.max(1, Math.min(policy.maxDeletes, half))
  if (removals <= most) return []
  const some = `${removals} of the ${total} resources this stack owns would be removed`
  if (removals > half)
    return [{ rule: 'deletions', message: `${some}; removing more than half always needs approval.`, always: true }]
  return [
    {
      rule: 'deletions',
      message: `${some}; removing more than ${Math.floor(most)} needs approval (maxDeletes ${policy.maxDeletes}).`,
    },
  ]
}

function dataLoss(unapproved: readonly Change[], { policy }: Pick<PlanInput, 'policy'>): readonly ApprovalReason[] {
  if (policy.dataLoss === 'allow') return []
  return unapproved
    .filter((change) => change.losesData === true || change.adopted === true)
    .map((change) => ({ rule: 'data-loss', address: change.address, message: lossMessage(change) }))
}

const mostLosses = 3

/** What a change loses, in sentences. `name`: what they call the resource. Default: its address. */
export function lossMessage(
  { address, losses, lost, adopted }: Pick<Change, 'address' | 'losses' | 'lost' | 'adopted'>,
  name: string = address,
): string {
  if (losses === undefined) {
    const existed = `existed before this stack adopted it`
    if (lost === undefined && adopted === true) return `Removing ${name} deletes a resource that ${existed}.`
    return `Removing ${name} deletes its ${lost ?? 'data'}.${adopted === true ? ` ${name} ${existed}.` : ''}`
  }
  const more = losses.length > mostLosses ? `; and ${losses.length - mostLosses} more` : ''
  const named = losses.slice(0, mostLosses).map(({ message }) => message)
  return `Updating ${name} loses data: ${named.join('; ')}${more}.`
}

/** Protected resources need approval under every policy, also on uninstall. */
function protection(
  unapproved: readonly Change[],
  { policy: { protect = [] } }: Pick<PlanInput, 'policy'>,
): readonly ApprovalReason[] {
  return unapproved
    .filter(({ action, address }) => action === 'remove' && isProtected(address, protect))
    .map(({ address }) => ({ rule: 'protect', address, message: `${address} is protected and would be removed.` }))
}

function adoptions(unapproved: readonly Change[], { policy }: Pick<PlanInput, 'policy'>): readonly ApprovalReason[] {
  if (policy.adopt === 'allow') return []
  return unapproved
    .filter((change) => change.adopts === true)
    .map(({ address }) => ({
      rule: 'adoption',
      address,
      message: `${address} already exists and belongs to no stack; it would be adopted.`,
    }))
}

function approval(unapproved: readonly Change[], { policy }: Pick<PlanInput, 'policy'>): readonly ApprovalReason[] {
  if (policy.apply !== 'approval' || unapproved.length === 0) return []
  return [{ rule: 'approval', message: 'This stack applies changes only after approval.' }]
}
