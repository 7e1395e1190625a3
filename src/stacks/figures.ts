// How it stands with all stacks at this moment, as figures: a few reads for each 500 stacks, none for a single one.
import { setImmediate as turn } from 'node:timers/promises'
import { sameRevision } from '../model/revision.js'
import type { Stack } from '../model/stack.js'
import type { Standing } from '../store/store.js'
import type { DeskDeps } from './desk.js'

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
  /** Things on the target that are not as declared, as the last look found them. */
  readonly drifted: number
  /** Since the newest desired revision was seen; 0: it is applied, or none was seen yet. */
  readonly lagMs: number
  /** Since what is there was applied; undefined: nothing is. */
  readonly revisionAgeMs?: number
}

export interface Figures {
  readonly stacks: readonly StackFigures[]
  /** Runs that wait for their turn, those of suspended stacks left out. */
  readonly queued: number
  /** How long the first of them has waited; 0: none does. */
  readonly oldestQueuedMs: number
  readonly inHand: number
  /** How long ago the oldest look that is due or under way was due; 0: none is. */
  readonly oldestLookMs: number
}

const page = 500

export async function readFigures({ sync: { store }, dispatch, clock }: DeskDeps): Promise<Figures> {
  const now = clock.now()
  const { inHand, lookFailures } = dispatch.fleeting
  const stacks: StackFigures[] = []
  const suspended = new Set<string>()
  for (let after = ''; ;) {
    const some = await store.feed.standings({ limit: page, after })
    const wantedSince = await store.feed.wantedSince(some.flatMap(behind))
    for (const one of some) {
      if (one.suspended) suspended.add(one.stack)
      const lagMs = now - (wantedSince.get(one.stack) ?? now)
      stacks.push(figuresOf(one, { failed: one.failing || lookFailures.has(one.stack), lagMs, now }))
    }
    if (some.length < page) break
    after = some.at(-1)!.name
    await turn() // others have their turn, too
  }
  const waiting = (await store.runs.unfinished()).filter(
    (run) => run.phase === 'queued' && !inHand.has(run.id) && !suspended.has(run.stack),
  )
  const oldest = waiting.reduce((at, { createdAt }) => Math.min(at, createdAt), now)
  return { stacks, queued: waiting.length, oldestQueuedMs: now - oldest, inHand: inHand.size, oldestLookMs: dispatch.oldestLookMs }
}

function behind({ stack, wanted, applied }: Standing): readonly { readonly stack: string; readonly revision: string }[] {
  return wanted === null || sameRevision(applied ?? undefined, wanted) ? [] : [{ stack, revision: wanted }]
}

function figuresOf(
  standing: Standing,
  { failed, lagMs, now }: { readonly failed: boolean; readonly lagMs: number; readonly now: number },
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
    drifted,
    lagMs,
    ...(appliedAt === null ? {} : { revisionAgeMs: now - appliedAt }),
  }
}
