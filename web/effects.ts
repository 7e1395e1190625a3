// What a decision would do, in sentences: the previews of the API, read when a dialog asks.
import type { ApprovalPreview, PlannedStackView, UnpinPreview } from '../src/views/channel.js'
import { call } from './data/call.js'
import { stackUrl } from './data/stack-url.js'
import type { Page, PinPreview, PlanView, RunRow, RunView, StackRow, StackView, VetoPreview } from './data/types.js'
import { stackPath } from './lib/route.js'
import { channelText, counted, shortRevision } from './lib/text.js'

export interface Effect {
  /** Whole sentences. */
  readonly text: string
  /** Plans the stacks that it changes, which reads their targets. Absent: it changes none. */
  readonly plans?: () => Promise<readonly PlannedStackView[]>
  /** Their names: after an event of one, the plans are old. */
  readonly stacks?: readonly string[]
  /** Another view that shows what changes. */
  readonly link?: { readonly to: string; readonly text: string }
}

/** Errors: `CallError`, also if the move cannot be vetoed. */
export async function vetoEffect(id: string): Promise<Effect> {
  const { move, commit, stacks } = await call<VetoPreview>('GET', `channels/moves/${id}/veto`)
  const vetoed = short(move.to?.commit)
  if (stacks.length === 0)
    return { text: `No stack of ${channelText(move.channel)} follows ${vetoed}, so nothing changes on a target.` }
  if (commit === null)
    return { text: `No commit was released before ${vetoed}, so it stays on the targets of ${listed(stacks)}.` }
  const text = `${whichStacks(stacks, 'goes', 'go')} back from ${vetoed} to ${short(commit)}: ${listed(stacks)}.`
  return { text: `${text}${await exceptions(stacks)}`, stacks, plans: plansAt(move.channel, commit) }
}

/** Errors: `CallError`, also if the move cannot be released. */
export async function approvalEffect(id: string): Promise<Effect> {
  const path = `channels/moves/${id}/approve`
  const { move, stacks } = await call<ApprovalPreview>('GET', path)
  const { decision, to, state, channel } = move
  const ended =
    state === 'vetoed'
      ? `This ends the veto of ${short(to?.commit)} on ${channelText(channel)}, by ${decision?.by ?? 'a person'}` +
        `${decision?.why ? `: “${decision.why}”` : ''}. `
      : ''
  if (stacks.length === 0) return { text: `${ended}No stack moves.` }
  const plans = async (): Promise<readonly PlannedStackView[]> =>
    (await call<ApprovalPreview>('GET', `${path}?plans=true`)).plans ?? []
  return { text: `${ended}${movingText(stacks, to?.commit)}${await exceptions(stacks)}`, stacks, plans }
}

/** Errors: `CallError`, also if the channel is not pinned. */
export async function unpinEffect(channel: string): Promise<Effect> {
  const query = new URLSearchParams({ channel })
  const { pinned, commit, stacks, blocker } = await call<UnpinPreview>('GET', `channels/unpin?${query}`)
  const why = blocker === null ? '' : ` ${blocker.message}`
  if (commit === null) return { text: `The ref was deleted: its stacks stay at ${short(pinned)}.` }
  if (stacks.length === 0) return { text: `It is released at ${short(commit)}; no stack follows it.${why}` }
  if (commit === pinned) return { text: `Its stacks stay at ${short(pinned)}, which is released.${why}` }
  const text = `${movingText(stacks, commit, pinned)}${await exceptions(stacks)}${why}`
  return { text, stacks, plans: plansAt(channel, commit) }
}

/** What a stack loses and gets if it goes back to a run. Errors: `CallError`. */
export async function rollBackEffect(name: string, run: string): Promise<Effect> {
  const [stack, { veto, revision }, runs] = await Promise.all([
    call<StackView>('GET', stackUrl(name)),
    call<RunView>('GET', stackUrl(name, `/runs/${run}`)),
    call<Page<RunRow>>('GET', stackUrl(name, '/runs?limit=50')),
  ])
  const { target, lastRun } = stack
  const { applied } = stack.revision
  const current = runs.items.find((one) => one.outcome === 'applied' && one.revision === applied)
  const vetoed = veto === undefined ? '' : ` Its commit was vetoed by ${veto.by}${veto.why && `: “${veto.why}”`}.`
  const text = `${target} goes from ${shortRevision(applied)} to ${shortRevision(revision)}.${vetoed}`
  const link = current && {
    to: `${stackPath(name, 'compare')}?a=${current.id}&b=${run}`,
    text: `Compare run ${current.id} with run ${run}`,
  }
  // A plan would wait for a run in progress, which a rollback stops.
  if (lastRun?.outcome === null)
    return { text: `${text} Run ${lastRun.id} is in progress, and ends.`, ...(link && { link }) }
  const plans = async (): Promise<readonly PlannedStackView[]> => [
    { stack: name, plan: await call<PlanView>('POST', stackUrl(name, '/plan'), { run }) },
  ]
  return { text, stacks: [name], plans, ...(link && { link }) }
}

/** `9 stacks move to 3d24f49: a, b, c.` */
function movingText(stacks: readonly string[], commit: string | undefined, from?: string): string {
  const start = from === undefined ? '' : ` from ${short(from)}`
  return `${whichStacks(stacks, 'moves', 'move')}${start} to ${short(commit)}: ${listed(stacks)}.`
}

/** The most names of a request. */
const mostAsked = 100

/** Which of the stacks move later, or only if the package changes; of many, of the first ones. */
async function exceptions(stacks: readonly string[]): Promise<string> {
  const query = new URLSearchParams({ names: stacks.slice(0, mostAsked).join(','), limit: String(mostAsked) })
  const { items } = await call<Page<StackRow>>('GET', `stacks?${query}`)
  const suspended = items.filter((one) => one.suspended !== null).map(({ name }) => name)
  const kept = items.filter((one) => one.suspended === null && one.pinned !== null).map(({ name }) => name)
  return [
    ...(suspended.length === 0 ? [] : [` Suspended, so only when resumed: ${listed(suspended)}.`]),
    ...(kept.length === 0 ? [] : [` Rolled back, so only if their packages change: ${listed(kept)}.`]),
  ].join('')
}

/** The plans of the followers of a channel, if it were at the commit. */
function plansAt(channel: string, commit: string): () => Promise<readonly PlannedStackView[]> {
  const query = new URLSearchParams({ channel, at: commit, plans: 'true' })
  return async () => (await call<PinPreview>('GET', `channels/pin?${query}`)).plans ?? []
}

function whichStacks({ length }: readonly string[], verb: string, pluralVerb: string): string {
  return `${counted(length, 'stack')} ${length === 1 ? verb : pluralVerb}`
}

const mostListed = 5

/** The first names, and how many more there are. */
function listed(names: readonly string[]): string {
  const more = names.length - mostListed
  return `${names.slice(0, mostListed).join(', ')}${more > 0 ? ` and ${more.toLocaleString()} more` : ''}`
}

const short = (commit: string | undefined): string => commit?.slice(0, 7) ?? 'a deleted ref'
