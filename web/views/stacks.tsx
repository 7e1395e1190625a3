// Which stacks exist, and what is their state?
import { useEffect, useRef, useState } from 'preact/hooks'
import { call } from '../data/call.js'
import { useOverview, type OverviewView } from '../data/overview.js'
import { useRead } from '../data/read.js'
import { needing, stateKeys, stateWords, type StateWord } from '../data/states.js'
import type { Page, StackRow } from '../data/types.js'
import { useKeys } from '../lib/keys.js'
import { go, query, stackPath, withQuery } from '../lib/route.js'
import { commitIn, counted } from '../lib/text.js'
import { Clis, Commit, Counts, Empty, State, Time } from '../parts/basics.js'
import { Export } from '../parts/export.js'
import { Icon } from '../parts/icon.js'
import { Link } from '../parts/link.js'
import { Loaded } from '../parts/section.js'
import { Selection } from './selection.js'
import { packageName } from './versions.js'
import { reasonOf, refOf } from './overview.js'

const pageSize = 100

type StackPage = Page<StackRow> & { readonly total?: number }

/** States by their keys in the address; `attention`: those in which a person must act. */
const statesOf: Readonly<Record<string, readonly StateWord[]>> = {
  attention: needing,
  ...Object.fromEntries(stateWords.map((state) => [stateKeys[state], [state]])),
}

/** Always shown; the tab of another state appears while its filter is chosen. */
const usualTabs = ['', 'attention', 'running', 'waiting', 'suspended', 'pinned']

/** The query of the API for the filters of the address. */
function apiQuery(): string {
  const { value } = query
  const states = statesOf[value.get('state') ?? ''] ?? []
  const filters = {
    name: value.get('q') ?? '',
    target: value.get('target') ?? '',
    channel: value.get('channel') ?? '',
    state: states.join(','),
    sort: value.get('sort') ?? '-needs',
  }
  return new URLSearchParams(Object.entries(filters).filter(([, text]) => text !== '')).toString()
}

export function Stacks() {
  const filter = apiQuery()
  const first = useRead<StackPage>(`stacks?${filter}&limit=${pageSize}`)
  const overview = useOverview().data.value
  return (
    <>
      <header class="top">
        <h1>Stacks</h1>
        <div class="actions">
          <Export path={`stacks?${filter}`} name="stacks" columns={exportColumns} />
        </div>
      </header>
      <Filters overview={overview} />
      <Loaded read={first} rows={10} what="the stacks">
        {(page) => <Rows key={filter} filter={filter} page={page} all={overview?.total} />}
      </Loaded>
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
  const state = value.get('state') ?? ''
  const states = (statesOf[state] ?? []).map((one) => one.toLowerCase().replace(' ', '-'))
  const target = value.get('target') ?? ''
  return `${states.length === 0 ? '' : ` --state ${states.join(',')}`}${target === '' ? '' : ` --target ${target}`}`
}

function Filters({ overview }: { readonly overview: OverviewView | undefined }) {
  const state = query.value.get('state') ?? ''
  const tabs = usualTabs.includes(state) ? usualTabs : [...usualTabs, state]
  const [words, setWords] = useState(query.value.get('q') ?? '')
  useEffect(() => {
    const timer = setTimeout(() => go(withQuery({ q: words.trim() }), { replace: true }), 150)
    return () => clearTimeout(timer)
  }, [words])
  const others = ['target', 'channel'].filter((key) => query.value.has(key))
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
      {others.map((key) => (
        <Link key={key} class="chip" to={withQuery({ [key]: '' })} aria-label={`Remove the filter ${key}`}>
          {key}: {query.value.get(key)?.split('#').at(-1)}
          <Icon name="close" size={12} />
        </Link>
      ))}
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

interface RowsProps {
  readonly filter: string
  readonly page: StackPage
  readonly all: number | undefined
}

/** The first page, which events renew, and further pages that the person asked for. */
function Rows({ filter, page, all }: RowsProps) {
  const [more, setMore] = useState<{ readonly items: readonly StackRow[]; readonly next: string | null }>()
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const [at, setAt] = useState(-1)
  const table = useRef<HTMLTableElement>(null)
  const rows = [...page.items, ...(more?.items ?? [])]
  const next = more === undefined ? page.next : more.next
  const focusRow = (index: number): void => {
    const to = Math.max(0, Math.min(rows.length - 1, index))
    setAt(to)
    table.current?.querySelectorAll('tbody tr')[to]?.scrollIntoView({ block: 'nearest' })
  }
  useKeys({
    j: () => focusRow(at + 1),
    k: () => focusRow(at - 1),
    Enter: (event) => {
      const row = rows[at]
      if (row !== undefined && event.target === document.querySelector('main')) go(stackPath(row.name))
    },
  })
  const loadMore = async (): Promise<void> => {
    const got = await call<StackPage>(
      'GET',
      `stacks?${filter}&limit=${pageSize}&after=${encodeURIComponent(next ?? '')}`,
    )
    setMore({ items: [...(more?.items ?? []), ...got.items], next: got.next })
  }
  if (rows.length === 0)
    return (
      <Empty>
        No matching stacks. <Link to="/stacks">Show all{all === undefined ? '' : ` ${all}`}</Link>
      </Empty>
    )
  const choose = (name: string): void =>
    setChosen(new Set(chosen.has(name) ? [...chosen].filter((one) => one !== name) : [...chosen, name]))
  return (
    <>
      <div class="scroll" tabIndex={0} role="region" aria-label="Stacks">
        <table class="list stack-table" ref={table}>
          <Head />
          <tbody>
            {rows.map((row, index) => (
              <Row key={row.name} row={row} isOn={index === at} isChosen={chosen.has(row.name)} choose={choose} />
            ))}
          </tbody>
        </table>
        {next !== null && (
          <div class="more">
            <button type="button" class="btn" onClick={() => void loadMore().catch(() => {})}>
              Show more{page.total === undefined ? '' : `: ${rows.length} of ${counted(page.total, 'stack')}`}
            </button>
          </div>
        )}
      </div>
      {chosen.size > 0 && <Selection names={[...chosen]} clear={() => setChosen(new Set())} />}
    </>
  )
}

function Head() {
  const sort = query.value.get('sort') ?? '-needs'
  const column = (key: string, name: string, wide = false) => {
    const next = sort === key ? `-${key}` : key
    const direction = sort === key ? 'ascending' : sort === `-${key}` ? 'descending' : undefined
    return (
      <th class={wide ? 'wide' : ''} aria-sort={direction}>
        <Link to={withQuery({ sort: next })} replace>
          {name}
          {direction !== undefined && (direction === 'ascending' ? ' ↑' : ' ↓')}
        </Link>
      </th>
    )
  }
  return (
    <thead>
      <tr>
        <th class="check">
          <span class="hidden-text">Select</span>
        </th>
        {column('name', 'Stack')}
        {column('needs', 'State')}
        <th class="wide">Reason</th>
        <th>Applied</th>
        <th>Follows</th>
        {column('lastRun', 'Last run', true)}
      </tr>
    </thead>
  )
}

interface RowProps {
  readonly row: StackRow
  readonly isOn: boolean
  readonly isChosen: boolean
  readonly choose: (name: string) => void
}

function Row({ row, isOn, isChosen, choose }: RowProps) {
  const { name, target, status, revision, sources, lastRun } = row
  const [source] = sources
  const path =
    source !== undefined && 'url' in source ? `${source.url}//${'path' in source ? (source.path ?? '') : ''}` : ''
  return (
    <tr class={isOn ? 'on' : ''}>
      <td class="check">
        <input type="checkbox" aria-label={`Select ${name}`} checked={isChosen} onChange={() => choose(name)} />
      </td>
      <td class="name-cell">
        <Link to={stackPath(name)}>
          <b>{name}</b>
        </Link>
        <small>{target}</small>
      </td>
      <td class="right">
        <State of={status.state} />
      </td>
      <td class="reason-cell wide">{status.state !== 'Synced' && <span class="clamp">{reasonOf(row)}</span>}</td>
      <td>
        <Commit id={commitIn(revision.applied)} />
      </td>
      <td class="right">
        {refOf(sources)}
        <small>{packageName(path)}</small>
      </td>
      <td class="wide">
        <Time at={lastRun?.createdAt} /> <Counts of={lastRun?.changes} />
      </td>
    </tr>
  )
}
