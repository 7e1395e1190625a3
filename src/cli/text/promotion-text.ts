// A promotion: which tag moves, what that changes on each stack that follows it, and what was done.
import { printable } from '../../lib/text/printable.js'
import { directionNote, directionText } from '../../model/sources/channel.js'
import type { PinPreview, PromotedView, PromotionView, StackPlanView } from '../../views/channel.js'
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

/** The plan of each stack at the commit, and the names of those that were not planned. */
export function followerPlanLines(
  { commit, stacks, plans = [] }: Pick<PinPreview, 'commit' | 'stacks' | 'plans'>,
  display: Display,
): readonly string[] {
  const unplanned = stacks.slice(plans.length)
  return [
    ...plans.flatMap((one) => section(plannedStackLines(one, commit, display))),
    ...section(unplanned.length === 0 ? [] : [`Not planned here: ${unplanned.map(printable).join(' ')}`]),
  ]
}

function plannedStackLines(
  { stack, plan, problem = '' }: StackPlanView,
  commit: string,
  display: Display,
): readonly string[] {
  if (plan === undefined) return [`${printable(stack)}: cannot plan: ${printable(problem)}`]
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
export function promotionQuestion({ tag, remote, before, commit, direction }: PromotionView): string {
  const goes =
    direction === null || direction === 'forward'
      ? ''
      : `, which ${directionText(direction, shortRevision(before?.commit))}`
  return `Move tag ${tag} of ${remote} to ${shortRevision(commit)}${goes}?`
}

export function promotedLines(promoted: PromotedView, { style }: Display): readonly string[] {
  const { tag, commit, object, runs, already } = promoted
  const name = style.bold(printable(tag))
  if (already === true)
    return [`${name} is already at ${shortRevision(commit)}. Nothing to promote.`, ...aheadLines(promoted)]
  const started = runs.length === 0 ? '' : ` Runs: ${runs.map(printable).join(' ')}.`
  return [`Moved ${name} to ${shortRevision(commit)} (tag object ${shortRevision(object)}).${started}`]
}
