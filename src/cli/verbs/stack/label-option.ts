import { InvalidArgumentError, Option } from 'commander'
import type { LabelChange } from '../../../model/stacks/stack.js'

/** `--label KEY=VALUE` of `stack create` and `stack set`. */
export function labelOption(): Option {
  const option = new Option('--label <KEY=VALUE>', 'label that selects the stack; `KEY-` removes one; may be repeated')
  return option.argParser((text, before: LabelChange | undefined) => ({ ...before, ...readLabel(text) }))
}

function readLabel(text: string): LabelChange {
  const [, key = '', value = ''] = /^([^=]+)=(.*)$/s.exec(text) ?? []
  if (key !== '') return { [key]: value }
  if (/^[^=]+-$/.test(text)) return { [text.slice(0, -1)]: null }
  throw new InvalidArgumentError('It must be KEY=VALUE, or KEY- to remove a label.')
}

/** The labels with a change. */
export function withLabels(
  labels: Readonly<Record<string, string>>,
  change: LabelChange,
): Readonly<Record<string, string>> {
  const entries = Object.entries({ ...labels, ...change })
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => entry[1] !== null))
}
