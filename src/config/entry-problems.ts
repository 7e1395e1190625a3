// Checks of named entries of the configuration file: their `match`, and the values that they reference.
import { canonicalMatch } from '../lib/text/address-match.js'
import { SyncError } from '../model/errors.js'
import { isObject } from '../model/json.js'
import type { Problem } from '../model/problem.js'
import { resolveValue, type ValueLookup } from '../secrets/resolve-value.js'
import { printPath } from '../settings/schema/schema-problems.js'
import type { YamlFile, YamlPath } from '../settings/schema/read-yaml.js'

export type RawMap = Readonly<Record<string, unknown>>

/** An unchecked entry, and its path in the file. */
export interface RawEntry {
  readonly path: YamlPath
  readonly raw: RawMap
}

/** The raw map; empty for any other value. */
export function asMap(value: unknown): RawMap {
  return isObject(value) ? value : {}
}

/** `wrong`: the message after the name of the field. */
export function invalidField(file: YamlFile, path: YamlPath, wrong: string): Problem {
  return file.problem('config/invalid', path, `"${printPath(path)}" ${wrong}`)
}

/** A field with the value of an earlier one: names both, and where the first is. */
export function duplicateField(file: YamlFile, path: YamlPath, first: YamlPath, hint: string): Problem {
  const message = `"${printPath(path)}" is the same as "${printPath(first)}" at ${file.location(first)}.`
  return file.problem('config/duplicate', path, message, hint)
}

/** Invalid matches in `section` (`wrongOf` gives the reason) and duplicate ones. */
export function matchProblems(
  file: YamlFile,
  section: string,
  wrongOf: (match: string, entry: RawMap) => string | undefined,
): readonly Problem[] {
  const firsts = new Map<string, YamlPath>()
  return Object.entries(asMap(asMap(file.value)[section])).flatMap(([name, entry]) => {
    const { match } = asMap(entry)
    if (typeof match !== 'string') return []
    const path = [section, name, 'match']
    const wrong = wrongOf(match, asMap(entry))
    if (wrong !== undefined) return [invalidField(file, path, wrong)]
    const { href } = canonicalMatch(match)
    const first = firsts.get(href)
    if (first !== undefined)
      return [duplicateField(file, path, first, 'Remove one of the two, or give it a longer match.')]
    firsts.set(href, path)
    return []
  })
}

/** A text whose `${…}` cannot be resolved. `steps`: its path in the entry `at`. */
export function unresolvedTextProblems(
  file: YamlFile,
  at: YamlPath,
  steps: readonly string[],
  lookup: ValueLookup,
): readonly Problem[] {
  const text = steps.reduce<unknown>(
    (value, step) => asMap(value)[step],
    at.reduce<unknown>((value, step) => asMap(value)[step], file.value),
  )
  if (typeof text !== 'string') return []
  return readProblems(file, [...at, ...steps], () => resolveValue(text, lookup))
}

/** The error of `read` as a problem of a field. */
export function readProblems(file: YamlFile, path: YamlPath, read: () => unknown): readonly Problem[] {
  try {
    read()
    return []
  } catch (error) {
    if (!(error instanceof SyncError)) throw error
    const reason = error.cause instanceof Error ? error.cause.message : error.message
    return [file.problem('config/unresolved', path, `Cannot read "${printPath(path)}": ${reason}`)]
  }
}
