// What would this release do? Three steps: what, where, why.
import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { message } from '../../actions.js'
import { call } from '../../data/call.js'
import { channelLabel, channelWord } from '../../data/channel-names.js'
import { useRead } from '../../data/read.js'
import type { ChannelView, Page, PromotionView } from '../../data/types.js'
import { go, query, withQuery } from '../../lib/route.js'
import { shellWord, tidy, withReason } from '../../lib/text.js'
import { Clis, Commit, Crumbs, Empty, Skeleton } from '../../parts/basics.js'
import { Icon } from '../../parts/icon.js'
import { Loaded } from '../../parts/section.js'
import { PromotionCommits } from './promotion-commits.js'
import { noPlansRead, PromotionPlans, type PlansRead } from './promotion-plans.js'

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
  const [reads, setReads] = useState(0)
  const [plans, setPlans] = useState(noPlansRead)
  useEffect(() => {
    let isLeft = false
    setPreview(undefined)
    setPlans(noPlansRead)
    setError('')
    if (from === '' || to === '') return
    const read = async (): Promise<void> => {
      try {
        const answer = await call<PromotionView>('GET', `channels/promotion?${new URLSearchParams({ from, to })}`)
        if (!isLeft) setPreview(answer)
      } catch (failure) {
        if (!isLeft) setError((failure as Error).message)
      }
    }
    void read()
    return () => {
      isLeft = true
    }
  }, [from, to, reads])
  const channelNamed = (name: string): ChannelView | undefined => channels.find((one) => one.name === name)
  const remote = channelNamed(from)?.remote
  const tags = channels.filter((one) => one.name !== from && isTagOf(one, remote))
  const chooseFrom = (name: string): void => {
    const chosen = channelNamed(to)
    const isKept = chosen !== undefined && name !== to && isTagOf(chosen, channelNamed(name)?.remote)
    go(withQuery({ from: name, to: isKept ? to : '' }), { replace: true })
  }
  const wordOf = (name: string): string => {
    const channel = channelNamed(name)
    return channel === undefined ? shellWord(name) : channelWord(channel, channels)
  }
  return (
    <div class="steps">
      <div class="step">
        <span class="step-number">1</span>
        <div>
          <h2>What</h2>
          <div class="revisions">
            <Choice label="From" value={from} options={channels} all={channels} onChange={chooseFrom} />
            <Icon name="right" title="to" />
            <Choice
              label="To the tag"
              value={to}
              options={tags}
              all={channels}
              onChange={(value) => go(withQuery({ to: value }), { replace: true })}
            />
          </div>
          {preview !== undefined && (
            <>
              <p class="revisions">
                <Commit id={preview.before?.commit} links={preview.links} />
                <Icon name="right" size={13} title="to" />
                <Commit id={preview.commit} links={preview.links} />
                <span class="dim">{preview.direction ?? ''}</span>
              </p>
              <PromotionCommits channel={to} preview={preview} />
            </>
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
            error === '' &&
            (preview === undefined ? (
              <Skeleton rows={3} />
            ) : preview.before?.commit === preview.commit ? (
              <Empty>The tag is already at this commit.</Empty>
            ) : (
              <PromotionPlans
                key={`${from} ${to} ${preview.commit}`}
                from={from}
                to={to}
                commit={preview.commit}
                onMoved={() => setReads(reads + 1)}
                onRead={setPlans}
              />
            ))
          )}
        </div>
      </div>
      {preview !== undefined && (
        <Why
          key={`${from} ${to}`}
          preview={preview}
          plans={plans}
          from={from}
          to={to}
          label={channelNamed(to)?.ref ?? to}
          words={[wordOf(from), wordOf(to)]}
        />
      )}
    </div>
  )
}

/** Promotions move tags, within one repository. `remote`: undefined: any. */
function isTagOf(channel: ChannelView, remote: string | undefined): boolean {
  return (channel.kind === 'tag' || channel.kind === null) && (remote === undefined || channel.remote === remote)
}

interface ChoiceProps {
  readonly label: string
  readonly value: string
  readonly options: readonly ChannelView[]
  /** Among which the names must differ. */
  readonly all: readonly ChannelView[]
  readonly onChange: (value: string) => void
}

function Choice({ label, value, options, all, onChange }: ChoiceProps) {
  return (
    <label>
      <span class="hidden-text">{label}</span>
      <select class="field" value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        <option value="">{label} …</option>
        {options.map((channel) => (
          <option key={channel.name} value={channel.name}>
            {channelLabel(channel, all)}
          </option>
        ))}
      </select>
    </label>
  )
}

interface WhyProps {
  readonly plans: PlansRead
  readonly preview: PromotionView
  readonly from: string
  readonly to: string
  /** The ref of `to`. */
  readonly label: string
  /** `from` and `to` on a command line. */
  readonly words: readonly [string, string]
}

/** What a person must accept beside the reason, as `--allow-failed-plans` does; empty: nothing. */
function consentText({ isReading, failed, error }: PlansRead, commit: string): string {
  if (error !== undefined) return 'The plans cannot be read. Promote without them.'
  if (failed.length > 0) {
    const stacks = `${failed.slice(0, 5).join(', ')}${failed.length > 5 ? ` and ${failed.length - 5} more` : ''}`
    return `${stacks} cannot be planned at ${commit.slice(0, 7)}. Promote anyway.`
  }
  return isReading ? 'The plans are not read yet. Promote without them.' : ''
}

function Why({ preview, plans, from, to, label, words }: WhyProps) {
  const [why, setWhy] = useState('')
  const [error, setError] = useState('')
  const [isBusy, setBusy] = useState(false)
  const isThere = preview.before?.commit === preview.commit
  const needed = isThere ? '' : consentText(plans, preview.commit)
  /** The sentence that the person accepted: another one needs a consent of its own. */
  const [accepted, setAccepted] = useState('')
  const promote = async (): Promise<void> => {
    setBusy(true)
    const expects = { commit: preview.commit, object: preview.before?.object ?? null }
    try {
      await call('POST', 'channels/promotion', { from, to, why, expects })
      message.value = { text: `${label} is promoted to ${preview.commit.slice(0, 7)}.` }
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
        {needed !== '' && (
          <label class="consent s-approval">
            <input
              type="checkbox"
              checked={accepted === needed}
              onChange={() => setAccepted(accepted === needed ? '' : needed)}
            />
            <span>{needed}</span>
          </label>
        )}
        {error !== '' && (
          <p class="del" role="alert">
            {tidy(error)}
          </p>
        )}
        <div class="actions">
          <button class="btn primary" disabled={isBusy || isThere || accepted !== needed} aria-busy={isBusy}>
            <Icon name="promote" />
            Promote {label} to {preview.commit.slice(0, 7)}
          </button>
        </div>
        <Clis of={[withReason(`gitmoor channel promote ${words.join(' ')} --why "REASON"`, why)]} />
      </div>
    </form>
  )
}
