// Resources that another stack owns. A stack that declares one alike shares it. A sync that declares one differently is
// refused, unless it may take the resource over.
import type { Address } from '../model/address.js'
import type { Change, FieldChange } from '../model/change.js'
import type { JsonObject } from '../model/json.js'
import { problemAt, type Problem } from '../model/problem.js'
import type { Claim, Resource } from '../model/resource.js'
import { fieldChanges, sameJson } from './diff.js'
import { changeBase, type PlanInput } from './plan-input.js'
import { consentedTakeovers } from './approval-rules.js'
import type { IgnoredFields } from './ignored.js'

/** 'free': no other stack owns it. undefined: shared already, or refused with a problem. */
export function claimChange(
  resource: Resource,
  wanted: JsonObject,
  {
    input,
    ignoring,
    problems,
    fields,
  }: {
    readonly input: PlanInput
    readonly ignoring: (family: string) => IgnoredFields
    readonly problems: Problem[]
    /** The fields that differ from the existing resource. */
    readonly fields: readonly FieldChange[]
  },
): Change | undefined | 'free' {
  const { address, kind } = resource
  const record = input.owned.get(address)
  const there = input.observed.get(address)
  const identity = there?.identity ?? (record?.shared === true ? record.identity : undefined)
  const claim = identity === undefined ? undefined : input.claims.owner(kind.family, identity)
  if (claim === undefined || identity === undefined) return 'free'
  if (there === undefined) return waitsForOwner(resource, wanted, claim) ? undefined : 'free'
  const { strip } = ignoring(kind.family)
  const differs = fieldChanges(strip(claim.owned.applied), strip(wanted)).map(({ path }) => path)
  if (differs.length > 0 && mayTake(address, input)) {
    problems.push(takenOver(resource, claim, differs))
    return {
      ...changeBase(resource, wanted),
      action: 'update',
      identity,
      takesFrom: claim.stackName,
      fields,
      reason: 'edited',
    }
  }
  if (differs.length > 0) {
    problems.push(claimedProblem(resource, claim, differs))
    return undefined
  }
  const recorded =
    record?.shared === true && record.identity === identity && sameJson(strip(record.applied), strip(wanted))
  if (recorded) return undefined
  return {
    ...changeBase(resource, wanted),
    action: 'update',
    identity,
    shares: true,
    fields: [],
    reason: record === undefined ? 'added' : 'edited',
  }
}

/** The owner creates a missing shared resource again. Under another name it is a new resource of this stack. */
function waitsForOwner({ kind }: Resource, wanted: JsonObject, { owned }: Claim): boolean {
  return kind.key?.(owned.applied) === kind.key?.(wanted)
}

/** True for an apply, and for the run that continues it after a crash; false for a later sync of the package. */
function mayTake(address: Address, { takesOver, consent, revision }: PlanInput): boolean {
  return takesOver === true || consentedTakeovers(consent, revision).has(address)
}

/** Over the InfluxDB API the last apply wins. */
function takenOver(resource: Resource, claim: Claim, paths: readonly string[]): Problem {
  const message = `${resource.address} was ${claim.owned.address} of stack ${claim.stackName}, which declares it differently at ${listed(paths)}; it becomes this stack's.`
  const hint = `Until ${claim.stackName} declares it alike, its syncs are refused.`
  return problemAt('warning', resource.document.place, { code: 'plan/taken-over', message, hint })
}

function listed(paths: readonly string[]): string {
  return `${paths.slice(0, 5).join(', ')}${paths.length > 5 ? ' …' : ''}`
}

function claimedProblem(resource: Resource, claim: Claim, paths: readonly string[]): Problem {
  return {
    severity: 'error',
    code: 'plan/claimed',
    message: `${resource.address} is ${claim.owned.address} of stack ${claim.stackName}, which declares it differently at ${listed(paths)}.`,
    place: resource.document.place,
    hint: `Declare it as ${claim.stackName} does, give it another name, or take it out of one of the two packages.`,
  }
}
