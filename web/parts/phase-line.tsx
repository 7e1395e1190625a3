// The phases of a run on a line, each with its time and how long it took.
import type { RunEvents } from '../../src/views/run-events.js'
import { outcomeOf } from '../data/causes.js'
import type { RunRow } from '../data/types.js'
import { lengthText } from '../lib/time.js'
import { Time } from './basics.js'

type Phase = RunEvents['phases'][number]

const names: Readonly<Record<Phase['phase'], string>> = {
  queued: 'Queued',
  fetching: 'Fetched',
  planning: 'Planned',
  applying: 'Applied',
  undoing: 'Reverted',
}

/** Phases that a run has without failing. */
const expected = ['queued', 'fetching', 'planning', 'applying'] as const

interface PhaseLineProps {
  readonly run: Pick<RunRow, 'outcome' | 'phase' | 'revision'>
  readonly phases: readonly Phase[]
}

export function PhaseLine({ run, phases }: PhaseLineProps) {
  const [state, word] = outcomeOf(run)
  const entered = phases.map(({ phase }) => phase)
  const rest = entered.includes('undoing') ? [] : expected.slice(expected.indexOf(entered.at(-1) as 'queued') + 1)
  const isSmooth = run.outcome === 'applied' || run.outcome === 'unchanged'
  return (
    <ol class="phase-line" aria-label="Phases">
      {phases.map(({ phase, at, endedAt }, index) => {
        const isLast = index === phases.length - 1
        return (
          <li key={phase} class={`done s-${isLast ? state : 'synced'}`}>
            <b>{isLast && !isSmooth ? `${names[phase]}: ${word}` : names[phase]}</b>
            {at !== null && <Time at={at} />}
            {at !== null && endedAt !== null && <span class="dim"> took {tookText(at, endedAt)}</span>}
          </li>
        )
      })}
      {rest.map((phase) => (
        <li key={phase}>
          <b class="dim">{names[phase]}</b>
        </li>
      ))}
    </ol>
  )
}

/** `420 ms`, `3 min`. */
export function tookText(from: string, to: string): string {
  const ms = Math.max(0, Date.parse(to) - Date.parse(from))
  return ms < 1_000 ? `${ms} ms` : lengthText(ms)
}
