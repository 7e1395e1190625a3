import { sql, type Selectable } from 'kysely'
import type { Clock } from '../../lib/clock.js'
import type { Fleet, FleetListing, FleetSpec } from '../../model/stacks/fleet.js'
import { fleetOf, fleetOwner } from '../../model/stacks/stack-owner.js'
import { stackDefaults } from '../../settings/stack-settings.js'
import type { FleetCheck, FleetTable } from '../fleet-table.js'
import type { PageRequest } from '../page-request.js'
import type { SqliteFile } from './file/sqlite-file.js'
import { parsed } from './tables/rows.js'
import type { Tables } from './tables/tables.js'

export class SqliteFleets implements FleetTable {
  readonly #file: SqliteFile
  readonly #clock: Clock

  constructor(file: SqliteFile, clock: Clock) {
    this.#file = file
    this.#clock = clock
  }

  get(name: string): Promise<Fleet | undefined> {
    return this.#file.read(() => this.#find(name))
  }

  list({ limit, after = '' }: PageRequest): Promise<readonly Fleet[]> {
    const query = this.#file.build.selectFrom('fleets').selectAll().where('name', '>', after)
    return this.#file.read(() => this.#file.all(query.orderBy('name').limit(limit)).map(toFleet))
  }

  put({ spec, managedBy, declared }: Parameters<FleetTable['put']>[0], check?: FleetCheck): Promise<Fleet> {
    return this.#file.write(() => {
      check?.(this.#find(spec.name))
      const row = { spec: JSON.stringify(spec), managed_by: managedBy, declared: declared ? 1 : 0 }
      const created = { ...row, name: spec.name, created_at: this.#clock.now() }
      const insert = this.#file.build.insertInto('fleets').values(created)
      this.#file.run(insert.onConflict((conflict) => conflict.column('name').doUpdateSet(row)))
      return this.#find(spec.name)!
    })
  }

  keepListing(name: string, listing: FleetListing): Promise<void> {
    const set = { listing: JSON.stringify(listing) }
    const update = this.#file.build.updateTable('fleets').set(set).where('name', '=', name)
    return this.#file.write(() => void this.#file.run(update))
  }

  delete(name: string, check?: FleetCheck): Promise<void> {
    return this.#file.write(() => {
      check?.(this.#find(name))
      const release = this.#file.build.updateTable('stacks').set({ managed_by: 'api' })
      this.#file.run(release.where('managed_by', '=', fleetOwner(name)))
      this.#file.run(this.#file.build.deleteFrom('fleets').where('name', '=', name))
    })
  }

  counts(): ReturnType<FleetTable['counts']> {
    const query = sql<{ readonly owner: string; readonly stacks: number; readonly undeclared: number }>`
      select managed_by as owner, count(*) as stacks,
        sum(json_extract(suspended, '$.by') is managed_by) as undeclared
      from stacks where managed_by like 'fleet:%' group by managed_by`
    return this.#file.read(
      () =>
        new Map(
          this.#file
            .all(query)
            .map(({ owner, stacks, undeclared }) => [fleetOf(owner)!, { stacks, undeclared }] as const),
        ),
    )
  }

  #find(name: string): Fleet | undefined {
    const row = this.#file.get(this.#file.build.selectFrom('fleets').selectAll().where('name', '=', name))
    return row && toFleet(row)
  }
}

function toFleet(row: Selectable<Tables['fleets']>): Fleet {
  return {
    spec: withDefaults(JSON.parse(row.spec) as FleetSpec),
    managedBy: row.managed_by,
    declared: row.declared === 1,
    createdAt: row.created_at,
    listing: parsed(row.listing) as FleetListing | null,
  }
}

/** An older version stored a template without the settings that are new since. */
function withDefaults(spec: FleetSpec): FleetSpec {
  if (!('targets' in spec)) return { ...spec, template: { ...stackDefaults, ...spec.template } }
  const { target: _, ...defaults } = stackDefaults
  return { ...spec, template: { ...defaults, ...spec.template } }
}
