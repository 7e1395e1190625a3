// `npm run crash -- --influxdb-server`: on the server of GITMOOR_TEST_INFLUX_URL. gitmoor is killed, never the server.
import { runAll } from '../../../crash/run-all.js'
import { realServer } from '../server.js'
import { organisations } from './organisations.js'

const server = realServer()
if (server === undefined) {
  console.error('Set GITMOOR_TEST_INFLUX_URL and GITMOOR_TEST_INFLUX_TOKEN: an InfluxDB for tests, and a token of it.')
  process.exit(2)
}
const failed = await runAll(
  process.argv.slice(2),
  (matrix) => organisations(matrix, server),
  'test/influxdb/driver/crash/child.ts',
)
process.exitCode = failed > 0 ? 1 : 0
