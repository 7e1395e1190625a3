import type Database from 'better-sqlite3'
import type { DatedDocument } from '../../platform/documents.js'
import { WriteWatch } from './file/write-watch.js'

interface KeptDocument {
  readonly document: DatedDocument
  readonly bytes: number
}

type Family = Map<string, KeptDocument>

/** The approximate memory of all documents that are kept. The cache is emptied when it is full. */
const mostBytes = 16 * 1024 * 1024

/** Documents by their ids, as long as nothing writes them: most plans find the same as the plan before. */
export class DocumentCache {
  readonly #families = new Map<string, Family>()
  readonly #watch: WriteWatch
  #bytes = 0

  constructor(database: Database.Database) {
    const rows = { table: 'documents', columns: ['space', 'family', 'id'] }
    this.#watch = new WriteWatch(database, rows, (space, family, id) => this.#drop(`${space} ${family}`, id))
  }

  /** Finds documents of a family by their ids. */
  of(space: string, family: string): (id: string) => DatedDocument | undefined {
    if (this.#watch.isWrittenElsewhere()) this.#clear()
    const known = this.#families.get(`${space} ${family}`)
    return (id) => known?.get(id)?.document
  }

  /** See `WriteWatch`. */
  get writes(): number {
    return this.#watch.writes
  }

  /** Keeps a document that was read after `writes`, unless something was written meanwhile. */
  keep({ space, family, bytes, writes }: Reading, document: DatedDocument): void {
    if (writes !== this.#watch.writes) return
    if (this.#bytes + bytes > mostBytes) this.#clear()
    const key = `${space} ${family}`
    this.#drop(key, document.id)
    const known = this.#families.get(key)
    if (known === undefined) this.#families.set(key, new Map([[document.id, { document, bytes }]]))
    else known.set(document.id, { document, bytes })
    this.#bytes += bytes
  }

  #drop(family: string, id: string): void {
    const known = this.#families.get(family)
    const kept = known?.get(id)
    if (known === undefined || kept === undefined) return
    known.delete(id)
    this.#bytes -= kept.bytes
    if (known.size === 0) this.#families.delete(family)
  }

  #clear(): void {
    this.#families.clear()
    this.#bytes = 0
  }
}

/** Where a document is, how much memory it takes, and the writes before it was read. */
interface Reading {
  readonly space: string
  readonly family: string
  readonly bytes: number
  readonly writes: number
}
