import { commitOf } from '../model/revision.js'

/** True if a revision is the one a person named: by its whole text, or by at least 7 digits of its commit. */
export function revisionMatches(revision: string | null, named: string): boolean {
  if (revision === null) return false
  if (revision === named) return true
  const commit = commitOf(named)
  return commit.length >= 7 && commitOf(revision).startsWith(commit)
}
