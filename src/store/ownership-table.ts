import type { Address, Identity } from '../model/address.js'
import type { Claims, Owned, ResourceIdentity } from '../model/resources/resource.js'
import type { Cause } from '../model/stacks/run.js'
import type { PageRequest } from './page-request.js'

/** Ownership with its last change, and the cause of that run; null: the run was pruned, or is unknown. */
export interface ExplainedResource {
  readonly owned: Owned
  readonly cause: Cause | null
}

export interface OwnershipTable {
  /** Without their last changes. */
  of(stack: string): Promise<ReadonlyMap<Address, Owned>>
  /** The same, by their addresses. */
  byAddress(stack: string, page?: Partial<PageRequest>): Promise<readonly Owned[]>
  /**
   * Resources without parts, the newest change first. `next`: the `after` of the next page; null: this is the last one.
   * Errors: `Refused` usage, if `after` is not a valid cursor.
   */
  newest(
    stack: string,
    page: PageRequest,
  ): Promise<{ readonly found: readonly ExplainedResource[]; readonly next: string | null }>
  explained(stack: string, address: string): Promise<ExplainedResource | undefined>
  /** Others' ownership of these resources on a stack's target, which is a live system. The stack need not exist yet. */
  claims(of: { readonly stack: string; readonly target: string }, found: readonly ResourceIdentity[]): Promise<Claims>
  /** Resources at this address, each once, with the first stack by name and the name of its target; at most `limit`. */
  at(
    address: Address,
    limit: number,
  ): Promise<readonly { readonly stack: string; readonly target: string; readonly identity: Identity }[]>
  /** Owners of resources, by `family/identity`. */
  owners(
    target: string,
    resources: readonly ResourceIdentity[],
  ): Promise<ReadonlyMap<string, { readonly stack: string; readonly address: Address }>>
}
