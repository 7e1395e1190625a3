// store: the database. Takes and gives nouns of the model; every verb is one transaction and durable when it resolves.
// Promises: a run, a move and what was observed are written together; a settlement is one write; a verb reads at most a
// page of 500.
import type { Journal } from '../engine/journal.js'
import type { ChannelTable } from './channel-table.js'
import type { Copies } from './copies.js'
import type { FleetTable } from './fleet-table.js'
import type { DeliveryTable } from './delivery-table.js'
import type { MessageTable } from './message-table.js'
import type { OverrideTable } from './override-table.js'
import type { StackTable } from './stack-table.js'
import type { RunTable } from './run-table.js'
import type { Feed } from './feed.js'
import type { OwnershipTable } from './ownership-table.js'
import type { FileTable } from './file-table.js'
import type { DatabaseEventTable } from './database-event-table.js'
import type { PushTable } from './push-table.js'
import type { SessionTable } from './session-table.js'

export interface Store {
  readonly stacks: StackTable
  readonly runs: RunTable
  readonly feed: Feed
  readonly ownership: OwnershipTable
  readonly files: FileTable
  readonly channels: ChannelTable
  readonly journal: Journal
  readonly pushes: PushTable
  readonly databaseEvents: DatabaseEventTable
  readonly copies: Copies
  readonly deliveries: DeliveryTable
  readonly messages: MessageTable
  readonly overrides: OverrideTable
  readonly fleets: FleetTable
  readonly sessions: SessionTable
  /**
   * Grows with each write of what a poll that finds nothing new depends on: settings, pins and observed revisions of
   * stacks, channels, and runs that wait for a poll. Reads nothing.
   */
  pollVersion(): number
  /** Why it cannot write: it does not answer, its files are gone, the disk is full. undefined: it can. */
  whyUnwritable(): Promise<string | undefined>
  /** Why the files of the database are not in place; undefined: they are. Damage is also reported to the opener. */
  checkFiles(): string | undefined
}

/** Methods that store sentences for people. Plans, packages and snapshots are stored as they are. */
export const sentenceMethods = {
  stacks: ['create', 'changeOwnership', 'change', 'changeSettings'],
  runs: ['add', 'cancelQueued', 'observe', 'finish', 'endQueued', 'addWrite', 'endWrite'],
  journal: ['startUndo', 'settle'],
  channels: ['learn'],
  overrides: ['add'],
  fleets: ['keepListing'],
  deliveries: ['add', 'finish'],
  messages: ['record', 'end'],
} as const
