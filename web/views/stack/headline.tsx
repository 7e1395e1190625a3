import type { StackView } from '../../data/types.js'
import { shortRevision } from '../../lib/text.js'

/** What is on the target, and what comes next, in a sentence or two. */
export function Headline({ stack: { target, revision, status, pinned, lastRun } }: { readonly stack: StackView }) {
  const applied = <code>{shortRevision(revision.applied)}</code>
  const desired = pinned?.revision ?? revision.observed
  const run = lastRun?.revision ?? ''
  switch (status.state) {
    case 'Synced':
      return (
        <>
          {target} has {applied}, the released commit.
        </>
      )
    case 'Needs approval':
      return (
        <>
          {target} has {applied}.{' '}
          {status.reason === 'MoveNeedsApproval' ? (
            'A move of its channel needs approval.'
          ) : run === '' ? (
            'A plan needs approval.'
          ) : (
            <>
              The plan for <code>{shortRevision(run)}</code> needs approval.
            </>
          )}
        </>
      )
    case 'Failed':
      return revision.applied === null ? (
        <>Nothing is applied to {target}.</>
      ) : (
        <>
          {target} still has {applied}.
        </>
      )
    case 'Drifted':
      return (
        <>
          {applied} is applied, but somebody changed {target} by hand.
        </>
      )
    case 'Degraded':
      return (
        <>
          {target} has {applied}, but a resource does not work.
        </>
      )
    case 'Suspended':
      return <>gitmoor writes nothing to {target} until the stack is resumed.</>
    case 'Running':
      return run === '' || run === revision.applied ? (
        <>
          gitmoor compares {target} with {applied}.
        </>
      ) : (
        <>
          gitmoor brings {target} from {applied} to <code>{shortRevision(run)}</code>.
        </>
      )
    case 'Pinned':
    case 'Behind':
    case 'Waiting':
      return desired !== revision.applied ? (
        <>
          {target} has {applied}. <code>{shortRevision(desired)}</code> is not applied yet.
        </>
      ) : status.state === 'Pinned' ? (
        <>
          {target} stays at {applied}.
        </>
      ) : (
        <>
          {target} has {applied}, the released commit.
        </>
      )
    case 'Unknown':
      return <>gitmoor does not know yet what {target} has.</>
  }
}
