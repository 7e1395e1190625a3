import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'

/** `npm run test:without-influxdb` runs the tests, too. */
test('without InfluxDB the program compiles, and the tests that need it are listed', { timeout: 240_000 }, () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['scripts/without-influxdb.mjs', '--compile'], {
    encoding: 'utf8',
  })
  expect([status, stdout, stderr]).toEqual([0, '', ''])
})
