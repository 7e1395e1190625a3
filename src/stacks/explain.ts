// "Why did this run? What holds it? What is next?" in words.
import type { ChannelMove } from '../model/channel.js'
import type { Outcome, Run } from '../model/run.js'
import { pathOf, type SourceSpec } from '../model/source-spec.js'
import type { StackSpec } from '../model/stack.js'
import type { WindowOverride } from '../model/window-override.js'
import { nextTime } from '../settings/schedule.js'
import { windowState } from '../settings/sync-windows.js'
import { delayInWords } from './delay-in-words.js'
import type { Dependency } from './dependencies.js'
import type { LookDelay, RemoteLook } from './dispatch.js'
import { holdsOf } from './holds.js'
import type { Situation } from './status.js'
import { viewMove } from './view-channel.js'
import { time, timeOrNull } from './view-stack.js'
import type { Explanation, FollowedView, SourceView } from './views.js'

/** A source, and what is known of it. `seenAt`: when what it is at was seen first, in milliseconds since the epoch. */
export interface Followed {
  readonly source: SourceView
  readonly seenAt: number | null
  readonly look: RemoteLook | undefined
  readonly move: ChannelMove | undefined
}

export interface ExplainFacts {
  readonly situation: Situation
  readonly nextPollAt: number | null
  /** Of its remotes, why their looks come later than the interval says. */
  readonly delays: readonly LookDelay[]
  readonly followed: readonly Followed[]
  readonly dependencies: readonly Dependency[]
  /** Newest first. */
  readonly overrides: readonly WindowOverride[]
  readonly now: number
}

export function explainStack({
  situation,
  nextPollAt,
  delays,
  followed,
  dependencies,
  overrides,
  now,
}: ExplainFacts): Explanation {
  const { stack, last } = situation
  const { spec } = stack
  const follows = followed.map(viewFollowed)
  const lastRun = last === undefined ? 'It never ran.' : runInWords(last)
  const holds = holdsOf(situation)
  const text = [
    `${spec.name} follows ${follows.map(({ source }) => source).join(', ')}.`,
    lastRun,
    ...(holds.length === 0 ? ['Nothing holds it.'] : holds.map(({ message, next }) => `${message} ${next}`)),
    nextPollAt === null ? 'The source is being looked at.' : `The source is looked at next at ${time(nextPollAt)}.`,
    ...delays.map((why) => `That is later than its interval says: ${delayInWords(why)}.`),
    ...overrides.map((one) => `At ${time(one.at)}, ${one.by} overrode a closed window to ${one.what}: ${one.why}`),
  ].join('\n')
  return {
    name: spec.name,
    follows,
    lastRun,
    holds,
    window: viewWindow(spec, now),
    dependencies: dependencies.map(({ name, ready, why }) => ({ name, ready, why })),
    nextPollAt: timeOrNull(nextPollAt),
    delays: delays.map(delayInWords),
    nextScheduleAt: stack.suspended === null ? timeOrNull(nextTime(spec.schedule, spec.timeZone, now) ?? null) : null,
    nextDriftCheckAt: timeOrNull(nextDriftCheckAt(situation)),
    nextRetryAt: stack.suspended === null && stack.failure?.retry === 'soon' ? timeOrNull(stack.retryAt) : null,
    overrides: overrides.map((one) => ({ ...one, at: time(one.at) })),
    text,
  }
}

function viewFollowed({ source, seenAt, look, move }: Followed): FollowedView {
  return {
    source: sourceInWords(source),
    revision: source.revision,
    ...(source.tag === undefined ? {} : { tag: source.tag }),
    seenAt: timeOrNull(seenAt),
    lookedAt: timeOrNull(look?.at ?? null),
    problem: look?.failure?.message ?? null,
    move: move === undefined ? null : viewMove(move),
  }
}

function viewWindow({ windows, timeZone }: StackSpec, now: number): Explanation['window'] {
  if (windows.length === 0) return null
  const { isOpen, until, denied } = windowState(windows, timeZone, now)
  return { open: isOpen, until: timeOrNull(until), reason: denied?.reason ?? null }
}

/** null: as it is, nobody looks at the target by himself. */
function nextDriftCheckAt({ stack, last }: Situation): number | null {
  const { spec, applied, failure, suspended, checkedAt, createdAt } = stack
  const isWatched =
    spec.drift !== 'ignore' && applied !== null && failure === null && suspended === null && last?.outcome !== 'held'
  return isWatched ? (checkedAt ?? createdAt) + spec.driftIntervalMs : null
}

function sourceInWords(source: SourceSpec): string {
  switch (source.kind) {
    case 'git':
      return `${source.ref} of ${source.url}${belowPath(source)}`
    case 'url':
      return source.url + belowPath(source)
    case 'directory':
      return `the directory ${source.directory}`
    case 'inline':
      return 'what is pushed to it'
  }
}

function belowPath(source: SourceSpec): string {
  const path = pathOf(source)
  return path === '' ? '' : `, below ${path}`
}

export function causeInWords({ cause, revision }: Pick<Run, 'cause' | 'revision'>): string {
  const past = cause.past === undefined ? '' : `, though it would have waited (${cause.past})`
  const override = cause.overrideWindow === undefined ? '' : `, overriding the closed window (${cause.overrideWindow})`
  const note = `${cause.note === undefined ? '' : ` (${cause.note})`}${past}${override}`
  const move = `${cause.from === undefined ? '' : ` from ${cause.from.slice(0, 7)}`}${cause.to === undefined ? '' : ` to ${cause.to.slice(0, 7)}`}`
  switch (cause.kind) {
    case 'created':
      return `the stack was created${note}`
    case 'commit':
      return `${cause.ref ?? 'the branch'} has a new commit${move}${note}`
    case 'tag-moved':
      return cause.tag === undefined
        ? `the tag ${cause.ref ?? ''} moved${move}${note}`
        : `${cause.tag} fits ${cause.ref ?? ''} best${move}${note}`
    case 'directory-changed':
      return `the directory changed${note}`
    case 'url-changed':
      return `the file behind the URL changed${note}`
    case 'schedule':
      return `it was due${note}`
    case 'drift':
      return `the target differed from ${revision}${note}`
    case 'person':
      return `${cause.by === 'file' ? 'the configuration file' : (cause.by ?? 'a person')} asked for it${note}`
    case 'retry':
      return `the run before it failed${note}`
    case 'recovery':
      return `an earlier run left something half-done${note}`
  }
}

function runInWords(run: Run): string {
  const because = `because ${causeInWords(run)}`
  if (run.outcome === null) return `Run ${run.id} is ${run.phase} ${because}.`
  return `Run ${run.id} ran ${because}; ${outcomeInWords(run, run.outcome)}.`
}

function outcomeInWords(run: Run, outcome: Outcome): string {
  const first = run.problems.find((problem) => problem.severity === 'error')
  const why = first === undefined ? '' : `: ${first.message.replace(/\.$/, '')}`
  switch (outcome) {
    case 'applied': {
      const { create = 0, update = 0, remove = 0 } = run.changes ?? {}
      return `it created ${create}, updated ${update}, removed ${remove}`
    }
    case 'unchanged':
      return 'nothing had to change'
    case 'held':
      return 'its plan waits for a person'
    case 'failed':
      return `it failed${why}`
    case 'undone':
      return `it failed and everything it had done was undone${why}`
    case 'superseded':
      return 'a newer run took its place'
    case 'cancelled':
      return 'it was cancelled'
    case 'interrupted':
      return 'it was interrupted'
  }
}
