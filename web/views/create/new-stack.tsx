// A new stack: where its package comes from, its target, and the plan of its first sync before it exists.
import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { message } from '../../actions.js'
import { call, CallError } from '../../data/call.js'
import { useOverview } from '../../data/overview.js'
import { useRead } from '../../data/read.js'
import type { Page, PlanView, TargetView } from '../../data/types.js'
import { go, query, stackPath, withQuery } from '../../lib/route.js'
import { tidy } from '../../lib/text.js'
import { Cli, Crumbs, Empty } from '../../parts/basics.js'
import { Icon } from '../../parts/icon.js'
import { Section } from '../../parts/section.js'
import { Changes } from '../plan/changes.js'
import { countsSentence } from '../plan/words.js'
import { commandLine, documentOf, draftIn, draftQuery, type Draft } from './draft.js'
import { DraftFields } from './draft-fields.js'

export function NewStack() {
  const [draft, setDraft] = useState(() => draftIn(query.value))
  const [plan, setPlan] = useState<PlanView>()
  const [error, setError] = useState<CallError>()
  const [isBusy, setBusy] = useState(false)
  const targets = useRead<Page<TargetView>>('targets?limit=500', ({ reset }) => reset).data.value?.items ?? []
  const refs = (useOverview().data.value?.channels ?? []).map(({ ref }) => ref)
  const document = documentOf(draft)
  const command = commandLine(draft)
  useEffect(() => {
    const timer = setTimeout(() => go(withQuery(draftQuery(draft)), { replace: true }), 300)
    return () => clearTimeout(timer)
  }, [draft])
  const change = (field: Partial<Draft>): void => {
    setDraft({ ...draft, ...field })
    setPlan(undefined)
    setError(undefined)
  }
  const attempt = async (request: () => Promise<void>): Promise<void> => {
    setBusy(true)
    setError(undefined)
    try {
      await request()
    } catch (failure) {
      setError(failure as CallError)
    } finally {
      setBusy(false)
    }
  }
  const preview = (): Promise<void> =>
    attempt(async () => setPlan(await call<PlanView>('POST', 'stacks/plan-create', document)))
  const create = (): Promise<void> =>
    attempt(async () => {
      await call('POST', 'stacks', document)
      message.value = { text: `${draft.name} is created.` }
      go(stackPath(draft.name))
    })
  const isInline = draft.source === 'inline'
  const submit = (event: JSX.TargetedSubmitEvent<HTMLFormElement>): void => {
    event.preventDefault()
    void (isInline || plan !== undefined ? create() : preview())
  }
  return (
    <>
      <Crumbs to={[['/stacks', 'Stacks']]} here="New stack" />
      <header class="top">
        <div>
          <h1>New stack</h1>
          <p class="sub">
            A stack keeps a target in sync with its source. gitmoor shows its first plan before it exists.
          </p>
        </div>
      </header>
      <form class="box new-stack" onSubmit={submit}>
        <DraftFields draft={draft} change={change} targets={targets} refs={[...new Set(refs)]} />
        {error !== undefined && <Refused error={error} />}
        <div class="actions">
          <button class="btn primary" disabled={isBusy} aria-busy={isBusy}>
            {isInline || plan !== undefined ? 'Create the stack' : 'Show the plan'}
          </button>
          {error !== undefined && plan === undefined && !isInline && error.code.startsWith('source/') && (
            <button type="button" class="btn" disabled={isBusy} onClick={() => void create()}>
              Create anyway
            </button>
          )}
          <Cli text={command} />
        </div>
      </form>
      {plan !== undefined && <FirstPlan plan={plan} />}
    </>
  )
}

function Refused({ error: { message: text, hint, problems } }: { readonly error: CallError }) {
  const others = problems.map((one) => one.message).filter((one) => one !== text)
  return (
    <div class="call s-failed" role="alert">
      <Icon name="failed" size={18} />
      <div>
        <p>{tidy(text)}</p>
        {others.map((one) => (
          <p key={one}>{tidy(one)}</p>
        ))}
        {hint !== '' && <p class="dim">{hint}</p>}
      </div>
    </div>
  )
}

function FirstPlan({ plan }: { readonly plan: PlanView }) {
  const reasons = plan.needsApproval.map(({ message: text }) => tidy(text))
  return (
    <Section id="first-plan" title={`First plan: ${countsSentence(plan.counts)} on ${plan.target}`}>
      {reasons.length > 0 && (
        <div class="call s-approval">
          <Icon name="approval" size={18} />
          <div>
            <p>
              <b>This plan needs approval.</b> {reasons.slice(0, 3).join(' ')}
            </p>
          </div>
        </div>
      )}
      {plan.changes.length === 0 ? <Empty>The target has all of it already.</Empty> : <Changes plan={plan} />}
    </Section>
  )
}
