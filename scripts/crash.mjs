// `npm run crash [-- --influxdb | --influxdb-server] [SCENARIO…]`: goes through every point of the crash matrix and
// prints what came of it. It runs on the test platform; on the embedded one with `--influxdb`; on the server of
// GITMOOR_TEST_INFLUX_URL with `--influxdb-server`.
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { rolldown } from 'rolldown'

const rooms = { '--influxdb': 'test/influxdb/crash', '--influxdb-server': 'test/influxdb/driver/crash' }
const names = process.argv.slice(2).filter((word) => !(word in rooms))
const room = rooms[process.argv.find((word) => word in rooms)] ?? 'test/crash'
mkdirSync('node_modules/.cache', { recursive: true })
const directory = mkdtempSync(join(process.cwd(), 'node_modules/.cache/gitmoor-crash-'))
const file = join(directory, 'run-all.mjs')
try {
  const bundle = await rolldown({
    input: `${room}/crash.ts`,
    platform: 'node',
    external: ['better-sqlite3', 'rolldown'],
    transform: { target: 'node20' },
  })
  await bundle.write({ file, codeSplitting: false })
  process.exitCode = spawnSync(process.execPath, [file, ...names], { stdio: 'inherit' }).status ?? 1
} finally {
  rmSync(directory, { recursive: true, force: true })
}
