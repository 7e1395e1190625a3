import { sql } from 'kysely'
import type { ApprovalReason, Counts, Plan } from '../../../model/resources/change.js'
import { chunks } from '../../../lib/chunks.js'
import type { Clock } from '../../../lib/clock.js'
import type { ChannelChange } from '../../../model/sources/channel.js'
import { revisionHashes } from '../../../model/sources/revision.js'
import type { Problem } from '../../../model/problem.js'
import type { Cause, LeasedRun, OwnershipEvent, Run, RunLease } from '../../../model/stacks/run.js'
import type { Failure, StackSpec } from '../../../model/stacks/stack.js'
import type {
  Attempt,
  ComparedRun,
  FinishedRun,
  NewRun,
  PhaseTimes,
  RunTable,
  StackObservation,
  StackRun,
  StackRunQuery,
} from '../../run-table.js'
import type { StackCheck } from '../../stack-table.js'
import type { PageRequest } from '../../page-request.js'
import { stackEvents } from './ownership-event.js'
import type { Leases } from './leases.js'
import { readApprovalReasons } from './approval-reasons.js'
import { readSettings, saveSettings } from './run-settings.js'
import { readPhaseTimes } from './phase-times.js'
import { settleUnchanged } from './settle-unchanged.js'
import { runsOfStacks } from './runs-of-stacks.js'
import { packPlan, unpackPlan, type PackedPlan } from './packed-plan.js'
import { endAllQueued, insertEndedRun, insertRun, isQueued, updateRun } from './run-rows.js'
import { newerUnfinished, runQueries, unfinishedRuns } from './run-queries.js'
import { runColumns, toRun, jsonText } from '../tables/rows.js'
import { idBefore } from '../tables/id-before.js'
import { writeChannelChange } from '../channels/write-channel.js'
import { isSmall, saveBlobs, saveFiles } from '../files/sqlite-files.js'
import { observeStack } from './observe-stack.js'
import { changeStack, checkStack, updateStack } from '../stacks/stack-rows.js'
import type { SqliteFile } from '../file/sqlite-file.js'
import { completedChanges } from '../journal/journal-entries.js'

export class SqliteRuns implements RunTable {
  readonly #file: SqliteFile
  readonly #leases: Leases
  readonly #clock: Clock

  constructor(file: SqliteFile, leases: Leases, clock: Clock) {
    this.#file = file
    this.#leases = leases
    this.#clock = clock
  }

  add(run: NewRun, check?: StackCheck): Promise<Run> {
    return this.#file.write(() => {
      checkStack(this.#file, run.stack, check)
      const now = this.#clock.now()
      if (run.change !== undefined) changeStack(this.#file, run.stack, run.change, now)
      return insertRun(this.#file, { ...run, revision: this.#revisionOf(run) }, now)
    })
  }

  cancelAwaiting(run: string): Promise<void> {
    const cancelled = this.#file.build.updateTable('runs').set({ outcome: 'cancelled', phase: 'done' })
    const awaiting = cancelled.where('id', '=', Number(run)).where('outcome', '=', 'needs-approval')
    return this.#file.write(() => void this.#file.run(awaiting))
  }

  cancelQueued(stack: string, failure: Failure, check?: StackCheck): Promise<void> {
    return this.#file.write(() => {
      checkStack(this.#file, stack, check)
      if (endAllQueued(this.#file, stack, 'cancelled', this.#clock.now()) === 0) return
      updateStack(this.#file, stack, { failure: jsonText(failure) })
    })
  }

  observe(
    observations: readonly StackObservation[],
    changes: readonly ChannelChange[],
  ): Promise<{ readonly runs: readonly Run[]; readonly changes: readonly ChannelChange[] }> {
    return this.#file.write(() => {
      const now = this.#clock.now()
      const written = changes.map((change) => writeChannelChange(this.#file, change))
      return { runs: observations.flatMap((seen) => observeStack(this.#file, seen, now)), changes: written }
    })
  }

  settleUnchanged(runs: readonly ComparedRun[]): Promise<readonly string[]> {
    return this.#file.write(() => settleUnchanged(this.#file, runs, this.#clock.now()))
  }

  takeLease(run: Run): Promise<LeasedRun> {
    return this.#file.read(() => ({ ...run, lease: { ...this.#leases.take(run.stack), run: run.id } }))
  }

  async attempt({ lease, observed: seen, settings, spec, files, save, fetchingAt }: Attempt): Promise<void> {
    const { stack, run } = lease
    if (!isSmall(save)) await saveBlobs(this.#file, files, save)
    const now = this.#clock.now()
    return this.#file.read(() => {
      void this.#leases.writeLater(lease, () => {
        if (save.length > 0) saveFiles(this.#file, files, save)
        const { revision } = seen
        updateRun(this.#file, run, {
          revision,
          revision_hashes: revisionHashes(revision),
          attempted: 1,
          phase: 'planning',
          files,
          settings: saveSettings(this.#file, spec),
          started_at: now,
          fetching_at: fetchingAt ?? now,
          applying_at: null,
          undoing_at: null,
        })
        const attempted = JSON.stringify({ revision, settings })
        this.#file.run(runQueries.attempt({ stack, revision, content: seen.content, attempted }))
      })
    })
  }

  requeue(lease: RunLease): Promise<void> {
    const query = this.#file.build.updateTable('runs').set({ phase: 'queued' }).where('outcome', 'is', null)
    const requeue = (): unknown => this.#file.run(query.where('id', '=', Number(lease.run)))
    return this.#leases.write(lease, () => void requeue(), { isEnded: true })
  }

  recordOverride(lease: RunLease): Promise<void> {
    return this.#leases.write(lease, () =>
      updateRun(this.#file, lease.run, { cause: sql<string>`json_set(cause, '$.overrodeWindow', json('true'))` }),
    )
  }

  async savePlan(lease: RunLease, plan: Plan, changes: Counts): Promise<void> {
    const packed = await packPlan(plan)
    return this.#file.read(() => {
      void this.#leases.writeLater(lease, () => {
        const plan = storePlan(this.#file, packed)
        updateRun(this.#file, lease.run, {
          plan,
          changes: JSON.stringify(changes),
          phase: 'applying',
          applying_at: this.#clock.now(),
        })
      })
    })
  }

  async finish(lease: RunLease, end: FinishedRun): Promise<void> {
    if (end.plan === undefined) await this.#leases.settled(lease.stack) // the counts of what it completed
    const columns = await this.#endColumns(lease.run, end)
    return this.#leases.write(lease, () => this.#end(lease.run, end, columns), { isEnded: true })
  }

  async endQueued(run: string, end: FinishedRun): Promise<void> {
    const columns = await this.#endColumns(run, end)
    return this.#file.write(() => {
      if (isQueued(this.#file, run)) this.#end(run, end, columns)
    })
  }

  /** What an end stores that takes long to prepare. */
  async #endColumns(run: string, { plan, changes }: FinishedRun): Promise<EndColumns> {
    if (plan === undefined) return { completed: await completedChanges(this.#file, Number(run)) }
    return { packed: await packPlan(plan), completed: { changes: jsonText(changes) } }
  }

  /** Inside a transaction. */
  #end(run: string, end: FinishedRun, { packed, completed }: EndColumns): void {
    const set = {
      outcome: end.outcome,
      phase: end.phase ?? 'done',
      finished_at: this.#clock.now(),
      ...(end.problems === undefined ? {} : { problems: JSON.stringify(end.problems) }),
      ...completed,
      ...(packed && { plan: storePlan(this.#file, packed) }),
    }
    const ended = this.#file.build.updateTable('runs').set(set).where('id', '=', Number(run))
    this.#file.run(ended.where('outcome', 'is', null))
    this.#queueNext(run, end)
    const { failure } = end
    if (failure === undefined) return
    const stack = this.#file.get(this.#file.build.selectFrom('runs').select('stack').where('id', '=', Number(run)))
    const calm = failure === null ? { retries: 0, retry_at: null } : {}
    if (stack !== undefined) updateStack(this.#file, stack.stack, { failure: jsonText(failure), ...calm })
  }

  addWrite(stack: string, { cause, changes }: { readonly cause: Cause; readonly changes: Counts }): Promise<string> {
    return this.#file.write(() => {
      const ended = { outcome: 'interrupted', changes: JSON.stringify(changes) } as const
      return String(insertEndedRun(this.#file, { stack, cause, ...ended }, this.#clock.now()))
    })
  }

  endWrite(run: string, outcome: 'applied' | 'failed', problems: readonly Problem[]): Promise<void> {
    return this.#file.write(() =>
      updateRun(this.#file, run, { outcome, problems: JSON.stringify(problems), finished_at: this.#clock.now() }),
    )
  }

  async get(id: string): Promise<Run | undefined> {
    if (!/^[1-9]\d{0,15}$/.test(id)) return undefined
    const query = this.#file.build
      .selectFrom('runs')
      .leftJoin('plans', 'plans.digest', 'runs.plan')
      .select([...runColumns, 'plans.body'])
      .where('id', '=', Number(id))
    const row = await this.#file.read(() => this.#file.get(query))
    return row && { ...toRun(row), plan: row.body === null ? null : await unpackPlan(row.body) }
  }

  phaseTimes(id: string): Promise<PhaseTimes | undefined> {
    return this.#file.read(() => readPhaseTimes(this.#file, id))
  }

  async list(stack: string, { limit, after }: PageRequest): Promise<readonly Run[]> {
    const before = idBefore(after)
    return this.#file.read(() => this.#file.all(runQueries.list({ stack, before, limit })).map(toRun))
  }

  listOfStacks(query: StackRunQuery): Promise<readonly StackRun[]> {
    return this.#file.read(() => runsOfStacks(this.#file, query))
  }

  async last(stacks: readonly string[]): Promise<ReadonlyMap<string, Run>> {
    const found = new Map<string, Run>()
    for (const some of chunks(stacks)) {
      const query = runQueries.last({ stacks: JSON.stringify(some) })
      for (const row of await this.#file.read(() => this.#file.all(query))) found.set(row.stack, toRun(row))
    }
    return found
  }

  approvalReasons(runs: readonly string[]): Promise<ReadonlyMap<string, readonly ApprovalReason[]>> {
    return readApprovalReasons(this.#file, runs)
  }

  settings(id: string): Promise<StackSpec | undefined> {
    return this.#file.read(() => readSettings(this.#file, id))
  }

  async unfinished(...stacks: readonly string[]): Promise<readonly Run[]> {
    const of = [...chunks(stacks)].map((some) => runQueries.unfinishedOf({ stacks: JSON.stringify(some) }))
    const found: Run[] = []
    for (const query of stacks.length === 0 ? [unfinishedRuns] : of)
      for (const row of await this.#file.read(() => this.#file.all(query))) found.push(toRun(row))
    return found
  }

  async plannedFiles(stack: string, revision: string): Promise<string | undefined> {
    const row = await this.#file.read(() => this.#file.get(runQueries.lastAttempt({ stack })))
    return row?.revision === revision && row.plan !== null ? (row.files ?? undefined) : undefined
  }

  wasAttempted(stack: string, revision: string): Promise<boolean> {
    const query = this.#file.build
      .selectFrom('runs')
      .select('id')
      .where('stack', '=', stack)
      .where('revision_hashes', '=', revisionHashes(revision))
      .where('attempted', '=', sql.lit(1))
      .limit(1)
    return this.#file.read(() => this.#file.get(query) !== undefined)
  }

  /** Inside a transaction. */
  #queueNext(run: string, { next }: FinishedRun): void {
    if (next === undefined || this.#file.get(newerUnfinished(next.stack, run)) !== undefined) return
    insertRun(this.#file, { ...next, revision: this.#revisionOf(next) }, this.#clock.now())
  }

  events(stack: string, limit: number): Promise<readonly OwnershipEvent[]> {
    return this.#file.read(() => stackEvents(this.#file, stack, limit))
  }

  /** The revision of a run that is queued now. */
  #revisionOf({ stack, revision, orNewer }: NewRun): string {
    if (revision === '' || orNewer !== true) return revision
    const row = this.#file.get(
      this.#file.build.selectFrom('stacks').select(['pinned', 'observed']).where('id', '=', stack),
    )
    const text = row?.pinned ?? row?.observed ?? null
    return text === null ? revision : (JSON.parse(text) as { readonly revision: string }).revision
  }
}

interface EndColumns {
  readonly packed?: PackedPlan
  readonly completed: { readonly changes?: string | null }
}

/** Inside a transaction: stores a plan and returns its digest. */
function storePlan(file: SqliteFile, { digest, body }: PackedPlan): string {
  file.run(runQueries.plan({ digest, body: Buffer.from(body) }))
  return digest
}
