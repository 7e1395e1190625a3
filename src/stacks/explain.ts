// "Why did this run? What holds it? What is next?" in words.
import type { Run } from '../model/run.js'
import { pathOf, type SourceSpec } from '../model/source-spec.js'
import { holdsOf } from './holds.js'
import type { Situation } from './status.js'
import { time, timeOrNull } from './view-stack.js'
import type { Explanation, SourceView } from './views.js'

export interface ExplainFacts {
  readonly situation: Situation
  readonly nextPollAt: number | null
  readonly sources: readonly SourceView[]
  /** Of each source. */
  readonly seenAt: readonly (number | null)[]
}

export function explainStack({ situation, nextPollAt, sources, seenAt }: ExplainFacts): Explanation {
  const { stack, last } = situation
  const { spec } = stack
  const follows = sources.map((source, at) => ({
    source: sourceInWords(source),
    revision: source.revision,
    ...(source.tag === undefined ? {} : { tag: source.tag }),
    seenAt: timeOrNull(seenAt[at] ?? null),
  }))
  const lastRun = last === undefined ? 'It never ran.' : `Run ${last.id} ran because ${causeInWords(last)}; ${outcomeInWords(last)}.`
  const holds = holdsOf(situation)
  const text = [
    `${spec.name} follows ${follows.map(({ source }) => source).join(', ')}.`,
    lastRun,
    ...(holds.length === 0 ? ['Nothing holds it.'] : holds.map(({ message, next }) => `${message} ${next}`)),
    nextPollAt === null ? 'The source is being looked at.' : `The source is looked at next at ${time(nextPollAt)}.`,
  ].join('\n')
  return {
    name: spec.name,
    follows,
    lastRun,
    holds,
    nextPollAt: timeOrNull(nextPollAt),
    nextDriftCheckAt: timeOrNull(nextDriftCheckAt(situation)),
    nextRetryAt: stack.suspended === null && stack.failure?.retry === 'soon' ? timeOrNull(stack.retryAt) : null,
    text,
  }
}

/** null: as it is, nobody looks at the target by himself. */
function nextDriftCheckAt({ stack, last }: Situation): number | null {
  const { spec, applied, failure, suspended, checkedAt, createdAt } = stack
  const isWatched = spec.drift !== 'ignore' && applied !== null && failure === null && suspended === null && last?.outcome !== 'held'
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
  const note = cause.note === undefined ? '' : ` (${cause.note})`
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

function outcomeInWords(run: Run): string {
  const first = run.problems.find((problem) => problem.severity === 'error')
  const why = first === undefined ? '' : `: ${first.message.replace(/\.$/, '')}`
  switch (run.outcome) {
    case null:
      return `it is ${run.phase}`
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
      return 'a newer revision took its place'
    case 'cancelled':
      return 'it was cancelled'
    case 'interrupted':
      return 'it was interrupted'
  }
}
