// Finds damage of the schema that SQLite does not notice: a flipped bit in the name of a column.
import type Database from 'better-sqlite3'
import { migrations } from './migrations.js'

/** The columns of each table of this version, as the migrations make them. Computing them would take 80 ms. */
export const tableColumns: Readonly<Record<string, string>> = {
  stacks:
    'id name target spec managed_by created_at suspended pinned observed attempted applied consent checked_at ' +
    'drifted failure retries retry_at drifted_since unhealthy unhealthy_since',
  runs:
    'id stack revision revision_hashes attempted cause intent expects phase outcome plan changes problems ' +
    'files event_resources event created_at started_at finished_at fetching_at applying_at undoing_at ' +
    'settings',
  owned: 'seq stack address target family kind identity applied needs part_of adopted shared changed_run changed',
  journal: 'id stack run change state before trace identity owned_before',
  event_resources: 'digest resources',
  packages: 'digest files',
  blobs: 'id bytes',
  channels: 'remote ref commit_id object_id seen_at tag move released pin',
  moves:
    'id remote ref from_object from_commit to_object to_commit seen_at detected_by from_tag to_tag name state ' +
    'blocked_by until facts released_at decision direction',
  documents: 'space family id key state created_at updated_at',
  links: 'space family id target_id',
  plans: 'digest body',
  database_events: 'id at code message',
  pushes: 'stack digest pushed_by pushed_at sources',
  deliveries: 'id hook at key digest event remotes changes result message runs took_ms',
  decisions: 'id remote ref kind move commit_id decided_by why at',
  recorded: 'database seq',
  overrides: 'id stack at done_by what why overrode',
  policies: 'id declared',
  fleets: 'name spec managed_by declared created_at listing',
  leases: 'stack token',
  stack_reports: 'stack report',
  messages: 'id key receiver kind subject state content counts created_at due_at attempts ended_at status error',
  transitions: 'seq message transition',
  sessions: 'digest token name created_at used_at',
  drift: 'stack checked_at changes',
  run_settings: 'digest spec',
  deleted_stacks: 'seq id name target deleted_at deleted_by runs',
}

/**
 * The first column that a database of this version lacks; undefined: none. SQLite itself notices damaged names of
 * tables and indexes. Other versions are not checked. More tables are no damage: a backup has its label.
 */
export function schemaDamage(
  database: Database.Database,
  found: ReadonlySet<string> = storedColumns(database),
): string | undefined {
  if (database.pragma('user_version', { simple: true }) !== migrations.length) return undefined
  for (const [table, columns] of Object.entries(tableColumns))
    for (const column of columns.split(' '))
      if (!found.has(`${table} ${column}`)) return `table ${table} has no column ${column}`
  return undefined
}

/** The columns of all tables of a database: `stacks id`. */
export function storedColumns(database: Database.Database): ReadonlySet<string> {
  const query =
    "select s.name || ' ' || c.name from sqlite_schema as s join pragma_table_info(s.name) as c where s.type = 'table'"
  return new Set(database.prepare(query).pluck().all() as string[])
}
