// What did somebody change by hand?
import { useEffect, useState } from 'preact/hooks'
import { applyPlan } from '../../actions.js'
import { call } from '../../data/call.js'
import { useRead } from '../../data/read.js'
import type { PlanView, StackRow } from '../../data/types.js'
import { segments, stackPath } from '../../lib/route.js'
import { counted, tidy } from '../../lib/text.js'
import { lengthText, now } from '../../lib/time.js'
import { ActionButton } from '../../parts/actions.js'
import { Clis, Crumbs, Empty, Skeleton, Time } from '../../parts/basics.js'
import { Link } from '../../parts/link.js'
import { concernsStack, stackUrl } from '../../data/stack-url.js'
import { ChangeBox } from './change.js'

export function Drift() {
  const name = segments.value[1] ?? ''
  const [plan, setPlan] = useState<PlanView>()
  const [error, setError] = useState('')
  const stack = useRead<StackRow>(stackUrl(name), concernsStack(name)).data.value
  const state = stack?.status.state
  useEffect(() => {
    call<PlanView>('POST', stackUrl(name, '/plan'), {}).then(setPlan, (failure: Error) => setError(failure.message))
  }, [name, state])
  return (
    <>
      <Crumbs
        to={[
          ['/stacks', 'Stacks'],
          [stackPath(name), name],
        ]}
        here="Drift"
      />
      {error !== '' && <Empty>{tidy(error)}</Empty>}
      {error === '' && (plan === undefined || stack === undefined) && <Skeleton />}
      {plan !== undefined && stack !== undefined && <Shown stack={stack} plan={plan} />}
    </>
  )
}

function Shown({ stack, plan }: { readonly stack: StackRow; readonly plan: PlanView }) {
  const { name, target, status, checkedAt } = stack
  const drifted = plan.changes.filter(
    ({ reason, partOf }) => (reason === 'drifted' || reason === 'gone') && partOf === undefined,
  )
  if (drifted.length === 0)
    return (
      <>
        <header class="top">
          <h1>No drift</h1>
        </header>
        <Empty>
          {target} has what was applied. Last checked <Time at={checkedAt} />.
        </Empty>
      </>
    )
  const needsReview = plan.needsApproval.length > 0
  return (
    <>
      <header class="top">
        <div>
          <h1>
            {counted(drifted.length, 'resource')} {drifted.length === 1 ? 'differs' : 'differ'} on {target}
          </h1>
          <p class="sub">
            Changed by hand{status.since !== null && `, found ${lengthText(now.value - Date.parse(status.since))} ago`}.
            Below: what the target has, and what a correction makes of it.
          </p>
        </div>
        <div class="actions">
          {needsReview ? (
            <Link class="btn primary" to={stackPath(name, 'plan')}>
              Review plan
            </Link>
          ) : (
            <ActionButton
              class="primary"
              action={{ ...applyPlan(name, plan.revision, plan.digest), label: 'Correct' }}
            />
          )}
          <Link class="btn" to={stackPath(name)}>
            Leave as is
          </Link>
        </div>
      </header>
      <div class="changes">
        {drifted.map((change) => (
          <ChangeBox key={change.address} change={change} parts={[]} isOpen />
        ))}
      </div>
      <p class="dim">To leave a field to others, list it below `ignore` in the settings of the stack.</p>
      <Clis of={[`gitmoor plan ${name}`, `gitmoor sync ${name}`]} />
    </>
  )
}
