import { resolve } from 'node:path'
import { parse } from 'yaml'
import { isObject } from '../../../model/json.js'
import { fileErrors } from '../../cli-errors.js'
import { readInputFile } from '../../files/input-file.js'

export const maximumResourceFileBytes = 4 * 1024 * 1024

/** Reads an object from YAML or JSON text. `shown` names the text in errors. */
export function readMap(text: string, shown: string): Readonly<Record<string, unknown>> {
  const value = parseYaml(text, shown)
  if (!isObject(value)) throw fileErrors.notMap(shown)
  return value
}

function parseYaml(text: string, shown: string): unknown {
  try {
    return parse(text, { maxAliasCount: 100, prettyErrors: true, stringKeys: true })
  } catch (error) {
    throw fileErrors.notYaml(shown, (error as Error).message.split('\n')[0]?.replace(/:$/, '.') ?? '')
  }
}

function readMapFile(file: string, cwd: string): Readonly<Record<string, unknown>> {
  return readMap(readInputFile(resolve(cwd, file), file, maximumResourceFileBytes).toString('utf8'), file)
}

/** Reads a resource to create: `family`, and `desired`, or `actual` as `resource get -o yaml` prints it. */
export function readNewResource(file: string, cwd: string): { readonly family: string; readonly desired: object } {
  const map = readMapFile(file, cwd)
  const { family } = map
  const desired = stateIn(map)
  if (typeof family !== 'string' || desired === undefined) throw fileErrors.notResource(file)
  return { family, desired }
}

/** Reads a desired state: `desired` or `actual` of the file, else the whole file. */
export function readState(file: string, cwd: string): object {
  const map = readMapFile(file, cwd)
  return stateIn(map) ?? map
}

function stateIn(map: Readonly<Record<string, unknown>>): object | undefined {
  return [map['desired'], map['actual']].find(isObject)
}
