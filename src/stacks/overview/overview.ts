// stacks/overview: all stacks at a glance, by a few reads whose number does not depend on how many stacks there are.
// Takes filters; gives views. Promises: the states are those of lists; changes nothing.
import { compareText } from '../../lib/text/compare-text.js'
import { groupBy } from '../../lib/group-by.js'
import { channelName } from '../../model/sources/channel.js'
import { attentionStates, states, type State } from '../../status/status.js'
import type { ChannelSummary, OverviewGroup, OverviewView } from '../../views/overview.js'
import type { StackRow } from '../../views/stack.js'
import type { Context } from '../context.js'
import { remoteOf } from '../load-package/remotes.js'
import { listAllRuns, viewRows } from '../queries/queries.js'
import { viewChannel, viewDecision } from '../queries/view-channel.js'
import { liveRows, liveStacks, statesOf } from '../status/row-states.js'
import { policyOf } from '../status/status-input.js'
import { currentGroups } from './groups.js'

const mostAttention = 20
const mostChannels = 100
const mostActivity = 10

/** `group`: also the counts of each target. */
export async function getOverview(context: Context, { group }: { readonly group?: 'target' }): Promise<OverviewView> {
  const known = await liveRows(context)
  const groups = await currentGroups(context, known)
  const counts = countStates(groups)
  return {
    total: groups.reduce((sum, { stacks }) => sum + stacks, 0),
    counts,
    attention: attentionStates.reduce((sum, state) => sum + counts[state], 0),
    needsAttention: await worstStacks(context, statesOf(known)),
    channels: await summariseChannels(context),
    activity: await latestActivity(context),
    ...(group === undefined ? {} : { targets: countByTarget(groups) }),
  }
}

type Counted = { readonly target: string; readonly state: State; readonly stacks: number }

/** The number of stacks in each state. */
export async function readCounts(context: Context): Promise<OverviewView['counts']> {
  return countStates(await currentGroups(context, await liveRows(context)))
}

function countStates(groups: readonly Counted[]): OverviewView['counts'] {
  const counts = Object.fromEntries(states.map((state) => [state, 0])) as Record<State, number>
  for (const { state, stacks } of groups) counts[state] += stacks
  return counts
}

function countByTarget(groups: readonly Counted[]): readonly OverviewGroup[] {
  return [...groupBy(groups, ({ target }) => target)]
    .map(([target, some]) => ({ target, counts: countStates(some) }))
    .toSorted((a, b) => compareText(a.target, b.target))
}

/** By state, then those whose last run is the oldest. */
async function worstStacks(context: Context, liveStates: ReadonlyMap<string, State>): Promise<readonly StackRow[]> {
  const { store, scheduler } = context
  const stored = { live: liveStacks(context), liveStates }
  const found: StackRow[] = []
  for (const state of attentionStates) {
    if (found.length >= mostAttention) break
    const limit = mostAttention - found.length
    const query = { limit, sort: 'lastRun', filter: {}, liveStatus: scheduler.live } as const
    const some = await store.stacks.select({ ...query, stored: { ...stored, states: [state] } })
    found.push(...(await viewRows(context, some.found)))
  }
  return found
}

async function summariseChannels(context: Context): Promise<readonly ChannelSummary[]> {
  const followers = new Map<string, number>()
  for (const { url, ref, stacks } of await context.store.feed.followers()) {
    const name = channelName({ remote: remoteOf(context, { kind: 'git', url, ref, path: '' }, ''), ref })
    followers.set(name, (followers.get(name) ?? 0) + stacks)
  }
  const channels = await context.store.channels.list({ limit: mostChannels })
  return channels.map((channel) => {
    const { stacks: _none, ...view } = viewChannel(channel, policyOf(context, channel), [])
    return { ...view, followers: followers.get(view.name) ?? 0 }
  })
}

/** Runs that changed nothing are left out. */
async function latestActivity(context: Context): Promise<OverviewView['activity']> {
  const outcomes = ['applied', 'needs-approval', 'failed', 'undone', 'cancelled', 'interrupted'] as const
  const runs = await listAllRuns(context, { limit: mostActivity, outcomes })
  const decisions = await context.store.channels.allDecisions({ limit: mostActivity })
  return [
    ...runs.items.map((run) => ({ at: run.finishedAt ?? run.createdAt, run, decision: null })),
    ...decisions.map(viewDecision).map((decision) => ({ at: decision.at, run: null, decision })),
  ]
    .toSorted((a, b) => (a.at < b.at ? 1 : -1))
    .slice(0, mostActivity)
}
