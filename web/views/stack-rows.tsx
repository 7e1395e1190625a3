// The rows of the list of stacks: those in the window, with space for the others above and below.
import type { Signal } from '@preact/signals'
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { showStacks } from '../data/events.js'
import { entryAt, entryCount, type ListState } from '../data/paged-list.js'
import { packageOf, StackList, type Grouping, type StackEntry } from '../data/stack-list.js'
import type { StackRow } from '../data/types.js'
import { useKeys } from '../lib/keys.js'
import { query, stackPath, withQuery } from '../lib/route.js'
import { commitIn } from '../lib/text.js'
import { scrollToRow, useWindow } from '../lib/window.js'
import { Commit, Empty, RunCounts, State, Time } from '../parts/basics.js'
import { Link } from '../parts/link.js'
import { Held } from '../parts/newer.js'
import { Loaded } from '../parts/section.js'
import { NoStacks } from './no-stacks.js'
import { reasonOf, refOf } from './overview.js'
import { Selection } from './selection.js'

interface StackRowsProps {
  /** Of the API. */
  readonly filter: URLSearchParams
  readonly group: Grouping
  /** The number of all stacks; undefined: not known yet. */
  readonly all: number | undefined
}

export function StackRows({ filter, group, all }: StackRowsProps) {
  const list = useMemo(() => new StackList({ filter, group }), [])
  useEffect(() => list.open(), [list])
  return (
    <Loaded read={list} rows={10} what="the stacks">
      {(state) => {
        if (entryCount(state) > 0) return <Rows list={list} state={state} isGrouped={group !== ''} />
        return all === 0 ? (
          <NoStacks />
        ) : (
          <Empty>
            No matching stacks. <Link to="/stacks">Show all{all === undefined ? '' : ` ${all}`}</Link>
          </Empty>
        )
      }}
    </Loaded>
  )
}

interface RowsProps {
  readonly list: StackList
  readonly state: ListState<StackRow, StackEntry>
  readonly isGrouped: boolean
}

function Rows({ list, state, isGrouped }: RowsProps) {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const [at, setAt] = useState(-1)
  const mustFocus = useRef(false)
  const body = useRef<HTMLTableSectionElement>(null)
  const count = entryCount(state)
  const { from, to, height } = useWindow(body, count)
  const shown = Array.from({ length: to - from }, (_, index) => entryAt(state, from + index))
  const names = shown.flatMap((entry) => (entry?.kind === 'stack' ? [entry.key] : [])).join(',')
  useEffect(() => list.want(from, to), [list, from, to])
  useEffect(() => showStacks(names === '' ? [] : names.split(',')), [names])
  useEffect(() => () => showStacks([]), [])
  const focusRow = (index: number, step: number): void => {
    const to = Math.max(0, Math.min(count - 1, index))
    const isGroup = entryAt(state, to)?.kind === 'group'
    if (isGroup && to + step >= 0 && to + step < count) return focusRow(to + step, step)
    setAt(to)
    scrollToRow(body.current!, to, height)
    focusLink(to)
  }
  /** Later, if the row is rendered, or its stack read, only after the list has scrolled. */
  const focusLink = (index: number): void => {
    const link = body.current!.querySelector<HTMLElement>(`tr[aria-rowindex="${index + 2}"] a`)
    mustFocus.current = link === null
    link?.focus({ preventScroll: true })
  }
  useEffect(() => {
    if (mustFocus.current) focusLink(at)
  })
  useKeys({
    j: () => focusRow(at + 1, 1),
    k: () => focusRow(at - 1, -1),
  })
  const choose = useCallback((name: string): void => setChosen((before) => toggled(before, name)), [])
  const hold = useCallback((isHeld: boolean): void => void (list.isHeld = isHeld), [list])
  return (
    <>
      <Held
        newer={list.newer.value}
        sortAgain={() => list.sortAgain()}
        isKept={chosen.size > 0 || from > 0}
        onHold={hold}
      >
        <div class="scroll" tabIndex={0} role="region" aria-label="Stacks">
          <table class="list stack-table" aria-rowcount={count + 1}>
            <Head isGrouped={isGrouped} />
            <tbody ref={body}>
              <Space height={from * height} />
              {shown.map((entry, index) => (
                <Entry
                  key={entry?.key ?? from + index}
                  entry={entry}
                  index={from + index}
                  isOn={from + index === at}
                  isChosen={entry !== undefined && chosen.has(entry.key)}
                  choose={choose}
                />
              ))}
              <Space height={(count - to) * height} />
            </tbody>
          </table>
        </div>
      </Held>
      {chosen.size > 0 && <Selection names={[...chosen]} clear={() => setChosen(new Set())} />}
    </>
  )
}

function toggled(names: ReadonlySet<string>, name: string): ReadonlySet<string> {
  return new Set(names.has(name) ? [...names].filter((one) => one !== name) : [...names, name])
}

/** The rows that are not in the window. */
function Space({ height }: { readonly height: number }) {
  return height === 0 ? null : (
    <tr class="space" aria-hidden="true">
      <td colSpan={7} style={{ height: `${height}px` }} />
    </tr>
  )
}

function Head({ isGrouped }: { readonly isGrouped: boolean }) {
  const sort = query.value.get('sort') ?? '-needs'
  const column = (key: string, name: string, more: string) => {
    if (isGrouped) return <th class={more}>{name}</th>
    const next = sort === key ? `-${key}` : key
    const direction = sort === key ? 'ascending' : sort === `-${key}` ? 'descending' : undefined
    return (
      <th class={more} aria-sort={direction}>
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
        {column('name', 'Stack', 'name-cell')}
        {column('needs', 'State', 'state-cell')}
        <th class="wide reason-cell">Reason</th>
        <th class="commit-cell">Applied</th>
        <th class="ref-cell">Follows</th>
        {column('lastRun', 'Last run', 'wide run-cell')}
      </tr>
    </thead>
  )
}

interface EntryProps {
  /** undefined: not read yet. */
  readonly entry: StackEntry | undefined
  readonly index: number
  readonly isOn: boolean
  readonly isChosen: boolean
  readonly choose: (name: string) => void
}

function Entry({ entry, index, ...rest }: EntryProps) {
  if (entry?.kind === 'stack') return <Row row={entry.row} index={index} {...rest} />
  return (
    <tr class={entry === undefined ? 'unread' : 'group'} aria-rowindex={index + 2}>
      <th class="check" aria-hidden="true" />
      <th colSpan={6} scope="rowgroup">
        {entry?.group ?? <span class="hidden-text">Loading</span>}
      </th>
    </tr>
  )
}

interface RowProps extends Omit<EntryProps, 'entry'> {
  readonly row: Signal<StackRow>
}

/** Rendered again when its own stack changes. */
function Row({ row, index, isOn, isChosen, choose }: RowProps) {
  const stack = row.value
  const { name, displayName, target, status, revision, sources, lastRun } = stack
  return (
    <tr class={isOn ? 'on' : ''} aria-rowindex={index + 2}>
      <td class="check">
        <label>
          <input type="checkbox" aria-label={`Select ${name}`} checked={isChosen} onChange={() => choose(name)} />
        </label>
      </td>
      <td class="name-cell">
        <Link to={stackPath(name)} title={name}>
          <b>{name}</b>
        </Link>
        <small title={displayName}>{displayName === name ? target : `${displayName}, ${target}`}</small>
      </td>
      <td class="state-cell">
        <State of={status.state} />
      </td>
      <td class="reason-cell wide">{status.state !== 'Synced' && <span class="clamp">{reasonOf(stack)}</span>}</td>
      <td class="commit-cell">
        <Commit id={commitIn(revision.applied)} />
      </td>
      <td class="ref-cell">
        {refOf(sources)}
        <small>{packageOf(stack)}</small>
      </td>
      <td class="wide run-cell">
        <Time at={lastRun?.createdAt} /> {lastRun !== null && <RunCounts run={lastRun} />}
      </td>
    </tr>
  )
}
