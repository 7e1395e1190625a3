import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'

/** `npm run test:without-influxdb` deletes the room, compiles the rest, and runs the tests. */
test('no file but its own imports InfluxDB, and the tests that need it are listed', () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['scripts/without-influxdb.mjs', '--imports'], {
    encoding: 'utf8',
  })
  expect([status, stdout, stderr]).toEqual([0, '', ''])
})
