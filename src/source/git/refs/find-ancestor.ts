import { Slices } from '../../../lib/steps.js'

/** Parents of a commit; undefined: the commit is not here. */
export type ParentsOf = (commit: string) => Promise<readonly string[] | undefined>

/** How far what is here reaches. `whole`: to the first commits; `short`: something older was left out. */
export interface Ancestry {
  readonly found: boolean
  readonly reach: 'whole' | 'short'
}

/**
 * Whether `from` is among the ancestors of `to`, as far as commits are here. Each commit names its parents by their
 * ids, so that nobody can pretend that it is. `isCut`: what is older than this commit was left out.
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
