// What goes with a push beside its files, as options: values, secrets from files, what is left out.
import { Option } from 'commander'
import { resolve } from 'node:path'
import { UsageError } from '../../cli-error.js'
import { readInputFile } from '../../files/input-file.js'

export interface PushOptions {
  readonly file?: readonly string[]
  readonly url?: readonly string[]
  readonly envRef?: readonly string[]
  readonly secretFile?: readonly string[]
  readonly filter?: readonly string[]
}

/** What the API takes beside the files. */
export interface PushInputs {
  readonly urls?: readonly string[]
  readonly values?: Readonly<Record<string, string>>
  readonly secrets?: Readonly<Record<string, string>>
  readonly skips?: readonly { readonly kind: string; readonly name?: string }[]
}

/** Of a file that holds a secret. */
const maximumSecretBytes = 65_536

export function pushOptionList(): readonly (Option | readonly [string, string])[] {
  return [
    ['-f, --file <PATH...>', 'package files, and folders of them; -: standard input'],
    ['-u, --url <URL...>', 'packages that the agent fetches'],
    new Option('--env-ref <KEY=VALUE>', 'value for an env reference or a parameter; may be repeated').argParser(
      collect,
    ),
    new Option('--secret-file <KEY=PATH>', 'file that holds a secret for the target; may be repeated').argParser(
      collect,
    ),
    new Option('--filter <WHAT>', 'leave alone: kind=Bucket, or resource=Bucket:raw; may be repeated').argParser(
      collect,
    ),
  ]
}

/** Without what was not given. Errors: `UsageError`. */
export function pushInputs(
  { url = [], envRef = [], secretFile = [], filter = [] }: PushOptions,
  cwd: string,
): PushInputs {
  const secrets = parsePairs('--secret-file', secretFile).map(
    ([key, path]) => [key, readSecretFile(resolve(cwd, path), path)] as const,
  )
  return {
    ...(url.length === 0 ? {} : { urls: url }),
    ...(envRef.length === 0 ? {} : { values: Object.fromEntries(parsePairs('--env-ref', envRef)) }),
    ...(secrets.length === 0 ? {} : { secrets: Object.fromEntries(secrets) }),
    ...(filter.length === 0 ? {} : { skips: filter.map(parseSkip) }),
  }
}

function collect(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text]
}

/** Split at the first `=`. */
function parsePairs(option: string, texts: readonly string[]): readonly (readonly [string, string])[] {
  const seen = new Set<string>()
  return texts.map((text) => {
    const at = text.indexOf('=')
    if (at < 1) throw new UsageError(`${option} takes KEY=${option === '--env-ref' ? 'VALUE' : 'PATH'}.`)
    const key = text.slice(0, at)
    if (seen.has(key)) throw new UsageError(`${option} names ${key} twice.`)
    seen.add(key)
    return [key, text.slice(at + 1)] as const
  })
}

function parseSkip(text: string): { readonly kind: string; readonly name?: string } {
  const [, kind] = /^kind=([^:=]+)$/.exec(text) ?? []
  if (kind !== undefined) return { kind }
  const [, of, name] = /^resource=([^:=]+):(.+)$/.exec(text) ?? []
  if (of !== undefined && name !== undefined) return { kind: of, name }
  throw new UsageError('--filter takes kind=KIND or resource=KIND:NAME.', 'For example --filter resource=Bucket:raw')
}

/** Line ends at the end are cut, as of `${file:…}`. */
function readSecretFile(path: string, shown: string): string {
  const text = readInputFile(path, shown, maximumSecretBytes)
    .toString('utf8')
    .replace(/[\r\n]+$/, '')
  if (text === '') throw new UsageError(`${shown} is empty.`)
  return text
}
