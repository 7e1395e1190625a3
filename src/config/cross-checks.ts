// Checks of the configuration file across its sections, and against files and variables outside of it.
import { quoted } from '../lib/text/printable.js'
import { channelProblems } from './channel-policies.js'
import { connectionProblems } from './connections.js'
import { credentialProblems } from './credentials.js'
import { asMap, duplicateField, unresolvedTextProblems, type RawEntry, type RawMap } from './entry-problems.js'
import { signingKeyProblems } from './signing-keys.js'
import { cycleProblems, dependencyProblems, familyProblems, inputProblems } from './stack-references.js'
import { webhookProblems } from './webhooks.js'
import { notificationProblems } from './notifications.js'
import { commitStatusProblems } from './commit-statuses.js'
import { isObject } from '../model/json.js'
import type { Problem } from '../model/problem.js'
import type { PlatformDescription } from '../platform/platform.js'
import { isReferring, type ValueLookup } from '../secrets/resolve-value.js'
import { withResolvedAddresses } from '../settings/documents/source-document.js'
import { withResolvedFleetAddresses } from '../settings/documents/fleet-document.js'
import { printPath } from '../settings/schema/schema-problems.js'
import type { YamlFile, YamlPath } from '../settings/schema/read-yaml.js'
import { withSuggestion } from '../settings/did-you-mean.js'

/** The raw value with absolute addresses of stacks and fleets. */
export function withResolvedStackAddresses(value: unknown, directory: string): unknown {
  if (!isObject(value)) return value
  const { stacks, fleets } = value
  return {
    ...value,
    ...(Array.isArray(stacks) ? { stacks: stacks.map((stack) => withResolvedAddresses(stack, directory)) } : {}),
    ...(Array.isArray(fleets) ? { fleets: fleets.map((fleet) => withResolvedFleetAddresses(fleet, directory)) } : {}),
  }
}

/** Problems of an entry of `stacks` with the name of the stack. */
export function withStackNames({ value }: Pick<YamlFile, 'value'>, problems: readonly Problem[]): readonly Problem[] {
  const stacks = asMap(value)['stacks']
  if (!Array.isArray(stacks)) return problems
  return problems.map((problem) => {
    const [, at] = /^\/stacks\/(\d+)(?:\/|$)/.exec(problem.place?.pointer ?? '') ?? []
    const { name } = asMap(at === undefined ? undefined : stacks[Number(at)])
    return typeof name === 'string' ? { ...problem, stack: name } : problem
  })
}

/** `isCheck`: without the stacks of a database. */
interface CrossOptions {
  readonly lookup: ValueLookup
  readonly platforms: readonly PlatformDescription[]
  readonly isCheck: boolean
}

/** Problems across sections. It reads the raw values, so it also works if the schema found problems. */
export function crossProblems(file: YamlFile, { lookup, platforms, isCheck }: CrossOptions): readonly Problem[] {
  const document = asMap(file.value)
  const stacks = rawEntries(document, 'stacks')
  const fleets = rawEntries(document, 'fleets')
  const templates = fleets.map(({ path, raw }) => ({ path: [...path, 'template'], raw: asMap(raw['template']) }))
  const declaring = [...stacks, ...templates]
  return [
    ...duplicateNames(file, stacks),
    ...duplicateNames(file, fleets),
    ...targetProblems(file, document, { declaring, fleets }),
    ...cycleProblems(
      file,
      stacks.map(({ raw }) => raw),
    ),
    ...(platforms.every(({ families }) => families !== undefined)
      ? familyProblems(
          file,
          declaring,
          platforms.flatMap(({ families = [] }) => families),
        )
      : []),
    ...(isCheck ? dependencyProblems(file, declaring, [...rawNames(stacks), ...memberNames(document, fleets)]) : []),
    ...inputProblems(file, stacks, lookup),
    ...credentialsOfTargets(file, document, lookup),
    ...credentialProblems(file, lookup),
    ...connectionProblems(file, lookup),
    ...signingKeyProblems(file, lookup),
    ...webhookProblems(file, lookup),
    ...notificationProblems(file, lookup),
    ...commitStatusProblems(file),
    ...channelProblems(file),
  ]
}

function rawEntries(document: RawMap, section: string): readonly RawEntry[] {
  const entries = document[section]
  return Array.isArray(entries) ? entries.map((raw, at) => ({ path: [section, at], raw: asMap(raw) })) : []
}

function duplicateNames(file: YamlFile, entries: readonly RawEntry[]): readonly Problem[] {
  const names = new Map<unknown, YamlPath>()
  return entries.flatMap(({ path, raw: { name } }) => {
    const first = names.get(name)
    if (typeof name !== 'string') return []
    if (first === undefined) names.set(name, [...path, 'name'])
    return first === undefined ? [] : [duplicateField(file, [...path, 'name'], first, 'Rename one of the two.')]
  })
}

function targetProblems(
  file: YamlFile,
  document: RawMap,
  { declaring, fleets }: { readonly declaring: readonly RawEntry[]; readonly fleets: readonly RawEntry[] },
): readonly Problem[] {
  const targets = targetNames(document)
  const named = [
    ...declaring.map(({ path, raw }) => ({ at: [...path, 'target'], target: raw['target'] })),
    ...fleets.flatMap(({ path, raw }) => {
      const { names } = asMap(raw['targets'])
      return asList(names).map((target, nth) => ({ at: [...path, 'targets', 'names', nth], target }))
    }),
  ]
  return named.flatMap(({ at, target }) => {
    if (typeof target !== 'string' || targets.includes(target)) return []
    const message = `"${printPath(at)}" names the target ${quoted(target)}, which is not declared under "targets".`
    return [file.problem('config/unknown-target', at, withSuggestion(message, target, targets))]
  })
}

/** Credentials that cannot be read now, as warnings: stacks on such a target fail, and the others take effect. */
function credentialsOfTargets(file: YamlFile, document: RawMap, lookup: ValueLookup): readonly Problem[] {
  return Object.entries(asMap(document['targets'])).flatMap(([name, target]) =>
    Object.entries(asMap(target)).flatMap(([key, text]) => {
      const found = isReferring(text) ? unresolvedTextProblems(file, ['targets', name], [key], lookup) : []
      return found.map((problem) => ({ ...problem, severity: 'warning' as const }))
    }),
  )
}

function targetNames(document: RawMap): readonly string[] {
  return ['local', ...Object.keys(asMap(document['targets']))]
}

/** The stacks that fleets of targets may have: one for each target. */
function memberNames(document: RawMap, fleets: readonly RawEntry[]): readonly string[] {
  const ofTargets = fleets.filter(({ raw }) => raw['targets'] !== undefined)
  return rawNames(ofTargets).flatMap((fleet) => targetNames(document).map((target) => `${fleet}.${target}`))
}

function rawNames(entries: readonly RawEntry[]): readonly string[] {
  return entries.flatMap(({ raw: { name } }) => (typeof name === 'string' ? [name] : []))
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
