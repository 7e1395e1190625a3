import { sql } from 'kysely'
import type { Lease, WindowOverride } from '../../model/stacks/run.js'
import type { OverrideTable } from '../override-table.js'
import type { SqliteFile } from './file/sqlite-file.js'
import type { Leases } from './runs/leases.js'

/** Overrides kept for each stack. */
const overridesKept = 100

export class SqliteOverrides implements OverrideTable {
  readonly #file: SqliteFile
  readonly #leases: Leases

  constructor(file: SqliteFile, leases: Leases) {
    this.#file = file
    this.#leases = leases
  }

  add(
    { at, by, what, why }: Omit<WindowOverride, 'overrode'>,
    stacks: Parameters<OverrideTable['add']>[1],
    lease?: Lease,
  ): Promise<void> {
    const add = (): void => {
      for (const { stack, past } of stacks) {
        this.#file.run(
          this.#file.build.insertInto('overrides').values({ stack, at, done_by: by, what, why, overrode: past }),
        )
        this.#prune(stack)
      }
    }
    return lease === undefined ? this.#file.write(add) : this.#leases.write(lease, add)
  }

  list(stack: string, limit: number): Promise<readonly WindowOverride[]> {
    const query = this.#file.build
      .selectFrom('overrides')
      .select(['at', 'done_by as by', 'what', 'why', 'overrode'])
      .where('stack', '=', stack)
      .orderBy('id', 'desc')
      .limit(limit)
    return this.#file.read(() => this.#file.all(query))
  }

  #prune(stack: string): void {
    const oldest = sql<number>`(
      select id from overrides where stack = ${stack} order by id desc limit 1 offset ${overridesKept})`
    this.#file.run(this.#file.build.deleteFrom('overrides').where('stack', '=', stack).where('id', '<=', oldest))
  }
}
