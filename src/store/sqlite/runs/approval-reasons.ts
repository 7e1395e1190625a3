import type { ApprovalReason } from '../../../model/resources/change.js'
import { chunks } from '../../../lib/chunks.js'
import type { SqliteFile } from '../file/sqlite-file.js'
import { unpackApprovalReasons } from './packed-plan.js'

/** Why the plans of these runs need approval; nothing for a run without a plan. Reads no change of a plan. */
export async function readApprovalReasons(
  file: SqliteFile,
  runs: readonly string[],
): Promise<ReadonlyMap<string, readonly ApprovalReason[]>> {
  const found = new Map<string, readonly ApprovalReason[]>()
  for (const some of chunks(runs)) {
    const query = file.build
      .selectFrom('runs')
      .innerJoin('plans', 'plans.digest', 'runs.plan')
      .select(['runs.id', 'plans.body'])
      .where('runs.id', 'in', some.map(Number))
    for (const { id, body } of await file.read(() => file.all(query)))
      // Without the reasons of a damaged plan, a list still shows its stack; reading the plan itself reports it.
      found.set(String(id), await unpackApprovalReasons(body).catch(() => []))
  }
  return found
}
