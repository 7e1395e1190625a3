// What will change, and do I approve it?
import { useEffect, useRef, useState } from 'preact/hooks'
import { applyPlan, approvePlan, perform, resumeStack } from '../../actions.js'
import { causeOf } from '../../data/causes.js'
import { call, CallError } from '../../data/call.js'
import { useRead } from '../../data/read.js'
import type { Explanation, MoveView, PlanView, RunView, StackRow } from '../../data/types.js'
import { useKeys } from '../../lib/keys.js'
import { go, query, segments, stackPath } from '../../lib/route.js'
import { commitIn, firstLine, tidy } from '../../lib/text.js'
import { ActionButton } from '../../parts/actions.js'
import { Commit, Empty, Skeleton, StackCrumbs, State, Time } from '../../parts/basics.js'
import { Icon } from '../../parts/icon.js'
import { Loaded } from '../../parts/section.js'
import { concernsStack, stackUrl } from '../../data/stack-url.js'
import { Approval } from './approval.js'
import { Changes } from './changes.js'
import { countsSentence } from './words.js'

export function Plan() {
  const name = segments.value[1] ?? ''
  const run = query.value.get('run')
  const isPreview = query.value.has('ref') || query.value.has('uninstall')
  return (
    <>
      <StackCrumbs stack={name} here="Plan" />
      {isPreview ? <Preview name={name} /> : <StoredPlan key={run ?? ''} name={name} run={run} />}
    </>
  )
}

/** The plan of a run: of the newest one, or of the one in the address. */
function StoredPlan({ name, run }: { readonly name: string; readonly run: string | null }) {
  const concerns = concernsStack(name)
  const stack = useRead<StackRow>(stackUrl(name), concerns)
  const id = run ?? stack.data.value?.lastRun?.id
  const read = useRead<RunView>(id === undefined ? undefined : stackUrl(name, `/runs/${id}`), concerns)
  const explanation = useRead<Explanation>(stackUrl(name, '/explain'), concerns)
  // Of the run before, until a newer one has a plan or ended without one: the view says what differs.
  const before = useRef<RunView>()
  const newest = read.data.value
  const isPlanning = newest?.plan === null && newest.outcome === null
  const shown = (isPlanning ? before.current : newest) ?? before.current ?? newest
  before.current = shown
  const row = stack.data.value
  if (run === null && row?.lastRun === null) return <Empty>No run has planned yet.</Empty>
  if (row === undefined)
    return (
      <Loaded read={stack} what="the stack">
        {() => <Skeleton />}
      </Loaded>
    )
  if (shown === undefined)
    return (
      <Loaded read={read} what="the plan">
        {() => <Skeleton />}
      </Loaded>
    )
  return (
    <>
      {read.error.value !== undefined && (
        <Loaded read={read} what="the plan">
          {() => null}
        </Loaded>
      )}
      {shown.plan === null ? (
        <NoPlan run={shown} />
      ) : (
        <Shown
          key={name}
          stack={row}
          plan={shown.plan}
          run={shown}
          move={
            explanation.data.value?.follows.find(({ move }) => move?.to?.commit === commitIn(shown.revision))?.move ??
            null
          }
        />
      )}
    </>
  )
}

function NoPlan({ run }: { readonly run: RunView }) {
  return (
    <>
      <header class="top">
        <h1>No changes</h1>
      </header>
      <Empty>{run.firstError === null ? 'The newest run has no plan.' : tidy(run.firstError)}</Empty>
    </>
  )
}

/** A plan that no run has: of another ref, or of an uninstall. */
function Preview({ name }: { readonly name: string }) {
  const [plan, setPlan] = useState<PlanView>()
  const [error, setError] = useState('')
  const stack = useRead<StackRow>(stackUrl(name), concernsStack(name)).data.value
  const ref = query.value.get('ref')
  useEffect(() => {
    const body = ref === null ? { uninstall: true } : { ref }
    call<PlanView>('POST', stackUrl(name, '/plan'), body).then(setPlan, (failure: Error) => setError(failure.message))
  }, [name, ref])
  if (error !== '') return <Empty>{tidy(error)}</Empty>
  if (plan === undefined || stack === undefined) return <Skeleton />
  return <Shown stack={stack} plan={plan} run={undefined} move={null} />
}

interface ShownProps {
  readonly stack: StackRow
  readonly plan: PlanView
  readonly run: RunView | undefined
  /** That the plan applies, with its commit. */
  readonly move: MoveView | null
}

const rules: Readonly<Record<PlanView['needsApproval'][number]['rule'], string>> = {
  'data-loss': 'Data would be lost.',
  approval: 'Every plan of this stack needs approval.',
  deletions: 'It removes many resources.',
  adoption: 'It adopts resources that no stack owns.',
  protect: 'It removes a protected resource.',
}

function Shown({ stack, plan, run, move }: ShownProps) {
  const { name, status } = stack
  const [readPlan, setReadPlan] = useState(plan)
  const [refusal, setRefusal] = useState('')
  const isOpen =
    run === undefined ? plan.changes.length > 0 : run.phase === 'needs-approval' && run.approval === undefined
  const isStale = readPlan.digest !== plan.digest
  const approve = async (): Promise<void> => {
    const action = run === undefined ? applyPlan(name, plan.revision, plan.digest) : approvePlan(name, readPlan.digest)
    try {
      await perform(action, '')
      go(stackPath(name))
    } catch (error) {
      setRefusal((error as CallError).message)
    }
  }
  useKeys({
    a: () => document.querySelector<HTMLElement>('.approve input:not(:checked), .approve .decide')?.focus(),
  })
  return (
    <>
      <header class="top">
        <div>
          <h1>
            {countsSentence(plan.counts)} on {plan.target}
          </h1>
          <p class="sub revisions">
            <Commit id={commitIn(stack.revision.applied)} />
            <Icon name="right" size={13} title="to" />
            <Commit id={commitIn(plan.revision)} />
            {move?.facts != null && (
              <>
                <span>{firstLine(move.facts.commit.message)}</span>
                <span class="dim">{move.facts.commit.name}</span>
              </>
            )}
          </p>
        </div>
        <State of={status.state} solid />
      </header>
      {plan.needsApproval.length > 0 && isOpen && <WhyApproval plan={plan} run={run} />}
      {!isOpen && run !== undefined && (
        <div class="call s-suspended" role="status">
          <Icon name="history" size={18} />
          <div>
            <p>This plan no longer awaits approval: {run.approval ?? run.outcome ?? run.phase}.</p>
          </div>
        </div>
      )}
      {isOpen && stack.suspended !== null && <Suspended stack={name} {...stack.suspended} />}
      {isStale && (
        <div class="call s-approval" role="alert">
          <Icon name="approval" size={18} />
          <div>
            <p>
              <b>The plan changed while you read it.</b> {differenceText(readPlan, plan)}
            </p>
          </div>
          <button type="button" class="btn" onClick={() => setReadPlan(plan)}>
            I have read the new plan
          </button>
        </div>
      )}
      {refusal !== '' && (
        <div class="call s-failed" role="alert">
          <Icon name="failed" size={18} />
          <div>{tidy(refusal)}</div>
        </div>
      )}
      <Changes plan={plan} />
      {isOpen && plan.changes.length > 0 && (
        <Approval
          key={plan.digest}
          stack={name}
          plan={plan}
          isRefused={isStale || stack.suspended !== null}
          isPreview={run === undefined}
          approve={approve}
        />
      )}
    </>
  )
}

/** Nothing is approved until somebody resumes it. */
function Suspended({ stack, by, why }: NonNullable<StackRow['suspended']> & { readonly stack: string }) {
  return (
    <div class="call s-suspended" role="status">
      <Icon name="suspended" size={18} />
      <div>
        <p>
          <b>
            {stack} is suspended by {by}: {why}.
          </b>{' '}
          Resume it to approve the plan.
        </p>
      </div>
      <ActionButton action={resumeStack(stack)} />
    </div>
  )
}

function WhyApproval({ plan, run }: { readonly plan: PlanView; readonly run: RunView | undefined }) {
  const cause = run === undefined ? undefined : causeOf(run)
  return (
    <div class="call s-approval">
      <Icon name="approval" size={18} />
      <div>
        {plan.needsApproval.slice(0, 5).map(({ rule, message: text, address }) => (
          <p key={`${rule} ${address}`}>
            <b>{rules[rule]}</b> {rule === 'approval' ? '' : tidy(text)}
          </p>
        ))}
        {plan.needsApproval.length > 5 && <p>And {plan.needsApproval.length - 5} more reasons.</p>}
        <p class="dim">
          gitmoor applies nothing of this plan until you approve.{' '}
          {cause !== undefined && run !== undefined && (
            <>
              Cause: {tidy(cause.text)}
              {cause.note !== '' && `, ${cause.note}`}, <Time at={run.createdAt} />.
            </>
          )}
        </p>
      </div>
    </div>
  )
}

/** What differs between the plan that the person read and the plan now. */
function differenceText(before: PlanView, after: PlanView): string {
  const [old, now] = [before, after].map(
    ({ changes }) => new Set(changes.map(({ address, action }) => `${action} ${address}`)),
  )
  const added = [...now!].filter((one) => !old!.has(one))
  const gone = [...old!].filter((one) => !now!.has(one))
  const parts = [
    added.length > 0 ? `New: ${added.slice(0, 3).join(', ')}.` : '',
    gone.length > 0 ? `No longer: ${gone.slice(0, 3).join(', ')}.` : '',
  ]
  return parts.filter(Boolean).join(' ') || 'Fields of its changes differ.'
}
