// Which link of the chain a state breaks.
import type { StackRow } from '../../data/types.js'

export type LinkName = 'source' | 'channel' | 'package' | 'plan' | 'target'

const byReason: Readonly<Record<string, LinkName>> = {
  FetchFailed: 'source',
  SourceMissing: 'source',
  PackageInvalid: 'package',
  PackageMissing: 'package',
  MissingInputs: 'package',
  ChannelPinned: 'channel',
  MoveWaiting: 'channel',
  MoveBlocked: 'channel',
  MoveRefused: 'channel',
  MoveVetoed: 'channel',
  Channel: 'channel',
  Undoing: 'target',
  TargetUnreachable: 'target',
  TargetRefused: 'target',
  TargetMissing: 'target',
}

/** undefined: none is broken. */
export function breakOf({ state, reason }: StackRow['status']): LinkName | undefined {
  if (state === 'Synced') return undefined
  const known = byReason[reason] ?? (/^(Move|Channel)/.test(reason) ? 'channel' : undefined)
  if (known !== undefined) return known
  return state === 'Drifted' || state === 'Degraded' || state === 'Unknown' ? 'target' : 'plan'
}
