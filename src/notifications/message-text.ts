// A message in words: its title, its lines, its links. Pure.
import { isoTime } from '../lib/text/time-text.js'
import { printable, shortened } from '../lib/text/printable.js'
import { transitionKinds, type FullMessage, type Transition, type TransitionKind } from '../model/agent/message.js'
import { shortRevision } from '../model/sources/revision.js'

/** Transitions that a text names; it counts the others. */
export const mostLines = 20
/** Transitions in the JSON of a webhook. */
export const mostInJson = 100
const mostCharacters = 500

const verbs: Readonly<Record<TransitionKind, string>> = {
  failed: 'failed',
  'needs-approval': 'needs approval',
  drifted: 'drifted',
  recovered: 'recovered',
}
const manyVerbs: Readonly<Record<TransitionKind, string>> = { ...verbs, 'needs-approval': 'need approval' }

export type MessageContent = Pick<FullMessage, 'key' | 'receiver' | 'kind' | 'createdAt' | 'counts' | 'transitions'>

/** `boards failed`, or `998 stacks failed, 2 stacks recovered`. */
export function messageTitle(message: MessageContent): string {
  if (message.kind === 'test') return `Test of the receiver ${message.receiver}`
  const [first] = message.transitions
  if (first !== undefined && messageCount(message) === 1) return `${first.stack} ${verbs[first.kind]}`
  return transitionKinds
    .flatMap((kind) => {
      const count = message.counts[kind] ?? 0
      if (count === 0) return []
      return [count === 1 ? `1 stack ${verbs[kind]}` : `${count} stacks ${manyVerbs[kind]}`]
    })
    .join(', ')
}

/** A line for each transition, and what to do next. */
export function messageLines(message: MessageContent, publicUrl: string | undefined): readonly string[] {
  if (message.kind === 'test') return ['This message is a test. Nothing happened.']
  const shown = message.transitions.slice(0, mostLines)
  const rest = messageCount(message) - shown.length
  return [
    ...shown.flatMap((one) => transitionLines(one, publicUrl)),
    ...(rest > 0 ? [`And ${rest} more. List all stacks: gitmoor stack list`] : []),
  ]
}

function transitionLines(one: Transition, publicUrl: string | undefined): readonly string[] {
  const revision = one.revision === '' ? '' : ` at ${shortRevision(one.revision)}`
  const link = transitionLink(one, publicUrl)
  const what = `${one.stack} (target ${one.target}) ${verbs[one.kind]}${revision}: ${oneLine(one.message)}`
  return [what, ...(one.hint === '' ? [] : [`  ${oneLine(one.hint)}`]), ...(link === '' ? [] : [`  ${link}`])]
}

function oneLine(text: string): string {
  return shortened(printable(text.replace(/\s*\n\s*/g, ' ')), mostCharacters)
}

export function messageCount({ counts }: Pick<FullMessage, 'counts'>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0)
}

/** The run, the plan, the drift or the stack on the agent; '': no address of the agent is configured. */
export function transitionLink({ stack, run, kind }: Transition, publicUrl: string | undefined): string {
  if (publicUrl === undefined) return ''
  if (kind === 'needs-approval') return `${publicUrl}/stacks/${stack}/plan`
  if (kind === 'drifted') return `${publicUrl}/stacks/${stack}/drift`
  return run === '' ? `${publicUrl}/stacks/${stack}` : runLink(stack, run, publicUrl)
}

export function runLink(stack: string, run: string, publicUrl: string): string {
  return `${publicUrl}/stacks/${stack}/runs/${run}`
}

/** The values of the placeholders of a template. */
export const placeholderNames = [
  'id',
  'receiver',
  'title',
  'text',
  'count',
  'stacks',
  'kinds',
  'stack',
  'kind',
  'target',
  'revision',
  'run',
  'message',
  'code',
  'url',
  'at',
  'transitions',
] as const

/** Those of a single transition are of the first one. */
export function placeholderValues(
  message: MessageContent,
  publicUrl: string | undefined,
): Readonly<Record<(typeof placeholderNames)[number], string>> {
  const { transitions, counts, key, receiver } = message
  const [first] = transitions
  return {
    id: key,
    receiver,
    title: messageTitle(message),
    text: messageLines(message, publicUrl).join('\n'),
    count: String(messageCount(message)),
    stacks: [...new Set(transitions.slice(0, mostInJson).map(({ stack }) => stack))].join(', '),
    kinds: transitionKinds.filter((kind) => (counts[kind] ?? 0) > 0).join(', '),
    stack: first?.stack ?? '',
    kind: first?.kind ?? message.kind,
    target: first?.target ?? '',
    revision: first?.revision ?? '',
    run: first?.run ?? '',
    message: first?.message ?? '',
    code: first?.code ?? '',
    url: first === undefined ? (publicUrl ?? '') : transitionLink(first, publicUrl),
    at: isoTime(first?.at ?? message.createdAt),
    transitions: JSON.stringify(transitionsJson(message, publicUrl)),
  }
}

/** What a webhook without a template gets. */
export function messageJson(message: MessageContent, publicUrl: string | undefined): object {
  const { key, receiver, kind, createdAt, counts } = message
  return {
    id: key,
    receiver,
    kind,
    at: isoTime(createdAt),
    title: messageTitle(message),
    text: messageLines(message, publicUrl).join('\n'),
    count: messageCount(message),
    counts,
    transitions: transitionsJson(message, publicUrl),
  }
}

function transitionsJson({ transitions }: MessageContent, publicUrl: string | undefined): readonly object[] {
  return transitions.slice(0, mostInJson).map((one) => ({
    ...one,
    at: isoTime(one.at),
    url: transitionLink(one, publicUrl),
  }))
}
