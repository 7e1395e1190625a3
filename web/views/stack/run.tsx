// What happened in a run?
import { rollBackStack } from '../../actions.js'
import { causeOf, outcomeOf } from '../../data/causes.js'
import { useRead } from '../../data/read.js'
import type { RunEvents } from '../../../src/views/run-events.js'
import type { RunView, StackView } from '../../data/types.js'
import { segments, stackPath } from '../../lib/route.js'
import { compareUrl, linksOfSources } from '../../lib/links.js'
import { commitIn, tidy } from '../../lib/text.js'
import { ActionButton } from '../../parts/actions.js'
import { Clis, Commit, Counts, Empty, Fact, Outside, StackCrumbs, Time } from '../../parts/basics.js'
import { Icon } from '../../parts/icon.js'
import { Link } from '../../parts/link.js'
import { PhaseLine, tookText } from '../../parts/phase-line.js'
import { Loaded, Section } from '../../parts/section.js'
import { Changes } from '../plan/changes.js'
import { Steps, stepsPerPage } from './steps.js'
import { concernsStack, stackUrl } from '../../data/stack-url.js'

export function Run() {
  const [, name = '', , id = ''] = segments.value
  const read = useRead<RunView>(stackUrl(name, `/runs/${encodeURIComponent(id)}`), concernsStack(name))
  return (
    <>
      <StackCrumbs stack={name} here={`Run ${id}`} />
      <Loaded read={read} rows={6} what={`run ${id}`}>
        {(run) => <Shown stack={name} run={run} />}
      </Loaded>
    </>
  )
}

function Shown({ stack, run }: { readonly stack: string; readonly run: RunView }) {
  const [state, word] = outcomeOf(run)
  const { text, note } = causeOf(run)
  const commit = commitIn(run.revision)
  const now = useRead<StackView>(stackUrl(stack), concernsStack(stack)).data.value
  const links = linksOfSources(now?.sources ?? [])
  const mayRollBack = run.outcome === 'applied' && now !== undefined && run.revision !== now.revision.applied
  const compared = compareUrl(links, run.cause.from, run.cause.to)
  const path = `/runs/${encodeURIComponent(run.id)}/events?limit=${stepsPerPage}`
  const events = useRead<RunEvents>(stackUrl(stack, path), concernsStack(stack)).data.value
  return (
    <>
      <header class="top">
        <div>
          <h1 class="with-state">
            Run {run.id}
            <span class={`state solid s-${state}`}>
              <Icon name={state} />
              {word}
            </span>
          </h1>
          <p class="sub">{tidy(note === '' ? text : `${text}: ${note}`)}</p>
        </div>
        <div class="actions">
          {run.phase === 'needs-approval' && run.approval === undefined && (
            <Link class="btn primary" to={stackPath(stack, 'plan')}>
              Review plan
            </Link>
          )}
          {compared !== undefined && (
            <Outside class="btn" to={compared}>
              Commits
            </Outside>
          )}
          {run.revision !== '' && (
            <Link class="btn" to={`${stackPath(stack, 'compare')}?b=${run.id}`}>
              Compare
            </Link>
          )}
          {mayRollBack && commit !== undefined && (
            <ActionButton
              action={{ ...rollBackStack(stack, run.id, commit.slice(0, 7)), label: 'Roll back to this run' }}
            />
          )}
        </div>
      </header>
      <PhaseLine
        run={run}
        phases={events?.phases ?? [{ phase: 'queued', at: run.createdAt, endedAt: run.startedAt }]}
      />
      <dl class="facts-list">
        <Fact name="Revision">
          {commit === undefined ? 'a change of ownership' : <Commit id={commit} links={links} />}
        </Fact>
        <Fact name="Changes">{run.plan === null ? 'none: the run has no plan' : <Counts of={run.changes} />}</Fact>
        <Fact name="Requested by">{run.cause.by ?? 'gitmoor'}</Fact>
        <Fact
          name="Duration"
          note={
            <>
              queued <Time at={run.createdAt} />
            </>
          }
        >
          {run.startedAt !== null && run.finishedAt !== null ? tookText(run.startedAt, run.finishedAt) : 'in progress'}
        </Fact>
      </dl>
      {run.problems.length > 0 && <Problems problems={run.problems} />}
      <Section id="plan" title="Plan">
        {run.plan === null ? <Empty>This run has no plan.</Empty> : <Changes plan={run.plan} />}
      </Section>
      {events !== undefined && <Steps stack={stack} run={run.id} first={events} />}
      <Clis of={[`gitmoor history ${stack} ${run.id}`]} />
    </>
  )
}

function Problems({ problems }: { readonly problems: RunView['problems'] }) {
  return (
    <Section id="problems" title="Problems" count={problems.length}>
      <ul class="problems box">
        {problems.map(({ severity, message, place, hint }) => (
          <li key={message} class={severity === 'error' ? 's-failed' : 's-approval'}>
            {place !== undefined && (
              <code class="place">
                {place.file}:{place.line}
              </code>
            )}{' '}
            {tidy(message)}
            {hint !== undefined && <p class="dim">{hint}</p>}
          </li>
        ))}
      </ul>
    </Section>
  )
}
