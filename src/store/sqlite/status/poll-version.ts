// Counts the writes of what polls read. Triggers of the connection see each of them, no matter which method made it.
import type Database from 'better-sqlite3'

const schema = `
  create temp trigger polled_stack_added after insert on main.stacks begin select polled(); end;
  create temp trigger polled_stack_changed after update of spec, pinned, observed on main.stacks
    when old.spec is not new.spec or old.pinned is not new.pinned or old.observed is not new.observed
    begin select polled(); end;
  create temp trigger polled_stack_deleted after delete on main.stacks begin select polled(); end;
  create temp trigger polled_channel_added after insert on main.channels begin select polled(); end;
  create temp trigger polled_channel_changed after update on main.channels begin select polled(); end;
  create temp trigger polled_channel_deleted after delete on main.channels begin select polled(); end;
  create temp trigger polled_run_added after insert on main.runs when new.revision = '' begin select polled(); end;
`

/**
 * The result gives the count. A write that is rolled back counts, too. Setting `temp_store` later would drop the
 * triggers.
 */
export function countPolledWrites(database: Database.Database): () => number {
  let count = 0
  database.function('polled', () => {
    count++
    return null
  })
  database.exec(schema)
  return () => count
}
