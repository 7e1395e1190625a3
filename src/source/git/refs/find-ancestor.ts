import { Slices } from '../../../lib/async/steps.js'

/** The parents of a commit; undefined: the commit was not fetched. */
export type ParentsOf = (commit: string) => Promise<readonly string[] | undefined>

/** `reach`: whether the fetched history is complete (`whole`), or older commits were omitted (`short`). */
export interface Ancestry {
  readonly found: boolean
  readonly reach: 'whole' | 'short'
}

/**
 * Whether `from` is an ancestor of `to` in the fetched history. A commit contains the IDs of its parents, so ancestry
 * cannot be forged. `isCut`: older commits than this one were omitted.
 */
export async function findAncestor(
  { from, to }: { readonly from: string; readonly to: string },
  { parentsOf, isCut }: { readonly parentsOf: ParentsOf; readonly isCut: (commit: string) => boolean },
): Promise<Ancestry> {
  const seen = new Set([to])
  const turns = new Slices()
  let reach: Ancestry['reach'] = 'whole'
  for (const commit of seen) {
    if (commit === from) return { found: true, reach }
    await turns.afterStep()
    if (isCut(commit)) reach = 'short'
    for (const parent of (await parentsOf(commit)) ?? []) seen.add(parent)
  }
  return { found: false, reach }
}
