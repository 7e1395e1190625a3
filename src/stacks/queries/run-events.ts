// When a run entered its phases, and what became of each change of its plan, from what is stored.
import { invalidCursor } from '../../model/cursor.js'
import { Refused } from '../../model/errors.js'
import type { Change } from '../../model/resources/change.js'
import type { Run } from '../../model/stacks/run.js'
import type { Stack } from '../../model/stacks/stack.js'
import type { PhaseTimes } from '../../store/run-table.js'
import type { RunEvents, RunPhaseView, RunStepView } from '../../views/run-events.js'
import type { Context } from '../context.js'
import type { Paging } from '../paging.js'
import { findStack } from '../stacks.js'
import { changeProgress, changedBy } from './change-progress.js'
import { timeOrNull } from './view-stack.js'

/** The steps come in pages, in the order of the plan. Errors: `Refused` not-found; an invalid cursor. */
export async function getRunEvents(
  context: Context,
  name: string,
  id: string,
  { limit = 100, after }: Paging,
): Promise<RunEvents> {
  const stack = await findStack(context, name)
  const run = await findRun(context, stack, id)
  const times = await context.store.runs.phaseTimes(id)
  const changes = run.plan?.changes.filter(({ partOf }) => partOf === undefined) ?? []
  const shown = changesAfter(changes, after).slice(0, limit)
  const states = shown.length === 0 ? () => 'not-done' as const : await stepStates(context, run, stack)
  const changed = shown.length === 0 ? undefined : await changedBy(run, context.store)
  const items = shown.map(({ address, action }): RunStepView => ({
    address,
    action,
    state: states(address),
    at: timeOrNull(changed?.get(address) ?? null),
  }))
  const last = items.at(-1)?.address
  const next = last === changes.at(-1)?.address ? null : (last ?? null)
  return { phases: phasesOf(context, run, times), items, next }
}

/** A run of the stack. Errors: `Refused` not-found. */
export async function findRun(
  { store }: Pick<Context, 'store'>,
  { id, spec: { name } }: Stack,
  run: string,
): Promise<Run> {
  const found = await store.runs.get(run)
  if (found?.stack === id) return found
  throw new Refused('not-found', `${name} has no run ${run}.`, {
    code: 'runs/unknown',
    hint: `List its runs: gitmoor history ${name}`,
  })
}

/** `after`: an address. Errors: an invalid cursor. */
function changesAfter(changes: readonly Change[], after: string | undefined): readonly Change[] {
  if (after === undefined) return changes
  const at = changes.findIndex(({ address }) => address === after)
  if (at < 0) throw invalidCursor(after)
  return changes.slice(at + 1)
}

/** What became of the change of an address. */
async function stepStates(
  { store }: Context,
  run: Run,
  stack: Stack,
): Promise<(address: string) => RunStepView['state']> {
  if (run.outcome === 'applied') return () => 'done'
  if (run.outcome === 'undone') return () => 'undone'
  const { progress = {} } = await changeProgress({ store }, run, stack)
  return (address) => progress[address] ?? 'not-done'
}

/** The phases that the run entered, in order. Each ends when the next one begins. */
export function phasesOf(
  { scheduler }: Pick<Context, 'scheduler'>,
  run: Run,
  times: PhaseTimes | undefined,
): readonly RunPhaseView[] {
  const { fetching = null, planning = null, applying = null, undoing = null } = times ?? {}
  const inProgress = run.outcome === null ? scheduler.live.phaseOf(run) : undefined
  const entered: readonly (readonly [phase: RunPhaseView['phase'], at: number | null, isEntered: boolean])[] = [
    ['queued', run.createdAt, true],
    ['fetching', fetching, inProgress === 'fetching' || failedBefore(run)],
    ['planning', planning, inProgress === 'planning'],
    ['applying', applying, inProgress === 'applying' || wasApplied(run)],
    ['undoing', undoing, inProgress === 'undoing' || run.outcome === 'undone'],
  ]
  const begun = entered.filter(([, at, isEntered]) => at !== null || isEntered)
  return begun.map(([phase, at], index) => {
    const next = begun[index + 1]
    const endedAt = next === undefined ? run.finishedAt : next[1]
    return { phase, at: timeOrNull(at), endedAt: timeOrNull(endedAt) }
  })
}

/** It failed before its plan: its source could not be read. */
function failedBefore({ outcome, startedAt }: Run): boolean {
  return outcome === 'failed' && startedAt === null
}

/** Also of a run of an older version, which did not store when it began to apply. */
function wasApplied({ outcome, intent }: Run): boolean {
  return intent !== 'ownership' && (outcome === 'applied' || outcome === 'undone')
}
