// Runs of stacks that a veto stopped, when a person ends it: they observed the commit before, so it is not new to them.
import type { ChannelChange } from '../../../model/sources/channel.js'
import { sameRevision } from '../../../model/sources/revision.js'
import { sourceRef } from '../../../model/sources/source-spec.js'
import type { Cause, Run } from '../../../model/stacks/run.js'
import type { Stack } from '../../../model/stacks/stack.js'
import type { Source } from '../../../source/source.js'
import { vetoedCode } from '../../../stacks/pins/vetoes.js'
import type { Store } from '../../../store/store.js'

interface AfterVetoDeps {
  readonly source: Pick<Source, 'remoteOf'>
  readonly store: Pick<Store, 'runs'>
}

/** The causes of the runs, by stack. */
export async function afterVeto(
  stacks: readonly Stack[],
  changes: readonly ChannelChange[],
  { source, store }: AfterVetoDeps,
): Promise<ReadonlyMap<string, Cause>> {
  const causes = new Map<string, Cause>()
  for (const { channel, decision } of changes) {
    if (decision?.kind !== 'approve') continue
    const follows = ({ spec }: Stack): boolean =>
      spec.sources.some((one) => sourceRef(one) === channel.ref && source.remoteOf(one, spec.name) === channel.remote)
    const followers = stacks.filter((stack) => stack.pinned === null && follows(stack))
    const last = await store.runs.last(followers.map(({ id }) => id))
    for (const stack of followers)
      if (wasStopped(stack, last.get(stack.id)))
        causes.set(stack.id, { kind: 'person', by: decision.by, note: 'the veto ended' })
  }
  return causes
}

/** True if the newest run was refused or stopped at the observed revision, and no other run took its place. */
function wasStopped({ failure, observed }: Stack, last: Run | undefined): boolean {
  if (failure?.code === vetoedCode) return true
  return last?.outcome === 'superseded' && last.intent === 'sync' && sameRevision(last.revision, observed?.revision)
}
