// What polled revisions mean for a stack. Pure.
import { withoutUndefined } from '../../../lib/without-undefined.js'
import type { Notification } from '../../../model/agent/notification.js'
import { hashDigits, sameRevision, revisionHash } from '../../../model/sources/revision.js'
import type { Cause, CauseKind, Run } from '../../../model/stacks/run.js'
import { sourceLocations, type SourceSpec } from '../../../model/sources/source-spec.js'
import type { Stack } from '../../../model/stacks/stack.js'
import { chosenTag } from '../../../model/sources/ref.js'
import type { SourceRevision } from '../../../source/source.js'
import type { StackObservation } from '../../../store/run-table.js'
import type { KeptPin } from './kept-pin.js'
import { observedSourceRevisions, type KnownRevision } from './known-revisions.js'

/**
 * undefined: nothing is new. `waiting`: a run that waits for the poll; `pin`: given if the revision does not end the
 * pin of the stack; `again`: the cause of a run at the observed revision; `notification`: what reported the change.
 */
export function observeStack(
  stack: Stack,
  known: KnownRevision,
  {
    waiting,
    pin,
    again,
    notification,
  }: {
    readonly waiting: Run | undefined
    readonly pin?: KeptPin | undefined
    readonly again?: Cause | undefined
    readonly notification?: Notification | undefined
  },
): StackObservation | undefined {
  const polled = { sources: stack.spec.sources, pinned: stack.pinned }
  const what = {
    stack: stack.id,
    revision: known.revision,
    polled,
    place: sourceLocations(stack.spec),
    unpin: false,
  }
  if (waiting !== undefined) return { ...what, run: waiting.id }
  if (sameRevision(stack.observed?.revision, known.revision))
    return again === undefined ? undefined : { ...what, cause: again }
  if (pin !== undefined) return { ...what, ...pin }
  return { ...what, cause: observedCause(stack, known, notification), unpin: stack.pinned !== null }
}

/** The cause by the first source that changed. */
function observedCause(stack: Stack, { bySource }: KnownRevision, notification: Notification | undefined): Cause {
  const before = observedSourceRevisions(stack)
  const all = [...bySource].sort(([a], [b]) => a - b)
  const [at, resolved] =
    all.find(([index, { state }]) => before[index] === undefined || revisionHash(before[index]) !== state) ?? all[0]!
  const source = stack.spec.sources[at]!
  const { by, note, decision, overrideWindow, detectedBy } = notification ?? {}
  const from = before[at] === undefined ? undefined : hashDigits(before[at])
  return {
    kind: kindOf(stack, detectedBy === 'person' ? 'person' : causeKind(source, resolved)),
    ...(source.kind === 'git' ? refIn(source.ref, resolved) : {}),
    to: hashDigits(resolved.state),
    ...withoutUndefined({ from, by: by ?? resolved.by, note, decision, overrideWindow }),
  }
}

/** A stack without an observed revision is new, or its database lost the revision. */
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
