// What is known about a stack at this moment: what the store has, and what only the process knows.
import { channelBlocker, channelBlockers, type BlockedMove } from '../../channel/blocked-move.js'
import type { ChannelPolicy } from '../../channel/channel-policy.js'
import { command, type RunBlocker } from '../../model/stacks/blocker.js'
import { timeText } from '../../lib/text/time-text.js'
import { followedTip, type Channel } from '../../model/sources/channel.js'
import type { SyncError } from '../../model/errors.js'
import type { Run } from '../../model/stacks/run.js'
import {
  awaitsPackage,
  isUndeclared,
  isUninstalled,
  suspends,
  type Failure,
  type Stack,
} from '../../model/stacks/stack.js'
import type { Context } from '../context.js'
import { remoteOf } from '../load-package/remotes.js'
import { refusedSettings } from './declaration-refusals.js'
import { dependencyRemovals, readDependencies } from './dependencies.js'
import { packageBlockers, suspensionBlocker } from '../../status/blockers.js'
import { type Dependency } from '../../status/dependency.js'
import { runBlockers } from '../../status/run-blockers.js'
import type { StatusInput } from '../../status/axes.js'

export function statusInput(context: Context, stack: Stack, last: Run | undefined): StatusInput {
  const { scheduler } = context
  const pollFailure =
    refusalFailure(context, stack) ?? targetFailure(context, stack) ?? scheduler.live.pollFailure(stack.id)
  return {
    stack,
    last,
    inProgress: last === undefined ? undefined : scheduler.live.phaseOf(last),
    pollFailure,
    blockers: scheduler.live.blockersOf(stack.id),
    blockedMoves: blockedMoves(context, stack),
    unreadableInputs: scheduler.live.unreadableInputsOf(stack.id),
    refusedSettings: refusedSettings(context.configuration(), stack.spec.name, pollFailure ?? stack.failure),
  }
}

/**
 * With the newest run, without its plan; after an uninstall, with how other stacks stop depending on it. The run is
 * read first, then the stack again: a run that ends meanwhile counts as unfinished, and not as ended with a failure
 * that the stack had before.
 */
export async function readStatusInput(context: Context, known: Stack): Promise<StatusInput> {
  const last = await lastRun(context, known)
  const behindSince = await context.store.feed.behindSince(known.id)
  const input = {
    ...statusInput(context, (await context.store.stacks.get(known.id)) ?? known, last),
    behindSince,
  }
  if (!isUninstalled(input.stack)) return input
  return { ...input, dependencyRemovals: await dependencyRemovals(input.stack, context.store) }
}

/** With the newest run and its plan. */
export async function readStatusInputWithPlan(context: Context, stack: Stack): Promise<StatusInput> {
  return withPlan(context, await readStatusInput(context, stack))
}

export async function withPlan({ store }: Pick<Context, 'store'>, input: StatusInput): Promise<StatusInput> {
  if (input.last === undefined) return input
  const { plan = null } = (await store.runs.get(input.last.id)) ?? {}
  return { ...input, last: { ...input.last, plan } }
}

/** The newest run, without its plan. */
export async function lastRun({ store }: Pick<Context, 'store'>, { id }: Stack): Promise<Run | undefined> {
  return (await store.runs.last([id])).get(id)
}

/** The stacks that it depends on. */
export function dependenciesOf(context: Context, { spec }: Stack): Promise<readonly Dependency[]> {
  return readDependencies(spec.dependsOn, context.store, (stack, last) => statusInput(context, stack, last))
}

/**
 * One of the stacks that it depends on is not ready, and no run of that stack is in progress or about to begin. `seen`:
 * the names of stacks that were checked before.
 */
export async function isStalled(context: Context, stack: Stack, seen = new Set<string>()): Promise<boolean> {
  for (const { name, ready } of await dependenciesOf(context, stack)) {
    if (ready || seen.has(name)) continue
    seen.add(name)
    const awaited = await context.store.stacks.get(name)
    if (awaited?.spec.name !== name || !(await mayBecomeReady(context, awaited, seen))) return true
  }
  return false
}

async function mayBecomeReady(context: Context, stack: Stack, seen: Set<string>): Promise<boolean> {
  const last = await lastRun(context, stack)
  if (last === undefined || last.outcome !== null) return false
  if (context.scheduler.live.phaseOf(last) !== undefined) return true
  if (stack.suspended !== null || awaitsPackage(stack) || context.scheduler.refusal(stack) !== undefined) return false
  const blockers = [
    ...(await readRunBlockers(context, stack, last)),
    ...channelBlockers(last, blockedMoves(context, stack)),
  ]
  if (blockers.some(({ reason }) => reason !== 'Dependencies')) return false
  return blockers.length === 0 || !(await isStalled(context, stack, seen))
}

/** Why a queued run of the stack does not begin, or an undo does not go on; empty for a run that ended. */
export function queuedRunBlockers(context: Context, stack: Stack, run: Run): readonly RunBlocker[] {
  const { suspended } = stack
  if (run.outcome !== null) return []
  return [
    ...(suspended !== null && suspends(stack, run.intent) ? [suspensionBlocker(stack, suspended)] : []),
    ...packageBlockers(stack),
    ...undoBlockers(stack, run, context.clock.now()),
    ...context.scheduler.live.blockersOf(stack.id),
    ...channelBlockers(run, blockedMoves(context, stack)),
  ]
}

/** Between two attempts to undo. */
function undoBlockers({ spec, retryAt }: Stack, run: Run, now: number): readonly RunBlocker[] {
  if (run.phase !== 'undoing' || retryAt === null || retryAt <= now) return []
  const message =
    `Changes of run ${run.id} are not undone yet: target ${spec.target} did not carry that out. ` +
    `gitmoor tries again at ${timeText(retryAt)}, and as soon as the credential of the target changes.`
  const next = [command('Try the target', 'target test', { target: spec.target }, `gitmoor target test ${spec.target}`)]
  return [{ reason: 'Undoing', message, since: null, until: retryAt, next }]
}

/** The blockers of the run; without a run: the blockers of any run that gitmoor begins by itself. */
export async function readRunBlockers(context: Context, stack: Stack, run?: Run): Promise<readonly RunBlocker[]> {
  return runBlockers(stack, run, {
    dependencies: await dependenciesOf(context, stack),
    isHalfDone: false,
    now: context.clock.now(),
  })
}

/** What is known of the channels of stacks. */
export interface ChannelsContext {
  readonly sync: Pick<Context['sync'], 'source'>
  readonly scheduler: Pick<Context['scheduler'], 'channels'>
}

export function policyOf(
  { scheduler }: Pick<ChannelsContext, 'scheduler'>,
  { remote, ref, move }: Channel,
): ChannelPolicy {
  return scheduler.channels.policyOf({ remote, ref, name: move?.name ?? '' })
}

/** The newest moves of its channels that the stack does not follow. */
export function blockedMoves(context: ChannelsContext, { spec }: Pick<Stack, 'spec'>): readonly BlockedMove[] {
  return spec.sources.flatMap((source) => {
    if (source.kind !== 'git') return []
    const channel = context.scheduler.channels.blockedMove(remoteOf(context, source, spec.name), source.ref)
    const blocker = channel && channelBlocker(channel, policyOf(context, channel))
    if (channel === undefined || blocker === undefined) return []
    return [{ ...blocker, commit: channel.move?.to?.commit ?? null, blocksRuns: followedTip(channel) === null }]
  })
}

/** A stack that nothing declares any more may have lost its target, too: that it is suspended says what to do. */
function targetFailure({ sync }: Pick<Context, 'sync'>, stack: Stack): Failure | undefined {
  const { name, target } = stack.spec
  if (sync.targets.has(target) || isUndeclared(stack)) return undefined
  return toFailure('TargetMissing', sync.targets.missing(target, name))
}

/** The agent was started without the file that declares the stack or its target. */
function refusalFailure({ scheduler }: Context, stack: Stack): Failure | undefined {
  const refusal = scheduler.refusal(stack)
  return refusal && toFailure('ConfigurationMissing', refusal)
}

function toFailure(reason: string, { code, message, hint }: SyncError): Failure {
  return { reason, code, message, ...(hint === undefined ? {} : { hint }), retry: 'change' }
}
