// The followed remotes that a delivery names.
import type { RefChange } from '../model/agent/delivery.js'
import { mayMatchRef } from '../model/agent/notification.js'
import { sourceRef } from '../model/sources/source-spec.js'
import { isBelow, repositoryIdentity } from '../source/repository-identity.js'
import type { DeliveryContent } from './delivery-content.js'
import type { Webhook } from './webhook.js'
import type { Context } from '../stacks/context.js'
import { remoteOf } from '../stacks/load-package/remotes.js'

export interface NotifiedRemote {
  readonly remote: string
  /** Those of refs that stacks may follow there. */
  readonly changes: readonly RefChange[]
}

/** Up to this many refs of a remote are notified one by one; more become one notification without a ref. */
const mostChanges = 10

/** A remote without changes is followed, but its changed refs are not. */
export async function notifiedRemotes(
  { remotes }: Webhook,
  { repositories, changes }: DeliveryContent,
  context: Context,
): Promise<readonly NotifiedRemote[]> {
  const notified: NotifiedRemote[] = []
  for (const [remote, stacks] of context.scheduler.polls.followers) {
    if (remotes.length > 0 && !remotes.some((prefix) => isBelow(remote, prefix))) continue
    if (repositories.length > 0 && !repositories.some((named) => isSameRepository(remote, named))) continue
    const refs = await refsAt(remote, stacks, context)
    const some = changes.filter((change) => refs.some((ref) => ref === change.commit || mayMatchRef(ref, change.ref)))
    notified.push({ remote, changes: some.length > mostChanges ? [{}] : some })
  }
  return notified
}

/** The refs that stacks and fleets follow there; '' for a source without refs. */
async function refsAt(remote: string, stacks: ReadonlySet<string>, context: Context): Promise<readonly string[]> {
  const refs = new Set<string>(context.scheduler.fleets.refsAt(remote))
  for (const { spec } of await context.store.stacks.many([...stacks]))
    for (const source of spec.sources)
      if (remoteOf(context, source, spec.name) === remote) refs.add(source.kind === 'git' ? sourceRef(source) : '')
  return [...refs]
}

/** True if a sender names this remote. `named`: an address, or only the path on the server. */
export function isSameRepository(remote: string, named: string): boolean {
  const [identity, other] = [remote, named].map((one) => repositoryIdentity(one).toLowerCase())
  return other !== '' && (identity === other || identity!.endsWith(`/${other!.replace(/^\//, '')}`))
}
