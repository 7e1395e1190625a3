/**
 * Ids of runs and moves are opaque texts that only the store makes. They sort by age: shorter ones first, then by their
 * characters.
 */
export function isOlderId(id: string, than: string): boolean {
  return id.length === than.length ? id < than : id.length < than.length
}
