import { revisionHashes } from '../../../model/sources/revision.js'
import type { Run } from '../../../model/stacks/run.js'
import type { StackObservation } from '../../run-table.js'
import type { SqliteFile } from '../file/sqlite-file.js'
import { isAsPolled, updateStack } from '../stacks/stack-rows.js'
import { insertRun, readRun, updateRun } from './run-rows.js'

/** Inside a transaction: stores what a poll found for a stack. Gives the run that applies it. */
export function observeStack(
  file: SqliteFile,
  { stack, revision, polled, place, content = '', cause, run, unpin }: StackObservation,
  now: number,
): readonly Run[] {
  if (!isAsPolled(file, stack, polled)) return []
  const states = revisionHashes(revision)
  updateStack(file, stack, {
    observed: JSON.stringify({ revision, states, content, place }),
    ...(unpin ? { pinned: null } : {}),
  })
  if (run === undefined) return cause === undefined ? [] : [insertRun(file, { stack, revision, cause }, now)]
  updateRun(file, run, { revision, revision_hashes: states })
  return [readRun(file, Number(run))]
}
