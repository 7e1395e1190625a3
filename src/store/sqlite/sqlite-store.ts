import { sql } from 'kysely'
import { dirname } from 'node:path'
import { describeError } from '../../model/errors.js'
import type { Clock } from '../../lib/clock.js'
import type { Documents } from '../../platform/documents.js'
import type { Copies } from '../copies.js'
import type { Feed } from '../feed.js'
import type { FileTable } from '../file-table.js'
import type { DatabaseEvent, DatabaseEventTable } from '../database-event-table.js'
import type { OwnershipTable } from '../ownership-table.js'
import type { PushTable } from '../push-table.js'
import type { SessionTable } from '../session-table.js'
import type { RunTable } from '../run-table.js'
import type { StackTable } from '../stack-table.js'
import type { Store } from '../store.js'
import type { FleetTable } from '../fleet-table.js'
import type { DeliveryTable } from '../delivery-table.js'
import type { MessageTable } from '../message-table.js'
import type { OverrideTable } from '../override-table.js'
import type { ChannelTable } from '../channel-table.js'
import type { Journal } from '../../engine/journal.js'
import type { Sealed } from '../../model/json.js'
import type { EventFamilies } from '../../model/stacks/run.js'
import { DocumentCache } from './document-cache.js'
import { DecisionLog } from './decisions/decision-log.js'
import { OwnedRows } from './ownership/owned-rows.js'
import { SqliteChannels } from './channels/sqlite-channels.js'
import { SqliteDeliveries } from './sqlite-deliveries.js'
import { SqliteMessages } from './sqlite-messages.js'
import { SqliteDocuments } from './sqlite-documents.js'
import { SqliteCopies } from './backup/sqlite-copies.js'
import { whyDiskFull } from './file/disk-space.js'
import { FilesInPlace } from './file/files-in-place.js'
import { prepareFile } from './file/prepare-file.js'
import { SqliteDatabaseEvents } from './sqlite-database-events.js'
import { SqliteFile, type FileOptions } from './file/sqlite-file.js'
import { countPolledWrites } from './status/poll-version.js'
import { keepStatusTable } from './status/status-table.js'
import { SqliteFleets } from './sqlite-fleets.js'
import { SqliteFeed } from './status/sqlite-feed.js'
import { SqliteFiles } from './files/sqlite-files.js'
import { SqliteJournal } from './journal/sqlite-journal.js'
import { SqliteOverrides } from './sqlite-overrides.js'
import { OwnershipCache } from './ownership/ownership-cache.js'
import { SqliteOwnership } from './ownership/sqlite-ownership.js'
import { SqlitePushes } from './files/sqlite-pushes.js'
import { Leases } from './runs/leases.js'
import { SqliteRuns } from './runs/sqlite-runs.js'
import { SqliteSessions } from './sqlite-sessions.js'
import { SqliteStacks } from './stacks/sqlite-stacks.js'

export interface StoreOptions extends FileOptions {
  /** True if the key of the data directory opens it. Default: true. */
  readonly isOurs?: (sealed: Sealed) => boolean
  /** By platform. Default: none is associated or unlisted. */
  readonly eventFamilies?: ReadonlyMap<string, EventFamilies>
}

/** The store in one SQLite file. Every commit is on disk before its promise resolves. */
export class SqliteStore implements Store, Disposable {
  readonly stacks: StackTable
  readonly runs: RunTable
  readonly feed: Feed
  readonly ownership: OwnershipTable
  readonly files: FileTable
  readonly channels: ChannelTable
  readonly journal: Journal
  readonly documents: Documents
  readonly #file: SqliteFile
  readonly #path: string
  readonly #placed: FilesInPlace
  readonly #onDamage: (error: Error) => void
  #polledWrites: () => number = () => 0
  readonly databaseEvents: DatabaseEventTable
  readonly pushes: PushTable
  readonly copies: Copies
  readonly deliveries: DeliveryTable
  readonly messages: MessageTable
  readonly overrides: OverrideTable
  readonly fleets: FleetTable
  readonly sessions: SessionTable
  /** What the start did to the file (repaired, upgraded), and problems that it could not solve. */
  readonly startEvents: readonly DatabaseEvent[]

  /**
   * Repairs and upgrades the file if necessary. Errors: `Refused` store/newer, store/upgrade-failed; `SyncError`
   * store/unusable.
   */
  constructor(file: string, clock: Clock, options: StoreOptions = {}) {
    this.#path = file
    this.#placed = new FilesInPlace(file)
    this.#onDamage = options.onDamage ?? ((): void => {})
    const prepared = prepareFile(file, clock.now(), options.isOurs ?? (() => true))
    this.startEvents = prepared.events
    let ownership!: OwnershipCache
    let documents!: DocumentCache
    this.#file = new SqliteFile(file, {
      ...options,
      database: prepared.database,
      decisions: new DecisionLog(file),
      whyLost: () => this.#lost(),
      keepDerived: (database) => {
        const updateStatus = keepStatusTable(database)
        this.#polledWrites = countPolledWrites(database)
        ownership = new OwnershipCache(database)
        documents = new DocumentCache(database)
        return updateStatus
      },
    })
    const owned = new OwnedRows(this.#file, options.eventFamilies)
    const leases = new Leases(this.#file)
    this.stacks = new SqliteStacks(this.#file, { owned, leases }, clock)
    this.runs = new SqliteRuns(this.#file, leases, clock)
    this.feed = new SqliteFeed(this.#file)
    this.ownership = new SqliteOwnership(this.#file, owned, ownership)
    const files = new SqliteFiles(this.#file)
    this.files = files
    this.pushes = new SqlitePushes(this.#file, files, clock)
    this.channels = new SqliteChannels(this.#file)
    this.journal = new SqliteJournal(this.#file, { owned, leases }, clock)
    this.documents = new SqliteDocuments(this.#file, documents, clock)
    this.databaseEvents = new SqliteDatabaseEvents(this.#file)
    this.deliveries = new SqliteDeliveries(this.#file, clock)
    this.messages = new SqliteMessages(this.#file, clock)
    this.overrides = new SqliteOverrides(this.#file, leases)
    this.fleets = new SqliteFleets(this.#file, clock)
    this.sessions = new SqliteSessions(this.#file)
    this.copies = new SqliteCopies(this.#file, file, clock)
  }

  pollVersion(): number {
    return this.#polledWrites()
  }

  async whyUnwritable(): Promise<string | undefined> {
    const gone = this.#lost()
    if (gone !== undefined) return gone.message
    try {
      this.#file.get(sql`select 1`)
      await this.#file.tryToWrite()
      return whyDiskFull(dirname(this.#path))
    } catch (error) {
      return describeError(error)
    }
  }

  checkFiles(): string | undefined {
    return this.#lost()?.message
  }

  #lost(): Error | undefined {
    const error = this.#placed.check()
    if (error !== undefined) this.#onDamage(error)
    return error
  }

  /** For tests: the most pages the file may have, as if the disk were full. */
  limitPages(pages: number): void {
    this.#file.limitPages(pages)
  }

  [Symbol.dispose](): void {
    this.#file.close()
  }
}
