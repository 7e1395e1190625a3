// A promotion: which tag moves, what that changes on each stack that follows it, and what was done.
import { printable } from '../../lib/text/printable.js'
import { directionNote, directionText } from '../../model/sources/channel.js'
import type { PinPreview, PromotedView, PromotionView, StackPlanView } from '../../views/channel.js'
import { agentErrors } from '../errors/agent-errors.js'
import { movedLines } from './channel-text.js'
import { errorLines } from './error-text.js'
import { nextLines } from './next-lines.js'
import { asPreview, planLines } from './plan/plan-text.js'
import { shortRevision } from './short-forms.js'
import { section } from './table.js'
import type { Display } from './text.js'

export function promotionLines(promotion: PromotionView, display: Display): readonly string[] {
  const { tag, from, before, commit, direction, stacks } = promotion
  const old = before === null ? 'new' : shortRevision(before.commit)
  const followers = stacks.length === 0 ? 'no followers' : `followed by ${stacks.map(printable).join(' ')}`
  const name = display.style.bold(printable(tag))
  const now = `${shortRevision(commit)}${printable(directionNote(direction))}`
  return [
    `${name}: ${old} → ${now}, from ${shortRevision(from)}, ${followers}`,
    ...aheadLines(promotion),
    ...followerPlanLines(promotion, display),
  ]
}

/** The plans of the first stacks at the commit, all errors, and the names of the other stacks. */
export function followerPlanLines(
  { commit, stacks, plans = [] }: Pick<PinPreview, 'commit' | 'stacks' | 'plans'>,
  display: Display,
): readonly string[] {
  const names = (all: readonly string[]): string => all.map(printable).join(' ')
  const hidden = plans.flatMap(({ stack, plan, error, leaves }) =>
    (plan ?? error ?? leaves) === undefined ? [stack] : [],
  )
  const unplanned = stacks.slice(plans.length)
  return [
    ...plans.flatMap((one) => section(plannedStackLines(one, commit, display))),
    ...section(hidden.length === 0 ? [] : [`Planned without an error, not shown: ${names(hidden)}`]),
    ...section(unplanned.length === 0 ? [] : [`Not planned before they move: ${names(unplanned)}`]),
  ]
}

/** The names of the stacks that cannot be planned at the commit. */
export function unplannable({ plans = [] }: Pick<PinPreview, 'plans'>): readonly string[] {
  return plans.filter(({ error }) => error !== undefined).map(({ stack }) => stack)
}

/** For a question: `, although boards cannot be planned there`, or nothing. */
export function unplannableNote(preview: Pick<PinPreview, 'plans'>): string {
  const stacks = unplannable(preview)
  return stacks.length === 0 ? '' : `, although ${stacks.join(', ')} cannot be planned there`
}

function plannedStackLines(
  { stack, plan, error, leaves }: StackPlanView,
  commit: string,
  display: Display,
): readonly string[] {
  if (leaves !== undefined)
    return [
      `${printable(stack)} is suspended there, because its directory is gone: fleet ${printable(leaves)} loses it. ` +
        'Its resources stay.',
    ]
  if (error !== undefined) {
    const lines = errorLines(agentErrors.sent(error), display.style)
    return [`${printable(stack)} cannot be planned at ${shortRevision(commit)}:`, ...lines.map((line) => `  ${line}`)]
  }
  if (plan === undefined) return []
  const seeAll = `gitmoor plan ${printable(plan.stackName)} --ref ${commit} --full`
  return planLines(asPreview(plan), display, seeAll)
}

/** FROM is a channel whose stacks do not follow its newest commit. */
function aheadLines({ from, fromCommit, commit }: PromotionView): readonly string[] {
  if (fromCommit === commit) return []
  const name = shortRevision(from)
  return [
    `${name} points to ${shortRevision(fromCommit)}, but its stacks follow ${shortRevision(commit)}.`,
    `  next: See why: gitmoor channel log ${name}`,
  ]
}

/** `Move tag stable of REMOTE to 2f1c9ab, which goes back from 81d0c3e?` */
export function promotionQuestion(preview: PromotionView): string {
  const { tag, remote, before, commit, direction } = preview
  const goes =
    direction === null || direction === 'forward'
      ? ''
      : `, which ${directionText(direction, shortRevision(before?.commit))}`
  return `Move tag ${tag} of ${remote} to ${shortRevision(commit)}${goes}${unplannableNote(preview)}?`
}

export function promotedLines(promoted: PromotedView, { style }: Display): readonly string[] {
  const { tag, commit, object, moved, already } = promoted
  const name = style.bold(printable(tag))
  if (already === true)
    return [`${name} is already at ${shortRevision(commit)}. Nothing to promote.`, ...aheadLines(promoted)]
  return [
    `Moved ${name} to ${shortRevision(commit)} (tag object ${shortRevision(object)}).`,
    ...(moved.length === 0 ? [] : movedLines(moved)),
    ...unmovedLines(promoted),
  ]
}

/** The stacks that do not follow the commit yet, and why. */
function unmovedLines({ stacks, moved, blockers }: PromotedView): readonly string[] {
  const [first, ...others] = stacks.filter((stack) => moved.every((one) => one.stack !== stack))
  if (first === undefined) return []
  if (blockers.length > 0) return blockers.flatMap(({ message, next }) => [printable(message), ...nextLines(next)])
  const names = [first, ...others].map(printable).join(' ')
  return [`Not moved: ${names}`, `  next: See why: gitmoor explain ${printable(first)}`]
}
