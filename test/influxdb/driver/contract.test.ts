// The contract suites over HTTP: against another agent, and against a real InfluxDB.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, test } from 'vitest'
import type { JsonObject } from '../../../src/model/json.js'
import { Keyring } from '../../../src/secrets/keyring.js'
import type { SqliteStore } from '../../../src/store/sqlite/sqlite-store.js'
import { ManualClock } from '../../manual-clock.js'
import { openNewStore } from '../../new-data-directory.js'
import { describeDriver, type DriverSample } from '../../platform/describe-driver.js'
import { describePlatform } from '../../platform/describe-platform.js'
import type { PlatformWorld } from '../../platform/platform-world.js'
import { useOrganisations } from '../influx-servers.js'
import { newOrganisation, openInfluxdb, realServer, targetOf, type TestServer } from './server.js'

let directory: string
let store: SqliteStore
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'gitmoor-influxdb-'))
  store = openNewStore(join(directory, 'gitmoor.db'), new ManualClock())
})
afterAll(() => {
  store[Symbol.dispose]()
  rmSync(directory, { recursive: true, force: true })
})

const opened: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of opened.splice(0)) await close()
})

/** `names`: of two empty organisations of the server. */
function openOn(server: TestServer, names: readonly [string, string]): PlatformWorld {
  const { platform, close } = openInfluxdb(store.documents, server)
  opened.push(close)
  return { platform, target: targetOf('one', server, names[0]), other: targetOf('two', server, names[1]) }
}

async function openReal(): Promise<PlatformWorld> {
  const server = realServer()!
  const [one, two] = [await newOrganisation(server), await newOrganisation(server)]
  opened.push(async () => {
    await Promise.all([one.remove(), two.remove()])
  })
  return openOn(server, [one.name, two.name])
}

const sealer = new Keyring(new Uint8Array(32))
const secret = (value: string) => sealer.toSecret(value)

function sample(kind: string, state: JsonObject, other: JsonObject, more: Partial<DriverSample> = {}): DriverSample {
  const changed = { ...state, description: 'changed' }
  return { kind, apiVersion: 'influxdata.com/v2alpha1', state, other: { ...state, ...other }, changed, ...more }
}

const query = 'from(bucket: "raw")\n  |> range(start: -1m)\n  |> filter(fn: (r) => r._field == "usage")'
const check = {
  name: 'cpu',
  description: 'the load',
  every: '30s',
  offset: '0s',
  query,
  statusMessageTemplate: 'too high',
  status: 'active',
  tags: [{ key: 'team', value: 'ops' }],
}
const credentials = { username: null, password: null, token: null, routingKey: null }
const endpoint = { name: 'hook', description: 'ours', url: 'http://127.0.0.1:9/hook', status: 'active', ...credentials }
const chart = {
  kind: 'markdown',
  name: 'notes',
  xPos: 0,
  yPos: 0,
  width: 4,
  height: 3,
  note: '# Read me',
}

export const samples: readonly DriverSample[] = [
  sample('Label', { name: 'Red', color: '#ff0000', description: 'warm' }, { name: 'Blue' }),
  sample(
    'Bucket',
    { name: 'raw', description: 'all', retentionRules: [{ type: 'expire', everySeconds: 86_400 }] },
    { name: 'old' },
  ),
  sample(
    'Variable',
    {
      name: 'host',
      description: 'which',
      type: 'constant',
      values: ['a', 'b'],
      query: '',
      language: '',
      selected: ['a'],
    },
    { name: 'region' },
  ),
  sample(
    'Task',
    { name: 'Rollup', description: 'hourly', cron: '', every: '30s', offset: '', query, status: 'active' },
    { name: 'Clean' },
    { unkeyed: true },
  ),
  sample(
    'CheckDeadman',
    { type: 'deadman', ...check, level: 'CRIT', timeSince: '30s', staleTime: '45s', reportZero: false },
    { name: 'disk' },
  ),
  sample(
    'CheckThreshold',
    {
      type: 'threshold',
      ...check,
      name: 'load',
      thresholds: [{ type: 'greater', level: 'WARN', allValues: false, value: 90 }],
    },
    { name: 'memory' },
  ),
  sample('NotificationEndpointSlack', { type: 'slack', ...endpoint, token: secret('t1') }, { name: 'hook-2' }),
  sample(
    'NotificationEndpointPagerDuty',
    { type: 'pagerduty', ...endpoint, name: 'duty', routingKey: secret('k1') },
    { name: 'duty-2' },
  ),
  sample(
    'NotificationEndpointHTTP',
    {
      type: 'http',
      ...endpoint,
      name: 'http',
      method: 'POST',
      authMethod: 'basic',
      username: secret('u1'),
      password: secret('p1'),
    },
    { name: 'http-2' },
  ),
  sample(
    'Telegraf',
    { name: 'agent', description: 'all hosts', config: '[agent]\n' },
    { name: 'edge' },
    { unkeyed: true },
  ),
  sample('Dashboard', { name: 'Ops', description: 'ours', charts: [chart] }, { name: 'More' }, { unkeyed: true }),
]

const secretSample: DriverSample = {
  kind: 'Secret',
  apiVersion: 'gitmoor/part',
  state: { key: 'SLACK', value: secret('s1') },
  other: { key: 'PAGER', value: secret('s2') },
  changed: { key: 'SLACK', value: secret('s3') },
  natural: true,
}

describe('another agent', () => {
  const newOrganisations = useOrganisations()
  const open = async (): Promise<PlatformWorld> => {
    const { server, names } = await newOrganisations()
    return openOn(server, names)
  }
  describePlatform('influxdb', open, samples)
  describeDriver('influxdb', open, [...samples, secretSample])
})

if (realServer() === undefined)
  describe('a real InfluxDB', () => {
    test.skip('is not given: set GITMOOR_TEST_INFLUX_URL and GITMOOR_TEST_INFLUX_TOKEN', () => {})
  })
else
  describe('a real InfluxDB', () => {
    describePlatform('influxdb', openReal, samples)
    describeDriver('influxdb', openReal, [...samples, secretSample])
  })
