// How it stands with all stacks at this moment, as figures: a few reads for each 500 stacks, none for a single one.
import { setImmediate as turn } from 'node:timers/promises'
import { sameRevision } from '../model/revision.js'
import type { Fleeting } from '../model/stack-query.js'
import { gateReasons, type Wait } from '../model/wait.js'
import type { Stack } from '../model/stack.js'
import type { Standing } from '../store/store.js'
import type { DeskDeps } from './desk.js'
import { lookDelays, type LookDelay } from './dispatch.js'

/** One stack. Lengths of time in milliseconds. */
export interface StackFigures {
  readonly name: string
  readonly target: string
  readonly managedBy: Stack['managedBy']
  readonly ready: boolean
  readonly synced: boolean
  readonly held: boolean
  readonly suspended: boolean
  readonly failed: boolean
  /** What it has to do waits for a window or for another stack. */
  readonly waiting: boolean
  /** Things on the target that are not as declared, as the last look found them. */
  readonly drifted: number
  /** Since the newest desired revision was seen; 0: it is applied, or none was seen yet. */
  readonly lagMs: number
  /** Since what is there was applied; undefined: nothing is. */
  readonly revisionAgeMs?: number
}

export interface Figures {
  readonly stacks: readonly StackFigures[]
  /** Stacks that wait, by what for. */
  readonly waiting: ReadonlyMap<Wait['reason'], number>
  /** Runs that wait for their turn, those of stacks that are suspended, or wait for something else, left out. */
  readonly queued: number
  /** How long the first of them has waited; 0: none does. */
  readonly oldestQueuedMs: number
  readonly inHand: number
  /** How long ago the oldest look that is due or under way was due; 0: none is. */
  readonly oldestLookMs: number
  /** Remotes whose next look comes later than the interval says, by the reason. */
  readonly delayedLooks: ReadonlyMap<LookDelay, number>
}

const page = 500

export async function readFigures({ sync: { store }, dispatch, clock }: DeskDeps): Promise<Figures> {
  const now = clock.now()
  const { inHand, lookFailures, waits } = dispatch.fleeting
  const stacks: StackFigures[] = []
  const suspended = new Set<string>()
  for (let after = ''; ;) {
    const some = await store.feed.standings({ limit: page, after })
    const wantedSince = await store.feed.wantedSince(some.flatMap(behind))
    for (const one of some) {
      if (one.suspended) suspended.add(one.stack)
      const lagMs = now - (wantedSince.get(one.stack) ?? now)
      stacks.push(
        figuresOf(one, {
          failed: one.failing || lookFailures.has(one.stack),
          waiting: waits.has(one.stack),
          lagMs,
          now,
        }),
      )
    }
    if (some.length < page) break
    after = some.at(-1)!.name
    await turn() // others have their turn, too
  }
  const queued = (await store.runs.unfinished()).filter(
    (run) => run.phase === 'queued' && !inHand.has(run.id) && !suspended.has(run.stack) && !waits.has(run.stack),
  )
  const oldest = queued.reduce((at, { createdAt }) => Math.min(at, createdAt), now)
  const { oldestLookMs } = dispatch
  const delayedLooks = counted(dispatch.delayedLooks.values())
  return {
    stacks,
    waiting: countReasons(waits),
    queued: queued.length,
    oldestQueuedMs: now - oldest,
    inHand: inHand.size,
    oldestLookMs,
    delayedLooks,
  }
}

/** Each reason, also where nobody waits for it. */
function countReasons(waits: Fleeting['waits']): Figures['waiting'] {
  const all = [...waits.values()]
  return new Map(
    gateReasons.map((reason) => [reason, all.filter((some) => some.some((wait) => wait.reason === reason)).length]),
  )
}

function counted(delays: Iterable<LookDelay>): ReadonlyMap<LookDelay, number> {
  const counts = new Map<LookDelay, number>(lookDelays.map((why) => [why, 0]))
  for (const why of delays) counts.set(why, (counts.get(why) ?? 0) + 1)
  return counts
}

function behind({
  stack,
  wanted,
  applied,
}: Standing): readonly { readonly stack: string; readonly revision: string }[] {
  return wanted === null || sameRevision(applied ?? undefined, wanted) ? [] : [{ stack, revision: wanted }]
}

function figuresOf(
  standing: Standing,
  {
    failed,
    waiting,
    lagMs,
    now,
  }: { readonly failed: boolean; readonly waiting: boolean; readonly lagMs: number; readonly now: number },
): StackFigures {
  const { name, target, managedBy, suspended, held, unfinished, sync, drifted, applied, appliedAt } = standing
  return {
    name,
    target,
    managedBy,
    ready: !suspended && !failed && !held && !unfinished && applied !== null,
    synced: sync === 'Synced',
    held,
    suspended,
    failed,
    waiting,
    drifted,
    lagMs,
    ...(appliedAt === null ? {} : { revisionAgeMs: now - appliedAt }),
  }
}
