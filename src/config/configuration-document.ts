// The configuration file: its keys, their formats and defaults. `config/gitmoor.yaml` explains them.
import { isIP } from 'node:net'
import { z } from 'zod'
import { connectionDocument } from './connections.js'
import { credentialDocument } from './credentials.js'
import { channelDocument } from './channel-policies.js'
import { signingKeyDocument } from './signing-keys.js'
import { limitsDocument } from './limits.js'
import { webhookDocument } from './webhooks.js'
import { commitStatusDocument } from './commit-statuses.js'
import { mostReceivers, notificationDocument } from './notifications.js'
import { fleetDocument } from '../settings/documents/fleet-document.js'
import { labelsDocument } from '../settings/labels.js'
import { dnsLabel } from '../settings/setting-forms.js'
import { stackDocument } from '../settings/documents/stack-document.js'
import { intervalText } from '../settings/schema/checked-text.js'
import { parseInterval } from '../settings/schema/interval.js'
import { parseNetwork } from '../source/network/parse-network.js'
import { isObject } from '../model/json.js'
import { quoted } from '../lib/text/printable.js'
import type { PlatformDescription } from '../platform/platform.js'
import { strictObject } from '../settings/schema/strict-object.js'

/** Host and port of `127.0.0.1:4470`, `[::1]:4470`, `localhost:0`; undefined: invalid. */
export function parseListen(text: string): { readonly host: string; readonly port: number } | undefined {
  const match = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9.-]+)):(\d{1,5})$/i.exec(text)
  const host = match?.[1] ?? match?.[2]
  if (host === undefined || Number(match?.[3]) > 65_535) return undefined
  if (match?.[1] !== undefined && isIP(host) !== 6) return undefined
  return { host, port: Number(match?.[3]) }
}

/** A text that `parse` accepts. */
function parsed(parse: (text: string) => unknown, message: string): z.ZodString {
  return z.string(message).refine((text) => parse(text) !== undefined, message)
}

/** Without slashes at its end; undefined: invalid. */
export function parsePublicUrl(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined
  const { protocol, username, password, search, hash, href } = new URL(text)
  const isWeb = protocol === 'https:' || protocol === 'http:'
  return isWeb && username + password + search + hash === '' ? href.replace(/\/+$/, '') : undefined
}

function receivers<Document extends z.ZodType>(document: Document) {
  const most = `must have at most ${mostReceivers} entries.`
  return z
    .record(dnsLabel, document)
    .refine((entries) => Object.keys(entries).length <= mostReceivers, most)
    .prefault({})
}

const listen = parsed(parseListen, 'must be HOST:PORT, such as 127.0.0.1:4470 or [::1]:4470.')

const count = (least: number, most: number, standard: number) => z.int().min(least).max(most).default(standard)

/** An interval; 0: never. */
const every = intervalText('30s, 2m, 24h').refine(
  (text) => parseInterval(text) === 0 || within(parseInterval(text), 1_000, 31_536_000_000),
  'must be between 1s and 365d, or 0.',
)

const copies = strictObject({
  every: z.preprocess((value) => (value === 0 ? '0s' : value), every).default('24h'),
  kept: count(1, 100, 3),
})

const log = strictObject({
  level: z.enum(['debug', 'info', 'warn', 'error']).default('info'),
  format: z.enum(['text', 'json', 'auto']).default('text'),
})

const path = z.string().min(1, 'must not be empty.')
const writtenDirectory = strictObject({ path, owner: z.int().min(0).max(4_294_967_294).optional() })

/** A path, or a path with the user id that may own its repositories. */
const allowedDirectory = z.preprocess(
  (value) => (typeof value === 'string' ? { path: value } : value),
  writtenDirectory,
)

const allow = strictObject({
  directories: z.array(allowedDirectory).default([]),
  secrets: z
    .array(z.string().regex(/^(?:env:[A-Za-z_][A-Za-z0-9_]*|file:.+)$/, 'must be env:NAME or file:PATH.'))
    .max(1_000)
    .default([]),
  networks: z.array(parsed(parseNetwork, 'must be a network such as 10.0.0.0/8 or fd00::/8.')).default([]),
})

/** A target document of one of these platforms, with the keys of that platform. */
function targetDocument(platforms: readonly PlatformDescription[]): z.ZodType<TargetDocument> {
  const documents = platforms.map((one) =>
    strictObject({
      platform: z.enum([one.name]),
      labels: labelsDocument.optional(),
      ...one.settings.shape,
    }).check(...((one.settings.def.checks ?? []) as unknown as readonly z.core.$ZodCheck<object>[])),
  )
  const [first, ...more] = documents
  if (first === undefined) return strictObject({ platform: z.enum([]) })
  if (more.length === 0) return first
  const names = platforms.map(({ name }) => `"${name}"`).join(' or ')
  return z.discriminatedUnion('platform', [first, ...more], { error: ({ input }) => wrongPlatform(input, names) })
}

function wrongPlatform(target: unknown, names: string): string {
  const { platform } = isObject(target) ? target : {}
  if (platform === undefined) return `is missing: ${names} is needed.`
  return `must be ${names}, not ${typeof platform === 'string' ? quoted(platform) : 'a value of another type'}.`
}

export interface TargetDocument {
  readonly platform: string
  readonly labels?: Readonly<Record<string, string>> | undefined
  readonly [setting: string]: unknown
}

/** The sections of the configuration file before `targets` and `stacks`. */
const sections = {
  listen: listen.default('127.0.0.1:4470'),
  hosts: z
    .array(z.string().regex(/^[a-z0-9.-]{1,253}$/i, 'must be the name of a host, without scheme and port.'))
    .default([]),
  data: z.string().min(1, 'must not be empty.').optional(),
  log: log.prefault({}),
  limits: limitsDocument.prefault({}),
  copies: copies.prefault({}),
  metrics: strictObject({ public: z.boolean().default(false) }).prefault({}),
  page: strictObject({ enabled: z.boolean().default(true) }).prefault({}),
  allow: allow.prefault({}),
  credentials: z.record(dnsLabel, credentialDocument).default({}),
  connections: z.record(dnsLabel, connectionDocument).default({}),
  keys: z.record(dnsLabel, signingKeyDocument).default({}),
  webhooks: z.record(dnsLabel, webhookDocument).default({}),
  publicUrl: parsed(parsePublicUrl, 'must be an address such as https://moor.example.com, without ? and #.').optional(),
  notifications: receivers(notificationDocument),
  commitStatus: receivers(commitStatusDocument),
  channels: z.array(channelDocument).max(1_000).default([]),
}

/** The keys of the configuration file. */
export const configurationKeys: readonly string[] = [...Object.keys(sections), 'targets', 'stacks', 'fleets']

/** The schema of the configuration file. Targets may be on these platforms. */
export function configurationDocument(platforms: readonly PlatformDescription[]) {
  return strictObject({
    ...sections,
    targets: z.record(dnsLabel, targetDocument(platforms)).default({}),
    stacks: z.array(stackDocument).default([]),
    fleets: z.array(fleetDocument).max(1_000).default([]),
  })
}

export type ConfigurationDocument = z.output<ReturnType<typeof configurationDocument>>

function within(value: number | undefined, least: number, most: number): boolean {
  return value === undefined || (value >= least && value <= most)
}
