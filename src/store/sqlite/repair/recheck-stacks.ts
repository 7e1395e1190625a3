import type Database from 'better-sqlite3'

/** A person refused the revision of a cancelled run. It is not retried here either. */
const isCancelled = "json_extract(failure, '$.reason') is 'Cancelled'"

/**
 * For a database that may be older than the targets: no stack counts as synced. Each gets a run that polls its source
 * (or is at its pin) and reads its target. Until then drift is not corrected, because that could restore an outdated
 * state. An uninstall in progress stays one.
 */
export function recheckStacks(database: Database.Database, now: number, why: string): void {
  const intents = database
    .prepare(
      `select stack, revision, intent from runs
       where outcome is null and intent <> 'sync' group by stack having id = max(id)`,
    )
    .all() as readonly { readonly stack: string; readonly revision: string; readonly intent: string }[]
  const cause = JSON.stringify({ kind: 'recovery', note: why })
  database
    .prepare(
      `update runs set outcome = 'superseded', phase = 'done', finished_at = ?
       where outcome is null and phase = 'queued'`,
    )
    .run(now)
  database
    .prepare(
      `insert into runs (stack, revision, revision_hashes, cause, intent, phase, problems, created_at)
       select id, coalesce(json_extract(pinned, '$.revision'), ''), '', ?, 'sync', 'queued', '[]', ? from stacks
       where not (${isCancelled})`,
    )
    .run(cause, now)
  const uninstall = database.prepare(
    "update runs set intent = ?, revision = ? where stack = ? and outcome is null and phase = 'queued'",
  )
  for (const { stack, revision, intent } of intents) uninstall.run(intent, revision, stack)
  database
    .prepare(
      `update stacks set failure = null, retries = 0, retry_at = null
       where json_extract(failure, '$.retry') is not 'person' and not (${isCancelled})`,
    )
    .run()
  database.exec(
    `update stacks set observed = null, checked_at = null, drifted = 0, drifted_since = null,
       unhealthy = null, unhealthy_since = null;
     delete from drift`,
  )
}
