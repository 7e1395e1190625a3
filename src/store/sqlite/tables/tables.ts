// The tables, as kysely sees them. JSON columns are text. Times are milliseconds since the epoch.
import type { Generated } from 'kysely'
import type { Decision, BlockedBy, DetectedBy, MoveState } from '../../../model/channel.js'
import { channelMigration } from './migrations.js'
import { rosterMigration, rosterRewritten } from '../status/status-table.js'

export interface Tables {
  stacks: {
    id: string
    name: string
    target: string
    spec: string
    managed_by: 'api' | 'file'
    created_at: number
    suspended: string | null
    pinned: string | null
    observed: string | null
    attempted: string | null
    applied: string | null
    consent: string | null
    checked_at: number | null
    drifted: number
    failure: string | null
    retries: number
    retry_at: number | null
  }
  runs: {
    id: Generated<number>
    stack: string
    revision: string
    content: string
    attempted: number
    cause: string
    intent: 'sync' | 'uninstall' | 'delete' | 'record'
    expects: string | null
    phase: string
    outcome: string | null
    /** Digest of one of `plans`. */
    plan: string | null
    changes: string | null
    problems: string
    files: string | null
    record: string | null
    event: string | null
    created_at: number
    started_at: number | null
    finished_at: number | null
  }
  owned: {
    seq: Generated<number>
    stack: string
    address: string
    target: string
    family: string
    kind: string
    identity: string
    applied: string
    needs: string
    part_of: string | null
    adopted: number
    shared: number
    changed_run: number | null
    changed: string | null
  }
  journal: {
    id: Generated<number>
    stack: string
    run: number
    change: string
    state: 'doing' | 'done' | 'undoing' | 'undone'
    before: string | null
    trace: string | null
    identity: string | null
    owned_before: string
  }
  records: { digest: string; resources: string }
  plans: { digest: string; body: Buffer }
  packages: { digest: string; files: string }
  pushes: { stack: string; digest: string; pushed_by: string; pushed_at: number; sources: string | null }
  blobs: { id: string; bytes: Buffer }
  /** `move`, `released`: ids of `moves`. */
  channels: {
    remote: string
    ref: string
    commit_id: string | null
    object_id: string | null
    tag: string | null
    seen_at: number
    move: number | null
    released: number | null
    pin: string | null
  }
  moves: {
    id: Generated<number>
    remote: string
    ref: string
    from_object: string | null
    from_commit: string | null
    to_object: string | null
    to_commit: string | null
    from_tag: string | null
    to_tag: string | null
    seen_at: number
    learnt: DetectedBy
    name: string
    state: MoveState
    why: BlockedBy | null
    until: number | null
    forward: number | null
    facts: string | null
    released_at: number | null
    decision: string | null
  }
  decisions: {
    id: Generated<number>
    remote: string
    ref: string
    kind: Decision['kind']
    move: number | null
    commit_id: string | null
    decided_by: string
    why: string
    at: number
  }
  deliveries: {
    id: Generated<number>
    hook: string
    at: number
    key: string
    /** Of key and body; null: it is not told from another one like it. */
    digest: string | null
    event: string
    remotes: string
    changes: string
    result: string | null
    message: string
    runs: string
    took_ms: number
  }
  /** One row: the policies that the configuration file declared when it was read last. */
  policies: { id: number; declared: string }
  notices: { id: Generated<number>; at: number; code: string; message: string }
  overrides: {
    id: Generated<number>
    stack: string
    at: number
    done_by: string
    what: string
    why: string
    past: string
  }
  /** One row: the id of this database, and how far the decision log is. */
  recorded: { database: string; seq: number }
  documents: {
    space: string
    family: string
    id: string
    key: string | null
    held: string
    created_at: number | null
    updated_at: number | null
  }
  links: { space: string; id: string; target_id: string; family: string }
}

/**
 * Each is applied once, in order; `user_version` counts them. `plan_digest` and `plan_packed` are functions that the
 * connection has meanwhile.
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
  rosterMigration,
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
  channelMigration,
  rosterRewritten,
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
  rosterRewritten,
  `
  alter table documents add column created_at integer;
  alter table documents add column updated_at integer;
  `,
]
