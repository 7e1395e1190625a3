// `npm run test:influxdb [-- FILTER…]`: the tests of packages through the driver `influxdb`, over HTTP: against another
// agent, or against the server of GITMOOR_TEST_INFLUX_URL. `npm test` runs them on the embedded platform.
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const worlds = 'test/influxdb/world.js'

/** Tests that take their worlds from that file. */
function testsOfPackages() {
  const files = readdirSync('test', { recursive: true, encoding: 'utf8' }).map((name) => join('test', name))
  return files.filter((file) => file.endsWith('.test.ts') && importsOf(file).includes(worlds))
}

function importsOf(file) {
  const imported = readFileSync(file, 'utf8').matchAll(/ from '(\.[^']+)'/g)
  return [...imported].map(([, path]) => join(dirname(file), path))
}

const given = process.argv.slice(2)
const words = ['node_modules/vitest/vitest.mjs', 'run', ...(given.length === 0 ? testsOfPackages() : given)]
const env = { ...process.env, GITMOOR_TEST_PLATFORM: 'influxdb' }
const { status } = spawnSync(process.execPath, words, { env, stdio: 'inherit' })
process.exitCode = status ?? 1
