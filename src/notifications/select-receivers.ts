// Which receivers get a transition or a commit status. Pure.
import type { CommitStatus, Transition } from '../model/agent/message.js'
import { matchesLabels } from '../settings/labels.js'
import { isBelow } from '../source/repository-identity.js'
import type { NotificationReceiver, StatusReceiver } from './receiver.js'

export function takesTransition(
  { on, stacks, selector }: Pick<NotificationReceiver, 'on' | 'stacks' | 'selector'>,
  { kind, stack, labels }: Pick<Transition, 'kind' | 'stack' | 'labels'>,
): boolean {
  const isNamed = stacks.length === 0 || stacks.some((pattern) => matchesName(pattern, stack))
  return on.includes(kind) && isNamed && matchesLabels(labels, selector)
}

/** The receiver with the longest match; undefined: none has one. */
export function statusReceiver(
  receivers: readonly StatusReceiver[],
  { remote }: Pick<CommitStatus, 'remote'>,
): StatusReceiver | undefined {
  return receivers
    .filter(({ match }) => isBelow(remote, match))
    .sort((a, b) => b.match.length - a.match.length)
    .at(0)
}

/** `*` is any number of characters. */
function matchesName(pattern: string, name: string): boolean {
  const parts = pattern.split('*')
  const [first = '', ...rest] = parts
  if (rest.length === 0) return name === pattern
  const last = rest.pop()!
  if (!name.startsWith(first) || !name.endsWith(last) || name.length < first.length + last.length) return false
  const end = name.length - last.length
  let at = first.length
  for (const part of rest) {
    const found = name.indexOf(part, at)
    if (found < 0 || found + part.length > end) return false
    at = found + part.length
  }
  return true
}
