import { printable } from '../../lib/printable.js'
import type { ChannelView, DecisionView, MoveView } from '../../views/channel.js'
import { age, withTag, shortRevision, showTime } from './short-forms.js'
import type { Display } from './text.js'
import { table } from './table.js'

export function channelLines(channels: readonly ChannelView[], look: Display): readonly string[] {
  if (channels.length === 0) return ['No channels yet: a channel is a ref that a stack follows.']
  const rows = channels.map((channel) => [
    printable(channel.name),
    channel.commit === null ? 'not there' : withTag(shortRevision(channel.commit), channel.tag),
    releasedText(channel),
    policyText(channel.policy),
    age(channel.observedAt, look.now),
    channel.stacks.map(printable).join(' '),
  ])
  const holds = channels.flatMap((channel) => blockedMoveLines(channel, look))
  return [
    ...table(['CHANNEL', 'COMMIT', 'RELEASED', 'POLICY', 'SEEN', 'STACKS'], rows, look.style),
    ...(holds.length === 0 ? [] : ['', ...holds]),
  ]
}

/** What became of a channel after a decision. */
export function changedChannelLines(channel: ChannelView, look: Display): readonly string[] {
  const now =
    channel.pin === null ? `follows its ref again; released is ${releasedText(channel)}` : releasedText(channel)
  return [`${look.style.bold(printable(channel.name))}: ${now}.`, ...blockedMoveLines(channel, look)]
}

function blockedMoveLines({ blocker }: ChannelView, { style }: Display): readonly string[] {
  return blocker === null ? [] : [printable(blocker.message), `  ${style.dim(printable(blocker.next))}`]
}

function releasedText({ released, pin, newest }: ChannelView): string {
  if (pin !== null) return `pinned at ${shortRevision(pin.commit)}`
  const at = released?.to == null ? 'nothing' : withTag(shortRevision(released.to.commit), released.to.tag ?? null)
  return newest === null || newest.state === 'released'
    ? at
    : `${at}, move ${printable(newest.id)} ${printable(newest.state)}`
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

export function moveLines(moves: readonly MoveView[], look: Display): readonly string[] {
  if (moves.length === 0) return ['It has not moved yet.']
  const end = (at: MoveView['from']): string => (at === null ? 'not there' : withTag(shortRevision(at.commit), at.tag))
  const rows = moves.map((move) => [
    printable(move.id),
    showTime(move.observedAt),
    end(move.from),
    `${end(move.to)}${move.forward === false ? ' (back)' : ''}`,
    printable(move.state),
    printable(move.detectedBy),
    noteText(move),
  ])
  return table(['MOVE', 'SEEN', 'FROM', 'TO', 'STATE', 'LEARNT BY', 'NOTE'], rows, look.style)
}

/** Of one move after a decision. */
export function decidedMoveLines(move: MoveView, { style }: Display): readonly string[] {
  const end = move.to === null ? '' : ` to ${withTag(shortRevision(move.to.commit), move.to.tag)}`
  return [`Move ${printable(move.id)} of ${style.bold(printable(move.channel))}${end} is ${printable(move.state)}.`]
}

/** What holds it, who decided, who made it. */
function noteText({ to, state, blockedBy, until, decision, facts }: MoveView): string {
  const made = facts?.tag ?? facts?.commit
  const tag = to === null || to.object === to.commit ? '' : `tag ${shortRevision(to.object)}`
  const madeBy = made === undefined ? '' : `by ${made.name}: ${made.message.split('\n')[0] ?? ''}`
  const parts = [
    ...(until === null ? [] : [`until ${showTime(until)}`]),
    ...(blockedBy === null || state === 'released' ? [] : [blockedBy]),
    ...(decision === null
      ? []
      : [
          `${decision.kind === 'veto' ? 'vetoed' : 'approved'} by ${decision.by}${decision.why === '' ? '' : `: ${decision.why}`}`,
        ]),
    ...(facts === null || facts.signature.state === 'none' ? [] : [signatureText(facts.signature)]),
    ...(tag === '' && madeBy === '' ? [] : [`${tag} ${madeBy}`.trim()]),
  ]
  return printable(parts.join('; '))
}

function signatureText(signature: NonNullable<MoveView['facts']>['signature']): string {
  if (signature.state === 'good') return `signed by ${signature.by}`
  return signature.state === 'bad' ? 'signature is bad' : 'signed by a key that is not known'
}

export function decisionLines(decisions: readonly DecisionView[], look: Display): readonly string[] {
  if (decisions.length === 0) return ['Nobody decided anything about it.']
  const about = ({ move, commit }: DecisionView): string =>
    move === null ? (commit === null ? '-' : shortRevision(commit)) : `move ${move}`
  const rows = decisions.map((one) => [
    showTime(one.at),
    printable(one.kind),
    printable(about(one)),
    printable(one.by),
    printable(one.why),
  ])
  return table(['AT', 'DECISION', 'ABOUT', 'BY', 'WHY'], rows, look.style)
}
