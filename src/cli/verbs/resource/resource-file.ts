import { resolve } from 'node:path'
import { parse } from 'yaml'
import { UsageError } from '../../cli-error.js'
import { readInputFile } from '../../files/input-file.js'

/** Of a file that holds a resource. */
export const maximumResourceFileBytes = 4 * 1024 * 1024

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
  return readMap(readInputFile(resolve(cwd, file), file, maximumResourceFileBytes).toString('utf8'), file)
}

/** `{ family, actual }` of a file, as `resource get -o yaml` prints it. */
export function readNewResource(file: string, cwd: string): { readonly family: string; readonly actual: object } {
  const { family, actual: state } = readMapFile(file, cwd)
  if (typeof family !== 'string' || typeof state !== 'object' || state === null || Array.isArray(state)) {
    throw new UsageError(
      `${file} needs \`family\` and \`actual\`.`,
      'For example {"family": "Bucket", "actual": {"name": "raw"}}',
    )
  }
  return { family, actual: state }
}

/** What a thing holds, of a file: its `actual`, or the whole where it has none. */
export function readState(file: string, cwd: string): object {
  const map = readMapFile(file, cwd)
  const state = map['actual']
  return typeof state === 'object' && state !== null && !Array.isArray(state) ? state : map
}
