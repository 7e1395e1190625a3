import { sql } from 'kysely'
import { LeaseLost } from '../../../model/errors.js'
import type { Lease } from '../../../model/stacks/run.js'
import { preparedQuery } from '../file/prepared-query.js'
import type { SqliteFile } from '../file/sqlite-file.js'

/** Leases of runs: a stack has one, and each write of a run checks it in its transaction. */
export class Leases {
  readonly #file: SqliteFile
  readonly #queries: ReturnType<typeof queriesOn>

  constructor(file: SqliteFile) {
    this.#file = file
    this.#queries = queriesOn(file)
  }

  /** Inside a transaction: the next lease of the stack; the one before ends. Errors: `LeaseLost`, if it is gone. */
  take(stack: string): Lease {
    const row = this.#file.get(
      sql<{ readonly token: number }>`
        insert into leases select id, 1 from stacks where id = ${stack}
        on conflict (stack) do update set token = token + 1 returning token`,
    )
    if (row === undefined) throw stackGone()
    return { stack, token: row.token }
  }

  /** Inside a transaction. Errors: `LeaseLost`, if the stack has a newer lease. */
  check({ stack, token }: Lease): void {
    const row = this.#file.get(this.#queries.held({ stack }))
    if (row === undefined) throw stackGone()
    if (row.token !== token)
      throw new LeaseLost('Another process or a later run writes this stack now.', { code: 'store/lease-lost' })
  }

  /** Inside a transaction. Errors: `LeaseLost`, if the stack has a newer lease, or the run of the lease is finished. */
  checkUnfinished(lease: Lease): void {
    this.check(lease)
    if (lease.run === undefined) return
    const row = this.#file.get(this.#queries.run({ run: Number(lease.run), stack: lease.stack }))
    if (row?.outcome !== null)
      throw new LeaseLost(`Run ${lease.run} is finished and may not write.`, { code: 'store/run-finished' })
  }
}

function stackGone(): LeaseLost {
  return new LeaseLost('The stack was deleted in the meantime.', { code: 'store/stack-gone' })
}

/** Each step of a run asks them. */
function queriesOn({ build }: SqliteFile) {
  return {
    held: preparedQuery(({ stack }: Pick<Lease, 'stack'>) =>
      build.selectFrom('leases').select('token').where('stack', '=', stack),
    ),
    run: preparedQuery(({ run, stack }: { readonly run: number; readonly stack: string }) =>
      build.selectFrom('runs').select('outcome').where('id', '=', run).where('stack', '=', stack),
    ),
  }
}
