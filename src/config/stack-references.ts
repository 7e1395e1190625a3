// What stacks of the configuration file refer to: each other, families of resources, and variables, files and
// directories of this machine.
import { quoted } from '../lib/text/printable.js'
import { fileURLToPath } from 'node:url'
import { asMap, readProblems, type RawEntry, type RawMap } from './entry-problems.js'
import { SyncError } from '../model/errors.js'
import type { FleetSpec } from '../model/stacks/fleet.js'
import { memoize } from '../lib/memoize.js'
import type { Problem } from '../model/problem.js'
import type { SourceSpec } from '../model/sources/source-spec.js'
import type { StackSpec } from '../model/stacks/stack.js'
import { isReferring, resolveValue, type ValueLookup } from '../secrets/resolve-value.js'
import { withSuggestion } from '../settings/did-you-mean.js'
import { printPath } from '../settings/schema/schema-problems.js'
import { normaliseAddress } from '../settings/source-address.js'
import type { YamlFile, YamlPath } from '../settings/schema/read-yaml.js'
import { allowedDirectory, type AllowedDirectories } from '../source/allowed-directory.js'
import { cycleFrom } from '../stacks/status/dependencies.js'

/** Stacks that would wait for each other; each cycle once. */
export function cycleProblems(file: YamlFile, stacks: readonly RawMap[]): readonly Problem[] {
  const dependsOn = new Map(
    stacks.flatMap(({ name, dependsOn: names }) => (isText(name) ? [[name, texts(names)]] : [])),
  )
  const reported = new Set<string>()
  return stacks.flatMap(({ name }, at) => {
    const cycle = isText(name) ? cycleFrom(name, dependsOn)?.join(' → ') : undefined
    if (cycle === undefined || reported.has(cycle)) return []
    reported.add(cycle)
    const hint = 'Remove one of these stacks from `dependsOn` of another one.'
    return [
      file.problem('config/cycle', ['stacks', at, 'dependsOn'], `Stacks would wait for each other: ${cycle}.`, hint),
    ]
  })
}

/**
 * Stacks in `dependsOn` that the file does not declare, as warnings: the agent may know them from elsewhere.
 * `names`: the declared ones.
 */
export function dependencyProblems(
  file: YamlFile,
  entries: readonly RawEntry[],
  names: readonly string[],
): readonly Problem[] {
  return entries.flatMap(({ path, raw: { dependsOn } }) =>
    items(dependsOn).flatMap((name, nth) => {
      if (!isText(name) || names.includes(name)) return []
      const at = [...path, 'dependsOn', nth]
      const named = `"${printPath(at)}" names the stack ${quoted(name)}, which the file does not declare.`
      const message = withSuggestion(named, name, names)
      const hint = 'Correct the name, unless the API or a fleet declares this stack. Otherwise the agent refuses it.'
      return [{ ...file.problem('config/unknown-stack', at, message, hint), severity: 'warning' as const }]
    }),
  )
}

/** Families in `ignore` and `protect` that no platform has. */
export function familyProblems(
  file: YamlFile,
  entries: readonly RawEntry[],
  families: readonly string[],
): readonly Problem[] {
  const known = [...new Set(families)].sort()
  return entries.flatMap(({ path, raw: { ignore, protect } }) => [
    ...items(ignore).flatMap((rule, nth) =>
      familyProblem(file, [...path, 'ignore', nth, 'family'], { family: asMap(rule)['family'], known }),
    ),
    ...items(protect).flatMap((pattern, nth) =>
      familyProblem(file, [...path, 'protect', nth], {
        family: isText(pattern) ? /^[A-Za-z][\w.-]*(?=\/)/.exec(pattern)?.[0] : '',
        known,
      }),
    ),
  ])
}

const mostResolved = 10_000

/**
 * References in `values` and `secrets` that cannot be resolved now, as warnings: such a stack fails, and the others
 * take effect. gitmoor reads them at each use. The form of a secret is left to the schema.
 */
export function inputProblems(file: YamlFile, stacks: readonly RawEntry[], lookup: ValueLookup): readonly Problem[] {
  const resolved = memoize(mostResolved, (text) => void resolveValue(text, lookup)) // many stacks may refer to one file
  return stacks.flatMap(({ path, raw: { values, secrets } }) => {
    const secretReferences = Object.entries(asMap(secrets)).filter(([, text]) => isText(text) && hasScheme.test(text))
    const inputs = [
      ...Object.entries(asMap(values)).map(([key, text]) => ['values', key, text] as const),
      ...secretReferences.map(([key, text]) => ['secrets', key, text] as const),
    ]
    return inputs.flatMap(([setting, key, text]) => {
      if (!isReferring(text)) return []
      const found = readProblems(file, [...path, setting, key], () => resolved(text))
      return found.map((problem) => ({ ...problem, severity: 'warning' as const }))
    })
  })
}

/**
 * Directories that the agent may not read. An agent gets them as warnings: it refuses such a stack, and the others take
 * effect. A link may change at any time.
 */
export function directoryProblems(
  file: YamlFile,
  { stacks, fleets }: { readonly stacks: readonly StackSpec[]; readonly fleets: readonly FleetSpec[] },
  { allowed, severity }: { readonly allowed: AllowedDirectories; readonly severity: Problem['severity'] },
): readonly Problem[] {
  const used = [
    ...stacks.flatMap(({ sources }, at) => usedBySources(sources, ['stacks', at])),
    ...fleets.flatMap((fleet, at): readonly UsedDirectory[] => {
      if ('targets' in fleet) return usedBySources(fleet.template.sources, ['fleets', at, 'template'])
      const { repo } = fleet.directories
      return [{ directory: () => directoryAt(repo), path: ['fleets', at, 'directories', 'repo'] }]
    }),
  ]
  return used.flatMap(({ directory, path }) => {
    try {
      const named = directory()
      if (named !== undefined) allowedDirectory(named, allowed)
      return []
    } catch (error) {
      if (!(error instanceof SyncError)) throw error
      const { code, message, hint } = error
      return [{ ...file.problem(code, path, message, hint), severity }]
    }
  })
}

/** `directory`: where a setting reads files of this machine; undefined: it does not. It may throw. */
interface UsedDirectory {
  readonly directory: () => string | undefined
  readonly path: YamlPath
}

function usedBySources(sources: readonly SourceSpec[], path: YamlPath): readonly UsedDirectory[] {
  return sources.map((source, nth) => {
    const key = source.kind === 'directory' ? 'directory' : 'url'
    return { directory: () => directoryOf(source), path: [...path, 'sources', nth, key] }
  })
}

function directoryOf(source: SourceSpec): string | undefined {
  if (source.kind === 'directory') return source.directory
  return source.kind === 'git' ? directoryAt(source.url) : undefined
}

function directoryAt(url: string): string | undefined {
  const address = normaliseAddress(url)
  return address.startsWith('file:') ? fileURLToPath(address) : undefined
}

/** Other types are left to the schema. */
function familyProblem(
  file: YamlFile,
  path: YamlPath,
  { family, known }: { readonly family: unknown; readonly known: readonly string[] },
): readonly Problem[] {
  if (!isText(family) || family === '' || known.includes(family)) return []
  const message = withSuggestion(`"${printPath(path)}" names a family that does not exist.`, family, known)
  return [file.problem('config/unknown-family', path, message, `Families: ${known.join(', ')}.`)]
}

const hasScheme = /^\$\{(?:env|file):/

function items(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as readonly unknown[]) : []
}

function texts(value: unknown): readonly string[] {
  return items(value).filter(isText)
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}
