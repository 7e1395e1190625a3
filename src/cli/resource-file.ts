import { resolve } from 'node:path'
import { parse } from 'yaml'
import { UsageError } from './cli-error.js'
import { readGivenFile } from './read-given-file.js'

/** Of a file that holds a resource. */
export const maximumBytes = 4 * 1024 * 1024

/** Reads a map from YAML or JSON text; `shown` names it in errors. */
export function readMap(text: string, shown: string): Readonly<Record<string, unknown>> {
  let value: unknown
  try {
    value = parse(text, { maxAliasCount: 100, prettyErrors: true, stringKeys: true })
  } catch (error) {
    throw new UsageError(
      `${shown} cannot be read: ${(error as Error).message.split('\n')[0]?.replace(/:$/, '.') ?? ''}`,
    )
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new UsageError(`${shown} does not hold a map.`)
  return value as Readonly<Record<string, unknown>>
}

export function readMapFile(file: string, cwd: string): Readonly<Record<string, unknown>> {
  return readMap(readGivenFile(resolve(cwd, file), file, maximumBytes).toString('utf8'), file)
}

/** `{ family, live }` of a file, as `resource get -o yaml` prints it. */
export function readNewResource(file: string, cwd: string): { readonly family: string; readonly live: object } {
  const { family, live } = readMapFile(file, cwd)
  if (typeof family !== 'string' || typeof live !== 'object' || live === null || Array.isArray(live)) {
    throw new UsageError(
      `${file} needs \`family\` and \`live\`.`,
      'For example {"family": "Bucket", "live": {"name": "raw"}}',
    )
  }
  return { family, live }
}

/** What a thing holds, of a file: its `live`, or the whole where it has none. */
export function readLive(file: string, cwd: string): object {
  const map = readMapFile(file, cwd)
  const live = map['live']
  return typeof live === 'object' && live !== null && !Array.isArray(live) ? live : map
}
