// Who did what?
import { useState } from 'preact/hooks'
import { causeOf, outcomeOf } from '../../data/causes.js'
import { call } from '../../data/call.js'
import { useRead } from '../../data/read.js'
import type { DecisionView, Page, StackRunRow } from '../../data/types.js'
import { go, query, stackPath, withQuery } from '../../lib/route.js'
import { commitIn, counted, tidy } from '../../lib/text.js'
import { Commit, Counts, Empty, Time } from '../../parts/basics.js'
import { Export } from '../../parts/export.js'
import { Icon } from '../../parts/icon.js'
import { Link } from '../../parts/link.js'
import { Loaded } from '../../parts/section.js'

const outcomes = ['', 'applied', 'failed', 'needs-approval', 'unchanged'] as const
const keys = ['stack', 'by', 'cause', 'outcome', 'since'] as const

export function History() {
  const filters = keys.flatMap((key) => (query.value.has(key) ? [[key, query.value.get(key)!]] : []))
  const filter = new URLSearchParams(filters).toString()
  const runs = useRead<Page<StackRunRow>>(`runs?${filter}&limit=100`)
  const decisions = useRead<Page<DecisionView>>(
    'channels/decisions?limit=100',
    ({ channels, reset }) => channels || reset,
  )
  const isFiltered = filters.some(([key]) => key !== 'by')
  return (
    <>
      <header class="top">
        <h1>History</h1>
        <div class="actions">
          <Export path={`runs?${filter}`} name="history" columns={columns} />
        </div>
      </header>
      <Filters />
      <Loaded read={runs} rows={8} what="the history">
        {(page) => (
          <Entries
            key={filter}
            page={page}
            filter={filter}
            decisions={isFiltered ? [] : (decisions.data.value?.items ?? [])}
          />
        )}
      </Loaded>
    </>
  )
}

const columns: Readonly<Record<string, (run: StackRunRow) => string>> = {
  id: ({ id }) => id,
  stack: ({ stack }) => stack,
  at: ({ createdAt }) => createdAt,
  cause: (run) => causeOf(run).text,
  by: ({ cause }) => cause.by ?? '',
  outcome: ({ outcome, phase }) => outcome ?? phase,
  revision: ({ revision }) => revision,
}

function Filters() {
  const chosen = query.value.get('outcome') ?? ''
  const [by, setBy] = useState(query.value.get('by') ?? '')
  return (
    <div class="filters">
      <nav class="tabs" aria-label="Filter by outcome">
        {outcomes.map((outcome) => (
          <Link key={outcome} to={withQuery({ outcome })} aria-current={outcome === chosen ? 'true' : undefined}>
            {outcome === ''
              ? 'All'
              : { applied: 'Applied', failed: 'Failed', 'needs-approval': 'Needs approval', unchanged: 'No changes' }[
                  outcome
                ]}
          </Link>
        ))}
      </nav>
      <label class="search">
        <Icon name="person" />
        <input
          aria-label="Filter by person"
          placeholder="a person"
          value={by}
          onInput={(event) => setBy(event.currentTarget.value)}
          onChange={() => go(withQuery({ by: by.trim() }), { replace: true })}
        />
      </label>
    </div>
  )
}

type Entry = { readonly at: string; readonly runs: readonly StackRunRow[]; readonly decision?: DecisionView }

/** Runs of one move are one entry; decisions are between them, by time. */
function entriesOf(runs: readonly StackRunRow[], decisions: readonly DecisionView[]): readonly Entry[] {
  const groups = new Map<string, Entry>()
  for (const run of runs) {
    const isMove = run.cause.kind === 'commit' || run.cause.kind === 'tag-moved'
    const key = isMove ? `${run.cause.ref} ${run.cause.to} ${run.outcome}` : run.id
    groups.set(key, { at: groups.get(key)?.at ?? run.createdAt, runs: [...(groups.get(key)?.runs ?? []), run] })
  }
  const oldest = runs.at(-1)?.createdAt ?? ''
  const decided = decisions
    .filter(({ at }) => at >= oldest)
    .map((decision): Entry => ({ at: decision.at, runs: [], decision }))
  return [...groups.values(), ...decided].sort((a, b) => b.at.localeCompare(a.at))
}

interface EntriesProps {
  readonly page: Page<StackRunRow>
  readonly filter: string
  readonly decisions: readonly DecisionView[]
}

function Entries({ page, filter, decisions }: EntriesProps) {
  const [more, setMore] = useState<Page<StackRunRow>>()
  const runs = [...page.items, ...(more?.items ?? [])]
  const next = more === undefined ? page.next : more.next
  const loadMore = async (): Promise<void> => {
    const got = await call<Page<StackRunRow>>('GET', `runs?${filter}&limit=100&after=${encodeURIComponent(next ?? '')}`)
    setMore({ items: [...(more?.items ?? []), ...got.items], next: got.next })
  }
  const entries = entriesOf(runs, decisions)
  if (entries.length === 0)
    return (
      <Empty>
        No matching runs. <Link to="/history">Show all</Link>
      </Empty>
    )
  return (
    <div class="box">
      <ol class="runs">
        {entries.map((entry) => (
          <li key={entry.runs[0]?.id ?? `decision ${entry.decision?.id}`}>
            {entry.decision === undefined ? <Runs runs={entry.runs} /> : <Decided decision={entry.decision} />}
            <div class="right">
              <Time at={entry.at} />
            </div>
          </li>
        ))}
      </ol>
      {next !== null && (
        <div class="more">
          <button type="button" class="btn" onClick={() => void loadMore().catch(() => {})}>
            Show more
          </button>
        </div>
      )}
    </div>
  )
}

const shownStacks = 6

function Runs({ runs }: { readonly runs: readonly StackRunRow[] }) {
  const first = runs[0]!
  const { text, note } = causeOf(first)
  const [state, word] = outcomeOf(first)
  const commit = commitIn(first.revision)
  return (
    <>
      <span class={`dot s-${state}`}>
        <Icon name={first.outcome === 'unchanged' ? 'check' : state} title={word} />
      </span>
      <div>
        <p>
          {commit !== undefined && <Commit id={commit} />}
          <b>
            {runs.length > 1 ? (
              counted(runs.length, 'stack')
            ) : (
              <Link to={stackPath(first.stack, 'runs', first.id)}>{first.stack}</Link>
            )}
          </b>
          <span class={`outcome s-${state}`}>{word}</span>
          {runs.length === 1 && first.outcome !== 'unchanged' && <Counts of={first.changes} />}
        </p>
        <p class="dim">{tidy(note === '' ? text : `${text}: ${note}`)}</p>
        {runs.length > 1 && (
          <p class="dim">
            {runs.slice(0, shownStacks).map((run, at) => (
              <>
                {at > 0 && ', '}
                <Link to={stackPath(run.stack, 'runs', run.id)}>{run.stack}</Link>
              </>
            ))}
            {runs.length > shownStacks && `, and ${runs.length - shownStacks} more`}
          </p>
        )}
      </div>
    </>
  )
}

function Decided({ decision: { kind, by, why, move, commit } }: { readonly decision: DecisionView }) {
  const word = { veto: 'vetoed', approve: 'released', pin: 'pinned', unpin: 'unpinned' }[kind]
  return (
    <>
      <span class={`dot s-${kind === 'veto' ? 'failed' : kind === 'approve' ? 'synced' : 'pinned'}`}>
        <Icon name={{ veto: 'veto', approve: 'synced', pin: 'pinned', unpin: 'pinned' }[kind]} />
      </span>
      <div>
        <p>
          <b>{by}</b> {word} {commit !== null ? <Commit id={commit} /> : move === null ? 'a channel' : `move ${move}`}
        </p>
        <p class="dim">{why}</p>
      </div>
    </>
  )
}
