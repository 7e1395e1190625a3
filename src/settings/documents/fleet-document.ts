// The fleet document: the settings of a fleet as people write them in the configuration file, with `-f` and over the
// API, and as `fleet get -o yaml` prints them.
import { stringify } from 'yaml'
import { z } from 'zod'
import { isObject } from '../../model/json.js'
import { errorsOf, type Checked } from '../../model/problem.js'
import type { DirectoryFleet, FleetSpec, FleetTargets, TargetFleet } from '../../model/stacks/fleet.js'
import { malformedText, mostSelectorCharacters, parseSelector } from '../labels.js'
import { checkedText } from '../schema/checked-text.js'
import { jsonSchema } from '../schema/json-schema.js'
import { checkYaml, readYaml } from '../schema/read-yaml.js'
import { dnsLabel } from '../setting-forms.js'
import { resolveAddress } from '../source-address.js'
import { stackDefaults } from '../stack-settings.js'
import { plainPath, sourceDocument, sourcesDocument, withResolvedAddresses } from './source-document.js'
import { stackDocument, toStackDocument, toStackSpec } from './stack-document.js'
import { strictObject } from '../schema/strict-object.js'

const mostPatterns = 50
const longestPattern = 200

/** `{path}`, `{path.basename}` and `{path[0]}`, in the names of stacks. */
export const placeholder = /\{path(?:\.(basename)|\[(\d)\])?\}/g

const { url, ref } = sourceDocument.options[0].shape
const { name: _name, sources: _sources, target: _target, ...sharedShape } = stackDocument.shape

const patterns = z
  .array(checkedText(patternProblem))
  .max(mostPatterns, `must list at most ${mostPatterns} patterns.`)
  .refine((all) => all.length === new Set(all).size, 'must list each pattern once.')

const directories = strictObject({
  repo: url,
  ref: ref.default('HEAD'),
  include: patterns
    .min(1, 'must list a pattern, such as teams/*.')
    .default(['*'])
    .describe('Patterns of directories: * is one name, ** any number of folders. Each match is a stack.'),
  exclude: patterns.default([]).describe('Patterns of directories that are no stacks.'),
  name: checkedText(nameProblem)
    .default('{path}')
    .describe('The names of the stacks: a text with {path}, {path.basename} or {path[0]}, the first folder.'),
})

const mostStacks = 5_000

const targets = strictObject({
  names: z
    .array(dnsLabel)
    .min(1, 'must list a target.')
    .max(mostStacks, `must list at most ${mostStacks} targets.`)
    .refine((all) => all.length === new Set(all).size, 'must list each target once.')
    .optional()
    .describe('The names of the targets.'),
  selector: checkedText(selectorProblem)
    .optional()
    .describe('Conditions on the labels of targets, as in Kubernetes: env=prod,!old.'),
}).refine(
  ({ names, selector }) => (names === undefined) !== (selector === undefined),
  'must have either names or selector.',
)

const template = strictObject({
  ...sharedShape,
  target: dnsLabel.optional().describe('With directories: the target of every stack. Default: local.'),
  sources: sourcesDocument.optional().describe('With targets: where the package of every stack comes from.'),
})

const maxStacks = z.int().min(1).max(mostStacks).default(100)

export const fleetDocument = strictObject({
  name: dnsLabel.describe('The unique name of the fleet.'),
  directories: directories.optional().describe('The directories of a git repository that are stacks.'),
  targets: targets.optional().describe('The targets that have a stack, FLEET.TARGET.'),
  template: template.prefault({}).describe('The settings of every stack.'),
  maxStacks: maxStacks.describe('If more directories or targets match, the fleet changes nothing.'),
}).check(({ value, issues }) => {
  for (const [path, message] of generatorProblems(value)) issues.push({ code: 'custom', input: value, path, message })
})

/** As written: fields with a default may be absent. */
export type FleetDocument = z.input<typeof fleetDocument>

/** For editors. */
export function fleetSchema(): object {
  return jsonSchema(fleetDocument, 'Fleet document of gitmoor')
}

export function toFleetSpec({ name, maxStacks: most, ...document }: z.output<typeof fleetDocument>): FleetSpec {
  const { target = stackDefaults.target, sources = [], ...shared } = document.template
  const { name: _, ...settings } = toStackSpec({ ...shared, target, sources, name })
  if (document.directories === undefined) {
    const { target: __, ...rest } = settings
    return { name, targets: toFleetTargets(document.targets!), template: rest, maxStacks: most }
  }
  const { sources: __, ...rest } = settings
  const { include, exclude, ...from } = document.directories
  const paths = { include: include.map(plainPath), exclude: exclude.map(plainPath) }
  return { name, directories: { ...from, ...paths }, template: rest, maxStacks: most }
}

function toFleetTargets({ names = [], selector }: z.output<typeof targets>): FleetTargets {
  return selector === undefined ? { names } : { selector }
}

/** The document of a fleet, with all defaults. */
export function toFleetDocument(spec: FleetSpec): z.output<typeof fleetDocument> {
  return 'targets' in spec ? targetsDocument(spec) : directoriesDocument(spec)
}

function directoriesDocument({ name, directories: from, ...spec }: DirectoryFleet): z.output<typeof fleetDocument> {
  const { name: _, sources: __, ...settings } = toStackDocument({ ...spec.template, name, sources: [] })
  const written = { ...from, include: [...from.include], exclude: [...from.exclude] }
  return { name, directories: written, template: settings, maxStacks: spec.maxStacks }
}

function targetsDocument({ name, targets: from, ...spec }: TargetFleet): z.output<typeof fleetDocument> {
  const { name: _, target: __, ...settings } = toStackDocument({ ...spec.template, name, target: '' })
  const written = 'names' in from ? { names: [...from.names] } : from
  return { name, targets: written, template: settings, maxStacks: spec.maxStacks }
}

/** YAML that `readFleetDocument` reads back to the same settings. */
export function printFleetDocument(spec: FleetSpec): string {
  return stringify(toFleetDocument(spec), { lineWidth: 0, aliasDuplicateObjects: false })
}

/** Reads the file of `-f FILE`. All problems at once, each with its line. `directory`: the base of `./boards`. */
export function readFleetDocument(file: string, text: string, directory: string): Checked<FleetSpec | undefined> {
  const yaml = readYaml(file, text, 'fleets')
  if (yaml.value === undefined) return { value: undefined, problems: yaml.problems }
  const value = withResolvedFleetAddresses(yaml.value.value, directory)
  const { value: document, problems: found } = checkYaml({ ...yaml.value, value }, fleetDocument, 'fleets')
  const problems = [...yaml.problems, ...found]
  return { value: document && errorsOf(problems).length === 0 ? toFleetSpec(document) : undefined, problems }
}

/** An unchecked document with absolute addresses. Values of another shape stay: the schema refuses them. */
export function withResolvedFleetAddresses(document: unknown, base: string): unknown {
  if (!isObject(document)) return document
  const { directories: from, template: settings } = document
  return {
    ...document,
    ...(isObject(from) && typeof from['repo'] === 'string'
      ? { directories: { ...from, repo: resolveAddress(from['repo'], base) } }
      : {}),
    ...(settings === undefined ? {} : { template: withResolvedAddresses(settings, base) }),
  }
}

type Misplaced = readonly [path: string[], message: string]

/** What is missing or superfluous: the generator gives the target of each stack, or its source. */
function generatorProblems({
  directories: ofRepository,
  targets: ofTargets,
  template: settings,
}: Pick<z.output<typeof fleetDocument>, 'directories' | 'targets' | 'template'>): readonly Misplaced[] {
  if ((ofRepository === undefined) === (ofTargets === undefined))
    return [[[], 'must have either directories or targets.']]
  if (ofTargets === undefined)
    return settings.sources === undefined
      ? []
      : [[['template', 'sources'], 'must be absent: each directory is a source.']]
  const missing: Misplaced = [
    ['template', 'sources'],
    'is missing: a fleet of targets needs the sources of its stacks.',
  ]
  const given: Misplaced = [['template', 'target'], 'must be absent: each target has a stack.']
  return [...(settings.sources === undefined ? [missing] : []), ...(settings.target === undefined ? [] : [given])]
}

function selectorProblem(text: string): string | undefined {
  if (text.length > mostSelectorCharacters) return `must be at most ${mostSelectorCharacters} characters.`
  const read = parseSelector(text)
  return 'position' in read ? malformedText(read) : undefined
}

function patternProblem(pattern: string): string | undefined {
  const plain = plainPath(pattern)
  if (plain === '') return 'must not be empty.'
  if (pattern.length > longestPattern) return `must be at most ${longestPattern} characters.`
  if (/[\x00-\x1f\x7f\\]/.test(pattern)) return 'must not contain backslashes or control characters.'
  const names = plain.split('/')
  return names.some((name) => ['', '.', '..'].includes(name))
    ? 'must be relative to the root of the repository, without //, . and ..'
    : undefined
}

function nameProblem(name: string): string | undefined {
  if (name.search(placeholder) < 0) return 'must contain {path}, {path.basename} or {path[0]}.'
  const rest = name.replaceAll(placeholder, '')
  if (/[{}]/.test(rest)) return 'may contain {path}, {path.basename} and {path[0]}, and no other { or }.'
  return /^[-a-z0-9]{0,63}$/.test(rest) ? undefined : 'must be a-z, 0-9 and -, and placeholders such as {path}.'
}
