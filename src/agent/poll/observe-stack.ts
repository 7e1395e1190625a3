// What a look at a remote means. Pure: decided from what was known and what was seen.
import type { Notification } from '../../model/notification.js'
import { hashDigits, sameRevision, revisionHash } from '../../model/revision.js'
import type { Cause, CauseKind, Run } from '../../model/run.js'
import { sourceLocations, type SourceSpec } from '../../model/source-spec.js'
import type { Stack } from '../../model/stack.js'
import { chosenTag } from '../../model/ref.js'
import type { SourceRevision } from '../../source/source.js'
import type { StackObservation } from '../../store/store.js'
import { observedSourceRevisions, type KnownRevision } from './known-revisions.js'

/**
 * What one stack sees; undefined: nothing new. `waiting`: a run that waits for a look; `attempted`: whether this
 * revision was ever attempted; `cutOff`: its last run ended because a source was not seen; `told`: who told of it.
 */
export function observeStack(
  stack: Stack,
  sighting: KnownRevision,
  {
    waiting,
    attempted,
    cutOff,
    told,
  }: {
    readonly waiting: Run | undefined
    readonly attempted: boolean
    readonly cutOff: boolean
    readonly told?: Notification | undefined
  },
): StackObservation | undefined {
  const what = { stack: stack.id, revision: sighting.revision, place: sourceLocations(stack.spec), unpin: false }
  if (waiting !== undefined) return { ...what, run: waiting.id }
  if (sameRevision(stack.observed?.revision, sighting.revision))
    return cutOff ? { ...what, cause: { kind: 'retry', note: 'the source was not seen before' } } : undefined
  if (stack.pinned !== null && attempted) return what
  return { ...what, cause: observedCause(stack, sighting, told), unpin: stack.pinned !== null }
}

/** Of the first source that is not as it was. */
function observedCause(stack: Stack, { bySource }: KnownRevision, told: Notification | undefined): Cause {
  const before = observedSourceRevisions(stack)
  const all = [...bySource].sort(([a], [b]) => a - b)
  const [at, resolved] =
    all.find(([index, { state }]) => before[index] === undefined || revisionHash(before[index]) !== state) ?? all[0]!
  const source = stack.spec.sources[at]!
  const from = before[at] === undefined ? {} : { from: hashDigits(before[at]) }
  const move = {
    ...(source.kind === 'git' ? refIn(source.ref, resolved) : {}),
    ...from,
    to: hashDigits(resolved.state),
  }
  const person = told?.by ?? resolved.by
  const by = person === undefined ? {} : { by: person }
  const note = told?.note === undefined ? {} : { note: told.note }
  const override = told?.overrideWindow === undefined ? {} : { overrideWindow: told.overrideWindow }
  return {
    kind: kindOf(stack, told?.by === undefined ? causeKind(source, resolved) : 'person'),
    ...move,
    ...by,
    ...note,
    ...override,
  }
}

/** Of a stack whose source was never seen. One that has something applied has lost what was seen with its database. */
function kindOf({ observed, applied }: Stack, seenBefore: CauseKind): CauseKind {
  if (observed !== null) return seenBefore
  return applied === null ? 'created' : 'recovery'
}

function refIn(ref: string, { name }: SourceRevision): Pick<Cause, 'ref' | 'tag'> {
  const tag = chosenTag(ref, name)
  return tag === undefined ? { ref } : { ref, tag }
}

function causeKind(source: SourceSpec, { name }: SourceRevision): CauseKind {
  switch (source.kind) {
    case 'git':
      return name.startsWith('refs/tags/') ? 'tag-moved' : 'commit'
    case 'url':
      return 'url-changed'
    case 'directory':
      return 'directory-changed'
    case 'inline':
      return 'person'
  }
}
