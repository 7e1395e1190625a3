/** Moves get a state, channels what is released of them and a pin. What older versions wrote down was all released. */
export const channelMigration = `
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
  `
