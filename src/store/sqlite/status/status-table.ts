// The roster: of every stack one narrow row of what lists filter and sort by, so that a page of many stacks reads no
// more than that page. Triggers keep it, whoever writes. It says in SQL what stacks/status.ts says of one stack; a test
// holds both against each other.

/**
 * What two equal revisions have in common: it is written with each. Of rows of version 1, which know one source only,
 * what follows the last '@'.
 */
function statesOf(column: string): string {
  const revision = `json_extract(${column}, '$.revision')`
  return `coalesce(json_extract(${column}, '$.states'), substr(${revision}, length(rtrim(${revision}, replace(${revision}, '@', ''))) + 1))`
}

const observed = `json_extract(s.observed, '$.revision')`
const isHeld = `r.outcome is 'held' and json_extract(s.failure, '$.reason') is not 'Cancelled'`

const columns: Readonly<Record<string, string>> = {
  stack: 's.id',
  name: 's.name',
  target: `json_extract(s.spec, '$.target')`,
  managed_by: 's.managed_by',
  created_at: 's.created_at',
  suspended: 's.suspended is not null',
  failing: 's.failure is not null',
  sync: `case when coalesce(${observed}, '') = '' then 'Unknown' when s.applied is null or ${statesOf('s.applied')} <> ${statesOf('s.observed')} then 'OutOfSync'
    when s.drifted > 0 then 'Drifted' when s.checked_at is null then 'Unknown' else 'Synced' end`,
  health: `case when s.failure is not null then 'Degraded' when r.id is not null and r.outcome is null and s.suspended is null then 'Progressing'
    when s.applied is null then iif(s.observed is null, 'Unknown', 'Missing') when s.drifted > 0 then 'Degraded' when s.checked_at is null then 'Unknown' else 'Healthy' end`,
  phase: `case when r.id is null or (r.phase = 'held' and not (${isHeld})) then 'done' else r.phase end`,
  needs_person: `(${isHeld}) or coalesce(json_extract(s.failure, '$.retry'), 'soon') <> 'soon'`,
  last_run: 'coalesce(r.id, 0)',
  unfinished: 'r.id is not null and r.outcome is null',
}

const names = Object.keys(columns)

/** Writes the row of a stack anew; of one that is gone, nothing. */
function enrol(stack: string): string {
  return `insert into roster (${names.join(', ')})
    select ${Object.values(columns).join(', ')}
    from stacks s left join runs r on r.id = (select max(id) from runs where stack = s.id and intent <> 'record') where s.id ${stack}
    on conflict (stack) do update set ${names.map((name) => `${name} = excluded.${name}`).join(', ')};`
}

const triggers = `
  create trigger roster_stack_added after insert on stacks begin ${enrol('= new.id')} end;
  create trigger roster_stack_changed after update on stacks begin ${enrol('= new.id')} end;
  create trigger roster_run_added after insert on runs begin ${enrol('= new.stack')} end;
  create trigger roster_run_changed after update of phase, outcome on runs begin ${enrol('= new.stack')} end;
  create trigger roster_run_forgotten after delete on runs begin ${enrol('= old.stack')} end;
`
const triggerNames = [...triggers.matchAll(/create trigger (\w+)/g)].map(([, name]) => name)

/** The table and its triggers, and a row for every stack there is. */
export const rosterMigration = `
  create table roster (
    stack text primary key references stacks(id) on delete cascade, name text not null, target text not null, managed_by text not null,
    created_at integer not null, suspended integer not null, failing integer not null, sync text not null, health text not null, phase text not null,
    needs_person integer not null, last_run integer not null, unfinished integer not null
  ) strict, without rowid;
  create index roster_name on roster(name);
  ${triggers}
  ${enrol('is not null')}
`

/** Every row as this version says it. */
export const rosterRewritten = `
  ${triggerNames.map((name) => `drop trigger ${name};`).join('\n  ')}
  ${triggers}
  ${enrol('is not null')}
`
