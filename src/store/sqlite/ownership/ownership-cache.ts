import type Database from 'better-sqlite3'
import { LRUCache } from 'lru-cache'
import type { Address } from '../../../model/address.js'
import type { Owned } from '../../../model/resources/resource.js'
import { WriteWatch } from '../file/write-watch.js'

type Ownership = ReadonlyMap<Address, Owned>

/** The approximate memory of all that is kept. */
const mostBytes = 16 * 1024 * 1024

/** What stacks own, as long as nothing writes it: most plans find that nothing changed since the one before. */
export class OwnershipCache {
  readonly #stacks = new LRUCache<string, Ownership>({ maxSize: mostBytes })
  readonly #watch: WriteWatch

  constructor(database: Database.Database) {
    const rows = { table: 'owned', columns: ['stack'] }
    this.#watch = new WriteWatch(database, rows, (stack) => this.#stacks.delete(stack))
  }

  /** `read`: reads what the stack owns, and says how much memory it takes. */
  async of(
    stack: string,
    read: () => Promise<{ readonly owned: Ownership; readonly bytes: number }>,
  ): Promise<Ownership> {
    if (this.#watch.isWrittenElsewhere()) this.#stacks.clear()
    const known = this.#stacks.get(stack)
    if (known !== undefined) return known
    const { writes } = this.#watch
    const { owned, bytes } = await read()
    if (this.#watch.writes === writes) this.#stacks.set(stack, owned, { size: bytes + 1 })
    return owned
  }
}
