// Resolves `${env:NAME}` and `${file:PATH}` of the configuration file, at each use.
import { resolve } from 'node:path'
import { faultText } from '../lib/text/fault-text.js'
import { readBoundedFile } from '../settings/bounded-file.js'
import { SyncError } from '../model/errors.js'

/** The sources of `${…}`. A relative path of `${file:…}` starts at `directory`. */
export interface ValueLookup {
  readonly directory: string
  environment(name: string): string | undefined
}

/** The largest file with a secret. */
export const mostSecretFileBytes = 65_536
const references = /\$\{([^}]*)\}/g

/** True for a text that `resolveValue` changes or refuses. Any other value is taken as it is written. */
export function isReferring(value: unknown): value is string {
  return typeof value === 'string' && value.includes('${')
}

/**
 * Replaces each `${env:NAME}` and `${file:PATH}` in `text`; trailing line ends of a file are removed. Throws
 * `SyncError` that names what is missing, never a value.
 */
export function resolveValue(text: string, lookup: ValueLookup): string {
  if (text.replaceAll(references, '').includes('${')) throw unresolved('A ${ is not closed by }.')
  const value = text.replaceAll(references, (_, reference: string) => referenced(reference, lookup))
  if (value === '') throw unresolved('The value is empty.')
  return value
}

/** The references in a text, without the rest, which may be confidential: `${env:SLACK} ${file:/run/pager}`. */
export function referencesIn(text: string): string {
  return text.match(references)?.join(' ') ?? ''
}

function referenced(reference: string, lookup: ValueLookup): string {
  const [, scheme, name] = /^(env|file):(.+)$/s.exec(reference) ?? []
  if (scheme === undefined || name === undefined) throw unresolved('A ${…} is neither ${env:NAME} nor ${file:PATH}.')
  if (scheme === 'file') return fileValue(resolve(lookup.directory, name))
  const value = lookup.environment(name)
  if (value === undefined || value === '') throw unresolved(`The environment variable ${name} is not set.`)
  return value
}

function fileValue(file: string): string {
  const text = readSmallFile(file, mostSecretFileBytes).replace(/[\r\n]+$/, '')
  if (text === '') throw unresolved(`The file ${file} is empty.`)
  return text
}

/** The text of a regular file of at most `mostBytes`. Throws `SyncError` that names the file. */
export function readSmallFile(file: string, mostBytes: number): string {
  try {
    return readBoundedFile(file, mostBytes).toString('utf8')
  } catch (cause) {
    throw unresolved(`Cannot read the file ${file}: ${faultText(cause)}.`)
  }
}

/** The error of `resolveValue`; the message is the reason. */
export function unresolved(message: string): SyncError {
  return new SyncError(message, { code: 'secrets/unresolved' })
}
