// Which of the remotes that stacks follow a delivery is about.
import type { ToldChange } from '../../model/delivery.js'
import { mayMean } from '../../model/hint.js'
import { refOf } from '../../model/source-spec.js'
import type { Desk } from '../desk.js'
import { isBelow } from '../../source/repository-identity.js'
import { isSameRepository } from './same-repository.js'
import type { Told } from './told.js'
import type { Webhook } from './webhook.js'

export interface Meant {
  readonly remote: string
  /** Those of refs that stacks may follow there. */
  readonly changes: readonly ToldChange[]
}

/** So many refs of a remote are looked for one by one; of more it is only told that something changed. */
const mostChanges = 10

/** Remotes without changes are followed, but not at these refs. */
export async function meantBy(
  { remotes }: Webhook,
  { repositories, changes }: Told,
  desk: Desk,
): Promise<readonly Meant[]> {
  const meant: Meant[] = []
  for (const [remote, stacks] of desk.dispatch.followed) {
    if (remotes.length > 0 && !remotes.some((prefix) => isBelow(remote, prefix))) continue
    if (repositories.length > 0 && !repositories.some((named) => isSameRepository(remote, named))) continue
    const refs = await refsAt(remote, stacks, desk)
    const some = changes.filter((change) => refs.some((ref) => ref === change.commit || mayMean(ref, change.ref)))
    meant.push({ remote, changes: some.length > mostChanges ? [{}] : some })
  }
  return meant
}

/** What stacks follow there; '' where there are no refs, which may be any. */
async function refsAt(remote: string, stacks: ReadonlySet<string>, desk: Desk): Promise<readonly string[]> {
  const refs = new Set<string>()
  for (const { spec } of await desk.store.stacks.many([...stacks]))
    for (const source of spec.sources)
      if (desk.remoteOf(source, spec.name) === remote) refs.add(source.kind === 'git' ? refOf(source) : '')
  return [...refs]
}
