// Stacks that were deleted, with their last runs, so their history can be read.
import { sql } from 'kysely'
import type { DeletedStack, StackDeletion } from '../../../model/stacks/deleted-stack.js'
import { firstProblems } from '../../../model/problem.js'
import type { Run } from '../../../model/stacks/run.js'
import type { PageRequest } from '../../page-request.js'
import { runRows } from '../runs/run-rows.js'
import { toRun } from '../tables/rows.js'
import type { SqliteFile } from '../file/sqlite-file.js'

const stacksKept = 200
const runsKept = 50
/** Of one run. The last one counts the rest. */
const problemsKept = 5

/** Inside a transaction, before the stack is deleted. */
export function keepDeleted(file: SqliteFile, id: string, { by, at }: Pick<DeletedStack, 'by' | 'at'>): void {
  const newest = runRows().where('stack', '=', id).orderBy('id', 'desc').limit(runsKept)
  const runs = file.all(newest).map((row) => withFewProblems(toRun(row)))
  file.run(
    sql`insert into deleted_stacks (id, name, target, deleted_at, deleted_by, runs)
        select id, name, json_extract(spec, '$.target'), ${at}, ${by}, ${JSON.stringify(runs)} from stacks where id = ${id}`,
  )
  file.run(
    sql`delete from deleted_stacks where seq <= (
          select seq from deleted_stacks order by seq desc limit 1 offset ${stacksKept})`,
  )
}

/** Inside a read: the one of this name or id that was deleted last. */
export function findDeleted(file: SqliteFile, name: string): DeletedStack | undefined {
  const query = file.build
    .selectFrom('deleted_stacks')
    .selectAll()
    .where((where) => where.or([where('name', '=', name), where('id', '=', name)]))
    .orderBy('seq', 'desc')
    .limit(1)
  const row = file.get(query)
  if (row === undefined) return undefined
  const { id, target, deleted_at: at, deleted_by: by } = row
  return { id, name: row.name, target, at, by, runs: JSON.parse(row.runs) as Run[] }
}

/** Inside a read: newest first. */
export function listDeletions(file: SqliteFile, { limit, after }: PageRequest): readonly StackDeletion[] {
  const all = file.build
    .selectFrom('deleted_stacks')
    .select(['seq', 'id', 'name', 'target', 'deleted_at', 'deleted_by'])
    .orderBy('seq', 'desc')
    .limit(limit)
  const rows = file.all(after === undefined ? all : all.where('seq', '<', Number(after)))
  return rows.map(({ seq, deleted_at: at, deleted_by: by, ...rest }) => ({ ...rest, seq: String(seq), at, by }))
}

/** A run that was in progress ended with its stack. */
function withFewProblems(run: Run): Run {
  const ended = run.outcome === null ? ({ outcome: 'cancelled', phase: 'done' } as const) : {}
  return { ...run, ...ended, problems: firstProblems(run.problems, problemsKept) }
}
