import { parse } from 'yaml'
import { isObject } from '../../../model/json.js'
import { fileErrors } from '../../errors/file-errors.js'
import { readInput, type InputPlaces } from '../../files/input-file.js'

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

async function readMapFile(file: string, places: InputPlaces): Promise<Readonly<Record<string, unknown>>> {
  return readMap((await readInput(file, places, maximumResourceFileBytes)).toString('utf8'), file)
}

/** Reads a resource to create: `family`, and `desired`, or `actual` as `resource get -o yaml` prints it. */
export async function readNewResource(
  file: string,
  places: InputPlaces,
): Promise<{ readonly family: string; readonly desired: object }> {
  const map = await readMapFile(file, places)
  const { family } = map
  const desired = stateIn(map)
  if (typeof family !== 'string' || desired === undefined) throw fileErrors.notResource(file)
  return { family, desired }
}

/** Reads a desired state: `desired` or `actual` of the file, else the whole file. */
export async function readState(file: string, places: InputPlaces): Promise<object> {
  const map = await readMapFile(file, places)
  return stateIn(map) ?? map
}

function stateIn(map: Readonly<Record<string, unknown>>): object | undefined {
  return [map['desired'], map['actual']].find(isObject)
}
