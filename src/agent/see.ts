// What a look at a remote means. Pure: decided from what was known and what was seen.
import type { Channel, ChannelMove } from '../model/channel.js'
import { Rejected } from '../model/errors.js'
import { digitsOf, sameRevision } from '../model/revision.js'
import type { Cause, Run } from '../model/run.js'
import { partFor, refOf } from '../model/source-spec.js'
import type { Stack } from '../model/stack.js'
import type { Resolved } from '../source/source.js'
import type { Observation } from '../store/store.js'

/** What one stack sees; undefined: nothing new. `waiting`: a run that waits for a look; `attempted`: whether this revision was ever attempted; `cutOff`: its last run ended because the source was not seen. */
export function seenBy(
  stack: Stack,
  resolved: Resolved,
  { waiting, attempted, cutOff }: { readonly waiting: Run | undefined; readonly attempted: boolean; readonly cutOff: boolean },
): Observation | undefined {
  const source = stack.spec.sources[0]!
  const revision = partFor(source, resolved.state)
  if (waiting !== undefined) return { stack: stack.id, revision, run: waiting.id, unpin: false }
  if (sameRevision(stack.observed?.revision, revision))
    return cutOff
      ? { stack: stack.id, revision, cause: { kind: 'retry', note: 'the source was not seen before' }, unpin: false }
      : undefined
  if (stack.pinned !== null && attempted) return { stack: stack.id, revision, unpin: false }
  return { stack: stack.id, revision, cause: causeOf(stack, resolved, refOf(source)), unpin: stack.pinned !== null }
}

function causeOf(stack: Stack, resolved: Resolved, ref: string): Cause {
  const { observed } = stack
  const to = digitsOf(resolved.state)
  if (observed === null) return { kind: 'created', ref, to }
  const kind = resolved.name.startsWith('refs/tags/') ? 'tag-moved' : 'commit'
  return { kind, ref, from: digitsOf(observed.revision), to }
}

/** The move of a channel, if it moved: to another commit, to another tag object, or away. */
export function moveOf(
  { remote, ref, before }: { readonly remote: string; readonly ref: string; readonly before: Channel | undefined },
  seen: Resolved | Error,
  now: number,
): Omit<ChannelMove, 'id'> | undefined {
  const from = before?.commit == null ? null : { commit: before.commit, object: before.object ?? before.commit }
  if (seen instanceof Error) {
    const gone = seen instanceof Rejected && seen.code === 'source/ref-missing' && from !== null
    return gone ? { remote, ref, from, to: null, seenAt: now, learnt: 'poll' } : undefined
  }
  if (seen.object === undefined) return undefined // what has no refs is no channel
  const to = { commit: digitsOf(seen.state), object: seen.object }
  if (from?.commit === to.commit && from.object === to.object) return undefined
  return { remote, ref, from, to, seenAt: now, learnt: 'poll' }
}
