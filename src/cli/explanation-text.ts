import { printable } from '../model/printable.js'
import type { Explanation } from '../stacks/views.js'
import { age, atTag, shortRevision } from './short.js'
import type { Look } from './style.js'
import { facts } from './table.js'

export function explanationLines(explanation: Explanation, look: Look): readonly string[] {
  const { style } = look
  const follows = explanation.follows.map((one) => ['follows', `${printable(one.source)}${seenText(one, look.now)}`] as const)
  const holds = explanation.holds.flatMap((hold) => [
    `${style.yellow('!')} ${printable(hold.reason)}: ${printable(hold.message)}`,
    ...(hold.next === '' ? [] : [`  next: ${printable(hold.next)}`]),
  ])
  const times = facts(
    [
      ...follows,
      ['last run', printable(explanation.lastRun)],
      ['next look at the source', due(explanation.nextPollAt, look.now)],
      ['next look at the target', due(explanation.nextDriftCheckAt, look.now)],
      ['next try', due(explanation.nextRetryAt, look.now)],
    ],
    style,
  )
  return [style.bold(printable(explanation.name)), ...times, ...(holds.length === 0 ? ['Nothing holds it.'] : holds)]
}

function seenText({ revision, tag, seenAt }: Explanation['follows'][number], now: number): string {
  if (revision === null || revision === '') return ''
  return `, last seen at ${atTag(shortRevision(revision), tag)}${seenAt === null ? '' : ` ${age(seenAt, now)}`}`
}

/** Nothing where nothing is due. */
function due(time: string | null, now: number): string {
  if (time === null) return ''
  return Date.parse(time) <= now ? 'now' : age(time, now)
}
