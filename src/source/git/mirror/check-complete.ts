import { Rejected, Unavailable } from '../../../model/errors.js'
import { malformed } from '../objects/authored.js'
import { treeEntries } from '../../tree/tree.js'
import type { PackedObjects } from '../pack/packed-objects.js'
import { packLimits, packTooLarge } from '../pack/pack-limits.js'
import { Slices } from '../../../lib/async/steps.js'

/**
 * Verifies that every file of a commit is readable: reads the commit and every tree, verifies their IDs, and checks
 * that every blob exists. `complete`: trees that are verified already. Returns the newly verified ones. Throws
 * `Rejected` if it is not a commit, `Unavailable` if an object is missing.
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
      throw packTooLarge(remote, `contains a folder with more than ${packLimits.treeBytes} bytes of names`)
    for (const entry of treeEntries(bytes, id)) {
      await turns.afterStep()
      if (entry.kind === 'folder') open.push(entry.id)
      else if (entry.kind !== 'submodule' && !(await objects.has(entry.id))) throw incomplete(remote, entry.id)
    }
  }
  return found
}

/** The ID of a commit's tree. Throws `Rejected` if it is not a commit. */
export async function rootTreeId(commit: string, objects: PackedObjects, remote: string): Promise<string> {
  const { type, bytes } = await objects.read(commit)
  const tree = /^tree ([0-9a-f]{40})\n/.exec(bytes.toString('latin1', 0, 46))?.[1]
  if (type === 'commit' && tree !== undefined) return tree
  if (type === 'commit') throw malformed('commit', commit, remote)
  throw new Rejected(`${commit} of ${remote} is a ${type}, not a commit.`, {
    code: 'source/not-a-commit',
    hint: 'Follow a branch, or a tag that points to a commit.',
  })
}

function incomplete(remote: string, id: string): Unavailable {
  return new Unavailable(`The response of ${remote} lacks object ${id}.`, {
    code: 'source/incomplete',
    hint: 'If this persists, check the repository with git fsck.',
  })
}
