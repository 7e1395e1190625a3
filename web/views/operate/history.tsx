// Who did what?
import { useState } from 'preact/hooks'
import { causeOf } from '../../data/causes.js'
import { HistoryList } from '../../data/history-list.js'
import type { DecisionView, DeletedStackView, StackRunRow } from '../../data/types.js'
import { go, query, withQuery } from '../../lib/route.js'
import { Clis } from '../../parts/basics.js'
import { Export } from '../../parts/export.js'
import { FilterChips } from '../../parts/filter-chips.js'
import { Icon } from '../../parts/icon.js'
import { Link } from '../../parts/link.js'
import { SelectionBar, SelectRuns, selectedRuns } from '../../parts/select-runs.js'
import { HistoryRows } from './history-rows.js'

const outcomes = ['', 'applied', 'failed', 'needs-approval', 'unchanged'] as const
const keys = ['stack', 'by', 'cause', 'outcome', 'since', 'until'] as const

/** Decisions are about channels: they have no stack. Neither they nor deletions have a cause or an outcome. */
function isWanted(one: DecisionView | DeletedStackView): boolean {
  const { value } = query
  const { by, at } = one
  if (value.has('cause') || value.has('outcome')) return false
  if (value.has('stack') && value.get('stack') !== ('name' in one ? one.name : undefined)) return false
  return (value.get('by') ?? by) === by && at >= (value.get('since') ?? '') && at < (value.get('until') ?? '~')
}

export function History() {
  const filters = keys.flatMap((key) => (query.value.has(key) ? [[key, query.value.get(key)!]] : []))
  const filter = new URLSearchParams(filters)
  const stack = query.value.get('stack')
  const selected = selectedRuns()
  const isGrouped = selected === undefined
  return (
    <>
      <header class="top">
        <h1>History</h1>
        <div class="actions">
          {isGrouped && <SelectRuns />}
          <Export path={`runs?${filter}`} name="history" columns={columns} />
        </div>
      </header>
      <Filters />
      {selected !== undefined && <SelectionBar selected={selected} />}
      <HistoryRows
        key={`${isGrouped} ${filter}`}
        make={() => new HistoryList({ filter, isWanted, isGrouped })}
        selected={selected}
      />
      {stack !== null && <Clis of={[`gitmoor history ${stack}`]} />}
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

const outcomeNames = {
  '': 'All',
  applied: 'Applied',
  failed: 'Failed',
  'needs-approval': 'Needs approval',
  unchanged: 'No changes',
}

function Filters() {
  const chosen = query.value.get('outcome') ?? ''
  const [by, setBy] = useState(query.value.get('by') ?? '')
  return (
    <div class="filters">
      <nav class="tabs" aria-label="Filter by outcome">
        {outcomes.map((outcome) => (
          <Link key={outcome} to={withQuery({ outcome })} aria-current={outcome === chosen ? 'true' : undefined}>
            {outcomeNames[outcome]}
          </Link>
        ))}
      </nav>
      <FilterChips keys={['stack', 'cause', 'since', 'until']} />
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
