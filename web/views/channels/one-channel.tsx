// One channel: what blocks it, who follows it, its policy, and its moves with who and why.
import { approveMove, pinChannel, unpinChannel, vetoMove } from '../../channel-actions.js'
import { channelLabel, channelWord } from '../../data/channel-names.js'
import type { ChannelView, MoveView } from '../../data/types.js'
import { compareUrl } from '../../lib/links.js'
import { counted, firstLine, repositoryName, tidy } from '../../lib/text.js'
import { clockText, dayText } from '../../lib/time.js'
import { ActionButton } from '../../parts/actions.js'
import { Clis, Commit, Fact, Outside, Time, Until } from '../../parts/basics.js'
import { Icon } from '../../parts/icon.js'
import { Link } from '../../parts/link.js'

interface OneProps {
  readonly channel: ChannelView
  readonly channels: readonly ChannelView[]
  /** Of the channel. */
  readonly moves: readonly MoveView[]
}

export function One({ channel, channels, moves }: OneProps) {
  const words = { label: channelLabel(channel, channels), word: channelWord(channel, channels) }
  const { name, ref, remote, pin, released, stacks, policy, links } = channel
  const commit = pin?.commit ?? released?.to?.commit
  const facts = moves.find(({ to }) => to?.commit === commit)?.facts?.commit
  return (
    <section aria-labelledby="channel">
      <div class="heading">
        <h2 id="channel" class="big">
          {ref}
          <span class="dim">{repositoryName(remote)}</span>
        </h2>
        <div class="actions">
          <ActionButton icon="pinned" action={pin === null ? pinChannel(name, words) : unpinChannel(name, words)} />
          <Link class="btn" to={`/channels/promote?from=${encodeURIComponent(name)}`}>
            <Icon name="promote" />
            Promote from here
          </Link>
        </div>
      </div>
      <Blocked channel={channel} label={words.label} />
      <dl class="facts-list">
        <Fact
          name="Stacks are at"
          note={facts === undefined ? undefined : `${facts.name}${facts.at === null ? '' : `, ${dayText(facts.at)}`}`}
        >
          <Commit id={commit} links={links} /> {facts === undefined ? '' : firstLine(facts.message)}
        </Fact>
        <Fact name="Followed by" note={stacks.slice(0, 4).join(', ') + (stacks.length > 4 ? ', …' : '')}>
          <Link to={`/stacks?channel=${encodeURIComponent(name)}`}>{counted(stacks.length, 'stack')}</Link>
        </Fact>
        <Fact name="Policy" note="from the configuration file">
          {policyText(policy)}
        </Fact>
      </dl>
      <Moves channel={channel} moves={moves} label={words.label} />
      <Clis of={[`gitmoor channel log ${words.word}`]} />
    </section>
  )
}

function policyText({ moves, minAge, movesPerHour, signedBy }: ChannelView['policy']): string {
  const parts = [
    { any: 'any move', 'approve-back': 'moves back need approval', 'forward-only': 'only forward' }[moves],
    minAge === '0s' ? '' : `after ${minAge}`,
    movesPerHour === null ? '' : `at most ${movesPerHour} an hour`,
    signedBy === null ? '' : `signed by ${signedBy.join(' or ')}`,
  ]
  return parts.filter((part) => part !== '').join(', ')
}

interface LabelledProps {
  readonly channel: ChannelView
  readonly label: string
}

function Blocked({ channel: { pin, blocker, newest }, label }: LabelledProps) {
  if (pin === null && blocker === null) return null
  const state =
    pin !== null
      ? 'pinned'
      : newest?.state === 'vetoed' || newest?.state === 'refused'
        ? 'failed'
        : newest?.state === 'waiting'
          ? 'waiting'
          : 'approval'
  const what = `${newest?.to?.commit.slice(0, 7) ?? ''} on ${label}`
  const mayDecide = pin === null && newest !== null && (newest.state === 'waiting' || newest.state === 'blocked')
  return (
    <div class={`call s-${state}`}>
      <Icon name={state} size={18} />
      <div>
        {pin === null ? (
          <p>{tidy(blocker!.message)}</p>
        ) : (
          <>
            <p>
              <b>
                Pinned at {pin.commit.slice(0, 7)} by {pin.by}
              </b>
            </p>
            <p>{pin.why}</p>
          </>
        )}
      </div>
      {mayDecide && (
        <div class="actions">
          <ActionButton action={approveMove(newest.id, 'Release now', what)} />
          <ActionButton class="ghost" action={vetoMove(newest.id, what)} />
        </div>
      )}
    </div>
  )
}

const states: Readonly<Record<MoveView['state'], string>> = {
  released: 'synced',
  waiting: 'waiting',
  blocked: 'approval',
  refused: 'failed',
  vetoed: 'failed',
  superseded: 'suspended',
  gone: 'unknown',
}

function Moves({ channel, moves, label }: LabelledProps & { readonly moves: readonly MoveView[] }) {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Moves">
      <table class="list moves">
        <thead>
          <tr>
            <th>Move</th>
            <th>When</th>
            <th>Commit</th>
            <th>State</th>
            <th>Who and why</th>
            <th>
              <span class="hidden-text">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {moves.map((move) => (
            <Row key={move.id} move={move} channel={channel} label={label} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Row({ move, channel, label }: LabelledProps & { readonly move: MoveView }) {
  const compared = compareUrl(channel.links, move.from?.commit, move.to?.commit)
  const isCurrent = move.id === channel.released?.id && channel.pin === null
  const state = move.state === 'blocked' && channel.pin !== null ? 'pinned' : states[move.state]
  return (
    <tr class={isCurrent ? 'current' : ''}>
      <td class="dim">{move.id}</td>
      <td class="once">
        <Time at={move.observedAt} />
        <small>
          {dayText(move.observedAt)} {clockText(move.observedAt)}
        </small>
      </td>
      <td>
        <Commit id={move.to?.commit} links={channel.links} />{' '}
        {move.facts === null ? '' : firstLine(move.facts.commit.message)}
        <small>
          {move.facts?.commit.name}
          {compared !== undefined && (
            <>
              {' '}
              <Outside to={compared}>compare</Outside>
            </>
          )}
        </small>
      </td>
      <td class="once">
        <span class={`state s-${state}`}>
          <Icon name={move.state === 'vetoed' ? 'veto' : state} />
          {isCurrent ? 'released, current' : move.state}
        </span>
        {move.until !== null && (
          <small>
            <Until at={move.until} />
          </small>
        )}
      </td>
      <td>
        <Cause move={move} />
      </td>
      <td class="once">
        <Decide move={move} channel={channel} label={label} />
      </td>
    </tr>
  )
}

function Cause({ move: { decision, facts, detectedBy } }: { readonly move: MoveView }) {
  if (decision !== null) {
    const word = { veto: 'vetoed', approve: 'released', pin: 'pinned', unpin: 'unpinned' }[decision.kind]
    return (
      <>
        <b>{decision.by}</b> {word}: {decision.why}
      </>
    )
  }
  const tag = facts?.tag ?? null
  if (tag === null) return <span class="dim">found by {detectedBy}</span>
  return (
    <>
      <b>{tag.name}</b>
      {detectedBy === 'promote' && ' promoted'}: {firstLine(tag.message)}
    </>
  )
}

/** What a person can decide about the move. Of older moves, only the released one can be vetoed. */
function Decide({ move: { id, state, to }, channel, label }: LabelledProps & { readonly move: MoveView }) {
  const isNewest = id === channel.newest?.id
  if (!isNewest && id !== channel.released?.id) return null
  const what = `${to?.commit.slice(0, 7) ?? ''} on ${label}`
  const about = `move ${id}`
  if (state === 'released') return <ActionButton class="ghost mini" action={vetoMove(id, what)} about={about} />
  if (channel.pin !== null || !isNewest) return null
  if (state === 'waiting' || state === 'blocked')
    return <ActionButton class="mini" action={approveMove(id, 'Release', what)} about={about} />
  if (state === 'vetoed')
    return <ActionButton class="ghost mini" action={approveMove(id, 'End veto', what)} about={about} />
  return null
}
