// influxdb/driver: a real InfluxDB 2.x server as a platform, over its public resource API (`/api/v2/buckets`, …).
// Takes the settings of its targets; gives what is known of the platform before one is opened.
import { z } from 'zod'
import { intervalText } from '../../settings/schema/checked-text.js'
import { parseInterval } from '../../settings/schema/interval.js'
import { strictObject } from '../../settings/schema/strict-object.js'
import type { PlatformDescription } from '../../platform/platform.js'
import { embedded } from '../embedded/embedded.js'

/** Requests to one server. */
const limits = strictObject({
  concurrency: z.int().min(1).max(64).default(8).describe('Requests to the server at once.'),
  requestsPerSecond: z.int().min(0).max(10_000).default(0).describe('0: no limit.'),
  request: intervalText('10s, 1m')
    .refine((text) => isWithin(parseInterval(text)), 'must be between 100ms and 10m.')
    .default('10s')
    .describe('How long the server may take for one answer.'),
})

export const settings = strictObject({
  url: z
    .string()
    .refine((text) => urlProblem(text) === undefined, { error: ({ input }) => urlProblem(String(input)) ?? '' })
    .describe('The address of the server: https://influx.example:8086'),
  organisation: z
    .string()
    .regex(/^[^\x00-\x1f\x7f]{1,100}$/, 'must be 1 to 100 characters, without control characters.')
    .describe('The name of the organisation, or its id: 16 hex digits.'),
  token: z
    .string()
    .regex(/^\$\{(?:env:[A-Za-z_][A-Za-z0-9_]*|file:[^}]+)\}$/, 'must be ${env:NAME} or ${file:PATH}.')
    .describe('Where the API token is: ${env:NAME} or ${file:PATH}.'),
  allowHttp: z.boolean().default(false).describe('Sends the token unencrypted to another machine than this one.'),
  limits: limits.prefault({}),
}).refine(({ url, allowHttp }) => allowHttp || !isPlain(url), {
  path: ['url'],
  error: 'is http to another machine, which sends the token unencrypted. Use https, or set allowHttp: true.',
})

export type InfluxdbSettings = z.output<typeof settings>

export const influxdbServer: PlatformDescription = { ...embedded, name: 'influxdb', settings }

function isWithin(ms: number | undefined): boolean {
  return ms === undefined || (ms >= 100 && ms <= 600_000)
}

/** True for http to another machine than this one. */
function isPlain(url: string): boolean {
  if (!URL.canParse(url)) return false
  const { protocol, hostname } = new URL(url)
  return protocol === 'http:' && !/^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname)
}

function urlProblem(text: string): string | undefined {
  if (!URL.canParse(text)) return 'must be the address of a server, such as https://influx.example:8086.'
  const { protocol, username, password, pathname, search, hash } = new URL(text)
  if (protocol !== 'https:' && protocol !== 'http:') return 'must begin with https:// or http://.'
  if (username !== '' || password !== '') return 'must not contain a credential: that is `token`.'
  if (search !== '' || hash !== '') return 'must have neither ? nor #.'
  return /\/api(?:\/v2)?\/*$/.test(pathname) ? 'must be the address of the server, without /api/v2.' : undefined
}
