import { Rejected, Unavailable } from '../../../model/errors.js'
import { malformed } from '../objects/authored.js'
import { treeEntries } from '../../tree/tree.js'
import type { PackedObjects } from '../pack/packed-objects.js'
import { packLimits, packTooLarge } from '../pack/pack-limits.js'
import { Slices } from '../../../lib/steps.js'

/**
 * Sees that a commit can be read to its last file: the commit and every tree are read and held against their ids, every
 * blob is there. `complete`: trees that are known to be. Gives those that were found to be. Throws `Rejected` for what
 * is no commit, `Unavailable` where something lacks.
 */
export async function checkComplete(
  commit: string,
  {
    objects,
    complete,
    remote,
  }: { readonly objects: PackedObjects; readonly complete: ReadonlySet<string>; readonly remote: string },
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const found = new Set<string>()
  const turns = new Slices(signal)
  const open = [await rootTreeId(commit, objects, remote)]
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (complete.has(id) || found.has(id)) continue
    found.add(id)
    const { type, bytes } = await objects.read(id)
    if (type !== 'tree') throw incomplete(remote, id)
    if (bytes.length > packLimits.treeBytes)
      throw packTooLarge(remote, `has a folder with more than ${packLimits.treeBytes} bytes of names`)
    for (const entry of treeEntries(bytes, id)) {
      await turns.afterStep()
      if (entry.kind === 'folder') open.push(entry.id)
      else if (entry.kind !== 'submodule' && !(await objects.has(entry.id))) throw incomplete(remote, entry.id)
    }
  }
  return found
}

/** Id of the tree of a commit. Throws `Rejected` where it is something else. */
export async function rootTreeId(commit: string, objects: PackedObjects, remote: string): Promise<string> {
  const { type, bytes } = await objects.read(commit)
  const tree = /^tree ([0-9a-f]{40})\n/.exec(bytes.toString('latin1', 0, 46))?.[1]
  if (type === 'commit' && tree !== undefined) return tree
  if (type === 'commit') throw malformed('commit', commit, remote)
  throw new Rejected(`${commit} of ${remote} is a ${type}, not a commit.`, {
    code: 'source/not-a-commit',
    hint: 'Follow a branch, or a tag that leads to a commit.',
  })
}

function incomplete(remote: string, id: string): Unavailable {
  return new Unavailable(`The answer of ${remote} lacks object ${id}.`, {
    code: 'source/incomplete',
    hint: 'gitmoor tries again by itself. If it stays, check the repository with git fsck.',
  })
}
