// Checks that named entries of the configuration file have in common: where they match, and that what they point to is
// there.
import { canonicalMatch } from '../lib/address-match.js'
import { SyncError } from '../model/errors.js'
import type { Problem } from '../model/problem.js'
import { resolveValue, type ValueLookup } from '../secrets/resolve-value.js'
import { printPath } from '../settings/schema-problems.js'
import type { YamlFile, YamlPath } from '../settings/read-yaml.js'

export type RawMap = Readonly<Record<string, unknown>>

/** A map as it is written; anything else is an empty one. */
export function asMap(value: unknown): RawMap {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as RawMap) : {}
}

/** `wrong`: words that follow the name of a field. */
export function invalidField(file: YamlFile, path: YamlPath, wrong: string): Problem {
  return file.problem('config/invalid', path, `"${printPath(path)}" ${wrong}`)
}

/** Of all entries below `section`: matches that are none (`wrongOf` says why), and those that two have. */
export function matchProblems(
  file: YamlFile,
  section: string,
  wrongOf: (match: string, entry: RawMap) => string | undefined,
): readonly Problem[] {
  const seen = new Map<string, string>()
  return Object.entries(asMap(asMap(file.value)[section])).flatMap(([name, entry]) => {
    const { match } = asMap(entry)
    if (typeof match !== 'string') return []
    const path = [section, name, 'match']
    const wrong = wrongOf(match, asMap(entry))
    if (wrong !== undefined) return [invalidField(file, path, wrong)]
    const { href } = canonicalMatch(match)
    const first = seen.get(href)
    seen.set(href, first ?? name)
    return first === undefined
      ? []
      : [file.problem('config/duplicate', path, `"${printPath(path)}" is also the match of "${first}".`)]
  })
}

/** Where a text with `${…}` has no value. `at`: the entry that holds it at `steps`. */
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

/** What `read` fails with, as a problem of a field. */
export function readProblems(file: YamlFile, path: YamlPath, read: () => unknown): readonly Problem[] {
  try {
    read()
    return []
  } catch (error) {
    if (!(error instanceof SyncError)) throw error
    const reason = error.cause instanceof Error ? error.cause.message : error.message
    return [file.problem('config/unresolved', path, `"${printPath(path)}" has no value: ${reason}`)]
  }
}
