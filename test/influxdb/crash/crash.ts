// `npm run crash -- --influxdb`
import { copies } from '../../crash/ground.js'
import { runAll } from '../../crash/run-all.js'
import { embeddedUnderTest } from '../under-test.js'

const failed = await runAll(
  process.argv.slice(2),
  (matrix) => copies(matrix, embeddedUnderTest),
  'test/influxdb/crash/child.ts',
)
process.exitCode = failed > 0 ? 1 : 0
