// What a plan is made from, and the beginnings of a change.
import type { Address } from '../model/address.js'
import type { Change, Consent } from '../model/change.js'
import type { JsonObject } from '../model/json.js'
import type { Kind } from '../model/kind.js'
import type { Claims, Observed, Owned, Resource } from '../model/resource.js'
import type { StackSpec } from '../model/stack.js'

export type Policy = Pick<StackSpec, 'apply' | 'maxDeletes' | 'adopt' | 'dataLoss'> & Partial<Pick<StackSpec, 'ignore' | 'protect'>>

export interface PlanInput {
  readonly stack: string
  readonly target: string
  readonly revision: string
  /** Everything goes. */
  readonly uninstall?: boolean
  /** What it needs stands before each. */
  readonly resources: readonly Resource[]
  readonly owned: ReadonlyMap<Address, Owned>
  /** What was found, by identity or else by key. */
  readonly observed: ReadonlyMap<Address, Observed>
  readonly claims: Claims
  readonly consent: Consent | null
  readonly policy: Policy
  /** What is owned, not declared, and stays exactly as it is. Default: nothing. */
  readonly leaves?: (record: Owned) => boolean
  /** Takes over what another stack owns and declares differently. Default: that is a problem. */
  readonly takesOver?: boolean
  /** The kind of something owned that is no longer declared. */
  readonly kindNamed: (kind: string) => Kind | undefined
}

/** A change before its place in the order is known, with what it will make true. */
export interface Draft {
  readonly change: Change
  readonly kind: Kind
  /** What the target shall hold, normalised; absent for what leaves. */
  readonly wanted?: JsonObject
}

/** What every change of a declared resource has in common. */
export function draftOf(
  resource: Resource,
  wanted: JsonObject,
): Pick<Change, 'address' | 'kind' | 'partOf' | 'displayName' | 'needs' | 'after'> {
  const displayName = resource.kind.displayName?.(wanted)
  return {
    address: resource.address,
    kind: resource.kind.kind,
    ...(resource.partOf === undefined ? {} : { partOf: resource.partOf }),
    ...(displayName === undefined ? {} : { displayName }),
    needs: resource.needs,
    after: [],
  }
}
