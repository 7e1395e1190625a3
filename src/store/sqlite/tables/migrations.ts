// What each version of the database changed. Earlier migrations keep the words of their time; the last ones rename
// them.

/** Versions 4, 11 and 16 made a status table with triggers. Version 18 drops it; see `status-table.ts`. */
const noMore = ''

/** The words that version 18 renames, in tables, columns and values. Stored plans keep theirs: see `packed-plan.ts`. */
const plainWords = `
  drop trigger if exists roster_stack_added;
  drop trigger if exists roster_stack_changed;
  drop trigger if exists roster_run_added;
  drop trigger if exists roster_run_changed;
  drop trigger if exists roster_run_forgotten;
  drop table if exists roster;

  alter table runs rename column content to revision_hashes;
  alter table runs rename column record to event_resources;
  alter table records rename to event_resources;
  alter table documents rename column held to state;
  alter table moves rename column learnt to detected_by;
  alter table moves rename column why to blocked_by;
  alter table overrides rename column past to overrode;
  alter table notices rename to database_events;

  update runs set outcome = 'needs-approval' where outcome = 'held';
  update runs set phase = 'needs-approval' where phase = 'held';
  update runs set intent = 'ownership' where intent = 'record';
  update runs set cause = json_remove(json_set(cause, '$.requested', json('true')), '$.asked')
    where json_extract(cause, '$.asked') is not null;
  update runs set cause = json_remove(json_set(cause, '$.overrode', json_extract(cause, '$.past')), '$.past')
    where json_extract(cause, '$.past') is not null;
  update journal set change = json_set(change, '$.action', 'untrack') where json_extract(change, '$.action') = 'forget';
  update owned set changed = json_set(changed, '$.action', 'untrack') where json_extract(changed, '$.action') = 'forget';
  update moves set state = 'blocked' where state = 'held';
  update deliveries set result = 'not-visible' where result = 'unseen';
  update database_events set code = 'store/repaired' where code like 'store/mend%';
  `

/** Version 19 stores in which direction a ref moved. Before, a move that was not forward was only known as such. */
const moveDirection = `
  alter table moves add column direction text;
  update moves set direction = iif(forward = 1, 'forward', 'unknown') where forward is not null;
  alter table moves drop column forward;
  `

/** The first part of the note of a promotion, `ann: it is good`, becomes the person of the cause. */
function withPerson(cause: string, at: string): string {
  const note = `json_extract(${cause}, '${at}.note')`
  return `json_set(${cause}, '${at}.by', substr(${note}, 1, instr(${note}, ': ') - 1),
    '${at}.note', substr(${note}, instr(${note}, ': ') + 2))`
}

/** Of causes by a ref that moved. Other notes about such a cause are about deliveries of webhooks. */
function isPromotion(cause: string, at: string): string {
  const field = (name: string): string => `json_extract(${cause}, '${at}.${name}')`
  return `${field('by')} is null and ${field('ref')} is not null and ${field('to')} is not null
    and ${field('note')} like '_%: %' and ${field('note')} not like 'reported by the webhook %'
    and ${field('note')} not like 'delivery %, repeated by %'`
}

/** Promotions name their person in a field, as other causes do. */
export const personOfPromotion = `
  update runs set cause = ${withPerson('cause', '$')} where ${isPromotion('cause', '$')};
  update deleted_stacks set runs = (
    select json_group_array(json(
      case when ${isPromotion('value', '$.cause')} then ${withPerson('value', '$.cause')} else value end
    ) order by key) from json_each(deleted_stacks.runs)
  );
  `

/**
 * Each is applied once, in order; `user_version` counts them. The connection provides the functions `plan_digest` and
 * `plan_packed` meanwhile.
 */
export const migrations: readonly string[] = [
  `
  create table stacks (
    id text primary key, name text not null unique, target text not null, spec text not null, managed_by text not null, created_at integer not null,
    suspended text, pinned text, observed text, attempted text, applied text, consent text, checked_at integer, drifted integer not null default 0,
    failure text, retries integer not null default 0, retry_at integer
  ) strict;
  create table runs (
    id integer primary key autoincrement, stack text not null references stacks(id) on delete cascade,
    revision text not null, content text not null, attempted integer not null default 0,
    cause text not null, intent text not null, expects text, phase text not null, outcome text, plan text, changes text, problems text not null,
    files text, record text, event text, created_at integer not null, started_at integer, finished_at integer
  ) strict;
  create index runs_of_stack on runs(stack, id);
  create index runs_unfinished on runs(stack, id) where outcome is null;
  create index runs_attempted on runs(stack, content) where attempted = 1;
  create index runs_events on runs(stack, id) where event is not null;
  create table owned (
    seq integer primary key autoincrement, stack text not null references stacks(id) on delete cascade, address text not null, target text not null,
    family text not null, kind text not null, identity text not null, applied text not null, needs text not null, part_of text,
    adopted integer not null, shared integer not null, unique (stack, address)
  ) strict;
  create unique index owned_once on owned(target, family, identity) where shared = 0;
  create index owned_identity on owned(target, family, identity);
  create table journal (
    id integer primary key autoincrement, stack text not null references stacks(id) on delete cascade, run integer not null, change text not null,
    state text not null, before text, trace text, identity text, owned_before text not null
  ) strict;
  create index journal_of_stack on journal(stack, id);
  create table records (digest text primary key, resources text not null) strict, without rowid;
  create table packages (digest text primary key, files text not null) strict, without rowid;
  create table blobs (id text primary key, bytes blob not null) strict;
  create table channels (
    remote text not null, ref text not null, commit_id text, object_id text, seen_at integer not null, primary key (remote, ref)
  ) strict, without rowid;
  create table moves (
    id integer primary key autoincrement, remote text not null, ref text not null, from_object text, from_commit text, to_object text, to_commit text,
    seen_at integer not null, learnt text not null
  ) strict;
  create index moves_of_channel on moves(remote, ref, id);
  create table documents (
    space text not null, family text not null, id text not null, key text, held text not null, primary key (space, family, id)
  ) strict, without rowid;
  create unique index documents_key on documents(space, family, key) where key is not null;
  create index documents_id on documents(space, id);
  create table links (
    space text not null, family text not null, id text not null, target_id text not null, primary key (space, target_id, family, id)
  ) strict, without rowid;
  `,
  `
  alter table owned add column changed_run integer;
  alter table owned add column changed text;
  `,
  `
  create table plans (digest text primary key, body blob not null) strict;
  insert or ignore into plans select plan_digest(plan), plan_packed(plan) from runs where plan is not null;
  update runs set plan = plan_digest(plan) where plan is not null;
  `,
  noMore,
  `
  create table notices (id integer primary key autoincrement, at integer not null, code text not null, message text not null) strict;
  `,
  `
  create table pushes (
    stack text primary key references stacks(id) on delete cascade, digest text not null, pushed_by text not null, pushed_at integer not null
  ) strict, without rowid;
  `,
  `
  alter table pushes add column sources text;
  `,
  `
  alter table channels add column tag text;
  alter table moves add column from_tag text;
  alter table moves add column to_tag text;
  `,
  `
  create table deliveries (
    id integer primary key autoincrement, hook text not null, at integer not null, key text not null, digest text, event text not null,
    remotes text not null, changes text not null, result text, message text not null, runs text not null, took_ms integer not null
  ) strict;
  create index deliveries_of_hook on deliveries(hook, id);
  create index deliveries_same on deliveries(hook, digest) where digest is not null;
  `,
  `
  alter table moves add column name text not null default '';
  alter table moves add column state text not null default 'released';
  alter table moves add column why text;
  alter table moves add column until integer;
  alter table moves add column forward integer;
  alter table moves add column facts text;
  alter table moves add column released_at integer;
  alter table moves add column decision text;
  update moves set state = 'gone' where to_commit is null;
  update moves set released_at = seen_at where to_commit is not null;
  create index moves_to_commit on moves(remote, ref, to_commit, id);
  alter table channels add column move integer;
  alter table channels add column released integer;
  alter table channels add column pin text;
  update channels set move = (select max(id) from moves m where m.remote = channels.remote and m.ref = channels.ref and m.to_commit is not null);
  update channels set released = move;
  create table decisions (
    id integer primary key autoincrement, remote text not null, ref text not null, kind text not null, move integer, commit_id text,
    decided_by text not null, why text not null, at integer not null
  ) strict;
  create index decisions_of_channel on decisions(remote, ref, id);
  `,
  noMore,
  `
  create table recorded (database text not null, seq integer not null) strict;
  insert into recorded values (lower(hex(randomblob(8))), 0);
  `,
  `
  create table overrides (
    id integer primary key autoincrement, stack text not null references stacks(id) on delete cascade, at integer not null, done_by text not null,
    what text not null, why text not null, past text not null
  ) strict;
  create index overrides_of_stack on overrides(stack, id);
  `,
  `
  create table policies (id integer primary key, declared text not null) strict;
  `,
  `
  update runs set intent = 'record' where revision = '' and content = '' and attempted = 0 and plan is null and changes is null
    and outcome = 'unchanged' and started_at = created_at and finished_at = created_at;
  `,
  noMore,
  `
  alter table documents add column created_at integer;
  alter table documents add column updated_at integer;
  `,
  plainWords,
  moveDirection,
  `
  create table fleets (
    name text primary key, spec text not null, managed_by text not null, declared integer not null,
    created_at integer not null, listing text
  ) strict;
  `,
  `
  create table leases (stack text primary key references stacks(id) on delete cascade, token integer not null)
    strict, without rowid;
  `,
  `
  create table deleted_stacks (
    seq integer primary key autoincrement, id text not null, name text not null, target text not null,
    deleted_at integer not null, deleted_by text not null, runs text not null
  ) strict;
  create index deleted_stacks_name on deleted_stacks(name, seq);
  create index deleted_stacks_id on deleted_stacks(id, seq);
  `,
  `
  alter table stacks add column drifted_since integer;
  update stacks set drifted_since = checked_at where drifted > 0;
  `,
  `
  alter table stacks add column unhealthy text;
  alter table stacks add column unhealthy_since integer;
  `,
  `
  create table stack_reports (stack text primary key, report text not null) strict, without rowid;
  create table messages (
    id integer primary key autoincrement, key text not null, receiver text not null, kind text not null, subject text,
    state text not null, content text, counts text not null, created_at integer not null, due_at integer not null,
    attempts integer not null, ended_at integer, status integer, error text not null
  ) strict;
  create index messages_of_receiver on messages(receiver, id);
  create index messages_pending on messages(receiver, id) where state = 'pending';
  create index messages_subject on messages(subject, id) where subject is not null;
  create table transitions (
    seq integer primary key autoincrement, message integer not null references messages(id) on delete cascade,
    transition text not null
  ) strict;
  create index transitions_of_message on transitions(message, seq);
  `,
  `
  create table sessions (
    digest text primary key, token text not null, name text not null, created_at integer not null, used_at integer not null
  ) strict, without rowid;
  `,
  `
  create table drift (
    stack text primary key references stacks(id) on delete cascade, checked_at integer not null, changes text not null
  ) strict, without rowid;
  `,
  personOfPromotion,
  `
  alter table runs add column fetching_at integer;
  alter table runs add column applying_at integer;
  alter table runs add column undoing_at integer;
  `,
  `
  create table run_settings (digest text primary key, spec text not null) strict, without rowid;
  alter table runs add column settings text;
  `,
]
