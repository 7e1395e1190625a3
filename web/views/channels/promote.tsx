// What would this release do? Three steps: what, where, why.
import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { message } from '../../actions.js'
import { call } from '../../data/call.js'
import { useRead } from '../../data/read.js'
import type { ChannelView, Page, PromotionView } from '../../data/types.js'
import { go, query, withQuery } from '../../lib/route.js'
import { counted, shellWord, tidy } from '../../lib/text.js'
import { Clis, Commit, Counts, Crumbs, Empty, Skeleton } from '../../parts/basics.js'
import { Icon } from '../../parts/icon.js'
import { Link } from '../../parts/link.js'
import { stackPath } from '../../lib/route.js'
import { Loaded } from '../../parts/section.js'

export function Promote() {
  const channels = useRead<Page<ChannelView>>('channels?limit=100', ({ channels: changed, reset }) => changed || reset)
  return (
    <>
      <Crumbs to={[['/channels', 'Channels']]} here="Promote" />
      <header class="top">
        <h1>Promote</h1>
      </header>
      <Loaded read={channels} what="the channels">
        {({ items }) => <Steps channels={items} />}
      </Loaded>
    </>
  )
}

function Steps({ channels }: { readonly channels: readonly ChannelView[] }) {
  const from = query.value.get('from') ?? ''
  const to = query.value.get('to') ?? ''
  const [preview, setPreview] = useState<PromotionView>()
  const [error, setError] = useState('')
  useEffect(() => {
    setPreview(undefined)
    setError('')
    if (from === '' || to === '') return
    const parameters = new URLSearchParams({ from, to, plans: 'true' })
    call<PromotionView>('GET', `channels/promotion?${parameters}`).then(setPreview, (failure: Error) =>
      setError(failure.message),
    )
  }, [from, to])
  const name = (channel: string): string => channels.find((one) => one.name === channel)?.ref ?? channel
  return (
    <div class="steps">
      <div class="step">
        <span class="step-number">1</span>
        <div>
          <h2>What</h2>
          <div class="revisions">
            <Choice
              label="From"
              value={from}
              options={channels}
              onChange={(value) => go(withQuery({ from: value }), { replace: true })}
            />
            <Icon name="right" title="to" />
            <Choice
              label="To the tag"
              value={to}
              options={channels.filter((channel) => channel.name !== from)}
              onChange={(value) => go(withQuery({ to: value }), { replace: true })}
            />
          </div>
          {preview !== undefined && (
            <p class="revisions">
              <Commit id={preview.before?.commit} />
              <Icon name="right" size={13} title="to" />
              <Commit id={preview.commit} />
              <span class="dim">{preview.direction ?? ''}</span>
            </p>
          )}
        </div>
      </div>
      <div class="step">
        <span class="step-number">2</span>
        <div>
          <h2>Where</h2>
          {error !== '' && (
            <div class="call s-failed" role="alert">
              <Icon name="failed" size={18} />
              <div>{tidy(error)}</div>
            </div>
          )}
          {from === '' || to === '' ? (
            <Empty>Choose what to promote.</Empty>
          ) : (
            error === '' && (preview === undefined ? <Skeleton rows={3} /> : <Where preview={preview} />)
          )}
        </div>
      </div>
      {preview !== undefined && (
        <Why key={`${from} ${to}`} preview={preview} from={from} to={to} names={[name(from), name(to)]} />
      )}
    </div>
  )
}

interface ChoiceProps {
  readonly label: string
  readonly value: string
  readonly options: readonly ChannelView[]
  readonly onChange: (value: string) => void
}

function Choice({ label, value, options, onChange }: ChoiceProps) {
  return (
    <label>
      <span class="hidden-text">{label}</span>
      <select class="field" value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        <option value="">{label} …</option>
        {options.map(({ name, ref }) => (
          <option key={name} value={name}>
            {ref}
          </option>
        ))}
      </select>
    </label>
  )
}

function Where({ preview }: { readonly preview: PromotionView }) {
  const { plans = [], stacks } = preview
  if (preview.before?.commit === preview.commit) return <Empty>The tag is already at this commit.</Empty>
  if (stacks.length === 0) return <Empty>No stack follows the tag.</Empty>
  const weight = ({ plan, error }: (typeof plans)[number]): number =>
    error !== undefined ? 0 : (plan?.needsApproval.length ?? 0) > 0 ? 1 : 2
  return (
    <>
      <p>{counted(stacks.length, 'stack')} follow the tag.</p>
      <ul class="plan-list box">
        {[...plans]
          .sort((a, b) => weight(a) - weight(b))
          .slice(0, 20)
          .map(({ stack, plan, error }) => (
            <li key={stack}>
              <Link class="name" to={stackPath(stack)}>
                {stack}
              </Link>
              {error !== undefined && <span class="s-failed outcome">{tidy(error.message)}</span>}
              {plan !== undefined && plan.needsApproval.length > 0 && (
                <span class="chip s-approval">
                  <Icon name="approval" size={13} />
                  needs approval
                </span>
              )}
              {plan !== undefined && <Counts of={plan.counts} />}
              {plan === undefined && error === undefined && <span class="dim">not planned here</span>}
            </li>
          ))}
      </ul>
    </>
  )
}

interface WhyProps {
  readonly preview: PromotionView
  readonly from: string
  readonly to: string
  readonly names: readonly [string, string]
}

function Why({ preview, from, to, names: [fromRef, toRef] }: WhyProps) {
  const [why, setWhy] = useState('')
  const [error, setError] = useState('')
  const [isBusy, setBusy] = useState(false)
  const promote = async (): Promise<void> => {
    setBusy(true)
    const expects = { commit: preview.commit, object: preview.before?.object ?? null }
    try {
      await call('POST', 'channels/promotion', { from, to, why, expects })
      message.value = { text: `${toRef} is promoted to ${preview.commit.slice(0, 7)}.` }
      go(`/channels?channel=${encodeURIComponent(to)}`)
    } catch (failure) {
      setError((failure as Error).message)
      setBusy(false)
    }
  }
  const submit = (event: JSX.TargetedSubmitEvent<HTMLFormElement>): void => {
    event.preventDefault()
    void promote()
  }
  return (
    <form class="step" onSubmit={submit}>
      <span class="step-number">3</span>
      <div>
        <h2>
          <label for="why">Why</label>
        </h2>
        <textarea
          id="why"
          class="field"
          required
          maxLength={1_000}
          value={why}
          onInput={(event) => setWhy(event.currentTarget.value)}
        />
        {error !== '' && (
          <p class="del" role="alert">
            {tidy(error)}
          </p>
        )}
        <div class="actions">
          <button class="btn primary" disabled={isBusy || preview.before?.commit === preview.commit} aria-busy={isBusy}>
            <Icon name="promote" />
            Promote {toRef} to {preview.commit.slice(0, 7)}
          </button>
        </div>
        <Clis of={[`gitmoor channel promote ${shellWord(fromRef)} ${shellWord(toRef)} --why "REASON"`]} />
      </div>
    </form>
  )
}
