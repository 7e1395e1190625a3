import { printable } from '../model/printable.js'
import type { Explanation } from '../stacks/views.js'
import { age, shortRevision } from './short.js'
import type { Look } from './style.js'
import { facts } from './table.js'

export function explanationLines(explanation: Explanation, look: Look): readonly string[] {
  const { style } = look
  const follows = explanation.follows.map(
    (one) => ['follows', `${printable(one.source)}, last seen at ${shortRevision(one.revision)} ${age(one.seenAt, look.now)}`] as const,
  )
  const holds = explanation.holds.flatMap((hold) => [
    `${style.yellow('!')} ${printable(hold.reason)}: ${printable(hold.message)}`,
    ...(hold.next === '' ? [] : [`  next: ${printable(hold.next)}`]),
  ])
  const times = facts(
    [
      ...follows,
      ['last run', printable(explanation.lastRun)],
      ['next look at the source', age(explanation.nextPollAt, look.now)],
      ['next look at the target', age(explanation.nextDriftCheckAt, look.now)],
      ['next try', explanation.nextRetryAt === null ? '' : age(explanation.nextRetryAt, look.now)],
    ],
    style,
  )
  return [style.bold(printable(explanation.name)), ...times, ...(holds.length === 0 ? ['Nothing holds it.'] : holds)]
}
