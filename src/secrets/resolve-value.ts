// `${env:NAME}` and `${file:PATH}` in the configuration file: where a value really is, looked up at each use.
import { resolve } from 'node:path'
import { readBoundedFile } from '../settings/bounded-file.js'
import { SyncError } from '../model/errors.js'

/** Where `${…}` is looked up. A relative path of `${file:…}` begins at `directory`. */
export interface ValueLookup {
  readonly directory: string
  environment(name: string): string | undefined
}

/** Of a file that holds a secret. */
export const mostSecretFileBytes = 65_536
const references = /\$\{([^}]*)\}/g

/**
 * `text` with each `${env:NAME}` and `${file:PATH}` replaced; line ends at a file's end are cut. Throws `SyncError`
 * that names what is not there, never a value.
 */
export function resolveValue(text: string, lookup: ValueLookup): string {
  if (text.replaceAll(references, '').includes('${')) throw unresolved('A ${ is not closed by }.')
  const value = text.replaceAll(references, (_, reference: string) => referenced(reference, lookup))
  if (value === '') throw unresolved('The value is empty.')
  return value
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

/** The text of a regular file of at most so many bytes. Throws `SyncError` that names it. */
export function readSmallFile(file: string, mostBytes: number): string {
  try {
    return readBoundedFile(file, mostBytes).toString('utf8')
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException
    throw unresolved(`The file ${file} cannot be read (${code ?? message}).`)
  }
}

/** What `resolveValue` fails with: the message says why a value is not there. */
export function unresolved(message: string): SyncError {
  return new SyncError(message, { code: 'secrets/unresolved' })
}
