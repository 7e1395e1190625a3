// The targets of the configuration file: listed, shown, and tested by a connection.
import { compareText } from '../../lib/text/compare-text.js'
import { abortAfter } from '../../lib/async/abort-after.js'
import { orAborted } from '../../lib/async/or-aborted.js'
import { describeError, SyncError, tooManyOpen } from '../../model/errors.js'
import type { Finding } from '../../model/problem.js'
import type { LabelCondition } from '../../model/stacks/stack.js'
import { callDriver } from '../../platform/call-driver.js'
import type { Target } from '../../platform/platform.js'
import { matchesLabels } from '../../settings/labels.js'
import type { Page } from '../../views/page.js'
import type { TargetTestView, TargetView } from '../../views/target.js'
import type { Context } from '../context.js'
import type { Paging } from '../paging.js'
import type { Reached } from '../targets.js'

export interface TargetListing extends Paging {
  /** What is true of its labels. */
  readonly selector?: readonly LabelCondition[]
}

export async function listTargets(
  context: Context,
  { limit = 100, after = '', selector = [] }: TargetListing,
): Promise<Page<TargetView>> {
  const rest = context.sync.targets.declared
    .filter(({ name, labels = {} }) => compareText(name, after) > 0 && matchesLabels(labels, selector))
    .toSorted((a, b) => compareText(a.name, b.name))
  const stacks = await context.store.stacks.countByTarget()
  const items = rest.slice(0, limit).map((target) => viewTarget(context, target, stacks))
  return { items, next: rest.length > limit ? (items.at(-1)?.name ?? null) : null }
}

/** Errors: `Refused` not-found. */
export async function getTarget(context: Context, name: string): Promise<TargetView> {
  const target = context.sync.targets.get(name)
  return viewTarget(context, target, await context.store.stacks.countByTarget())
}

function viewTarget(
  { sync }: Context,
  { name, platform, labels = {}, settings }: Target,
  stacks: ReadonlyMap<string, number>,
): TargetView {
  const refusal = sync.targets.refusal(name)
  return {
    name,
    platform,
    labels,
    ...settings,
    stacks: stacks.get(name) ?? 0,
    refused: refusal === undefined ? null : toFinding(refusal),
  }
}

const testMs = 10_000

/**
 * Connects to a target and reads the first page of its resources, within 10 s. Writes nothing. A target that fails is
 * an answer. Errors: `Refused` not-found; the reason of `signal`.
 */
export async function testTarget(context: Context, name: string, signal: AbortSignal): Promise<TargetTestView> {
  const { clock, sync } = context
  const { platform } = sync.targets.get(name)
  const began = clock.elapsed()
  const soon = abortAfter(testMs, signal)
  const test = async ({ connection, calling }: Reached): Promise<Pick<TargetTestView, 'about' | 'warnings'>> => {
    await callDriver('list', calling, (inner) => connection.list({ limit: 1 }, inner), soon)
    return { about: connection.about ?? {}, warnings: connection.warnings ?? [] }
  }
  const answer = (found: Pick<TargetTestView, 'about' | 'warnings' | 'problem'>): TargetTestView => {
    const ms = Math.round(clock.elapsed() - began)
    return { name, platform, ok: found.problem === null, ms, ...found }
  }
  try {
    const found = await orAborted(sync.targets.reach(name, {}, soon, test), soon)
    return answer({ ...found, problem: null })
  } catch (error) {
    signal.throwIfAborted()
    return answer({ about: {}, warnings: [], problem: soon.aborted ? noAnswer : toFinding(error) })
  }
}

const defaultHint = 'Check the address and the credentials of the target in the configuration file.'

const noAnswer: Finding = {
  code: 'platform/timeout',
  message: `The target did not answer within ${testMs / 1000} s.`,
  hint: defaultHint,
}

function toFinding(thrown: unknown): Finding {
  const error = tooManyOpen(thrown) ?? thrown
  const { code = 'platform/failed', hint = defaultHint } = error instanceof SyncError ? error : {}
  return { code, message: describeError(error), hint }
}
