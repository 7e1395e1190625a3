// The status table has one narrow row for each stack, with what lists filter and sort by, so a page of stacks reads no
// more than that page. src/status computes the rows when a stack or one of its runs changes. The table is in memory and
// is computed again at each start, so it always follows the rules of this version, no matter what wrote the file.
import type Database from 'better-sqlite3'
import { countProblems } from '../../../model/problem.js'
import type { Phase, Run } from '../../../model/stacks/run.js'
import { revisionHashes, sameRevision } from '../../../model/sources/revision.js'
import { sourceLocations, sourcePath, type SourceSpec } from '../../../model/sources/source-spec.js'
import { awaitsPackage, isUndeclared, type Stack } from '../../../model/stacks/stack.js'
import { currentFailure, isCancelled, needsPerson, runPhase, stackHealth, syncState } from '../../../status/axes.js'
import { hasMissingSecrets, runWarnings } from '../../../status/run-warnings.js'
import { stateOf } from '../../../status/status.js'
import { toStack, type StoredStack } from '../tables/rows.js'

const columns = (
  'stack name target managed_by created_at suspended pinned undeclared failing cancelled ' +
  'awaits_package sync health phase state needs_person last_run unfinished secret_missing warnings labels ' +
  'behind_since sources package applied'
).split(' ')

const schema = `
  create temp table stack_status (
    stack text primary key, name text not null, target text not null, managed_by text not null,
    created_at integer not null, suspended integer not null, pinned integer not null, undeclared integer not null,
    failing integer not null, cancelled integer not null, awaits_package integer not null, sync text not null, health text not null,
    phase text not null, state text not null, needs_person integer not null, last_run integer not null,
    unfinished integer not null, secret_missing integer not null, warnings integer not null,
    labels text not null, behind_since integer not null, sources text not null,
    package text not null, applied text not null
  ) strict, without rowid;
  create index temp.stack_status_name on stack_status(name);
  create index temp.stack_status_created_at on stack_status(created_at, name);
  create index temp.stack_status_last_run on stack_status(last_run, name);
  create temp table changed_stacks (stack text primary key) strict, without rowid;
  create temp trigger status_stack_added after insert on main.stacks
    begin insert or ignore into changed_stacks values (new.id); end;
  create temp trigger status_stack_changed after update on main.stacks
    begin insert or ignore into changed_stacks values (new.id); end;
  create temp trigger status_stack_deleted after delete on main.stacks
    begin delete from stack_status where stack = old.id; end;
  create temp trigger status_run_added after insert on main.runs
    begin insert or ignore into changed_stacks values (new.stack); end;
  create temp trigger status_run_changed after update of phase, outcome, revision_hashes on main.runs
    begin insert or ignore into changed_stacks values (new.stack); end;
  create temp trigger status_run_deleted after delete on main.runs
    begin insert or ignore into changed_stacks values (old.stack); end;
`

// Cross joins begin with the changed stacks, which are few. SQLite has no statistics of them and would scan every run.
const changedStacks = 'select s.*, null as pushed from changed_stacks c cross join stacks s on s.id = c.stack'

/** The newest run of each changed stack that is not a change of ownership alone. */
const lastRuns = `
  select r.stack, r.id, r.phase, r.outcome, r.problems from changed_stacks c cross join runs r on r.id = (
    select o.id from runs o where o.stack = c.stack and o.intent <> 'ownership' order by o.id desc limit 1
  )`

/** When the first run of the newest series of runs at a revision was queued. null: there is none. */
const firstOfTheLast = `
  select min(r.created_at) from runs r where r.stack = @stack and r.revision_hashes = @hashes and r.id > coalesce((
    select p.id from runs p where p.stack = @stack and p.revision_hashes not in (@hashes, '') order by p.id desc limit 1
  ), 0)`

const write = `
  insert into stack_status (${columns.join(', ')}) values (${columns.map((column) => `@${column}`).join(', ')})
  on conflict (stack) do update set ${columns.map((column) => `${column} = excluded.${column}`).join(', ')}`

interface LastRun extends Pick<Run, 'outcome'> {
  readonly stack: string
  readonly id: number
  readonly phase: Phase
  /** JSON. */
  readonly problems: string
}

/**
 * Fills the table of this connection. The result updates the rows of changed stacks; to be called in each transaction.
 */
export function keepStatusTable(database: Database.Database): () => void {
  database.pragma('temp_store = memory')
  database.exec(schema)
  database.exec('insert into changed_stacks select id from stacks')
  const readStacks = database.prepare(changedStacks)
  const readRuns = database.prepare(lastRuns)
  const writeRow = database.prepare(write)
  const clear = database.prepare('delete from changed_stacks')
  const anyChanged = database.prepare('select 1 from changed_stacks limit 1')
  const readFirst = database.prepare(firstOfTheLast).pluck()
  const known = new Map<string, { readonly hashes: string; readonly since: number }>()
  const behindSince = ({ id, pinned, observed, applied }: Stack): number => {
    const desired = pinned?.revision ?? observed?.revision ?? ''
    const isApplied = desired === '' || sameRevision(applied?.revision, desired)
    const hashes = revisionHashes(desired)
    const before = known.get(id)
    if (!isApplied && before?.hashes === hashes) return before.since
    const since = isApplied ? null : (readFirst.get({ stack: id, hashes }) as number | null)
    if (since === null) known.delete(id)
    else known.set(id, { hashes, since })
    return since ?? 0
  }
  const update = (): void => {
    if (anyChanged.get() === undefined) return
    const last = new Map((readRuns.all() as LastRun[]).map((run) => [run.stack, run]))
    for (const row of readStacks.all() as StoredStack[]) {
      const stack = toStack(row)
      writeRow.run({ ...statusRow(stack, last.get(row.id)), behind_since: behindSince(stack) })
    }
    clear.run()
  }
  database.transaction(update)()
  return update
}

function statusRow(stack: Stack, lastRow: LastRun | undefined): Readonly<Record<string, string | number>> {
  const last = lastRow && { ...lastRow, problems: JSON.parse(lastRow.problems) as Run['problems'] }
  const input = { stack, last, blockers: [], blockedMoves: [], unreadableInputs: [] }
  return {
    stack: stack.id,
    name: stack.spec.name,
    target: stack.spec.target,
    managed_by: stack.managedBy,
    created_at: stack.createdAt,
    suspended: Number(stack.suspended !== null),
    pinned: Number(stack.pinned !== null),
    undeclared: Number(isUndeclared(stack)),
    failing: Number(currentFailure(input) !== undefined),
    cancelled: Number(isCancelled(input)),
    awaits_package: Number(awaitsPackage(stack)),
    sync: syncState(input),
    health: stackHealth(input),
    phase: runPhase(input),
    state: stateOf(input),
    needs_person: Number(needsPerson(input)),
    last_run: last?.id ?? 0,
    unfinished: Number(last !== undefined && last.outcome === null),
    secret_missing: Number(hasMissingSecrets(last)),
    warnings: countProblems(runWarnings(last)),
    labels: JSON.stringify(stack.spec.labels),
    sources: JSON.stringify(stack.spec.sources.map(sourceKey)),
    package: sourceLocations(stack.spec),
    applied: stack.applied?.revision ?? '',
  }
}

/** What filters compare of a source. `url`: null for other sources than git. */
function sourceKey(source: SourceSpec): readonly [path: string, url: string | null, ref: string | null] {
  return [
    sourcePath(source),
    ...(source.kind === 'git' ? ([source.url, source.ref] as const) : ([null, null] as const)),
  ]
}
