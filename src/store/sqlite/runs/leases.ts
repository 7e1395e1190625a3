// Leases of runs: a stack has one, and each write of a run checks it in its transaction. What a run need not know to be
// durable before it goes on, its lease among it, is committed with its next write.
import { LeaseLost } from '../../../model/errors.js'
import type { Lease } from '../../../model/stacks/run.js'
import { preparedQuery } from '../file/prepared-query.js'
import type { SqliteFile } from '../file/sqlite-file.js'

/** A lease that this process took. */
interface Taken {
  readonly token: number
  /** Writes that are not committed yet. */
  pending: number
  /** Why one of them was not written: the lease writes nothing more. */
  failure?: unknown
}

export class Leases {
  readonly #file: SqliteFile
  readonly #queries: ReturnType<typeof queriesOn>
  /** By stack, while a write of the lease is pending or has failed. */
  readonly #taken = new Map<string, Taken>()

  constructor(file: SqliteFile) {
    this.#file = file
    this.#queries = queriesOn(file)
  }

  /**
   * Inside a read: the next lease of the stack. The one before ends: for this process now, for others with the first
   * write of this one. Errors: `LeaseLost`, if the stack is gone.
   */
  take(stack: string): Lease {
    const row = this.#file.get(this.#queries.newest({ stack }))
    if (row === undefined) throw stackGone()
    const before = this.#newest(stack, row.token ?? 0)
    const lease = { stack, token: before + 1 }
    const taken = { token: lease.token, pending: 0 }
    this.#taken.set(stack, taken)
    void this.#queue(lease, taken, () => this.#store(lease, before))
    return lease
  }

  /** One transaction of the lease; durable when it resolves. `isEnded`: the run of the lease may have ended. */
  write<T>(lease: Lease, work: () => T, { isEnded = false } = {}): Promise<T> {
    return this.#file.write(() => {
      this.#check(lease, isEnded)
      return work()
    })
  }

  /**
   * One transaction with the next write of the lease, which fails if this one does; durable when it resolves. Throws
   * `LeaseLost`.
   */
  writeLater(lease: Lease, work: () => void): Promise<void> {
    this.#refuseLost(lease)
    const taken = this.#taken.get(lease.stack) ?? { token: lease.token, pending: 0 }
    this.#taken.set(lease.stack, taken)
    return this.#queue(lease, taken, () => {
      this.#check(lease, false)
      work()
    })
  }

  /** Commits what waits, and lets the lease write again after a failure. Errors: the failure. */
  async flush({ stack, token }: Lease): Promise<void> {
    const taken = this.#taken.get(stack)
    if (taken?.token !== token) return
    try {
      await this.settled(stack)
    } finally {
      if (this.#taken.get(stack) === taken) this.#taken.delete(stack)
    }
    if (taken.failure !== undefined) throw taken.failure
  }

  /** Resolves when all that was written for the stack is committed, or has failed. */
  async settled(stack: string): Promise<void> {
    if ((this.#taken.get(stack)?.pending ?? 0) > 0) await this.#file.write(() => {})
  }

  #queue({ stack }: Lease, taken: Taken, work: () => void): Promise<void> {
    const fail = (error: unknown): void => void (taken.failure ??= error)
    const end = (): void => {
      taken.pending--
      const isOver = taken.pending === 0 && taken.failure === undefined
      if (isOver && this.#taken.get(stack) === taken) this.#taken.delete(stack)
    }
    taken.pending++
    const written = this.#file.writeLater(() => {
      try {
        work()
      } catch (error) {
        fail(error) // writes of the same commit must not go through without this one
        throw error
      }
    })
    void written.catch(fail).finally(end)
    return written
  }

  /** Inside a transaction. Errors: `LeaseLost`, if another process took a lease since this one was given. */
  #store({ stack, token }: Lease, before: number): void {
    const row = this.#file.get(this.#queries.newest({ stack }))
    if (row === undefined) throw stackGone()
    if ((row.token ?? 0) !== before) throw leaseLost()
    this.#file.run(this.#queries.store({ stack, token }))
  }

  /** Inside a transaction. Errors: `LeaseLost`, if the stack has a newer lease, or the run of the lease has ended. */
  #check(lease: Lease, isEnded: boolean): void {
    const { stack, token, run } = lease
    const taken = this.#taken.get(stack)
    if (taken?.token === token && taken.failure !== undefined) throw taken.failure
    const row = this.#file.get(this.#queries.holder({ stack, run: Number(run ?? 0) }))
    if (row === undefined) throw stackGone()
    if (row.token !== token) throw leaseLost()
    if (run === undefined || isEnded) return
    if (row.run === null || row.outcome !== null)
      throw new LeaseLost(`Run ${run} is finished and may not write.`, { code: 'store/run-finished' })
  }

  /** Errors: `LeaseLost`, if the lease or its run is known to have ended. */
  #refuseLost(lease: Lease): void {
    const taken = this.#taken.get(lease.stack)
    if (taken === undefined) return this.#check(lease, false)
    if (taken.token !== lease.token) throw leaseLost()
  }

  #newest(stack: string, stored: number): number {
    const taken = this.#taken.get(stack)
    return taken === undefined || taken.failure !== undefined ? stored : Math.max(stored, taken.token)
  }
}

function stackGone(): LeaseLost {
  return new LeaseLost('The stack was deleted in the meantime.', { code: 'store/stack-gone' })
}

function leaseLost(): LeaseLost {
  return new LeaseLost('Another process or a later run writes this stack now.', { code: 'store/lease-lost' })
}

/** Each step of a run asks them. */
function queriesOn({ build }: SqliteFile) {
  return {
    newest: preparedQuery(({ stack }: Pick<Lease, 'stack'>) =>
      build
        .selectFrom('stacks')
        .leftJoin('leases', 'leases.stack', 'stacks.id')
        .select('leases.token')
        .where('stacks.id', '=', stack),
    ),
    store: preparedQuery(({ stack, token }: Pick<Lease, 'stack' | 'token'>) =>
      build
        .insertInto('leases')
        .values({ stack, token })
        .onConflict((conflict) => conflict.column('stack').doUpdateSet({ token })),
    ),
    /** The newest lease and this run of the stack. */
    holder: preparedQuery(({ stack, run }: { readonly stack: string; readonly run: number }) =>
      build
        .selectFrom('stacks')
        .leftJoin('leases', 'leases.stack', 'stacks.id')
        .leftJoin('runs', (join) => join.on('runs.id', '=', run).onRef('runs.stack', '=', 'stacks.id'))
        .select(['leases.token', 'runs.id as run', 'runs.outcome'])
        .where('stacks.id', '=', stack),
    ),
  }
}
