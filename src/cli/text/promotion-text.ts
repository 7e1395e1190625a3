// A promotion: which tag moves, what that changes on each stack that follows it, and what was done.
import { printable } from '../../lib/printable.js'
import type { PromotedView, PromotionView } from '../../views/channel.js'
import { asPreview, planLines } from './plan-text.js'
import { shortRevision } from './short-forms.js'
import { section } from './table.js'
import type { Display } from './text.js'

export function promotionLines(promotion: PromotionView, display: Display): readonly string[] {
  const { tag, from, before, commit, forward, stacks, plans = [] } = promotion
  const old = before === null ? 'new' : shortRevision(before.commit)
  const direction = before === null || forward === true ? '' : forward === false ? ', backward' : ', direction unknown'
  const followers = stacks.length === 0 ? 'no followers' : `followed by ${stacks.map(printable).join(' ')}`
  const name = display.style.bold(printable(tag))
  const unplanned = stacks.slice(plans.length)
  return [
    `${name}: ${old} → ${shortRevision(commit)} (${printable(from)}${direction}), ${followers}`,
    ...plans.flatMap((one) => section(plannedStackLines(one, commit, display))),
    ...section(unplanned.length === 0 ? [] : [`Not planned here: ${unplanned.map(printable).join(' ')}`]),
  ]
}

function plannedStackLines(
  { stack, plan, problem = '' }: NonNullable<PromotionView['plans']>[number],
  commit: string,
  display: Display,
): readonly string[] {
  if (plan === undefined) return [`${printable(stack)}: cannot plan: ${printable(problem)}`]
  const seeAll = `gitmoor plan ${printable(plan.stackName)} --ref ${commit} --full`
  return planLines(asPreview(plan), display, seeAll)
}

export function promotedLines(promoted: PromotedView, { style }: Display): readonly string[] {
  const { tag, commit, object, runs, already } = promoted
  const name = style.bold(printable(tag))
  if (already === true) return [`${name} is already at ${shortRevision(commit)}. Nothing to promote.`]
  const started = runs.length === 0 ? '' : ` Runs: ${runs.map(printable).join(' ')}.`
  return [`Moved ${name} to ${shortRevision(commit)} (tag object ${shortRevision(object)}).${started}`]
}
