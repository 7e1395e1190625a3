// Which stacks exist, and what is their state?
import { useEffect, useState } from 'preact/hooks'
import { useOverview, type OverviewView } from '../data/overview.js'
import { groupings, type Grouping } from '../data/stack-list.js'
import { needing, stateKeys, stateWords, type StateWord } from '../data/states.js'
import type { StackRow } from '../data/types.js'
import { go, query, withQuery } from '../lib/route.js'
import { Clis } from '../parts/basics.js'
import { Export } from '../parts/export.js'
import { FilterChips } from '../parts/filter-chips.js'
import { Icon } from '../parts/icon.js'
import { Link } from '../parts/link.js'
import { StackRows } from './stack-rows.js'

/** States by their keys in the address; `attention`: those in which a person must act. */
const statesOf: Readonly<Record<string, readonly StateWord[]>> = {
  attention: needing,
  ...Object.fromEntries(stateWords.map((state) => [stateKeys[state], [state]])),
}

/** Always shown; the tab of another state appears while its filter is chosen. */
const usualTabs = ['', 'attention', 'running', 'waiting', 'suspended', 'pinned']

function groupInAddress(): Grouping {
  return groupings.find((one) => one === query.value.get('group')) ?? ''
}

/** Of `statesOf`; empty: none, or one that does not exist. */
function stateInAddress(): string {
  const state = query.value.get('state') ?? ''
  return Object.hasOwn(statesOf, state) ? state : ''
}

const sortOfGroup = { '': '-needs', state: '-needs', target: 'target', package: 'package' }

/** The query of the API for the filters of the address. */
function apiQuery(): URLSearchParams {
  const { value } = query
  const group = groupInAddress()
  const states = statesOf[stateInAddress()] ?? []
  const filters = {
    name: value.get('q') ?? '',
    target: value.get('target') ?? '',
    channel: value.get('channel') ?? '',
    state: states.join(','),
    sort: group === '' ? (value.get('sort') ?? '-needs') : sortOfGroup[group],
  }
  return new URLSearchParams(Object.entries(filters).filter(([, text]) => text !== ''))
}

export function Stacks() {
  const filter = apiQuery()
  const group = groupInAddress()
  const overview = useOverview().data.value
  return (
    <>
      <header class="top">
        <h1>Stacks</h1>
        <div class="actions">
          <Link class="btn" to="/new-stack">
            <Icon name="new" />
            New stack
          </Link>
          <Export path={`stacks?${filter}`} name="stacks" columns={exportColumns} />
        </div>
      </header>
      <Filters overview={overview} group={group} />
      <StackRows key={`${filter} ${group}`} filter={filter} group={group} all={overview?.total} />
      <Clis of={[`gitmoor stack list${cliFilter()}`]} />
    </>
  )
}

const exportColumns: Readonly<Record<string, (stack: StackRow) => string>> = {
  name: ({ name }) => name,
  target: ({ target }) => target,
  state: ({ status }) => status.state,
  reason: ({ status }) => status.message,
  applied: ({ revision }) => revision.applied ?? '',
  observed: ({ revision }) => revision.observed ?? '',
  lagMs: ({ status }) => String(status.lagMs),
}

function cliFilter(): string {
  const { value } = query
  const states = (statesOf[stateInAddress()] ?? []).map((one) => one.toLowerCase().replace(' ', '-'))
  const target = value.get('target') ?? ''
  return `${states.length === 0 ? '' : ` --state ${states.join(',')}`}${target === '' ? '' : ` --target ${target}`}`
}

interface FiltersProps {
  readonly overview: OverviewView | undefined
  readonly group: Grouping
}

function Filters({ overview, group }: FiltersProps) {
  const state = stateInAddress()
  const tabs = usualTabs.includes(state) ? usualTabs : [...usualTabs, state]
  const [words, setWords] = useState(query.value.get('q') ?? '')
  useEffect(() => {
    const timer = setTimeout(() => go(withQuery({ q: words.trim() }), { replace: true }), 150)
    return () => clearTimeout(timer)
  }, [words])
  return (
    <div class="filters">
      <nav class="tabs" aria-label="Filter by state">
        {tabs.map((tab) => (
          <Link key={tab} to={withQuery({ state: tab })} aria-current={tab === state ? 'true' : undefined}>
            {tabName(tab)}
            {overview !== undefined && <span>{tabCount(tab, overview).toLocaleString()}</span>}
          </Link>
        ))}
      </nav>
      <FilterChips keys={['target', 'channel']} />
      <div class="filter-fields">
        <label class="search">
          <span class="dim">Group by</span>
          <select value={group} onChange={({ currentTarget }) => go(withQuery({ group: currentTarget.value }))}>
            {groupings.map((one) => (
              <option key={one} value={one}>
                {one === '' ? 'nothing' : one}
              </option>
            ))}
          </select>
        </label>
        <label class="search">
          <Icon name="search" />
          <input
            aria-label="Filter by name"
            placeholder="part of a name"
            value={words}
            onInput={(event) => setWords(event.currentTarget.value)}
          />
        </label>
      </div>
    </div>
  )
}

function tabName(tab: string): string {
  if (tab === '') return 'All'
  return tab === 'attention' ? 'Needs attention' : (statesOf[tab]?.[0] ?? tab)
}

function tabCount(tab: string, { total, counts }: OverviewView): number {
  if (tab === '') return total
  return (statesOf[tab] ?? []).reduce((sum, state) => sum + counts[state], 0)
}
