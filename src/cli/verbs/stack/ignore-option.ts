import { InvalidArgumentError, Option } from 'commander'
import type { StackDocument } from '../../../settings/documents/stack-document.js'

/** Ignored fields, in the form of documents. */
export type IgnoreOption = NonNullable<StackDocument['ignore']>

/** `--ignore FAMILY:PATH` of `stack create` and `stack set`. */
export function ignoreOption(): Option {
  const option = new Option('--ignore <FAMILY:PATH>', 'field to leave to others, as plans print it; may be repeated')
  return option.argParser((text, before: IgnoreOption | undefined) => [...(before ?? []), readField(text)])
}

function readField(text: string): IgnoreOption[number] {
  const at = text.indexOf(':')
  if (at <= 0) throw new InvalidArgumentError('It must be FAMILY:PATH, such as Dashboard:charts[*].yPos.')
  return { family: text.slice(0, at), path: text.slice(at + 1) }
}
