// The fleet document: the settings of a fleet as people write them in the configuration file, with `-f` and over the
// API, and as `fleet get -o yaml` prints them.
import { stringify } from 'yaml'
import { z } from 'zod'
import { isObject } from '../../model/json.js'
import { errorsOf, type Checked } from '../../model/problem.js'
import type { FleetSpec } from '../../model/stacks/fleet.js'
import { checkedText } from '../schema/checked-text.js'
import { jsonSchema } from '../schema/json-schema.js'
import { checkYaml, readYaml } from '../schema/read-yaml.js'
import { dnsLabel } from '../setting-forms.js'
import { resolveAddress } from '../source-address.js'
import { plainPath, sourceDocument } from './source-document.js'
import { stackDocument, toStackDocument, toStackSpec } from './stack-document.js'
import { strictObject } from '../schema/strict-object.js'

const mostPatterns = 50
const longestPattern = 200

/** `{path}`, `{path.basename}` and `{path[0]}`, in the names of stacks. */
export const placeholder = /\{path(?:\.(basename)|\[(\d)\])?\}/g

const { url, ref } = sourceDocument.options[0].shape
const { name: _name, sources: _sources, ...templateShape } = stackDocument.shape

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

const maxStacks = z.int().min(1).max(5_000).default(100)

export const fleetDocument = strictObject({
  name: dnsLabel.describe('The unique name of the fleet.'),
  directories: directories.describe('The directories of a git repository that are stacks.'),
  template: strictObject(templateShape).prefault({}).describe('The settings of every stack.'),
  maxStacks: maxStacks.describe('If more directories match, the fleet changes nothing.'),
})

/** As written: fields with a default may be absent. */
export type FleetDocument = z.input<typeof fleetDocument>

/** For editors. */
export function fleetSchema(): object {
  return jsonSchema(fleetDocument, 'Fleet document of gitmoor')
}

export function toFleetSpec({ template, directories: from, ...document }: z.output<typeof fleetDocument>): FleetSpec {
  const { name: _, sources: __, ...settings } = toStackSpec({ ...template, name: '', sources: [] })
  const [include, exclude] = [from.include.map(plainPath), from.exclude.map(plainPath)]
  return { ...document, directories: { ...from, include, exclude }, template: settings }
}

/** The document of a fleet, with all defaults. */
export function toFleetDocument({ template, directories: from, ...spec }: FleetSpec): z.output<typeof fleetDocument> {
  const { name: _, sources: __, ...settings } = toStackDocument({ ...template, name: '', sources: [] })
  const written = { ...from, include: [...from.include], exclude: [...from.exclude] }
  return { name: spec.name, directories: written, template: settings, maxStacks: spec.maxStacks }
}

/** YAML that `readFleetDocument` reads back to the same settings. */
export function printFleetDocument(spec: FleetSpec): string {
  return stringify(toFleetDocument(spec), { lineWidth: 0, aliasDuplicateObjects: false })
}

/** Reads the file of `-f FILE`. All problems at once, each with its line. `directory`: the base of `./boards`. */
export function readFleetDocument(file: string, text: string, directory: string): Checked<FleetSpec | undefined> {
  const yaml = readYaml(file, text, 'fleets')
  if (yaml.value === undefined) return { value: undefined, problems: yaml.problems }
  const value = withResolvedRepository(yaml.value.value, directory)
  const { value: document, problems } = checkYaml({ ...yaml.value, value }, fleetDocument, 'fleets')
  return { value: document && errorsOf(problems).length === 0 ? toFleetSpec(document) : undefined, problems }
}

/** An unchecked document with an absolute address. Values of another shape stay: the schema refuses them. */
export function withResolvedRepository(document: unknown, base: string): unknown {
  if (!isObject(document) || !isObject(document['directories'])) return document
  const { repo } = document['directories']
  if (typeof repo !== 'string') return document
  return { ...document, directories: { ...document['directories'], repo: resolveAddress(repo, base) } }
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
