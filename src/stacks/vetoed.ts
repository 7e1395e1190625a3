// What a person vetoed is not written, whatever asks for it: a retry, a recovery, a correction, a plan that was looked at before.
import type { ChannelMove } from '../model/channel.js'
import { Refused, Rejected } from '../model/errors.js'
import { digitsOf, partsOf, sameRevision } from '../model/revision.js'
import type { Run } from '../model/run.js'
import type { Stack } from '../model/stack.js'
import type { Source } from '../source/source.js'
import type { Store } from '../store/store.js'

export const vetoedCode = 'stacks/vetoed'

/** A person asks for a commit to which a vetoed move leads. */
export function vetoedRefusal({ id, ref, to, decision }: ChannelMove): Refused {
  const { by = 'a person', why = '' } = decision ?? {}
  const message = `Commit ${to?.commit.slice(0, 7) ?? ''} of ${ref} was vetoed by ${by}${why === '' ? '' : `: ${why}`}.`
  return new Refused('held', message, { code: vetoedCode, hint: `End the veto first: gitmoor channel approve ${id} --why TEXT` })
}

/** Errors: `Rejected`, where the run would bring the stack to a vetoed commit. A person who rolled the stack back to it named it. */
export async function refuseVetoed(
  { spec, pinned }: Stack,
  { revision }: Pick<Run, 'revision'>,
  { source, store }: { readonly source: Pick<Source, 'remoteOf'>; readonly store: Pick<Store, 'channels'> },
): Promise<void> {
  if (sameRevision(pinned?.revision, revision)) return
  for (const [at, part] of partsOf(revision).entries()) {
    const one = spec.sources[at]
    if (one?.kind !== 'git') continue
    const move = await store.channels.moveTo(source.remoteOf(one, spec.name), one.ref, digitsOf(part))
    if (move?.state !== 'vetoed') continue
    const { by = 'a person', why = '' } = move.decision ?? {}
    throw new Rejected(
      `Move ${move.id} of ${one.ref} to ${digitsOf(part).slice(0, 7)} was vetoed by ${by}${why === '' ? '' : `: ${why}`}.`,
      {
        code: vetoedCode,
        hint: `It goes on when the ref leads elsewhere, or with: gitmoor channel approve ${move.id} --why TEXT`,
      },
    )
  }
}
