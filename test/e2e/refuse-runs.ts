import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect } from 'vitest'

/** Does work that fails because the database of an agent stores no new run. */
export async function refuseRuns(root: string, work: () => Promise<unknown>): Promise<void> {
  const file = new Database(join(root, 'gitmoor.db'))
  try {
    file.exec("create trigger no_runs before insert on runs begin select raise(abort, 'no runs'); end")
    await expect(work()).rejects.toThrow('no runs')
    file.exec('drop trigger no_runs')
  } finally {
    file.close()
  }
}
