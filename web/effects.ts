// What a decision would do, in sentences: the previews of the API, read when a dialog asks.
import type { ApprovalPreview, PlannedStackView } from '../src/views/channel.js'
import { call } from './data/call.js'
import type { PinPreview, VetoPreview } from './data/types.js'
import { channelText, counted } from './lib/text.js'

export interface Effect {
  /** Whole sentences. */
  readonly text: string
  /** Plans the stacks that it changes, which reads their targets. Absent: it changes none. */
  readonly plans?: () => Promise<readonly PlannedStackView[]>
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
  return { text, plans: plansAt(move.channel, commit) }
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
  return { text: `${ended}${movingText(stacks, to?.commit)}`, plans }
}

/** `9 stacks move to 3d24f49: a, b, c.` */
function movingText(stacks: readonly string[], commit: string | undefined): string {
  return `${whichStacks(stacks, 'moves', 'move')} to ${short(commit)}: ${listed(stacks)}.`
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
