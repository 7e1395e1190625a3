// Resources whose removal always needs approval (`protect` of a stack).
import { addressMatches, type Address } from '../model/address.js'
import type { Problem } from '../model/problem.js'
import { unmatchedProtection } from './plan-problems.js'

/** `protect`: addresses, or `Family/*`. */
export function isProtected(address: Address, protect: readonly string[]): boolean {
  return protect.some((pattern) => addressMatches(pattern, address))
}

/** Warnings of entries that match no resource, which are probably typos. */
export function unmatchedProtections(protect: readonly string[], addresses: readonly Address[]): readonly Problem[] {
  return protect
    .filter((pattern) => !addresses.some((address) => addressMatches(pattern, address)))
    .map(unmatchedProtection)
}
