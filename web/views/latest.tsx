// What happened last: runs of one commit are one entry.
import type { ChannelSummary, OverviewView } from '../data/overview.js'
import { causeOf, outcomeOf } from '../data/causes.js'
import type { StackRunRow } from '../data/types.js'
import { stackPath } from '../lib/route.js'
import { channelText, counted, tidy } from '../lib/text.js'
import { Empty, Time } from '../parts/basics.js'
import { Icon } from '../parts/icon.js'
import { Link } from '../parts/link.js'

type Activity = OverviewView['activity'][number]
type Decision = NonNullable<Activity['decision']>

interface Entry {
  readonly at: string
  readonly runs: readonly StackRunRow[]
  readonly decision: Decision | null
}

const mostEntries = 7

/** Runs that one move of a ref caused are one entry. */
export function grouped(activity: readonly Activity[]): readonly Entry[] {
  const groups = new Map<string, Entry>()
  for (const { at, run, decision } of activity) {
    const isMove = run !== null && (run.cause.kind === 'commit' || run.cause.kind === 'tag-moved')
    const key = isMove ? `${run.cause.ref} ${run.cause.to}` : (run?.id ?? `decision ${decision?.id}`)
    const before = groups.get(key)
    const runs = run === null ? [] : [...(before?.runs ?? []), run]
    groups.set(key, { at: before?.at ?? at, runs, decision })
  }
  return [...groups.values()]
}

export function Latest({
  activity,
}: {
  readonly activity: readonly Activity[]
  readonly channels: readonly ChannelSummary[]
}) {
  const entries = grouped(activity).slice(0, mostEntries)
  if (entries.length === 0) return <Empty>Nothing happened yet.</Empty>
  return (
    <ol class="latest box">
      {entries.map(({ at, runs, decision }) => (
        <li key={runs[0]?.id ?? `decision ${decision?.id}`}>
          {decision === null ? <Runs runs={runs} /> : <Decided decision={decision} />}
          <Time at={at} />
        </li>
      ))}
    </ol>
  )
}

function Runs({ runs }: { readonly runs: readonly StackRunRow[] }) {
  const first = runs[0]!
  const { icon, text, note } = causeOf(first)
  const [state, word] = outcomeOf(first)
  return (
    <>
      <Icon name={icon} />
      <div>
        {runs.length > 1 ? (
          <b>{counted(runs.length, 'stack')}</b>
        ) : (
          <>
            <Link to={stackPath(first.stack, 'runs', first.id)}>
              <b>{first.stack}</b>
            </Link>{' '}
            <span class={`outcome s-${state}`}>{word}</span>
          </>
        )}
        <p>{tidy(note === '' ? text : `${text}: ${note}`)}</p>
      </div>
    </>
  )
}

const decided = { veto: 'vetoed', approve: 'released', pin: 'pinned', unpin: 'unpinned' }

function Decided({ decision }: { readonly decision: Decision }) {
  const { kind, channel, by, why, move, commit } = decision
  const which = commit !== null ? ` at ${commit.slice(0, 7)}` : move !== null ? `, move ${move}` : ''
  const what = `${channelText(channel)}${which}`
  return (
    <>
      <Icon
        name={{ veto: 'veto', approve: 'synced', pin: 'pinned', unpin: 'pinned' }[kind]}
        class={{ veto: 's-failed', approve: 's-synced', pin: 's-pinned', unpin: '' }[kind]}
      />
      <div>
        <b>{by}</b> {decided[kind]} {what}
        <p>{why}</p>
      </div>
    </>
  )
}
