import { printable } from '../../lib/text/printable.js'
import type { MessageView, ReceiverView } from '../../views/notification.js'
import { age } from './short-forms.js'
import { table, type TableColumn } from './table.js'
import type { Display } from './text.js'

export function receiverLines(receivers: readonly ReceiverView[], display: Display): readonly string[] {
  if (receivers.length === 0)
    return ['No receivers. Declare them under "notifications" or "commitStatus" in the configuration file.']
  const rows = receivers.map(({ name, type, on, match, pending, last }) => [
    printable(name),
    printable(type),
    match === null ? on.map(printable).join(' ') : printable(match),
    String(pending),
    last === null ? 'never' : `${age(last.createdAt, display.now)}, ${resultText(last)}`,
  ])
  return table(['RECEIVER', 'TYPE', { heading: 'GETS', fit: 'wrap' }, 'PENDING', 'LAST MESSAGE'], rows, display)
}

export function messageListLines(messages: readonly MessageView[], display: Display): readonly string[] {
  if (messages.length === 0) return ['No messages yet.']
  const rows = messages.map((one) => [
    printable(one.id),
    age(one.createdAt, display.now),
    printable(one.receiver),
    printable(one.title),
    resultText(one),
    String(one.attempts),
    printable(one.error === '' ? '-' : one.error),
  ])
  return table(messageColumns, rows, display)
}

const messageColumns: readonly TableColumn[] = [
  'MESSAGE',
  'WHEN',
  'RECEIVER',
  { heading: 'TITLE', fit: 'wrap' },
  'RESULT',
  'ATTEMPTS',
  { heading: 'ERROR', fit: 'wrap' },
]

export function messageLines(message: MessageView): readonly string[] {
  const { id, receiver, error } = message
  const why = error === '' ? '' : ` ${printable(error)}`
  return [`Message ${printable(id)} to ${printable(receiver)}: ${resultText(message)}.${why}`]
}

function resultText({ state, status }: MessageView): string {
  return status === null ? printable(state) : `${printable(state)} (${status})`
}
