// The inputs of a pushed package: URLs, values, secrets from files, and skipped resources.
import { Option } from 'commander'
import { fileErrors } from '../../errors/file-errors.js'
import { usageErrors } from '../../errors/usage-errors.js'
import { readInput, type InputPlaces } from '../../files/input-file.js'
import { collect } from '../shared-options.js'

export interface PushOptions {
  readonly file?: readonly string[]
  readonly url?: readonly string[]
  readonly envRef?: readonly string[]
  readonly secretFile?: readonly string[]
  readonly filter?: readonly string[]
}

/** The fields of the request beside the files. */
export interface PushInputs {
  readonly urls?: readonly string[]
  readonly values?: Readonly<Record<string, string>>
  readonly secrets?: Readonly<Record<string, string>>
  readonly skips?: readonly { readonly kind: string; readonly name?: string }[]
}

/** The limit of a secret file. */
const maximumSecretBytes = 65_536

export function pushOptionList(): readonly (Option | readonly [string, string])[] {
  return [
    ['-f, --file <PATH...>', 'package files or directories; -: standard input'],
    ['-u, --url <URL...>', 'URLs of packages that the agent fetches'],
    new Option('--env-ref <KEY=VALUE>', 'value for an env reference or a parameter; may be repeated').argParser(
      collect,
    ),
    new Option('--secret-file <KEY=PATH>', 'file with a secret for the target, or -; may be repeated').argParser(
      collect,
    ),
    new Option('--filter <SELECTOR>', 'skip kind=Bucket or resource=Bucket:raw; may be repeated').argParser(collect),
  ]
}

/** The inputs that the options give. Errors: `UsageError`. */
export async function pushInputs(
  { url = [], envRef = [], secretFile = [], filter = [] }: PushOptions,
  places: InputPlaces,
): Promise<PushInputs> {
  const secrets: [string, string][] = []
  for (const [key, path] of parsePairs('--secret-file', secretFile))
    secrets.push([key, await readSecretFile(path, places)])
  return {
    ...(url.length === 0 ? {} : { urls: url }),
    ...(envRef.length === 0 ? {} : { values: Object.fromEntries(parsePairs('--env-ref', envRef)) }),
    ...(secrets.length === 0 ? {} : { secrets: Object.fromEntries(secrets) }),
    ...(filter.length === 0 ? {} : { skips: filter.map(parseSkip) }),
  }
}

const pairForms: Readonly<Record<string, string>> = {
  '--secret': 'KEY=env:NAME or KEY=file:PATH',
  '--secret-file': 'KEY=PATH',
}

/** Split at the first `=`. */
export function parsePairs(option: string, texts: readonly string[]): readonly (readonly [string, string])[] {
  const seen = new Set<string>()
  return texts.map((text) => {
    const at = text.indexOf('=')
    if (at < 1) throw usageErrors.invalidPair(option, pairForms[option] ?? 'KEY=VALUE')
    const key = text.slice(0, at)
    if (seen.has(key)) throw usageErrors.repeatedKey(option, key)
    seen.add(key)
    return [key, text.slice(at + 1)] as const
  })
}

function parseSkip(text: string): { readonly kind: string; readonly name?: string } {
  const [, kind] = /^kind=([^:=]+)$/.exec(text) ?? []
  if (kind !== undefined) return { kind }
  const [, of, name] = /^resource=([^:=]+):(.+)$/.exec(text) ?? []
  if (of !== undefined && name !== undefined) return { kind: of, name }
  throw usageErrors.invalidFilter()
}

/** Removes line breaks at the end, as `${file:…}` does. */
async function readSecretFile(path: string, places: InputPlaces): Promise<string> {
  const bytes = await readInput(path, places, maximumSecretBytes)
  const text = bytes.toString('utf8').replace(/[\r\n]+$/, '')
  if (text === '') throw fileErrors.empty(path)
  return text
}
