// What gitmoor reports to people and to Git hosts: transitions of stacks, commit statuses, and the messages that carry
// them to receivers.

export const transitionKinds = ['failed', 'needs-approval', 'drifted', 'recovered'] as const
export type TransitionKind = (typeof transitionKinds)[number]

/** A stack entered a condition that people want to know of, or left it. `at`: milliseconds since the epoch. */
export interface Transition {
  readonly kind: TransitionKind
  /** The name of the stack. */
  readonly stack: string
  readonly labels: Readonly<Record<string, string>>
  readonly target: string
  readonly at: number
  /** One sentence. */
  readonly message: string
  /** Of the failure; '': there is none. */
  readonly code: string
  /** What to do next; '': nothing. */
  readonly hint: string
  /** Of the newest run; '' before the first poll. */
  readonly revision: string
  /** The id of the newest run; '': it has none. */
  readonly run: string
}

/** `canceled`: no run will apply the commit any more. */
export type CommitState = 'pending' | 'success' | 'failure' | 'canceled'

/** The status of a commit for one stack. `remote`: the address of its repository, as the stack names it. */
export interface CommitStatus {
  readonly stack: string
  readonly remote: string
  readonly commit: string
  readonly state: CommitState
  /** One sentence. */
  readonly description: string
  readonly run: string
}

/** What was last reported of a stack. Differences from it are what is reported next. */
export interface StackReport {
  /** The id of the stack. */
  readonly stack: string
  readonly name: string
  /** The condition that was reported last and has not ended. */
  readonly condition: Exclude<TransitionKind, 'recovered'> | null
  /** Equal for the same condition: it is reported once. */
  readonly key: string
  /** The condition is that of a poll, which a new process knows only after its first poll. */
  readonly isOfPoll: boolean
  /** A failure or drift was reported, and no recovery since. */
  readonly isBroken: boolean
  /** The run whose correction of drift was reported last; '': none. */
  readonly correction: string
  /** Of the commits of its newest run. */
  readonly statuses: readonly CommitStatus[]
}

export const messageStates = ['pending', 'sent', 'failed', 'dropped', 'superseded'] as const
/**
 * `pending`: it waits, or is retried; `failed`: its receiver refused it, or it was retried for a day; `dropped`: too
 * many were pending; `superseded`: a newer status of the commit took its place.
 */
export type MessageState = (typeof messageStates)[number]

export type MessageKind = 'notification' | 'status' | 'test'

/** One message for a receiver. Times are milliseconds since the epoch. */
export interface Message {
  readonly id: string
  /** A UUID. Each attempt carries the same, so that a receiver recognizes a repetition. */
  readonly key: string
  /** The name of the receiver. */
  readonly receiver: string
  readonly kind: MessageKind
  readonly state: MessageState
  readonly createdAt: number
  /** Of a pending message: when it is sent, or tried again. */
  readonly dueAt: number
  readonly attempts: number
  readonly endedAt: number | null
  /** HTTP or SMTP status of the last attempt; null: there was no answer. */
  readonly status: number | null
  /** Why the last attempt failed; '': it did not. */
  readonly error: string
  /** Transitions in it, by kind. */
  readonly counts: Readonly<Partial<Record<TransitionKind, number>>>
  /** Of the kind `status`. */
  readonly commit: CommitStatus | null
}

/** A message with its transitions: the first of them, if there are many. */
export interface FullMessage extends Message {
  readonly transitions: readonly Transition[]
}
