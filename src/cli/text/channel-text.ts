import { printable } from '../../lib/text/printable.js'
import { directionNote } from '../../model/sources/channel.js'
import type {
  ApprovalPreview,
  ChannelView,
  DecidedChannelView,
  DecidedMoveView,
  DecisionView,
  MovedStackView,
  MoveView,
  PinPreview,
  UnpinPreview,
  VetoPreview,
} from '../../views/channel.js'
import { nextLines } from './next-lines.js'
import { age, shortRevision, showTime, withTag } from './short-forms.js'
import { section, table, type TableColumn } from './table.js'
import type { Display } from './text.js'

export function channelLines(channels: readonly ChannelView[], display: Display): readonly string[] {
  if (channels.length === 0) return ['No channels yet. A channel is a ref that a stack follows.']
  const rows = channels.map((channel) => [
    printable(channel.name),
    channel.commit === null ? 'missing' : withTag(shortRevision(channel.commit), channel.tag),
    releasedText(channel),
    policyText(channel.policy),
    age(channel.observedAt, display.now),
    channel.stacks.map(printable).join(' '),
  ])
  const blocked = channels.flatMap((channel) => blockedMoveLines(channel))
  return [...table(channelColumns, rows, display), ...section(blocked)]
}

const channelColumns: readonly TableColumn[] = [
  { heading: 'CHANNEL', fit: 'address' },
  'COMMIT',
  'RELEASED',
  { heading: 'POLICY', fit: 'wrap' },
  'OBSERVED',
  { heading: 'STACKS', fit: 'wrap' },
]

/** A channel after a decision. */
export function changedChannelLines(channel: DecidedChannelView, display: Display): readonly string[] {
  const { pin, blocker, moved } = channel
  const name = display.style.bold(printable(channel.name))
  if (pin !== null)
    return [
      `${name} is pinned at ${shortRevision(pin.commit)}.`,
      ...nextLines(blocker?.next ?? []),
      ...movedLines(moved),
    ]
  const head = `${name} follows its ref again, at ${releasedCommit(channel)}.`
  return [head, ...blockedMoveLines(channel), ...movedLines(moved)]
}

/** Asks before the stacks of a channel move to another commit. `note`: what is wrong there. */
export function pinQuestion({ channel, commit, stacks }: PinPreview, note: string): string {
  return `Pin ${channel} at ${commit.slice(0, 7)}${note}? ${movingStacks(stacks)}`
}

/** Asks before a pin ends; undefined: no stack moves. */
export function unpinQuestion({ channel, pinned, commit, stacks }: UnpinPreview): string | undefined {
  if (stacks.length === 0 || commit === null || commit === pinned) return undefined
  const move = `${stacks.join(', ')} ${stacks.length === 1 ? 'moves' : 'move'}`
  return `Unpin ${channel}? ${move} from ${pinned.slice(0, 7)} to ${commit.slice(0, 7)}.`
}

function movingStacks(stacks: readonly string[]): string {
  if (stacks.length === 0) return 'No stack follows it.'
  return `${stacks.join(', ')} ${stacks.length === 1 ? 'moves' : 'move'} there.`
}

/** Asks before a move is released, or its veto ends. `note`: what is wrong at its commit. */
export function approvalQuestion({ move, stacks }: ApprovalPreview, note: string): string {
  const released = `Release move ${move.id} of ${move.channel} (${move.to?.commit.slice(0, 7) ?? 'deleted'})${note}?`
  return `${released} ${movingStacks(stacks)}`
}

/** Asks before a veto: what becomes of the stacks. */
export function vetoQuestion({ move, commit, stacks }: VetoPreview): string {
  const vetoed = `Veto move ${move.id} of ${move.channel} (${move.to?.commit.slice(0, 7) ?? 'deleted'})?`
  if (stacks.length === 0) return `${vetoed} No stack follows it.`
  const names = stacks.join(', ')
  const stay = stacks.length === 1 ? 'stays as it is' : 'stay as they are'
  if (commit === null) return `${vetoed} No commit was released before it: ${names} ${stay}.`
  return `${vetoed} ${names} ${stacks.length === 1 ? 'goes' : 'go'} back to ${commit.slice(0, 7)}.`
}

/** The stacks that move, and the revisions that they move to. */
export function movedLines(moved: readonly MovedStackView[]): readonly string[] {
  if (moved.length === 0) return ['No stack moves.']
  return moved.map(({ stack, run, revision, versions, suspended }) => {
    const name = printable(stack)
    const when = suspended === true ? `when it is resumed: gitmoor resume ${name}` : `in run ${printable(run)}`
    return `  ${name} moves to ${shortRevision(revision, versions)} ${when}`
  })
}

function blockedMoveLines({ blocker }: ChannelView): readonly string[] {
  return blocker === null ? [] : [printable(blocker.message), ...nextLines(blocker.next)]
}

function releasedText(channel: ChannelView): string {
  const { pin, newest } = channel
  const followed = pin === null ? releasedCommit(channel) : `pinned at ${shortRevision(pin.commit)}`
  return newest === null || newest.state === 'released'
    ? followed
    : `${followed}, move ${printable(newest.id)} ${printable(newest.state)}`
}

function releasedCommit({ released }: ChannelView): string {
  return released?.to == null ? 'nothing' : withTag(shortRevision(released.to.commit), released.to.tag ?? null)
}

function policyText({ moves, minAge, movesPerHour, signedBy }: ChannelView['policy']): string {
  const rules = [
    ...(moves === 'any' ? [] : [moves]),
    ...(minAge === '0s' ? [] : [`after ${minAge}`]),
    ...(movesPerHour === null ? [] : [`${movesPerHour} an hour`]),
    ...(signedBy === null ? [] : [`signed by ${signedBy.join(' or ')}`]),
  ]
  return rules.length === 0 ? 'any' : printable(rules.join(', '))
}

export function moveLines(moves: readonly MoveView[], display: Display): readonly string[] {
  if (moves.length === 0) return ['No moves yet.']
  const end = (at: MoveView['from']): string => (at === null ? 'missing' : withTag(shortRevision(at.commit), at.tag))
  const rows = moves.map((move) => [
    printable(move.id),
    printable(move.state),
    end(move.from),
    `${end(move.to)}${printable(directionNote(move.direction))}`,
    showTime(move.observedAt),
    printable(move.detectedBy),
    noteText(move),
  ])
  return table(moveColumns, rows, display)
}

const moveColumns: readonly TableColumn[] = [
  'MOVE',
  'STATE',
  'FROM',
  'TO',
  'OBSERVED',
  'DETECTED BY',
  { heading: 'NOTE', fit: 'wrap' },
]

/** A move after a decision. */
export function decidedMoveLines(move: DecidedMoveView, { style }: Display): readonly string[] {
  const end = move.to === null ? '' : ` to ${withTag(shortRevision(move.to.commit), move.to.tag)}`
  const head = `Move ${printable(move.id)} of ${style.bold(printable(move.channel))}${end} is ${printable(move.state)}.`
  return [head, ...(move.stay === undefined ? movedLines(move.moved) : [stayLine(move.stay)])]
}

function stayLine(stacks: readonly string[]): string {
  const names = stacks.map(printable).join(', ')
  const stay = stacks.length === 1 ? 'stays as it is' : 'stay as they are'
  return `No commit was released before it, so ${names} ${stay}, at the vetoed commit.`
}

/** Why a move is blocked, the decision about it, and its author. */
function noteText({ to, state, blockedBy, until, decision, facts }: MoveView): string {
  const author = facts?.tag ?? facts?.commit
  const tag = to === null || to.object === to.commit ? '' : `tag ${shortRevision(to.object)}`
  const authorText = author === undefined ? '' : `by ${author.name}: ${author.message.split('\n')[0] ?? ''}`
  const parts = [
    ...(until === null ? [] : [`until ${showTime(until)}`]),
    ...(blockedBy === null || state === 'released' ? [] : [blockedBy]),
    ...(decision === null ? [] : [decisionText(decision)]),
    ...(facts === null || facts.signature.state === 'none' ? [] : [signatureText(facts.signature)]),
    ...(tag === '' && authorText === '' ? [] : [`${tag} ${authorText}`.trim()]),
  ]
  return printable(parts.join('; '))
}

function decisionText({ kind, by, why }: NonNullable<MoveView['decision']>): string {
  return `${kind === 'veto' ? 'vetoed' : 'approved'} by ${by}${why === '' ? '' : `: ${why}`}`
}

function signatureText(signature: NonNullable<MoveView['facts']>['signature']): string {
  if (signature.state === 'good') return `signed by ${signature.by}`
  return signature.state === 'bad' ? 'bad signature' : 'signed by an unknown key'
}

export function decisionLines(decisions: readonly DecisionView[], display: Display): readonly string[] {
  if (decisions.length === 0) return ['No decisions.']
  const subject = ({ move, commit }: DecisionView): string =>
    move === null ? (commit === null ? '-' : shortRevision(commit)) : `move ${move}`
  const rows = decisions.map((one) => [
    showTime(one.at),
    printable(one.kind),
    printable(subject(one)),
    printable(one.by),
    printable(one.why),
  ])
  return table(['AT', 'DECISION', 'MOVE OR COMMIT', 'BY', { heading: 'WHY', fit: 'wrap' }], rows, display)
}
