// The commits between two commits, from a fetched history.
import { Slices } from '../../../lib/async/steps.js'
import type { CommitRange } from '../../../model/sources/channel.js'
import { readCommit } from '../objects/authored.js'
import { commitParents, parseObject } from '../objects/git-object.js'
import type { PackedObjects } from '../pack/packed-objects.js'

/** `isCut`: the parents of the commit were not fetched, because they are deeper than requested. */
interface FetchedRange {
  readonly from: string
  readonly to: string
  readonly most: number
  readonly remote: string
  readonly isCut: (commit: string) => boolean
}

/**
 * The fetched commits of `to` without `from`, the nearest to `to` first. Errors: `Rejected`, if one is malformed.
 */
export async function readRange(
  objects: PackedObjects,
  { from, to, most, remote, isCut }: FetchedRange,
): Promise<CommitRange> {
  const seen = new Set([to])
  const commits: CommitRange['commits'][number][] = []
  const turns = new Slices()
  let more = false
  for (const id of seen) {
    await turns.afterStep()
    // The remote omits `from` and its history.
    if (id === from || !(await objects.has(id))) continue
    if (commits.length === most) return { commits, more: true }
    const object = parseObject((await objects.read(id)).bytes)
    commits.push({ id, ...readCommit(object, { id, remote }) })
    const parents = commitParents(object.headers) ?? []
    if (isCut(id) && !parents.includes(from)) more = true
    for (const parent of parents) seen.add(parent)
  }
  return { commits, more }
}
