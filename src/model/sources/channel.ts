/** The target of a ref. `object`: the tag object, else the commit; `tag`: the chosen tag of a version range. */
export interface RefTip {
  readonly object: string
  readonly commit: string
  readonly tag?: string
}

/** `name`: the full ref, or the commit if the ref is one; '' if an older version did not store it. */
export interface NamedRefTip extends RefTip {
  readonly name: string
}

/** How gitmoor learned that a channel moved. */
export type DetectedBy = 'poll' | 'webhook' | 'person' | 'promote'

/**
 * The state of a move. `released`: stacks follow it, or did until the next one; `waiting`: until a time; `blocked`:
 * until a person decides; `refused`: by the policy; `vetoed`: by a person; `superseded`: the ref moved again before the
 * release; `gone`: the ref was deleted.
 */
export type MoveState = 'released' | 'waiting' | 'blocked' | 'refused' | 'vetoed' | 'superseded' | 'gone'

/** Why a move is not released: a setting of the channel's policy, or a pin of the channel. */
export type BlockedBy = 'minAge' | 'movesPerHour' | 'approval' | 'pin' | 'forward-only' | 'signedBy'

/**
 * How a commit relates to the one that was released before it. `forward`: it is a descendant; `back`: it is an
 * ancestor; `diverged`: it is neither, as after a force-push of rewritten commits; `unknown`: the remote did not send
 * enough of the history.
 */
export const directions = ['forward', 'back', 'diverged', 'unknown'] as const

export type Direction = (typeof directions)[number]

/** A person's last decision. `at`: milliseconds since the epoch. */
export interface Decision {
  readonly kind: 'veto' | 'approve' | 'pin' | 'unpin'
  readonly by: string
  readonly why: string
  readonly at: number
}

/** One observed move of a ref, and its state. Times are milliseconds since the epoch. */
export interface ChannelMove {
  /** Decimal, ascending over all channels; '' until it is stored. */
  readonly id: string
  readonly remote: string
  readonly ref: string
  /** The former target; null: the ref did not exist. */
  readonly from: RefTip | null
  /** null: the ref was deleted. */
  readonly to: RefTip | null
  /** The full ref of `to`. */
  readonly name: string
  readonly seenAt: number
  readonly detectedBy: DetectedBy
  readonly state: MoveState
  /** Why it is waiting, blocked or refused. */
  readonly blockedBy: BlockedBy | null
  /** The earliest end of the wait. */
  readonly until: number | null
  /** Seen from the formerly released commit; null: not read yet, or nothing was released. */
  readonly direction: Direction | null
  /** null: unknown yet. */
  readonly facts: RefTipFacts | null
  /** When stacks began to follow it; null: not released, or it did not change the released commit. */
  readonly releasedAt: number | null
  /** A person's last decision about it. */
  readonly decision: Decision | null
}

/** The newest move of a channel to a commit; with `until`, of those that were seen by then. */
export interface SoughtMove {
  readonly remote: string
  readonly ref: string
  readonly commit: string
  readonly until?: number
}

/** Keeps all stacks that follow the channel at this ref tip until a person unpins it. */
export interface ChannelPin extends NamedRefTip, Omit<Decision, 'kind'> {}

/** A ref that stacks follow, named `REMOTE#REF`. */
export interface Channel {
  readonly remote: string
  readonly ref: string
  /** The ref's target; null: the ref does not exist. */
  readonly tip: RefTip | null
  readonly seenAt: number
  /** The newest move that is not a deletion. */
  readonly move: ChannelMove | null
  /** What stacks follow unless the channel is pinned; null: nothing yet. */
  readonly released: ChannelMove | null
  readonly pin: ChannelPin | null
}

/** One decision of a person about a channel. `move`: the id of its move; `commit`: the pinned commit. */
export interface ChannelDecision extends Decision {
  readonly id: string
  readonly remote: string
  readonly ref: string
  readonly move: string | null
  readonly commit: string | null
}

/** A channel and its changes to store: new moves (without an id), moves in a new state, and a person's decision. */
export interface ChannelChange {
  readonly channel: Channel
  readonly moves: readonly ChannelMove[]
  readonly decision?: Omit<ChannelDecision, 'id' | 'remote' | 'ref'>
  /** The reason why the resulting runs write during a closed sync window. */
  readonly overrideWindow?: string
}

/** The tips of moves whose commit begins with these digits (7 or more), one for each commit. */
export function tipsBeginning(digits: string, moves: readonly ChannelMove[]): readonly NamedRefTip[] {
  if (!/^[0-9a-f]{7,40}$/.test(digits)) return []
  const found = new Map<string, NamedRefTip>()
  for (const { to, name } of moves) if (to?.commit.startsWith(digits) === true) found.set(to.commit, { ...to, name })
  return [...found.values()]
}

/** The ref tip that stacks follow; null: nothing yet. */
export function followedTip({ pin, released }: Pick<Channel, 'pin' | 'released'>): NamedRefTip | null {
  if (pin !== null) return pin
  return released?.to == null ? null : { ...released.to, name: released.name }
}

/** What a commit does, seen from another one: `goes back from the released commit`. */
export function directionText(direction: Direction, from: string): string {
  switch (direction) {
    case 'forward':
      return `goes forward from ${from}`
    case 'back':
      return `goes back from ${from}`
    case 'diverged':
      return `diverged from ${from}`
    case 'unknown':
      return `is not known to go forward from ${from}`
  }
}

/** The same in a table: ` (back)`; '' for forward and if it was not read yet. */
export function directionNote(direction: Direction | null): string {
  if (direction === null || direction === 'forward') return ''
  return direction === 'unknown' ? ' (direction unknown)' : ` (${direction})`
}

/** The author, time (milliseconds since the epoch) and message (at most 4,000 characters) of a tag or a commit. */
export interface Authored {
  readonly name: string
  readonly email: string
  readonly at: number
  readonly message: string
}

/**
 * Whether a ref tip is signed by a key of the configuration file. `key`: its fingerprint; `by`: its name there.
 * `unknown-key`: signed by another key. `bad`: the signature does not match, has expired, or is of another tag; `why`
 * is a sentence.
 */
export type Signature =
  | { readonly state: 'none' }
  | { readonly state: 'good'; readonly key: string; readonly by: string }
  | { readonly state: 'unknown-key'; readonly key: string }
  | { readonly state: 'bad'; readonly why: string }

/** Facts about a ref tip beside its ids. */
export interface RefTipFacts {
  /** Of an annotated tag. `name`: from the tag object. */
  readonly tag: (Authored & { readonly tag: string }) | null
  readonly commit: Authored
  readonly signature: Signature
}

/** Commits of a history. `more`: there are others, which were not read. */
export interface CommitRange {
  readonly commits: readonly (Authored & { readonly id: string })[]
  readonly more: boolean
}

/** `REMOTE#REF`. */
export function channelName({ remote, ref }: Pick<Channel, 'remote' | 'ref'>): string {
  return `${remote}#${ref}`
}
