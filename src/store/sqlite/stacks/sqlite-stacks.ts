import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { chunks } from '../../../lib/chunks.js'
import type { Clock } from '../../../lib/clock.js'
import type { DeletedStack, StackDeletion } from '../../../model/stacks/deleted-stack.js'
import { familyOf } from '../../../model/address.js'
import type { Lease, Run } from '../../../model/stacks/run.js'
import type { Stack, StackSpec } from '../../../model/stacks/stack.js'
import {
  nameTaken,
  type NewSettings,
  type NewStack,
  type OwnershipChange,
  type RecordedChange,
  type SelectedStacks,
  type StackChange,
  type StackCheck,
  type StackQuery,
  type StackTable,
  type StackWithRuns,
  type StoredDrift,
} from '../../stack-table.js'
import type { PageRequest } from '../../page-request.js'
import { findDeleted, keepDeleted, listDeletions } from './deleted-stacks.js'
import { adoptResources, changeOwnership, insertCreation } from './change-ownership.js'
import { readDrift } from './drift-rows.js'
import { changeStack, checkStack, stackRows } from './stack-rows.js'
import type { OwnedRows } from '../ownership/owned-rows.js'
import { toRun, toStack } from '../tables/rows.js'
import { countStacks, cursorOf, selectStacks } from '../status/select-stacks.js'
import { listed, preparedQuery } from '../file/prepared-query.js'
import type { SqliteFile } from '../file/sqlite-file.js'
import type { Leases } from '../runs/leases.js'
import { runQueries } from '../runs/run-queries.js'
import { insertEndedRun, insertRun, runRows } from '../runs/run-rows.js'

interface StackRows {
  readonly owned: OwnedRows
  readonly leases: Leases
}

export class SqliteStacks implements StackTable {
  readonly #file: SqliteFile
  readonly #owned: OwnedRows
  readonly #leases: Leases
  readonly #clock: Clock

  constructor(file: SqliteFile, { owned, leases }: StackRows, clock: Clock) {
    this.#file = file
    this.#owned = owned
    this.#leases = leases
    this.#clock = clock
  }

  create(
    spec: StackSpec,
    { managedBy, target, cause, id = randomBytes(8).toString('hex'), quietly, own = [], suspended }: NewStack,
  ): Promise<{ readonly stack: Stack; readonly run: Run }> {
    return this.#file.write(() => {
      if (this.#find(spec.name) !== undefined) throw nameTaken(spec.name)
      const now = this.#clock.now()
      const row = {
        id,
        name: spec.name,
        target,
        spec: JSON.stringify(spec),
        managed_by: managedBy,
        created_at: now,
        drifted: 0,
        retries: 0,
        suspended: suspended === undefined ? null : JSON.stringify(suspended),
      }
      this.#file.run(this.#file.build.insertInto('stacks').values(row))
      const run =
        quietly === true
          ? insertCreation(this.#file, id, cause, now)
          : insertRun(this.#file, { stack: id, revision: '', cause }, now)
      adoptResources(this.#owned, id, own, { run, now })
      return { stack: this.#find(id)!, run }
    })
  }

  changeOwnership(amendment: OwnershipChange, check?: StackCheck): Promise<Run> {
    return this.#file.write(() => {
      checkStack(this.#file, amendment.stack, check)
      return changeOwnership(this.#file, this.#owned, amendment, this.#clock.now())
    })
  }

  get(name: string): Promise<Stack | undefined> {
    return this.#file.read(() => this.#find(name))
  }

  drift(id: string): Promise<StoredDrift | undefined> {
    return this.#file.read(() => readDrift(this.#file, id))
  }

  names(limit: number): Promise<readonly string[]> {
    const query = this.#file.build.selectFrom('stacks').select('name').orderBy('name').limit(limit)
    return this.#file.read(() => this.#file.all(query).map(({ name }) => name))
  }

  withRuns(name: string): Promise<StackWithRuns | undefined> {
    return this.#file.read(() => {
      const stack = this.#find(name)
      if (stack === undefined) return undefined
      const runs = this.#file.all(runQueries.current({ stack: stack.id })).map(toRun)
      return {
        stack,
        last: runs.findLast(({ intent }) => intent !== 'ownership'),
        unfinished: runs.filter(({ outcome }) => outcome === null),
      }
    })
  }

  async many(ids: readonly string[]): Promise<readonly Stack[]> {
    const found: Stack[] = []
    for (const some of chunks(ids)) {
      const query = queries.many({ ids: JSON.stringify(some) })
      for (const row of await this.#file.read(() => this.#file.all(query))) found.push(toStack(row))
    }
    return found
  }

  list({ limit, after = '' }: PageRequest): Promise<readonly Stack[]> {
    const query = stackRows().where('name', '>', after).orderBy('name').limit(limit)
    return this.#file.read(() => this.#file.all(query).map(toStack))
  }

  select(query: StackQuery): Promise<SelectedStacks> {
    return this.#file.read(() => {
      const positions = selectStacks(this.#file, query)
      const stacks = this.#byId(positions.map(({ stack }) => stack))
      const runs = this.#runsById(positions.map(({ lastRun }) => lastRun))
      const found = positions.map((position) => ({
        stack: stacks.get(position.stack)!,
        last: runs.get(position.lastRun),
        behindSince: position.behindSince,
        cursor: cursorOf(position),
      }))
      const next = positions.length < query.limit ? null : found.at(-1)!.cursor
      return { found, next, total: query.counted === true ? countStacks(this.#file, query) : null }
    })
  }

  gitUrls(ref: string): Promise<readonly string[]> {
    const query = sql<{ readonly url: string }>`
      select distinct value ->> 1 as url from stack_status, json_each(sources) where value ->> 2 = ${ref}`
    return this.#file.read(() => this.#file.all(query).map(({ url }) => url))
  }

  change(of: string | Lease, { cause, ...change }: RecordedChange, check?: StackCheck): Promise<void> {
    const id = typeof of === 'string' ? of : of.stack
    const write = (): void => {
      checkStack(this.#file, id, check)
      const now = this.#clock.now()
      changeStack(this.#file, id, change, now)
      if (cause !== undefined) insertEndedRun(this.#file, { stack: id, cause }, now)
    }
    return typeof of === 'string' ? this.#file.write(write) : this.#leases.write(of, write, { isEnded: true })
  }

  changeSoon(id: string, change: StackChange): Promise<void> {
    return this.#file.writeSoon(() => changeStack(this.#file, id, change, this.#clock.now()))
  }

  changeSettings(id: string, { cause, ...change }: NewSettings, check?: StackCheck): Promise<Run> {
    return this.#file.write(() => {
      checkStack(this.#file, id, check)
      changeStack(this.#file, id, change, this.#clock.now())
      const revision = this.#find(id)?.pinned?.revision ?? ''
      return insertRun(this.#file, { stack: id, revision, cause }, this.#clock.now())
    })
  }

  delete(id: string, check?: StackCheck, by = 'gitmoor'): Promise<void> {
    return this.#file.write(() => {
      checkStack(this.#file, id, check)
      const stack = this.#file.get(this.#file.build.selectFrom('stacks').select('target').where('id', '=', id))
      if (stack === undefined) return
      const owned = this.#owned.summaries(id).filter(({ shared }) => shared !== true)
      keepDeleted(this.#file, id, { by, at: this.#clock.now() })
      this.#file.run(this.#file.build.deleteFrom('stacks').where('id', '=', id))
      this.#owned.passOn(
        stack.target,
        owned.map(({ address, identity }) => ({ family: familyOf(address), identity })),
      )
    })
  }

  deleted(name: string): Promise<DeletedStack | undefined> {
    return this.#file.read(() => findDeleted(this.#file, name))
  }

  deletions(page: PageRequest): Promise<readonly StackDeletion[]> {
    return this.#file.read(() => listDeletions(this.#file, page))
  }

  unsettled(): Promise<readonly string[]> {
    const query = this.#file.build.selectFrom('journal').select('stack').distinct()
    return this.#file.read(() => this.#file.all(query).map(({ stack }) => stack))
  }

  boundSystems(): Promise<ReadonlyMap<string, string>> {
    const query = sql<{ readonly name: string; readonly system: string }>`
      select distinct json_extract(spec, '$.target') as name, target as system from stacks`
    return this.#file.read(() => new Map(this.#file.all(query).map(({ name, system }) => [name, system])))
  }

  countByTarget(): Promise<ReadonlyMap<string, number>> {
    const query = sql<{ readonly target: string; readonly stacks: number }>`
      select target, count(*) as stacks from stack_status group by target`
    return this.#file.read(() => new Map(this.#file.all(query).map(({ target, stacks }) => [target, stacks])))
  }

  #byId(ids: readonly string[]): ReadonlyMap<string, Stack> {
    const rows = this.#file.all(queries.many({ ids: JSON.stringify(ids) }))
    return new Map(rows.map((row) => [row.id, toStack(row)]))
  }

  #runsById(ids: readonly number[]): ReadonlyMap<number, Run> {
    const rows = this.#file.all(queries.runs({ ids: JSON.stringify(ids) }))
    return new Map(rows.map((row) => [row.id, toRun(row)]))
  }

  #find(name: string): Stack | undefined {
    const row = this.#file.get(queries.found({ name }))
    return row && toStack(row)
  }
}

/** The queries of each step of a worker. */
const queries = {
  found: preparedQuery(({ name }: { readonly name: string }) => {
    const id = sql<string>`coalesce((select id from stacks where name = ${name}), ${name})`
    return stackRows().where('id', '=', id)
  }),
  many: preparedQuery(({ ids }: { readonly ids: string }) => stackRows().where('id', 'in', listed<string>(ids))),
  runs: preparedQuery(({ ids }: { readonly ids: string }) => runRows().where('id', 'in', listed<number>(ids))),
}
