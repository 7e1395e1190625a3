// The input of a plan, and changes that are not ordered yet.
import type { Address } from '../model/address.js'
import type { Change, Consent, RevisionDecision } from '../model/resources/change.js'
import { edgeTargets } from '../model/resources/edge.js'
import type { JsonObject } from '../model/json.js'
import type { Kind, KindNamed } from '../model/resources/kind.js'
import type { Claims, Observed, Owned, Resource, UnplannedResource } from '../model/resources/resource.js'
import type { StackSpec } from '../model/stacks/stack.js'

export type PlanPolicy = Pick<StackSpec, 'apply' | 'maxDeletes' | 'adopt' | 'dataLoss'> &
  Partial<Pick<StackSpec, 'ignore' | 'protect'>>

export interface PlanInput {
  readonly stack: string
  readonly target: string
  readonly revision: string
  /** The decision of a person that moved the stack to this revision. Default: none, the source changed. */
  readonly decision?: RevisionDecision
  /** Files of the applied package, with the same contents: a declaration in them that changed comes from the inputs. */
  readonly unchangedFiles?: ReadonlySet<string>
  /** Removes everything. */
  readonly uninstall?: boolean
  /** Sorted: a resource comes after what it needs. */
  readonly resources: readonly Resource[]
  readonly owned: ReadonlyMap<Address, Owned>
  /** Existing resources, found by identity or else by key. */
  readonly observed: ReadonlyMap<Address, Observed>
  /**
   * Makes the plan partial: only `resources` are planned. These others are as declared, and neither read nor planned;
   * `owned` may lack them. Absent: the plan is whole.
   */
  readonly known?: ReadonlyMap<Address, UnplannedResource>
  readonly claims: Claims
  readonly consent: Consent | null
  readonly policy: PlanPolicy
  /** True for owned resources that are not declared, but stay unchanged. Default: none. */
  readonly isSkipped?: (owned: Owned) => boolean
  /** Takes over what another stack owns and declares differently. Default: that is a problem. */
  readonly takesOver?: boolean
  /** The kind of an owned resource that is no longer declared. */
  readonly kindNamed: KindNamed
}

/** A change without its position in the order, and the state that it leads to. */
export interface UnorderedChange {
  readonly change: Change
  readonly kind: Kind
  /** The desired state, normalized; absent for a removal. */
  readonly desired?: JsonObject
}

/** The fields that all changes of a declared resource have in common. */
export function changeBase(
  resource: Resource,
  desired: JsonObject,
): Pick<Change, 'address' | 'kind' | 'partOf' | 'displayName' | 'needs' | 'edges' | 'timeoutMs' | 'after'> {
  const displayName = resource.kind.displayName?.(desired)
  const {
    edges,
    partOf,
    meta: { timeoutMs },
  } = resource
  return {
    address: resource.address,
    kind: resource.kind.kind,
    ...(partOf === undefined ? {} : { partOf }),
    ...(displayName === undefined ? {} : { displayName }),
    needs: edgeTargets(edges),
    ...(edges.length === 0 || partOf !== undefined ? {} : { edges }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    after: [],
  }
}
