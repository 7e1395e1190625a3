// The status table has one narrow row for each stack, with what lists filter and sort by, so a page of stacks reads no
// more than that page. Triggers keep it up to date. It repeats the rules of the status functions in SQL; a test compares
// both.

/**
 * The hashes of a revision, which are equal for equal revisions. They are stored with it, but not in rows of version 1:
 * these have a single source, and the hash follows the last '@'.
 */
function hashesIn(column: string): string {
  const revision = `json_extract(${column}, '$.revision')`
  return `coalesce(json_extract(${column}, '$.states'), substr(${revision}, length(rtrim(${revision}, replace(${revision}, '@', ''))) + 1))`
}

const observed = `json_extract(s.observed, '$.revision')`
const needsApproval = `r.outcome is 'needs-approval' and json_extract(s.failure, '$.reason') is not 'Cancelled'`

const columns: Readonly<Record<string, string>> = {
  stack: 's.id',
  name: 's.name',
  target: `json_extract(s.spec, '$.target')`,
  managed_by: 's.managed_by',
  created_at: 's.created_at',
  suspended: 's.suspended is not null',
  failing: 's.failure is not null',
  sync: `case when coalesce(${observed}, '') = '' then 'Unknown' when s.applied is null or ${hashesIn('s.applied')} <> ${hashesIn('s.observed')} then 'OutOfSync'
    when s.drifted > 0 then 'Drifted' when s.checked_at is null then 'Unknown' else 'Synced' end`,
  health: `case when s.failure is not null then 'Degraded' when r.id is not null and r.outcome is null and s.suspended is null then 'Progressing'
    when s.applied is null then iif(s.observed is null, 'Unknown', 'Missing') when s.drifted > 0 then 'Degraded' when s.checked_at is null then 'Unknown' else 'Healthy' end`,
  phase: `case when r.id is null or (r.phase = 'needs-approval' and not (${needsApproval})) then 'done' else r.phase end`,
  needs_person: `(${needsApproval}) or coalesce(json_extract(s.failure, '$.retry'), 'soon') <> 'soon'`,
  last_run: 'coalesce(r.id, 0)',
  unfinished: 'r.id is not null and r.outcome is null',
}

const names = Object.keys(columns)

/** Writes the row of a stack again; nothing for a deleted stack. */
function updateRow(stack: string): string {
  return `insert into stack_status (${names.join(', ')})
    select ${Object.values(columns).join(', ')}
    from stacks s left join runs r on r.id = (select max(id) from runs where stack = s.id and intent <> 'ownership')
    where s.id ${stack}
    on conflict (stack) do update set ${names.map((name) => `${name} = excluded.${name}`).join(', ')};`
}

/** The table, its triggers, and a row for each stack. */
export const createStatusTable = `
  create table stack_status (
    stack text primary key references stacks(id) on delete cascade, name text not null, target text not null,
    managed_by text not null, created_at integer not null, suspended integer not null, failing integer not null,
    sync text not null, health text not null, phase text not null, needs_person integer not null,
    last_run integer not null, unfinished integer not null
  ) strict, without rowid;
  create index stack_status_name on stack_status(name);
  create trigger stack_status_stack_added after insert on stacks begin ${updateRow('= new.id')} end;
  create trigger stack_status_stack_changed after update on stacks begin ${updateRow('= new.id')} end;
  create trigger stack_status_run_added after insert on runs begin ${updateRow('= new.stack')} end;
  create trigger stack_status_run_changed after update of phase, outcome on runs begin ${updateRow('= new.stack')} end;
  create trigger stack_status_run_deleted after delete on runs begin ${updateRow('= old.stack')} end;
  ${updateRow('is not null')}
`
