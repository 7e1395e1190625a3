// Checks that named entries of the configuration file have in common: where they match, and that what they point to is
// there.
import { matchOf } from './model/address-match.js'
import { SyncError } from './model/errors.js'
import type { Problem } from './model/problem.js'
import { resolveValue, type Lookup } from './secrets/lookup.js'
import { printPath } from './settings/describe-issue.js'
import type { YamlFile, YamlPath } from './settings/read-yaml.js'

export type Written = Readonly<Record<string, unknown>>

/** A map as it is written; anything else is an empty one. */
export function mapOf(value: unknown): Written {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Written) : {}
}

/** `wrong`: words that follow the name of a field. */
export function invalid(file: YamlFile, path: YamlPath, wrong: string): Problem {
  return file.problem('config/invalid', path, `"${printPath(path)}" ${wrong}`)
}

/** Of all entries below `section`: matches that are none (`wrongOf` says why), and those that two have. */
export function matchProblems(
  file: YamlFile,
  section: string,
  wrongOf: (match: string, entry: Written) => string | undefined,
): readonly Problem[] {
  const seen = new Map<string, string>()
  return Object.entries(mapOf(mapOf(file.value)[section])).flatMap(([name, entry]) => {
    const { match } = mapOf(entry)
    if (typeof match !== 'string') return []
    const path = [section, name, 'match']
    const wrong = wrongOf(match, mapOf(entry))
    if (wrong !== undefined) return [invalid(file, path, wrong)]
    const { href } = matchOf(match)
    const first = seen.get(href)
    seen.set(href, first ?? name)
    return first === undefined
      ? []
      : [file.problem('config/duplicate', path, `"${printPath(path)}" is also the match of "${first}".`)]
  })
}

/** Where a text with `${…}` has no value. `at`: the entry that holds it at `steps`. */
export function valueProblems(
  file: YamlFile,
  at: YamlPath,
  steps: readonly string[],
  lookup: Lookup,
): readonly Problem[] {
  const text = steps.reduce<unknown>(
    (value, step) => mapOf(value)[step],
    at.reduce<unknown>((value, step) => mapOf(value)[step], file.value),
  )
  if (typeof text !== 'string') return []
  return unresolvedProblems(file, [...at, ...steps], () => resolveValue(text, lookup))
}

/** What `read` fails with, as a problem of a field. */
export function unresolvedProblems(file: YamlFile, path: YamlPath, read: () => unknown): readonly Problem[] {
  try {
    read()
    return []
  } catch (error) {
    if (!(error instanceof SyncError)) throw error
    const reason = error.cause instanceof Error ? error.cause.message : error.message
    return [file.problem('config/unresolved', path, `"${printPath(path)}" has no value: ${reason}`)]
  }
}
