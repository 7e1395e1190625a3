import { rollBackStack } from '../../actions.js'
import { causeOf, outcomeOf } from '../../data/causes.js'
import type { RunRow } from '../../data/types.js'
import { go, query, stackPath, withQuery } from '../../lib/route.js'
import type { Links } from '../../lib/links.js'
import { commitIn, tidy } from '../../lib/text.js'
import { ActionButton } from '../../parts/actions.js'
import { Commit, Counts, Empty, Time } from '../../parts/basics.js'
import { Icon } from '../../parts/icon.js'
import { Link } from '../../parts/link.js'

interface HistoryProps {
  readonly stack: string
  readonly runs: readonly RunRow[]
  /** The applied revision. */
  readonly applied: string | null
  /** Of its repository. */
  readonly links: Links
}

/** The runs of a stack, newest first. */
export function History({ stack, runs, applied, links }: HistoryProps) {
  if (runs.length === 0) return <Empty>No run yet.</Empty>
  const current = runs.find(({ outcome, revision }) => outcome === 'applied' && isSame(revision, applied))
  const isChoosing = query.value.has('compare')
  const chosen = isChoosing ? chosenRuns(runs) : undefined
  return (
    <>
      <ol class="runs box">
        {runs.slice(0, 12).map((run) => (
          <Entry key={run.id} stack={stack} run={run} isCurrent={run === current} chosen={chosen} links={links} />
        ))}
      </ol>
      {runs.length > 1 && <CompareBar stack={stack} chosen={chosen} />}
    </>
  )
}

/** The runs to compare, the older one first. The address has them. */
function chosenRuns(runs: readonly RunRow[]): readonly string[] {
  const chosen = new Set((query.value.get('compare') ?? '').split(','))
  return runs.flatMap(({ id }) => (chosen.has(id) ? [id] : [])).reverse()
}

/** `chosen`: undefined: nobody selects runs now. */
function CompareBar({ stack, chosen }: { readonly stack: string; readonly chosen: readonly string[] | undefined }) {
  if (chosen === undefined)
    return (
      <div class="compare-bar">
        <Link class="btn ghost mini" to={withQuery({ compare: 'select' })}>
          Compare two runs
        </Link>
      </div>
    )
  const [a, b] = chosen
  return (
    <div class="compare-bar" role="status">
      {a === undefined || b === undefined ? (
        <span class="dim">{a === undefined ? 'Select two runs.' : `Run ${a} is selected. Select another one.`}</span>
      ) : (
        <Link class="btn primary" to={`${stackPath(stack, 'compare')}?a=${a}&b=${b}`}>
          Compare runs {a} and {b}
        </Link>
      )}
      <Link class="btn ghost mini" to={withQuery({ compare: '' })}>
        Cancel
      </Link>
    </div>
  )
}

/** Selects a run to compare. A third one takes the place of the one selected first. */
function Choose({ id, chosen }: { readonly id: string; readonly chosen: readonly string[] }) {
  const isChosen = chosen.includes(id)
  const choose = (): void => {
    const next = isChosen ? chosen.filter((one) => one !== id) : [...chosen.slice(-1), id]
    go(withQuery({ compare: next.join(',') || 'select' }), { replace: true })
  }
  return (
    <label class="choose">
      <input type="checkbox" checked={isChosen} onChange={choose} />
      <span class="hidden-text">Compare run {id}</span>
    </label>
  )
}

function isSame(a: string, b: string | null): boolean {
  return b !== null && commitIn(a) === commitIn(b)
}

function Entry({
  stack,
  run,
  isCurrent,
  chosen,
  links,
}: {
  readonly stack: string
  readonly run: RunRow
  readonly isCurrent: boolean
  /** Undefined: nobody selects runs now. */
  readonly chosen: readonly string[] | undefined
  readonly links: Links
}) {
  const { text, note } = causeOf(run)
  const [state, word] = outcomeOf(run)
  const commit = commitIn(run.revision)
  const mayRollBack = run.outcome === 'applied' && !isCurrent && commit !== undefined
  return (
    <li>
      <span class={`dot s-${state}`}>
        <Icon name={run.outcome === 'unchanged' ? 'check' : state} title={word} />
      </span>
      <div>
        <p>
          {commit !== undefined && <Commit id={commit} links={links} />}
          <Link to={stackPath(stack, 'runs', run.id)}>
            <b>{word}</b>
          </Link>
          {run.outcome !== 'unchanged' && <Counts of={run.changes} />}
          {isCurrent && <span class="chip s-synced">on the target</span>}
        </p>
        <p class="dim">{tidy(note === '' ? text : `${text}: ${note}`)}</p>
      </div>
      <div class="right">
        {chosen !== undefined && run.revision !== '' && <Choose id={run.id} chosen={chosen} />}
        <Time at={run.createdAt} />
        {mayRollBack && (
          <ActionButton
            class="ghost mini"
            action={rollBackStack(stack, run.id, commit.slice(0, 7))}
            about={`run ${run.id}`}
          />
        )}
      </div>
    </li>
  )
}
