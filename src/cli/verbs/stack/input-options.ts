// `--value`, `--secret` and `--unset`: the values and secrets of a stack.
import { Option } from 'commander'
import { resolve } from 'node:path'
import { usageErrors } from '../../errors/usage-errors.js'
import { collect } from '../shared-options.js'
import { parsePairs } from './push-options.js'

export interface InputOptions {
  readonly value?: readonly string[]
  readonly secret?: readonly string[]
  readonly unset?: readonly string[]
}

type Entries = Readonly<Record<string, string>>

export function inputOptionList(): readonly Option[] {
  return [
    new Option('--value <KEY=VALUE>', 'value for an env reference or a parameter; may be repeated').argParser(collect),
    new Option('--secret <KEY=REFERENCE>', 'secret: KEY=env:NAME or KEY=file:PATH; may be repeated').argParser(collect),
  ]
}

/** Only for `stack set`. */
export function unsetOption(): Option {
  return new Option('--unset <KEY>', 'remove a value or a secret; may be repeated').argParser(collect)
}

export const inputNotes =
  '--secret: the agent reads the variable or the file at each use, and stores only the reference. ' +
  'allow.secrets of its configuration file must list it. PATH is on the machine of the agent.'

/** undefined: not given. Errors: `UsageError`, which never repeats the text of a secret. */
export function inputsAmong(
  { value, secret }: InputOptions,
  cwd: string,
): { readonly values: Entries | undefined; readonly secrets: Entries | undefined } {
  return {
    values: value && Object.fromEntries(parsePairs('--value', value)),
    secrets:
      secret &&
      Object.fromEntries(parsePairs('--secret', secret).map(([key, text]) => [key, toReference(key, text, cwd)])),
  }
}

function toReference(key: string, text: string, cwd: string): string {
  const [, scheme, name = ''] = /^(env|file):([^}]+)$/.exec(text) ?? []
  if (scheme === undefined) throw usageErrors.invalidReference(key)
  return `\${${scheme}:${scheme === 'file' ? resolve(cwd, name) : name}}`
}
