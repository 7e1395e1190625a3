import { sql } from 'kysely'
import { statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import { describeError } from '../../model/errors.js'
import type { Clock } from '../../model/clock.js'
import type { Documents } from '../../platform/embedded/documents.js'
import type { Copies } from '../copies.js'
import type {
  Feed,
  FileTable,
  Notice,
  NoticeTable,
  OwnershipTable,
  PushTable,
  RunTable,
  StackTable,
  Store,
} from '../store.js'
import type { DeliveryTable } from '../delivery-table.js'
import type { OverrideTable } from '../override-table.js'
import type { ChannelTable } from '../channel-table.js'
import type { Journal } from '../../engine/journal.js'
import type { Sealed } from '../../model/sealed.js'
import { DecisionLog } from './decision-log.js'
import { noticeLostKey } from './lost-key.js'
import { OwnedRows } from './owned-rows.js'
import { SqliteChannels } from './sqlite-channels.js'
import { SqliteDeliveries } from './sqlite-deliveries.js'
import { SqliteDocuments } from './sqlite-documents.js'
import { SqliteCopies } from './sqlite-copies.js'
import { PlacedFiles } from './placed-files.js'
import { prepareFile } from './prepare-file.js'
import { SqliteNotices } from './sqlite-notices.js'
import { SqliteFile, type FileOptions } from './sqlite-file.js'
import { SqliteFeed } from './sqlite-feed.js'
import { SqliteFiles } from './sqlite-files.js'
import { SqliteJournal } from './sqlite-journal.js'
import { SqliteOverrides } from './sqlite-overrides.js'
import { SqliteOwnership } from './sqlite-ownership.js'
import { SqlitePushes } from './sqlite-pushes.js'
import { SqliteRuns } from './sqlite-runs.js'
import { SqliteStacks } from './sqlite-stacks.js'

export interface StoreOptions extends FileOptions {
  /** Whether the key of the data directory opens it. Default: yes. */
  readonly isOurs?: (sealed: Sealed) => boolean
}

/** Everything in one SQLite file: WAL, every commit on disk before its verb resolves. */
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
  readonly #placed: PlacedFiles
  readonly #onDamage: (error: Error) => void
  readonly notices: NoticeTable
  readonly pushes: PushTable
  readonly copies: Copies
  readonly deliveries: DeliveryTable
  readonly overrides: OverrideTable
  /** What the start did to the file (mended, upgraded), and what it found that nothing can be done about. */
  readonly news: readonly Notice[]

  /**
   * Mends and upgrades the file where that is needed. Errors: `Refused` store/newer, store/upgrade-failed; `SyncError`
   * store/unusable.
   */
  constructor(file: string, clock: Clock, options: StoreOptions = {}) {
    this.#path = file
    this.#placed = new PlacedFiles(file)
    this.#onDamage = options.onDamage ?? ((): void => {})
    const prepared = prepareFile(file, clock.now())
    this.news = [...prepared, ...noticeLostKey(file, clock.now(), options.isOurs ?? (() => true))]
    this.#file = new SqliteFile(file, { ...options, decisions: new DecisionLog(file), lost: () => this.#lost() })
    const owned = new OwnedRows(this.#file)
    this.stacks = new SqliteStacks(this.#file, owned, clock)
    this.runs = new SqliteRuns(this.#file, clock)
    this.feed = new SqliteFeed(this.#file)
    this.ownership = new SqliteOwnership(this.#file, owned)
    const files = new SqliteFiles(this.#file)
    this.files = files
    this.pushes = new SqlitePushes(this.#file, files, clock)
    this.channels = new SqliteChannels(this.#file)
    this.journal = new SqliteJournal(this.#file, owned, clock)
    this.documents = new SqliteDocuments(this.#file, clock)
    this.notices = new SqliteNotices(this.#file)
    this.deliveries = new SqliteDeliveries(this.#file, clock)
    this.overrides = new SqliteOverrides(this.#file)
    this.copies = new SqliteCopies(this.#file, file, clock)
  }

  async fault(): Promise<string | undefined> {
    const gone = this.#lost()
    if (gone !== undefined) return gone.message
    try {
      this.#file.get(sql`select 1`)
      await this.#file.tryToWrite()
      return fullDisk(dirname(this.#path), statfsSync(dirname(this.#path)))
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

/** Less is no room for a commit. */
const leastFreeBytes = 1024 * 1024

/** Why a directory takes no more; undefined: it does. */
export function fullDisk(
  directory: string,
  { bavail, bsize }: { readonly bavail: number; readonly bsize: number },
): string | undefined {
  const free = bavail * bsize
  return free < leastFreeBytes ? `the disk is full: ${directory} has ${Math.floor(free / 1024)} KiB left` : undefined
}
