// The values of the configuration as gitmoor reads them, with defaults, sources and lines, and without secrets.
import type { ConfigurationValue } from '../model/agent/configuration-status.js'
import type { Json, JsonObject } from '../model/json.js'
import { leavesOf } from '../model/json-places.js'
import { withoutUndefined } from '../lib/without-undefined.js'
import { shortened } from '../lib/text/printable.js'
import { isReferring, referencesIn } from '../secrets/resolve-value.js'
import { printPath } from '../settings/schema/schema-problems.js'
import type { YamlFile, YamlPath } from '../settings/schema/read-yaml.js'
import { readEnvironment } from './environment.js'
import { limitAsWritten } from './limits.js'
import { configurationKeys, type ConfigurationDocument } from './configuration-document.js'

/** Options of the command line, and the data directory that is in use. */
interface Options {
  readonly data?: string
  readonly listen?: string
  readonly log?: string
  readonly directory: string
}

/** Longer texts are shortened. */
const mostCharacters = 1_000

/**
 * Every value of the file, the defaults of what it does not have, and the names of its stacks and fleets. Texts that
 * may be secret show only the references in them: `${env:TOKEN}`.
 */
export function configurationValues(
  file: YamlFile,
  { stacks, fleets, ...sections }: ConfigurationDocument,
  { data = readEnvironment().data, listen, log, directory }: Options,
): readonly ConfigurationValue[] {
  const options = { listen, data: data === undefined ? undefined : directory, 'log.format': log }
  const overridden = new Map(Object.entries(withoutUndefined(options)))
  const all: Readonly<Record<string, unknown>> = { ...sections, data: sections.data ?? directory }
  const inOrder = Object.fromEntries(configurationKeys.map((key) => [key, all[key]]))
  return [
    ...[...leavesOf(inOrder as JsonObject, { withEmpty: true })]
      .filter(({ value }) => value !== undefined)
      .map(({ keys, value }) => valueAt(file, keys, value, overridden)),
    ...namesOf(file, 'stacks', stacks),
    ...namesOf(file, 'fleets', fleets),
  ]
}

function valueAt(
  file: YamlFile,
  path: YamlPath,
  value: Json,
  overridden: ReadonlyMap<string, string>,
): ConfigurationValue {
  const name = printPath(path)
  const other = overridden.get(name)
  if (other !== undefined) return { path: name, value: other, source: 'option', line: null }
  const isWritten = isIn(file.value, path)
  return {
    path: name,
    ...shown(path, path[0] === 'limits' && path.length === 2 ? limitAsWritten(String(path[1]), value) : value),
    source: isWritten ? 'file' : 'default',
    line: isWritten ? file.line(path) : null,
  }
}

/** Their settings are those of `gitmoor stack get` and `gitmoor fleet get`. */
function namesOf(file: YamlFile, key: string, entries: readonly { readonly name: string }[]): ConfigurationValue[] {
  return entries.map(({ name }, at) => ({
    path: printPath([key, at]),
    value: name,
    source: 'file',
    line: file.line([key, at]),
  }))
}

/** True if the file has the value, or another form of what contains it, such as a text in place of a map. */
function isIn(value: unknown, path: YamlPath): boolean {
  let at = value
  for (const step of path) {
    if (typeof at !== 'object' || at === null) return at !== undefined
    if (!Object.hasOwn(at, step)) return false
    at = (at as Readonly<Record<string, unknown>>)[step]
  }
  return true
}

/**
 * Sections whose texts are hidden, but for these keys of their entries and all below them. Settings of targets have
 * secrets as references only.
 */
const openKeys: Readonly<Record<string, readonly string[]>> = {
  credentials: [
    'match',
    'header.name',
    'githubApp.appId',
    'githubApp.installationId',
    'githubApp.api',
    'identityFile',
    'agent',
    'knownHosts',
  ],
  connections: ['match', 'ca', 'certificate', 'key', 'proxy'],
  webhooks: ['id', 'provider', 'remotes', 'generic'],
  notifications: [
    'webhook.contentType',
    'email.server',
    'email.from',
    'email.to',
    'email.ca',
    'on',
    'stacks',
    'selector',
    'wait',
    'every',
  ],
}

function shown(path: YamlPath, value: Json): Pick<ConfigurationValue, 'value' | 'secret'> {
  if (typeof value !== 'string') return { value }
  if (isOpen(path) && !(path[0] === 'targets' && isReferring(value))) return { value: shortened(value, mostCharacters) }
  return { value: isReferring(value) ? shortened(referencesIn(value), mostCharacters) : '(secret)', secret: true }
}

function isOpen([section = '', _entry, ...keys]: YamlPath): boolean {
  const open = openKeys[section]
  if (open === undefined) return true
  return open.some((one) => one.split('.').every((key, at) => keys[at] === key))
}
