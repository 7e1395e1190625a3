import { printable } from '../../lib/printable.js'
import type { Explanation } from '../../views/explanation.js'
import { age, withTag, shortRevision, showTime } from './short-forms.js'
import type { Display } from './text.js'
import { facts } from './table.js'

type Followed = Explanation['follows'][number]

export function explanationLines(explanation: Explanation, look: Display): readonly string[] {
  const { style } = look
  const follows = explanation.follows.flatMap((one) => followedPairs(one, look.now))
  const holds = explanation.blockers.flatMap((hold) => [
    `${style.yellow('!')} ${printable(hold.reason)}: ${printable(hold.message)}`,
    ...(hold.next === '' ? [] : [`  next: ${printable(hold.next)}`]),
  ])
  const times = facts(
    [
      ...follows,
      ['last run', printable(explanation.lastRun)],
      ['next look at the source', dueText(explanation.nextPollAt, look.now)],
      ...explanation.delays.map((why) => ['so late, since', printable(why)] as const),
      ['next by its schedule', dueText(explanation.nextScheduleAt, look.now)],
      ['next look at the target', dueText(explanation.nextDriftCheckAt, look.now)],
      ['next try', dueText(explanation.nextRetryAt, look.now)],
      ['window', windowText(explanation.window, look.now)],
      ...explanation.overrides.map((one) => ['override', overrideText(one, look.now)] as const),
      ...explanation.dependencies.map((one) => ['depends on', dependencyText(one)] as const),
    ],
    style,
  )
  return [style.bold(printable(explanation.name)), ...times, ...(holds.length === 0 ? ['Nothing holds it.'] : holds)]
}

function followedPairs(one: Followed, now: number): readonly (readonly [string, string])[] {
  const problem = one.problem === null ? '' : `: ${printable(one.problem)}`
  return [
    ['follows', `${printable(one.source)}${revisionText(one, now)}`],
    ['last look at it', one.polledAt === null ? '' : `${age(one.polledAt, now)}${problem}`],
    ['last move', one.move === null ? '' : moveText(one.move, now)],
  ]
}

function moveText({ from, to, observedAt, detectedBy }: NonNullable<Followed['move']>, now: number): string {
  const isSame = from !== null && from.commit === to?.commit
  const goal = to === null ? 'away' : `to ${isSame ? 'another tag of ' : ''}${to.commit.slice(0, 7)}`
  const ends = `${from === null || isSame ? '' : `from ${from.commit.slice(0, 7)} `}${goal}`
  return `${printable(ends)} ${age(observedAt, now)}, learnt by ${printable(detectedBy)}`
}

function windowText(window: Explanation['window'], now: number): string {
  if (window === null) return ''
  const until = window.until === null ? '' : ` until ${showTime(window.until)} (${age(window.until, now)})`
  return `${window.open ? 'open' : 'closed'}${until}${window.reason === null ? '' : `: ${printable(window.reason)}`}`
}

function overrideText({ at, by, what, why }: Explanation['overrides'][number], now: number): string {
  return printable(`${by} wrote past a closed window ${age(at, now)} to ${what}: ${why}`)
}

function dependencyText({ name, ready, why }: Explanation['dependencies'][number]): string {
  return `${printable(name)}, ${ready ? 'ready' : `not ready: ${printable(why)}`}`
}

/** What is released of it, where its newest move is not. */
function revisionText({ revision, tag, observedAt, move }: Followed, now: number): string {
  if (revision === null || revision === '') return ''
  const isBehind = move?.to != null && !revision.endsWith(move.to.commit)
  if (isBehind) return `, kept at ${withTag(shortRevision(revision), tag)}`
  return `, last seen at ${withTag(shortRevision(revision), tag)}${observedAt === null ? '' : ` ${age(observedAt, now)}`}`
}

/** Nothing where nothing is due. */
function dueText(time: string | null, now: number): string {
  if (time === null) return ''
  return Date.parse(time) <= now ? 'now' : age(time, now)
}
