// Is everything fine? If not, which stacks need attention?
import type { ComponentChildren } from 'preact'
import { channelLabel } from '../data/channel-names.js'
import { useOverview, type ChannelSummary, type OverviewView } from '../data/overview.js'
import { needing, rankOf, stateKeys, stateWords } from '../data/states.js'
import type { StackRow } from '../data/types.js'
import { stackPath } from '../lib/route.js'
import { counted, cutMiddle, shortRevision, tidy } from '../lib/text.js'
import { lengthText, now, until } from '../lib/time.js'
import { Commit, Empty, Time } from '../parts/basics.js'
import { Icon } from '../parts/icon.js'
import { Link } from '../parts/link.js'
import { Loaded, Section } from '../parts/section.js'
import { Latest } from './latest.js'
import { NoStacks } from './no-stacks.js'
import { Versions } from './versions.js'

export function Overview() {
  const read = useOverview()
  return (
    <Loaded read={read} rows={8} what="the overview">
      {(overview) => (overview.total === 0 ? <Nothing /> : <Filled overview={overview} />)}
    </Loaded>
  )
}

function Filled({ overview }: { readonly overview: OverviewView }) {
  const { total, counts, attention, needsAttention, channels, activity } = overview
  const present = stateWords.filter((state) => counts[state] > 0).reverse()
  const worst = needing.find((state) => counts[state] > 0)
  return (
    <>
      <header class="top">
        <div>
          <h1 aria-live="polite">
            {worst === undefined ? (
              'No stacks need attention'
            ) : (
              <>
                <em class={`s-${stateKeys[worst]}`}>
                  {attention.toLocaleString()} of {counted(total, 'stack')}
                </em>{' '}
                {attention === 1 ? 'needs' : 'need'} attention
              </>
            )}
          </h1>
          <p class="sub">{summary(overview)}</p>
        </div>
      </header>
      <div class="fleet-bar" aria-hidden="true">
        {present.map((state) => (
          <i key={state} class={`s-${stateKeys[state]}`} style={{ flexGrow: counts[state] }} />
        ))}
      </div>
      <nav class="legend" aria-label="Stacks by state">
        {present.map((state) => (
          <Link key={state} to={`/stacks?state=${stateKeys[state]}`} class={`s-${stateKeys[state]}`}>
            <Icon name={stateKeys[state]} />
            <b>{counts[state].toLocaleString()}</b> <span class="word">{state}</span>
          </Link>
        ))}
      </nav>
      <div class="columns">
        <Needs stacks={needsAttention} count={attention} />
        <div class="stacked">
          <Channels channels={channels} />
          <Section id="latest" title={<Link to="/history">Latest activity</Link>}>
            <Latest activity={activity} channels={channels} />
          </Section>
        </div>
      </div>
      <Versions />
    </>
  )
}

/** `21 of 43 are synced. 4 channels release to them.` */
function summary({ total, counts, channels }: OverviewView): string {
  const synced =
    counts.Synced === total
      ? total === 1
        ? 'It is synced.'
        : `All ${total.toLocaleString()} are synced.`
      : `${counts.Synced.toLocaleString()} ${counts.Synced === 1 ? 'is' : 'are'} synced.`
  const blocked = channels.filter(({ blocker, pin }) => blocker !== null || pin !== null).length
  const held = blocked === 0 ? '' : `, ${blocked === 1 ? 'one of which is' : `${blocked} of which are`} blocked`
  return channels.length === 0
    ? synced
    : `${synced} ${total === 1 ? 'It follows' : 'They follow'} ${counted(channels.length, 'channel')}${held}.`
}

function Needs({ stacks, count }: { readonly stacks: readonly StackRow[]; readonly count: number }) {
  const sorted = [...stacks].sort((a, b) => rankOf(a.status.state) - rankOf(b.status.state))
  return (
    <Section id="needs" title="Needs attention" count={count}>
      {sorted.length === 0 ? (
        <Empty>No stacks need attention. gitmoor applies what you release.</Empty>
      ) : (
        <ul class="needs box" data-entries>
          {sorted.map((stack) => (
            <Need key={stack.name} stack={stack} />
          ))}
          {count > sorted.length && (
            <li class="rest">
              <Link to="/stacks?state=attention">Show all {count.toLocaleString()}</Link>
            </li>
          )}
        </ul>
      )}
    </Section>
  )
}

/** Where to go, and the text of the button. */
export function wayTo({ name, status }: StackRow): readonly [to: string, label: string] {
  if (status.state === 'Needs approval') return [stackPath(name, 'plan'), 'Review plan']
  if (status.state === 'Drifted') return [stackPath(name, 'drift'), 'Compare']
  return [stackPath(name), 'See why']
}

function Need({ stack }: { readonly stack: StackRow }) {
  const { name, target, status, sources, revision } = stack
  const key = stateKeys[status.state]
  const [to, label] = wayTo(stack)
  return (
    <li>
      <span class={`mark s-${key}`}>
        <Icon name={key} size={20} title={status.state} />
      </span>
      <div class="what">
        <p class="name">
          <Link to={stackPath(name)}>{name}</Link>
          <span class="on-target">
            <Icon name="right" size={12} />
            <span title={target}>{cutMiddle(target, 32)}</span>
          </span>
        </p>
        <p class="reason">{reasonOf(stack)}</p>
        <p class="facts">
          <b class={`s-${key}`}>{status.state}</b>
          <span>
            <span title={refOf(sources)}>{cutMiddle(refOf(sources), 48)}</span>
            {revision.observed !== null && (
              <>
                {' '}
                at <code>{shortRevision(revision.observed)}</code>
              </>
            )}
          </span>
          {status.since !== null && <span>for {lengthText(Math.max(0, now.value - Date.parse(status.since)))}</span>}
        </p>
      </div>
      <Link
        class={`btn ${status.state === 'Needs approval' ? 'primary' : ''} ${to === stackPath(name) ? 'same' : ''}`}
        to={to}
        aria-label={`${label}: ${name}`}
      >
        {label}
      </Link>
    </li>
  )
}

/** The reason of a state, without what the state word says already. */
export function reasonOf({ status: { message } }: Pick<StackRow, 'status'>): string {
  return tidy(message)
    .replace(/^The plan needs approval: /, '')
    .replace(/ since \d{4}-\d\d-\d\d [\d:]+Z(?=\.)/, '')
}

/** `stable`, or the sort of source. */
export function refOf(sources: StackRow['sources']): string {
  const [first] = sources
  if (first === undefined) return ''
  return 'ref' in first && typeof first.ref === 'string' ? first.ref : first.kind
}

function Channels({ channels }: { readonly channels: readonly ChannelSummary[] }) {
  if (channels.length === 0) return null
  return (
    <Section id="channels" title={<Link to="/channels">Channels</Link>}>
      <ul class="channel-list box">
        {channels.slice(0, 8).map((channel) => (
          <li key={channel.name}>
            <Link to={`/channels?channel=${encodeURIComponent(channel.name)}`} title={channel.ref}>
              <b>{channelLabel(channel, channels)}</b>
            </Link>
            <Commit id={channel.pin?.commit ?? channel.released?.to?.commit} />
            <span class="dim">{counted(channel.followers, 'stack')}</span>
            <ChannelNote channel={channel} />
          </li>
        ))}
      </ul>
    </Section>
  )
}

function ChannelNote({ channel: { pin, newest, blocker, released } }: { readonly channel: ChannelSummary }) {
  if (pin !== null) return <Note state="pinned">pinned</Note>
  if (newest?.state === 'waiting' && newest.until !== null) return <Note state="waiting">{until(newest.until)}</Note>
  if (blocker !== null)
    return <Note state={newest?.state === 'vetoed' ? 'veto' : 'approval'}>{newest?.state ?? 'blocked'}</Note>
  return (
    <span class="note">
      <Time at={released?.releasedAt} />
    </span>
  )
}

function Note({ state, children }: { readonly state: string; readonly children: ComponentChildren }) {
  return (
    <span class={`note s-${state === 'veto' ? 'failed' : state}`}>
      <Icon name={state} size={14} />
      {children}
    </span>
  )
}

function Nothing() {
  return (
    <>
      <header class="top">
        <h1>No stacks yet</h1>
      </header>
      <NoStacks />
    </>
  )
}
