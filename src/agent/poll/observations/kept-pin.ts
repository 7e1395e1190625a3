// Whether a new revision ends the pin of a stack: only what changed something below the stack's paths may be the fix.
import { Unavailable } from '../../../model/errors.js'
import { shortRevision } from '../../../model/sources/revision.js'
import type { Stack } from '../../../model/stacks/stack.js'
import { contentAt, type ContentDeps } from './content-at.js'

/** The pin stays. `content`: that of the new revision, if it was compared. */
export interface KeptPin {
  readonly content?: string
}

/**
 * Given if the revision has what the newest observed one has, or nobody knows that one, because the database was
 * repaired or restored: it may be the one from which the stack was rolled back. An error: it cannot be fetched soon, or
 * its source failed; the pin stays, and the next poll compares again.
 */
export async function keptPin(
  stack: Stack,
  revision: string,
  deps: Omit<ContentDeps, 'known'>,
): Promise<KeptPin | Error | undefined> {
  const { observed } = stack
  if (observed === null) return {}
  try {
    const [before, content] = await Promise.all(
      [observed.revision, revision].map((one) => contentAt(stack, one, { ...deps, known: observed })),
    )
    if (content === undefined) return notFetched(revision)
    return content !== '' && content === before ? { content } : undefined
  } catch (error) {
    deps.signal.throwIfAborted()
    return error instanceof Error ? error : new Error(String(error))
  }
}

function notFetched(revision: string): Unavailable {
  return new Unavailable(`Cannot fetch ${shortRevision(revision)} to compare it with the commit before it.`, {
    code: 'source/unreachable',
    hint: 'gitmoor compares them at the next poll. Until then the stack stays pinned.',
  })
}
