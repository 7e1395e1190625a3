// The output of `gitmoor explain NAME`: the state of a stack and what to do, then its settings and times.
import { printable } from '../../lib/text/printable.js'
import { directionNote } from '../../model/sources/channel.js'
import { hashDigits } from '../../model/sources/revision.js'
import type { Explanation } from '../../views/explanation.js'
import { problemLines } from './problem-text.js'
import { nextLines, wrappedLines } from './next-lines.js'
import { age, shortRevision, showTime } from './short-forms.js'
import { labelsText, stateText, warningLines } from './stack-text.js'
import { facts } from './table.js'
import type { Display } from './text.js'

type Followed = Explanation['follows'][number]

export function explanationLines(explanation: Explanation, display: Display): readonly string[] {
  const { style } = display
  const follows = explanation.follows.flatMap((one) => followedPairs(one, display.now))
  const blockers = explanation.blockers.flatMap(({ reason, message, next }) => [
    ...wrappedLines(`${style.yellow('!')} `, printable(blockerText(reason, message)), display.width),
    ...nextLines(next, display.width),
  ])
  const isUnblocked = explanation.blockers.length === 0
  const { message, next, since } = explanation.status
  const labelled = facts(
    [
      ['blockers', isUnblocked ? 'none' : ''],
      ['message', isUnblocked && next.length > 0 ? printable(message) : ''],
      ['labels', labelsText(explanation)],
      ['fleet', printable(explanation.fleet?.name ?? '')],
      ['since', since === null ? '' : age(since, display.now)],
      ...follows,
      ['last run', printable(explanation.lastRun)],
      ['next poll', dueText(explanation.nextPollAt, display.now)],
      ['requested poll', dueText(explanation.requestedPollAt, display.now)],
      ...explanation.delays.map((why) => ['delayed', printable(why)] as const),
      ['next scheduled sync', dueText(explanation.nextScheduleAt, display.now)],
      ['last check', explanation.checkedAt === null ? '' : age(explanation.checkedAt, display.now)],
      ['next drift check', dueText(explanation.nextDriftCheckAt, display.now)],
      ['next retry', dueText(explanation.nextRetryAt, display.now)],
      ['window', windowText(explanation.window, display.now)],
      ...explanation.overrides.map((one) => ['override', overrideText(one, display.now)] as const),
      ...explanation.dependencies.map((one) => ['depends on', dependencyText(one)] as const),
    ],
    display,
  )
  return [
    `${style.bold(printable(explanation.name))}: ${stateText(explanation.status, style)}`,
    ...(isUnblocked ? nextLines(next, display.width) : blockers),
    ...(explanation.fleet?.problems ?? []).flatMap((one) => problemLines(one, style)),
    ...warningLines(explanation.status, style),
    ...labelled,
  ]
}

/** Without the reason if the message begins with it: `Suspended by ann`, `Suspended: boards is not in the listing`. */
function blockerText(reason: string, message: string): string {
  return /^[ :]/.test(message.replace(reason, '')) && message.startsWith(reason) ? message : `${reason}: ${message}`
}

function followedPairs(one: Followed, now: number): readonly (readonly [string, string])[] {
  const problem = one.problem === null ? '' : `: ${printable(one.problem)}`
  return [
    ['follows', `${printable(one.source)}${revisionText(one, now)}`],
    ['last poll', one.polledAt === null ? '' : `${age(one.polledAt, now)}${problem}`],
    ['last move', one.move === null ? '' : moveText(one.move, now)],
  ]
}

function moveText({ from, to, direction, observedAt, detectedBy }: NonNullable<Followed['move']>, now: number): string {
  const when = `${age(observedAt, now)}, detected by ${printable(detectedBy)}`
  const before = from?.commit.slice(0, 7)
  if (to === null) return `${before === undefined ? 'deleted' : `deleted at ${printable(before)}`} ${when}`
  const isSame = from?.commit === to.commit
  const start = before === undefined || isSame ? '' : `from ${before} `
  const end = `to ${isSame ? 'another tag of ' : ''}${to.commit.slice(0, 7)}`
  return `${printable(start + end + directionNote(direction))} ${when}`
}

function windowText(window: Explanation['window'], now: number): string {
  if (window === null) return ''
  const until = window.until === null ? '' : ` until ${showTime(window.until)} (${age(window.until, now)})`
  return `${window.open ? 'open' : 'closed'}${until}${window.reason === null ? '' : `: ${printable(window.reason)}`}`
}

function overrideText({ at, by, what, why }: Explanation['overrides'][number], now: number): string {
  return printable(`${by} overrode a closed window ${age(at, now)} to ${what}: ${why}`)
}

function dependencyText({ name, ready, why }: Explanation['dependencies'][number]): string {
  return `${printable(name)}, ${ready ? 'ready' : `not ready: ${printable(why)}`}`
}

/** The source's revision, which may not be applied yet, and whether it is behind the newest move. */
function revisionText({ revision, tag, observedAt, move }: Followed, now: number): string {
  if (revision === null || revision === '') return ''
  if (move !== null && move.to === null) return `, at ${shortRevision(revision)}, before the ref was deleted`
  const isBehind = move?.to != null && !revision.endsWith(move.to.commit)
  const short = shortRevision(revision, tag === undefined ? {} : { [hashDigits(revision)]: tag })
  if (isBehind) return `, at ${short}, not at the newest move`
  const observed = observedAt === null ? '' : `, observed ${age(observedAt, now)}`
  return `, at ${short}${observed}`
}

/** '' if nothing is due. */
function dueText(time: string | null, now: number): string {
  if (time === null) return ''
  return Date.parse(time) <= now ? 'now' : age(time, now)
}
