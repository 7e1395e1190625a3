import type { Fleet, FleetListing } from '../model/stacks/fleet.js'
import type { PageRequest } from './page-request.js'

/** Called in the transaction that changes a fleet, with the stored one. Throws: nothing is written. */
export type FleetCheck = (now: Fleet | undefined) => void

export interface FleetTable {
  get(name: string): Promise<Fleet | undefined>
  /** By name, after the given one. */
  list(page: PageRequest): Promise<readonly Fleet[]>
  /** Creates or replaces the declaration. A former listing stays. */
  put(fleet: Pick<Fleet, 'spec' | 'managedBy' | 'declared'>, check?: FleetCheck): Promise<Fleet>
  /** Stores the last listing, unless the fleet was deleted. */
  keepListing(name: string, listing: FleetListing): Promise<void>
  /** Its stacks are kept: requests manage them from now on. */
  delete(name: string, check?: FleetCheck): Promise<void>
  /** The number of its stacks, and of those that it no longer declares, by fleet. */
  counts(): Promise<ReadonlyMap<string, { readonly stacks: number; readonly undeclared: number }>>
}
