// What keeps the resources of a plan that needs approval as they are: the alternative to approving it.
import { shellWord } from '../lib/text/shell-word.js'
import type { Address } from '../model/address.js'
import { command, edit, stackCommand, type NextStep } from '../model/stacks/blocker.js'
import type { ApprovalReason, ApprovalRule, Change, Plan } from '../model/resources/change.js'

/** Reasons of one rule that the same steps end. */
export interface ApprovalGroup extends Topic {
  readonly reasons: readonly ApprovalReason[]
  /** The changes that they are about. Those of plans of older versions lack `lost`. */
  readonly changes: readonly Change[]
  /** What changes the plan so that it needs no approval for these reasons. Never a weaker rule. */
  readonly keep: readonly NextStep[]
}

/** The reasons of a plan, in its order, each group with its steps: docs/guides/approval.md#approval-rules. */
export function approvalGroups(
  stack: string,
  { changes, needsApproval }: Pick<Plan, 'changes' | 'needsApproval'>,
): readonly ApprovalGroup[] {
  const byAddress = new Map(changes.map((change) => [change.address, change]))
  const topics = needsApproval.map((reason) => topic(reason, byAddress))
  const keys = topics.map(({ rule, lossy }) => `${rule} ${lossy}`)
  const end = decisionEnd(stack, changes)
  return [...new Set(keys)].map((key) => {
    const one = topics[keys.indexOf(key)]!
    const reasons = needsApproval.filter((_, at) => keys[at] === key)
    const addresses = reasons.flatMap(({ address }) => address ?? [])
    const about = addresses.flatMap((address) => byAddress.get(address) ?? [])
    const keep = keepSteps(one, stack, addresses)
    return { ...one, reasons, changes: about, keep: end !== undefined && keep.length > 0 ? [end] : keep }
  })
}

/** `lossy`: the fields whose changes lose data, such as `rules and schema`; '' for all other reasons. */
interface Topic {
  readonly rule: ApprovalRule
  readonly lossy: string
}

function topic({ rule, address }: ApprovalReason, changes: ReadonlyMap<Address, Change>): Topic {
  const losses = (address === undefined ? undefined : changes.get(address)?.losses) ?? []
  const fields = new Set(losses.map(({ path }) => path.replace(/[.[].*$/, '')))
  return { rule, lossy: rule === 'data-loss' ? listed([...fields].sort()) : '' }
}

function keepSteps({ rule, lossy }: Topic, stack: string, addresses: readonly Address[]): readonly NextStep[] {
  const names = listed(addresses)
  switch (rule) {
    case 'deletions':
      return [edit('To keep the resources, declare them again, or restore the former path or value')]
    case 'data-loss':
      if (lossy !== '') return [edit(`To keep the data, declare ${names} with the ${lossy} that the target has`)]
      return [edit(`To keep the data, declare ${names} again`), release(stack, addresses)]
    case 'protect':
      return [edit(`To keep it, declare ${names} again`), release(stack, addresses)]
    case 'adoption':
      return [edit(`To leave the existing resource alone, give ${names} another name in the package`)]
    case 'approval':
      return []
  }
}

function release(stack: string, [first, ...others]: readonly Address[]): NextStep {
  if (first === undefined || others.length > 0)
    return edit('Or keep each without an owner: `gitmoor stack release NAME ADDRESS`')
  const args = { stack, address: first }
  const cli = `gitmoor stack release ${stack} ${shellWord(first)}`
  return command('Or keep it without an owner', 'stack release', args, cli)
}

/** What ends the rollback or the uninstall that the plan is made for; undefined: it is made for neither. */
function decisionEnd(stack: string, changes: readonly Change[]): NextStep | undefined {
  const isFor = (decision: Change['reason']): boolean => changes.some(({ reason }) => reason === decision)
  if (isFor('rollback')) return stackCommand('To change nothing, end the rollback', 'unpin', stack)
  return isFor('uninstalled') ? stackCommand('To keep everything, cancel the uninstall', 'cancel', stack) : undefined
}

const mostListed = 3

/** `Bucket/a`, `Bucket/a and Bucket/b`, `Bucket/a, Bucket/b, Bucket/c and 2 more`. */
export function listed(all: readonly string[]): string {
  const shown = all.slice(0, mostListed)
  const rest = all.length - shown.length
  const names = rest > 0 ? [...shown, `${rest} more`] : shown
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)!}`
}

/** One sentence for each loss, and one for the resources that were adopted. */
function removalLosses({ reasons, changes }: ApprovalGroup): readonly string[] {
  const byAddress = new Map(changes.map((change) => [change.address, change]))
  const changeOf = ({ address }: ApprovalReason): Change | undefined => address && byAddress.get(address)
  const isAdoptedOnly = (change: Change | undefined): boolean => change?.adopted === true && change.lost === undefined
  const losing = reasons.filter((reason) => !isAdoptedOnly(changeOf(reason)))
  const lostBy = (reason: ApprovalReason): string => changeOf(reason)?.lost ?? 'data'
  const adopted = changes.flatMap((change) => (change.adopted === true ? change.address : []))
  return [
    ...[...new Set(losing.map(lostBy))].map((lost) => {
      const some = losing.filter((reason) => lostBy(reason) === lost)
      if (some.length === 1) return some[0]!.message
      const names = listed(some.flatMap(({ address }) => address ?? []))
      return `Removing ${some.length} resources deletes their ${lost}: ${names}.`
    }),
    ...adoptedLosses(adopted),
  ]
}

function adoptedLosses(adopted: readonly Address[]): readonly string[] {
  if (adopted.length === 0) return []
  if (adopted.length === 1) return [`${adopted[0]!} would be removed, and existed before this stack adopted it.`]
  const names = listed(adopted)
  return [`${adopted.length} resources would be removed that existed before this stack adopted them: ${names}.`]
}

/** The sentences of a group: of many reasons one, with the first addresses, so that other rules stay in sight. */
export function groupMessages(group: ApprovalGroup): readonly string[] {
  const { rule, lossy, reasons } = group
  const addresses = reasons.flatMap(({ address }) => address ?? [])
  if (addresses.length <= mostListed) return reasons.map(({ message }) => message)
  const names = listed(addresses)
  const count = `${addresses.length} resources`
  switch (rule) {
    case 'data-loss':
      if (lossy !== '') return [`Updating ${count} loses data (${lossy}): ${names}.`]
      return removalLosses(group)
    case 'protect':
      return [`${count} are protected and would be removed: ${names}.`]
    case 'adoption':
      return [`${count} already exist and belong to no stack; they would be adopted: ${names}.`]
    case 'deletions':
    case 'approval':
      return reasons.map(({ message }) => message)
  }
}
