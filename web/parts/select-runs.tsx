// Two runs of one stack that a person selects in a list to compare them. The address has the selection.
import { go, query, stackPath, withQuery } from '../lib/route.js'
import { Link } from './link.js'

export interface SelectedRun {
  readonly stack: string
  readonly id: string
}

/** `12:boards,15:boards`. Nothing yet: `select`. */
const key = 'compare'

/** The selected runs, the older one first; undefined: nobody selects runs now. */
export function selectedRuns(): readonly SelectedRun[] | undefined {
  const runs = query.value.get(key)?.split(',').flatMap(parsed).slice(0, 2)
  return runs?.sort((a, b) => Number(a.id) - Number(b.id))
}

function parsed(text: string): readonly SelectedRun[] {
  const [, id, stack] = /^(\d+):(.+)$/.exec(text) ?? []
  return id === undefined || stack === undefined ? [] : [{ id, stack }]
}

const written = ({ stack, id }: SelectedRun): string => `${id}:${stack}`

/** Begins to select runs. */
export function SelectRuns() {
  return (
    <Link class="btn ghost mini" to={withQuery({ [key]: 'select' })}>
      Compare two runs
    </Link>
  )
}

/** What is selected, and what to do next. */
export function SelectionBar({ selected }: { readonly selected: readonly SelectedRun[] }) {
  const [a, b] = selected
  return (
    <div class="compare-bar" role="status">
      {a === undefined || b === undefined ? (
        <span class="dim">{a === undefined ? 'Select two runs.' : `Run ${a.id} is selected. Select another one.`}</span>
      ) : a.stack === b.stack ? (
        <Link class="btn primary" to={`${stackPath(a.stack, 'compare')}?a=${a.id}&b=${b.id}`}>
          Compare runs {a.id} and {b.id}
        </Link>
      ) : (
        <span>
          Runs of one stack can be compared. Run {a.id} is of {a.stack}, run {b.id} of {b.stack}.
        </span>
      )}
      <Link class="btn ghost mini" to={withQuery({ [key]: '' })}>
        Cancel
      </Link>
    </div>
  )
}

interface SelectRunProps {
  readonly run: SelectedRun
  readonly selected: readonly SelectedRun[]
  /** The list has runs of several stacks. */
  readonly ofStack?: boolean
}

/** Selects a run. A third one takes the place of the one selected first. */
export function SelectRun({ run, selected, ofStack = false }: SelectRunProps) {
  const texts = (query.value.get(key) ?? '').split(',').filter((text) => parsed(text).length > 0)
  const isSelected = selected.some(({ id, stack }) => id === run.id && stack === run.stack)
  const select = (): void => {
    const others = texts.filter((text) => text !== written(run))
    const next = isSelected ? others : [...others.slice(-1), written(run)]
    go(withQuery({ [key]: next.join(',') || 'select' }), { replace: true })
  }
  return (
    <label class="choose">
      <input type="checkbox" checked={isSelected} onChange={select} />
      <span class="hidden-text">
        Compare run {run.id}
        {ofStack && ` of ${run.stack}`}
      </span>
    </label>
  )
}
