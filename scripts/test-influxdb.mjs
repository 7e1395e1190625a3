// `npm run test:influxdb [-- FILTER…]`: the tests of packages through the driver `influxdb`, over HTTP: against another
// agent, or against the server of GITMOOR_TEST_INFLUX_URL. `npm test` runs them on the embedded platform.
import { spawnSync } from 'node:child_process'

/** What takes its worlds from test/influxdb/world.ts. */
const all = [
  'test/influxdb/stacks/',
  'test/influxdb/templates/',
  'test/cli/files/package-files',
  ...[
    'edges',
    'faults',
    'hostile-trees',
    'not-synced',
    'reload',
    'restore',
    'seven-states',
    'templates',
    'under-load',
  ].map((name) => `test/e2e/${name}`),
]
const given = process.argv.slice(2)
const env = { ...process.env, GITMOOR_TEST_PLATFORM: 'influxdb' }
const words = ['node_modules/vitest/vitest.mjs', 'run', ...(given.length === 0 ? all : given)]
const { status } = spawnSync(process.execPath, words, { env, stdio: 'inherit' })
process.exitCode = status ?? 1
