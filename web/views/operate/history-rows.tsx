// The entries of the history that are in the window, with space for the others above and below.
import type { ComponentChildren } from 'preact'
import { useCallback, useEffect, useMemo, useRef } from 'preact/hooks'
import { causeOf, outcomeOf } from '../../data/causes.js'
import type { HistoryEntry, HistoryList } from '../../data/history-list.js'
import { entryAt, entryCount, type ListState } from '../../data/paged-list.js'
import type { DecisionView, DeletedStackView, StackRunRow } from '../../data/types.js'
import { stackPath } from '../../lib/route.js'
import { channelText, commitIn, counted, tidy } from '../../lib/text.js'
import { useWindow } from '../../lib/window.js'
import { Commit, Empty, RunCounts, Time } from '../../parts/basics.js'
import { Icon } from '../../parts/icon.js'
import { Link } from '../../parts/link.js'
import { Held } from '../../parts/newer.js'
import { SelectRun, type SelectedRun } from '../../parts/select-runs.js'
import { Loaded } from '../../parts/section.js'

interface HistoryRowsProps {
  /** Called once. */
  readonly make: () => HistoryList
  /** undefined: nobody selects runs now. */
  readonly selected: readonly SelectedRun[] | undefined
}

export function HistoryRows({ make, selected }: HistoryRowsProps) {
  const list = useMemo(make, [])
  useEffect(() => list.open(), [list])
  return (
    <Loaded read={list} rows={8} what="the history">
      {(state) =>
        entryCount(state) === 0 ? (
          <Empty>
            No matching runs. <Link to="/history">Show all</Link>
          </Empty>
        ) : (
          <Rows list={list} state={state} selected={selected} />
        )
      }
    </Loaded>
  )
}

interface RowsProps {
  readonly list: HistoryList
  readonly state: ListState<StackRunRow, HistoryEntry>
  readonly selected: readonly SelectedRun[] | undefined
}

function Rows({ list, state, selected }: RowsProps) {
  const body = useRef<HTMLOListElement>(null)
  const count = entryCount(state)
  const { from, to, height } = useWindow(body, count)
  useEffect(() => list.want(from, to), [list, from, to])
  const hold = useCallback((isHeld: boolean): void => void (list.isHeld = isHeld), [list])
  return (
    <Held newer={list.newer.value} sortAgain={() => list.sortAgain()} isKept={from > 0} onHold={hold}>
      <ol
        class="runs box history-rows"
        data-entries
        ref={body}
        style={{ paddingTop: `${from * height}px`, paddingBottom: `${(count - to) * height}px` }}
      >
        {Array.from({ length: to - from }, (_, index) => {
          const entry = entryAt(state, from + index)
          const key = entry?.key ?? from + index
          return <Row key={key} entry={entry} place={from + index + 1} count={count} selected={selected} />
        })}
      </ol>
    </Held>
  )
}

interface RowProps {
  /** undefined: not read yet. */
  readonly entry: HistoryEntry | undefined
  readonly place: number
  readonly count: number
  readonly selected: readonly SelectedRun[] | undefined
}

function Row({ entry, place, count, selected }: RowProps) {
  const run = entry?.kind === 'runs' ? entry.runs.value[0] : undefined
  return (
    <li aria-posinset={place} aria-setsize={count}>
      {entry === undefined ? (
        <span class="hidden-text">Loading</span>
      ) : entry.kind === 'runs' ? (
        <Runs entry={entry} />
      ) : entry.kind === 'deletion' ? (
        <Deleted deletion={entry.deletion} />
      ) : (
        <Decided decision={entry.decision} />
      )}
      <div class="right">
        {selected !== undefined && run !== undefined && run.revision !== '' && (
          <SelectRun run={run} selected={selected} ofStack />
        )}
        <Time at={entry?.at} />
      </div>
    </li>
  )
}

const shownStacks = 6

/** Rendered again when one of its runs changes. */
function Runs({ entry }: { readonly entry: HistoryEntry & { readonly kind: 'runs' } }) {
  const runs = entry.runs.value
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
          {runs.length === 1 && <RunCounts run={first} />}
        </p>
        <Line title={tidy(note === '' ? text : `${text}: ${note}`)}>
          {runs.length > 1 && (
            <>
              {' · '}
              {runs.slice(0, shownStacks).map((run, at) => (
                <>
                  {at > 0 && ', '}
                  <Link to={stackPath(run.stack, 'runs', run.id)}>{run.stack}</Link>
                </>
              ))}
              {runs.length > shownStacks && `, and ${runs.length - shownStacks} more`}
            </>
          )}
        </Line>
      </div>
    </>
  )
}

/** The second line of an entry; what does not fit is in its title. */
function Line({ title, children }: { readonly title: string; readonly children?: ComponentChildren }) {
  return (
    <p class="dim line" title={title}>
      {title}
      {children}
    </p>
  )
}

const decided = { veto: 'vetoed', approve: 'released', pin: 'pinned', unpin: 'unpinned' }

function Decided({ decision: { kind, channel, by, why, move, commit } }: { readonly decision: DecisionView }) {
  return (
    <>
      <span class={`dot s-${kind === 'veto' ? 'failed' : kind === 'approve' ? 'synced' : 'pinned'}`}>
        <Icon name={{ veto: 'veto', approve: 'synced', pin: 'pinned', unpin: 'pinned' }[kind]} />
      </span>
      <div>
        <p>
          <b>{by}</b> {decided[kind]}{' '}
          <Link to={`/channels?channel=${encodeURIComponent(channel)}`}>{channelText(channel)}</Link>
          {commit !== null && ' at '}
          {commit !== null ? <Commit id={commit} /> : move !== null && `, move ${move}`}
        </p>
        <Line title={why} />
      </div>
    </>
  )
}

function Deleted({ deletion: { name, target, by } }: { readonly deletion: DeletedStackView }) {
  return (
    <>
      <span class="dot s-suspended">
        <Icon name="veto" />
      </span>
      <div>
        <p>
          <b>{by}</b> deleted the stack <b>{name}</b>
        </p>
        <Line title={`It was bound to ${target}.`} />
      </div>
    </>
  )
}
