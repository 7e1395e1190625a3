// A real server for suites that run on any platform: each space is an organisation of its own.
import { influxdbServer, settings as settingsOf } from '../../../src/influxdb/driver/driver.js'
import { InfluxdbPlatform } from '../../../src/influxdb/driver/influxdb-platform.js'
import { systemClock, type Clock } from '../../../src/lib/clock.js'
import type { JsonObject } from '../../../src/model/json.js'
import { Keyring } from '../../../src/secrets/keyring.js'
import { Redactor } from '../../../src/secrets/redact/redact.js'
import { HttpClient } from '../../../src/source/network/http-client.js'
import { sendWhole, type WholeRequest } from '../../../src/source/network/whole-request.js'
import type { PlatformUnderTest } from '../../plain/under-test.js'
import { sharedFlux } from '../shared-flux.js'
import type { TestServer } from './server.js'

export interface ServerUnderTest extends PlatformUnderTest {
  /** What was sent to the server since it was emptied, without creations that it refused: they write nothing. */
  readonly sent: WholeRequest[]
}

/** Pauses before a request is repeated take a twentieth of their time. */
export const hurriedClock: Clock = { ...systemClock, sleep: (ms, signal) => systemClock.sleep(ms / 20, signal) }

/**
 * `organisations`: by space. `hasFlux`: queries are compared as Flux. `limits`: of the target. `reference`: to its
 * token, and `token`, what it is.
 */
export function serverUnderTest(
  { url, token: given }: TestServer,
  organisations: Readonly<Record<string, string>>,
  {
    hasFlux = true,
    limits = {},
    clock = systemClock,
    reference = '${env:INFLUX_TOKEN}',
    token = () => given,
  }: {
    readonly hasFlux?: boolean
    readonly limits?: JsonObject
    readonly clock?: Clock
    readonly reference?: string
    readonly token?: () => string
  } = {},
): ServerUnderTest {
  const sent: WholeRequest[] = []
  const lookup = { directory: '.', environment: () => undefined }
  const client = new HttpClient({ entries: [], networks: [], proxies: {}, lookup, redactor: new Redactor() })
  return {
    sent,
    apiVersion: 'influxdata.com/v2alpha1',
    description: influxdbServer,
    settings: (space) => settingsOf.parse({ url, organisation: organisations[space], token: reference, limits }),
    open: (documents, { sealer }) =>
      new InfluxdbPlatform(documents, {
        sealer: sealer as Keyring,
        clock,
        secretValue: token,
        send: async (request, signal) => {
          sent.push(request)
          const answer = await sendWhole(client, request, signal)
          const isRefused = request.method === 'POST' && answer.status >= 400 && answer.status < 500
          if (isRefused && sent.includes(request)) sent.splice(sent.indexOf(request), 1)
          return answer
        },
        ...(hasFlux ? { flux: sharedFlux } : {}),
      }),
  }
}
