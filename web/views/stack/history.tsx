import { rollBackStack } from '../../actions.js'
import { causeOf, outcomeOf } from '../../data/causes.js'
import type { RunRow } from '../../data/types.js'
import { stackPath } from '../../lib/route.js'
import type { Links } from '../../lib/links.js'
import { commitIn, tidy } from '../../lib/text.js'
import { ActionButton } from '../../parts/actions.js'
import { Commit, Empty, RunCounts, Time } from '../../parts/basics.js'
import { Icon } from '../../parts/icon.js'
import { Link } from '../../parts/link.js'
import { SelectionBar, SelectRun, SelectRuns, selectedRuns, type SelectedRun } from '../../parts/select-runs.js'

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
  const selected = selectedRuns()
  return (
    <>
      <ol class="runs box" data-entries>
        {runs.slice(0, 12).map((run) => (
          <Entry
            key={run.id}
            stack={stack}
            run={run}
            isCurrent={run === current}
            applied={applied}
            selected={selected}
            links={links}
          />
        ))}
      </ol>
      {selected !== undefined ? <SelectionBar selected={selected} /> : runs.length > 1 && <SelectRuns />}
    </>
  )
}

const vetoTitle = ({ by, why }: NonNullable<RunRow['veto']>): string => `by ${by}: ${why}`

function isSame(a: string, b: string | null): boolean {
  return b !== null && commitIn(a) === commitIn(b)
}

function Entry({
  stack,
  run,
  isCurrent,
  applied,
  selected,
  links,
}: {
  readonly stack: string
  readonly run: RunRow
  readonly isCurrent: boolean
  /** The applied revision. */
  readonly applied: string | null
  /** Undefined: nobody selects runs now. */
  readonly selected: readonly SelectedRun[] | undefined
  readonly links: Links
}) {
  const { text, note } = causeOf(run)
  const [state, word] = outcomeOf(run)
  const commit = commitIn(run.revision)
  const mayRollBack = run.outcome === 'applied' && !isCurrent && run.revision !== applied && commit !== undefined
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
          <RunCounts run={run} />
          {isCurrent && <span class="chip s-synced">on the target</span>}
          {run.veto !== undefined && (
            <span class="chip s-failed" title={vetoTitle(run.veto)}>
              vetoed
            </span>
          )}
        </p>
        <p class="dim">{tidy(note === '' ? text : `${text}: ${note}`)}</p>
      </div>
      <div class="right">
        {selected !== undefined && run.revision !== '' && <SelectRun run={{ stack, id: run.id }} selected={selected} />}
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
