// Nothing applies a vetoed commit: no retry, recovery, drift correction, undo or saved plan.
import type { ChannelMove } from '../../model/sources/channel.js'
import { Refused, Rejected } from '../../model/errors.js'
import { hashDigits, sourceRevisions, sameRevision } from '../../model/sources/revision.js'
import type { Run } from '../../model/stacks/run.js'
import type { Stack } from '../../model/stacks/stack.js'
import type { Source } from '../../source/source.js'
import type { Store } from '../../store/store.js'

export const vetoedCode = 'stacks/vetoed'

/** The error for a request of a vetoed commit. */
export function vetoedRefusal({ id, ref, to, decision }: ChannelMove): Refused {
  const { by = 'a person', why = '' } = decision ?? {}
  const message = `Commit ${to?.commit.slice(0, 7) ?? ''} of ${ref} was vetoed by ${by}${why === '' ? '' : `: ${why}`}.`
  return new Refused('needs-approval', message, {
    code: vetoedCode,
    hint: `End the veto first: gitmoor channel approve ${id} --why "REASON"`,
  })
}

interface VetoDeps {
  readonly source: Pick<Source, 'remoteOf'>
  readonly store: Pick<Store, 'channels'>
}

/** Errors: `Rejected`, if the run would apply a vetoed commit. */
export async function refuseVetoed(stack: Stack, { revision }: Pick<Run, 'revision'>, deps: VetoDeps): Promise<void> {
  const veto = await findVeto(stack, revision, deps)
  if (veto === undefined) return
  const { id, ref, to } = veto
  const { by = 'a person', why = '' } = veto.decision ?? {}
  throw new Rejected(
    `Move ${id} of ${ref} to ${to?.commit.slice(0, 7) ?? ''} was vetoed by ${by}${why === '' ? '' : `: ${why}`}.`,
    {
      code: vetoedCode,
      hint:
        'The stack continues when another commit is released. ' +
        `Or end the veto: gitmoor channel approve ${id} --why "REASON"`,
    },
  )
}

/** The vetoed move to this revision; undefined: there is none, or a person pinned the stack to the revision. */
export async function findVeto(
  { spec, pinned }: Stack,
  revision: string,
  { source, store }: VetoDeps,
): Promise<ChannelMove | undefined> {
  if (sameRevision(pinned?.revision, revision)) return undefined
  for (const [at, part] of sourceRevisions(revision).entries()) {
    const one = spec.sources[at]
    if (one?.kind !== 'git') continue
    const move = await store.channels.moveTo(source.remoteOf(one, spec.name), one.ref, hashDigits(part))
    if (move?.state === 'vetoed') return move
  }
  return undefined
}
