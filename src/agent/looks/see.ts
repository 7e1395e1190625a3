// What a look at a remote means. Pure: decided from what was known and what was seen.
import type { Hint } from '../../model/hint.js'
import { digitsOf, sameRevision, stateOf } from '../../model/revision.js'
import type { Cause, CauseKind, Run } from '../../model/run.js'
import { placeOf, type SourceSpec } from '../../model/source-spec.js'
import type { Stack } from '../../model/stack.js'
import { chosenTag } from '../../model/version-range.js'
import type { Resolved } from '../../source/source.js'
import type { Observation } from '../../store/store.js'
import { observedParts, type Sighting } from './known-parts.js'

/**
 * What one stack sees; undefined: nothing new. `waiting`: a run that waits for a look; `attempted`: whether this
 * revision was ever attempted; `cutOff`: its last run ended because a source was not seen; `told`: who told of it.
 */
export function seenBy(
  stack: Stack,
  sighting: Sighting,
  {
    waiting,
    attempted,
    cutOff,
    told,
  }: {
    readonly waiting: Run | undefined
    readonly attempted: boolean
    readonly cutOff: boolean
    readonly told?: Hint | undefined
  },
): Observation | undefined {
  const what = { stack: stack.id, revision: sighting.revision, place: placeOf(stack.spec), unpin: false }
  if (waiting !== undefined) return { ...what, run: waiting.id }
  if (sameRevision(stack.observed?.revision, sighting.revision))
    return cutOff ? { ...what, cause: { kind: 'retry', note: 'the source was not seen before' } } : undefined
  if (stack.pinned !== null && attempted) return what
  return { ...what, cause: causeOf(stack, sighting, told), unpin: stack.pinned !== null }
}

/** Of the first source that is not as it was. */
function causeOf(stack: Stack, { seen }: Sighting, told: Hint | undefined): Cause {
  const before = observedParts(stack)
  const all = [...seen].sort(([a], [b]) => a - b)
  const [at, resolved] =
    all.find(([index, { state }]) => before[index] === undefined || stateOf(before[index]) !== state) ?? all[0]!
  const source = stack.spec.sources[at]!
  const from = before[at] === undefined ? {} : { from: digitsOf(before[at]) }
  const move = { ...(source.kind === 'git' ? refIn(source.ref, resolved) : {}), ...from, to: digitsOf(resolved.state) }
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

function refIn(ref: string, { name }: Resolved): Pick<Cause, 'ref' | 'tag'> {
  const tag = chosenTag(ref, name)
  return tag === undefined ? { ref } : { ref, tag }
}

function causeKind(source: SourceSpec, { name }: Resolved): CauseKind {
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
