import { idBefore } from './tables/id-before.js'
import { createHash } from 'node:crypto'
import { testKeyPrefix, type Delivery, type DeliveryResult, type RefChange } from '../../model/agent/delivery.js'
import type { Clock } from '../../lib/clock.js'
import type { PageRequest } from '../page-request.js'
import type { DeliveryTable, NewDelivery } from '../delivery-table.js'
import type { SqliteFile } from './file/sqlite-file.js'
import type { Tables } from './tables/tables.js'

const dayMs = 86_400_000
/** Deliveries kept for each webhook. `ofOneDay`: of the last day, so that repeated ones are recognized. */
export const deliveriesKept = { count: 1_000, ofOneDay: 10_000, days: 30 }

export class SqliteDeliveries implements DeliveryTable {
  readonly #file: SqliteFile
  readonly #clock: Clock

  constructor(file: SqliteFile, clock: Clock) {
    this.#file = file
    this.#clock = clock
  }

  add(delivery: NewDelivery, body?: Uint8Array): Promise<{ readonly delivery: Delivery; readonly repeated: boolean }> {
    const digest = delivery.key === '' || body === undefined ? null : deliveryDigest(delivery, body)
    return this.#file.write(() => {
      const first = digest === null ? undefined : this.#lately(delivery.hook, digest)
      if (first !== undefined) return { delivery: toDelivery(first), repeated: true }
      const row = { ...toRow(delivery), digest }
      const { id } = this.#file.run(this.#file.build.insertInto('deliveries').values(row))
      this.#prune(delivery.hook)
      return { delivery: { ...delivery, id: String(id) }, repeated: false }
    })
  }

  finish(
    id: string,
    { result, message, runs, tookMs }: Pick<Delivery, 'result' | 'message' | 'runs' | 'tookMs'>,
  ): Promise<void> {
    const set = { result, message, runs: JSON.stringify(runs), took_ms: tookMs }
    return this.#file.write(
      () => void this.#file.run(this.#file.build.updateTable('deliveries').set(set).where('id', '=', Number(id))),
    )
  }

  get(id: string): Promise<Delivery | undefined> {
    if (!/^[1-9]\d{0,14}$/.test(id)) return Promise.resolve(undefined)
    const query = this.#file.build.selectFrom('deliveries').selectAll().where('id', '=', Number(id))
    return this.#file.read(() => {
      const row = this.#file.get(query)
      return row && toDelivery(row)
    })
  }

  async list(hook: string | undefined, { limit, after }: PageRequest): Promise<readonly Delivery[]> {
    const before = idBefore(after)
    const all = this.#file.build
      .selectFrom('deliveries')
      .selectAll()
      .where('id', '<', before)
      .orderBy('id', 'desc')
      .limit(limit)
    const query = hook === undefined ? all : all.where('hook', '=', hook)
    return this.#file.read(() => this.#file.all(query).map(toDelivery))
  }

  last(hook: string): Promise<Delivery | undefined> {
    const sent = this.#file.build
      .selectFrom('deliveries')
      .selectAll()
      .where('hook', '=', hook)
      .where('key', 'not like', `${testKeyPrefix}%`)
      .where((where) => where.or([where('result', 'is', null), where('result', '!=', 'refused')]))
    return this.#file.read(() => {
      const row = this.#file.get(sent.orderBy('id', 'desc').limit(1))
      return row && toDelivery(row)
    })
  }

  /** The first equal delivery within the last day. */
  #lately(hook: string, digest: string): Tables['deliveries'] | undefined {
    const query = this.#file.build
      .selectFrom('deliveries')
      .selectAll()
      .where('hook', '=', hook)
      .where('digest', '=', digest)
    return this.#file.get(
      query
        .where('at', '>', this.#clock.now() - dayMs)
        .orderBy('id')
        .limit(1),
    ) as Tables['deliveries'] | undefined
  }

  #prune(hook: string): void {
    const { count, ofOneDay, days } = deliveriesKept
    const now = this.#clock.now()
    const newest = (kept: number) =>
      this.#file.build
        .selectFrom('deliveries')
        .select('id')
        .where('hook', '=', hook)
        .orderBy('id', 'desc')
        .limit(1)
        .offset(kept)
    const old = this.#file.build.deleteFrom('deliveries').where('hook', '=', hook)
    this.#file.run(old.where('id', '<=', newest(ofOneDay)))
    this.#file.run(old.where('id', '<=', newest(count)).where('at', '<', now - dayMs))
    this.#file.run(old.where('at', '<', now - days * dayMs))
  }
}

function deliveryDigest({ key }: NewDelivery, body: Uint8Array): string {
  return createHash('sha256').update(`${key}\n`).update(body).digest('hex')
}

function toRow({
  hook,
  at,
  key,
  event,
  remotes,
  changes,
  result,
  message,
  runs,
  tookMs,
}: NewDelivery): Omit<Tables['deliveries'], 'id' | 'digest'> {
  return {
    hook,
    at,
    key,
    event,
    remotes: JSON.stringify(remotes),
    changes: JSON.stringify(changes),
    result,
    message,
    runs: JSON.stringify(runs),
    took_ms: tookMs,
  }
}

function toDelivery(row: Omit<Tables['deliveries'], 'id'> & { readonly id: unknown }): Delivery {
  return {
    id: String(row.id),
    hook: row.hook,
    at: row.at,
    key: row.key,
    event: row.event,
    remotes: JSON.parse(row.remotes) as string[],
    changes: JSON.parse(row.changes) as RefChange[],
    result: row.result as DeliveryResult | null,
    message: row.message,
    runs: JSON.parse(row.runs) as string[],
    tookMs: row.took_ms,
  }
}
