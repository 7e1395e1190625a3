// config: the configuration of the agent. Takes the configuration file, the environment and command line overrides;
// gives a checked `Configuration`, or all problems at once, each with file, line and field.
import { resolve } from 'node:path'
import { crossProblems, withResolvedStackAddresses, withStackNames } from './cross-checks.js'
import { toConnection } from './connections.js'
import { toCredential } from './credentials.js'
import { toChannelPolicy } from './channel-policies.js'
import { emptyFile, notText, otherFile } from './other-file.js'
import { toSigningKey } from './signing-keys.js'
import { directoryProblems } from './stack-references.js'
import { asMap } from './entry-problems.js'
import { dataDirectoryProblems } from './data-directory.js'
import { toLimits, type Limits } from './limits.js'
import { credentialLookup, dataDirectory } from './environment.js'
import {
  configurationDocument,
  parseListen,
  parsePublicUrl,
  type ConfigurationDocument,
  type TargetDocument,
} from './configuration-document.js'
import { toWebhook } from './webhooks.js'
import { toNotificationReceiver } from './notifications.js'
import type { ConfigurationValue } from '../model/agent/configuration-status.js'
import { configurationValues } from './configuration-values.js'
import { toStatusReceiver } from './commit-statuses.js'
import { withoutUndefined } from '../lib/without-undefined.js'
import { faultText } from '../lib/text/fault-text.js'
import { errorsOf, type Checked, type Problem } from '../model/problem.js'
import type { AllowedSecrets } from '../model/resources/inputs.js'
import type { JsonObject } from '../model/json.js'
import type { FleetSpec } from '../model/stacks/fleet.js'
import type { StackSpec } from '../model/stacks/stack.js'
import type { PlatformDescription, Target } from '../platform/platform.js'
import type { Credential } from '../secrets/credential.js'
import type { SigningKey } from '../secrets/signing-keys.js'
import type { HostConnection } from '../source/network/connection.js'
import type { ChannelPolicy } from '../channel/channel-policy.js'
import type { AllowedDirectory } from '../source/allowed-directory.js'
import type { Receivers } from '../notifications/receiver.js'
import type { Webhook } from '../webhooks/webhook.js'
import { toFleetSpec } from '../settings/documents/fleet-document.js'
import { toStackSpec } from '../settings/documents/stack-document.js'
import { parseInterval } from '../settings/schema/interval.js'
import { FileTooLarge, readBoundedFile } from '../settings/bounded-file.js'
import { jsonSchema } from '../settings/schema/json-schema.js'
import { checkYaml, readYaml, type YamlFile } from '../settings/schema/read-yaml.js'

export { configurationKeys } from './configuration-document.js'
export { isConfiguration } from './other-file.js'

export type TargetSpec = Omit<Target, 'name'>

/** All paths are absolute. Relative ones are resolved from the working directory of the agent. */
export interface Configuration {
  /** Absent: no file was given, so all values are the defaults. */
  readonly file?: string
  readonly listen: { readonly host: string; readonly port: number }
  /** Allowed `Host` names, besides loopback names and the listen address. */
  readonly hosts: readonly string[]
  readonly data: string
  readonly log: { readonly level: 'debug' | 'info' | 'warn' | 'error'; readonly format: 'text' | 'json' | 'auto' }
  readonly limits: Limits
  /** `public`: `/metrics` needs no token. */
  readonly metrics: { readonly public: boolean }
  /** `enabled`: the agent serves its web page. */
  readonly page: { readonly enabled: boolean }
  /** Automatic backups of the database. `everyMs`: 0 is never. */
  readonly copies: { readonly everyMs: number; readonly kept: number }
  readonly allow: {
    readonly directories: readonly AllowedDirectory[]
    readonly secrets: Omit<AllowedSecrets, 'dataDirectory'>
    readonly networks: readonly string[]
  }
  readonly credentials: readonly Credential[]
  readonly connections: readonly HostConnection[]
  /** Public keys that verify signed releases. */
  readonly keys: readonly SigningKey[]
  readonly webhooks: readonly Webhook[]
  readonly receivers: Receivers
  /** The first one that matches a channel applies. */
  readonly channels: readonly ChannelPolicy[]
  /** By name; `local` always exists, on the first platform. */
  readonly targets: Readonly<Record<string, TargetSpec>>
  /** The names of targets in the file. */
  readonly declaredTargets: readonly string[]
  readonly stacks: readonly StackSpec[]
  readonly fleets: readonly FleetSpec[]
  /** What was read, without secrets. */
  readonly values: readonly ConfigurationValue[]
}

/** Options of the command line. They override the environment, which overrides the file. */
export interface Overrides {
  readonly data?: string
  /** HOST:PORT */
  readonly listen?: string
  readonly log?: 'text' | 'json'
}

/**
 * `platforms`: that targets may be on. `text`: the contents of the file, if they were read before. `isCheck`: warns of
 * stacks in `dependsOn` that the file does not declare, which an agent finds in its database, and of an empty file; a
 * stack that the agent would refuse is an error.
 */
export interface ReadingOptions extends Overrides {
  readonly isCheck?: boolean
  readonly text?: string
  readonly platforms: readonly PlatformDescription[]
}

/**
 * Reads the configuration; without a file, the defaults. After an error there is no value. `directory`: the base of
 * relative paths.
 */
export function readConfiguration(
  file: string | undefined,
  { platforms, text: given, isCheck = false, ...overrides }: ReadingOptions,
  directory: string = process.cwd(),
): Checked<Configuration | undefined> {
  const overrideErrors = overrideProblems(overrides)
  const isRead = file === undefined || given !== undefined
  const text = isRead ? { value: given ?? '', problems: [] } : readText(resolve(directory, file), isCheck)
  if (text.value === undefined) return { value: undefined, problems: [...overrideErrors, ...text.problems] }
  const yaml = readYaml(file ?? 'configuration', text.value, 'config')
  const other = otherFile(file ?? 'configuration', text.value, yaml.value?.value)
  if (other !== undefined) return { value: undefined, problems: [...overrideErrors, other] }
  if (yaml.value === undefined) return { value: undefined, problems: [...overrideErrors, ...yaml.problems] }
  const written = { ...yaml.value, value: withResolvedStackAddresses(yaml.value.value, directory) }
  const document = checkYaml(written, configurationDocument(platforms), 'config')
  const options = { platforms, isCheck, ...overrides }
  const found = [
    ...((isCheck || file !== undefined) && isEmpty(yaml.value.value) ? [emptyFile(file ?? 'configuration')] : []),
    ...yaml.problems,
    ...document.problems,
    ...dataDirectoryProblems(written, overrides.data, directory),
    ...crossProblems(written, { lookup: credentialLookup(directory), platforms, isCheck }),
    ...refusedDirectories(written, document.value ?? directorySections(written, platforms), options, directory),
  ]
  const problems = withStackNames(written, inFileOrder(found))
  if (document.value === undefined || overrideErrors.length > 0)
    return { value: undefined, problems: [...overrideErrors, ...problems] }
  const named = file === undefined ? {} : { file: resolve(directory, file) }
  const configuration = toConfiguration(document.value, options, directory)
  const values = configurationValues(written, document.value, { ...overrides, directory: configuration.data })
  const value = { ...named, ...configuration, values }
  return { value: errorsOf(problems).length > 0 ? undefined : value, problems }
}

/**
 * The sections that decide which directories gitmoor reads, without the others, which may have errors. undefined: one
 * of them has an error.
 */
function directorySections(
  written: YamlFile,
  platforms: readonly PlatformDescription[],
): ConfigurationDocument | undefined {
  const read = ['allow', 'data', 'stacks', 'fleets']
  const sections = Object.entries(asMap(written.value)).filter(([key]) => read.includes(key))
  return checkYaml({ ...written, value: Object.fromEntries(sections) }, configurationDocument(platforms), 'config')
    .value
}

function refusedDirectories(
  written: YamlFile,
  document: ConfigurationDocument | undefined,
  options: ReadingOptions,
  directory: string,
): readonly Problem[] {
  if (document === undefined) return []
  const { allow, data, stacks, fleets } = toConfiguration(document, options, directory)
  const allowed = { directories: allow.directories, dataDirectory: data }
  const severity = options.isCheck === true ? 'error' : 'warning'
  return directoryProblems(written, { stacks, fleets }, { allowed, severity })
}

/** For editors. */
export function configurationSchema(platforms: readonly PlatformDescription[]): object {
  return jsonSchema(configurationDocument(platforms), 'Configuration file of gitmoor')
}

function toConfiguration(
  document: ConfigurationDocument,
  { platforms, ...overrides }: ReadingOptions,
  directory: string,
): Omit<Configuration, 'values'> {
  return {
    listen: parseListen(overrides.listen ?? document.listen)!,
    hosts: document.hosts.map((host) => host.toLowerCase()),
    data: dataDirectory(overrides.data, document.data, directory),
    log: { ...document.log, format: overrides.log ?? document.log.format },
    limits: toLimits(document.limits),
    copies: toCopies(document.copies),
    metrics: document.metrics,
    page: document.page,
    allow: toAllow(document.allow, directory),
    credentials: Object.entries(document.credentials).map(([name, one]) => toCredential(name, one, directory)),
    connections: Object.entries(document.connections).map(([name, one]) => toConnection(name, one, directory)),
    keys: Object.entries(document.keys).map(([name, key]) => toSigningKey(name, key)),
    webhooks: Object.entries(document.webhooks).map(toWebhook),
    receivers: toReceivers(document, directory),
    channels: document.channels.map(toChannelPolicy),
    targets: toTargets(document.targets, platforms),
    declaredTargets: Object.keys(document.targets),
    stacks: document.stacks.map(toStackSpec),
    fleets: document.fleets.map(toFleetSpec),
  }
}

function toReceivers({ publicUrl, notifications, commitStatus }: ConfigurationDocument, directory: string): Receivers {
  const url = publicUrl === undefined ? undefined : parsePublicUrl(publicUrl)
  return {
    notifications: Object.entries(notifications).map(([name, one]) => toNotificationReceiver(name, one, directory)),
    statuses: Object.entries(commitStatus).map(([name, one]) => toStatusReceiver(name, one)),
    ...withoutUndefined({ publicUrl: url }),
  }
}

/** The target `local` has the defaults of the first platform. */
function toTargets(
  documents: ConfigurationDocument['targets'],
  [first]: readonly PlatformDescription[],
): Configuration['targets'] {
  const defaults = first?.settings.safeParse({})
  const local = defaults?.success === true ? { local: { platform: first!.name, ...defaults.data } } : {}
  const all = Object.entries<TargetDocument>({ ...local, ...documents })
  return Object.fromEntries(
    all.map(([name, { platform, labels, ...settings }]) => [
      name,
      { platform, ...withoutUndefined({ labels }), settings: settings as JsonObject },
    ]),
  )
}

function toAllow(
  { directories, secrets, networks }: ConfigurationDocument['allow'],
  directory: string,
): Configuration['allow'] {
  const resolved = directories.map(({ path, owner }) => ({
    path: resolve(directory, path),
    ...(owner === undefined ? {} : { owner }),
  }))
  const named = (scheme: string): readonly string[] =>
    secrets.flatMap((entry) => (entry.startsWith(scheme) ? [entry.slice(scheme.length)] : []))
  const files = named('file:').map((path) => resolve(directory, path))
  return { directories: resolved, secrets: { environment: named('env:'), files }, networks }
}

function toCopies({ every, kept }: ConfigurationDocument['copies']): Configuration['copies'] {
  return { everyMs: parseInterval(every)!, kept }
}

/** Of the configuration file. */
const maximumBytes = 4 * 1024 * 1024

/** A problem of the whole file has no place: its message has the full path. */
function readText(path: string, isCheck: boolean): Checked<string | undefined> {
  try {
    const bytes = readBoundedFile(path, maximumBytes)
    const other = notText(bytes)
    return other === undefined
      ? { value: bytes.toString('utf8'), problems: [] }
      : unreadable(`Cannot read the file ${path}: ${other.reason}.`, other.hint)
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT'
    const message = isMissing ? `File not found: ${path}` : `Cannot read the file ${path}: ${faultText(error)}.`
    return unreadable(message, unreadableHint(error, isCheck))
  }
}

function unreadable(message: string, hint: string): Checked<undefined> {
  return { value: undefined, problems: [{ severity: 'error', code: 'config/unreadable', message, hint }] }
}

function unreadableHint(error: unknown, isCheck: boolean): string {
  if (error instanceof FileTooLarge) return `The limit is ${error.limit}. Declare stacks by fleets, or through the API.`
  return isCheck ? 'Check the path.' : 'Check the path of --config FILE, or omit --config to use the defaults.'
}

function isEmpty(value: unknown): boolean {
  return Object.keys(value as object).length === 0
}

function overrideProblems(overrides: Overrides): readonly Problem[] {
  if (overrides.listen === undefined || parseListen(overrides.listen) !== undefined) return []
  const message = '--listen must be HOST:PORT, such as 127.0.0.1:4470 or [::1]:4470.'
  return [{ severity: 'error', code: 'config/invalid', message, field: '--listen' }]
}

function inFileOrder(problems: readonly Problem[]): readonly Problem[] {
  return [...problems].sort((a, b) => (a.place?.line ?? 0) - (b.place?.line ?? 0))
}
