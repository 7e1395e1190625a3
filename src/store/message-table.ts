import type { CommitStatus, FullMessage, Message, StackReport, Transition } from '../model/agent/message.js'
import type { PageRequest } from './page-request.js'

/** Transitions for one receiver. `digestMs`: how long its message waits for more; `everyMs`: between two messages. */
export interface ReceiverTransitions {
  readonly receiver: string
  readonly transitions: readonly Transition[]
  readonly digestMs: number
  readonly everyMs: number
}

/** One transaction: what is reported of stacks, and the messages that report it. */
export interface ReportedChanges {
  readonly reports: readonly StackReport[]
  /** Ids of deleted stacks. */
  readonly removed: readonly string[]
  readonly transitions: readonly ReceiverTransitions[]
  readonly statuses: readonly { readonly receiver: string; readonly status: CommitStatus }[]
}

/** How an attempt ended. `pending`: it is tried again at `dueAt`. */
export interface AttemptEnd extends Pick<Message, 'status' | 'error'> {
  readonly state: 'pending' | 'sent' | 'failed'
  readonly dueAt?: number
}

/** Messages of a receiver that are not sent yet. */
export interface PendingMessages {
  readonly receiver: string
  readonly count: number
  readonly oldestAt: number
}

/** Messages to receivers, and what was reported of each stack. */
export interface MessageTable {
  /** True after the first `record`: what happened before it is not reported. */
  isWatching(): Promise<boolean>
  /** No receiver is configured: what happens from now on is not reported. */
  stopWatching(): Promise<void>
  reports(stacks: readonly string[]): Promise<ReadonlyMap<string, StackReport>>
  /** Reported stacks that do not exist any more, at most 500. */
  deletedStacks(): Promise<readonly StackReport[]>
  /**
   * Stores reports and messages. Transitions join the pending message of their receiver; a status takes the place of a
   * pending one of its stack and commit. Returns how many pending messages were dropped, by receiver.
   */
  record(changes: ReportedChanges): Promise<ReadonlyMap<string, number>>
  /**
   * The pending message of a receiver that is due first. A notification waits for older ones about the same stacks.
   * `begun`: only statuses, and notifications that were tried before; others gather transitions meanwhile.
   */
  next(receiver: string, only?: { readonly begun: boolean }): Promise<Message | undefined>
  /** An attempt begins: from now on nothing joins the message. undefined: it is no longer pending. */
  begin(id: string): Promise<FullMessage | undefined>
  /** A message that was superseded or dropped meanwhile keeps its state, unless it was sent. */
  end(id: string, end: AttemptEnd): Promise<void>
  /** A test, whose attempt begins at once. */
  addTest(receiver: string): Promise<FullMessage>
  /** Makes an ended message pending. False: a newer status of its stack and commit exists. */
  again(id: string): Promise<boolean>
  get(id: string): Promise<FullMessage | undefined>
  /** Newest first, of one receiver or of all. */
  list(receiver: string | undefined, page: PageRequest): Promise<readonly Message[]>
  /** The newest message of a receiver with an attempt. */
  lastAttempted(receiver: string): Promise<Message | undefined>
  pending(): Promise<readonly PendingMessages[]>
}
