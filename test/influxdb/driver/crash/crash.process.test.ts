// `npm run crash -- --influxdb-server` tries all scenarios at every point.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { attackSample, attackSeed } from '../../../attack/scale.js'
import { buildChild } from '../../../crash/build-child.js'
import { allPoints, Matrix, referenceRun } from '../../../crash/matrix.js'
import { wrongPoints } from '../../../crash/run-all.js'
import type { ScenarioName } from '../../../crash/scenarios.js'
import { seeded } from '../../../package/seeded.js'
import { realServer } from '../server.js'
import { organisations } from './organisations.js'

const server = realServer()
if (server === undefined) console.log('GITMOOR_TEST_INFLUX_URL is not set: crashes on a real InfluxDB are not tested.')

describe.skipIf(server === undefined)('after a process with a real InfluxDB is killed', () => {
  let child: Awaited<ReturnType<typeof buildChild>>
  beforeAll(async () => {
    child = await buildChild('test/influxdb/driver/crash/child.ts')
  })
  afterAll(() => child[Symbol.dispose]())

  test.each<ScenarioName>(['a first apply', 'an undo', 'a recovery after a lost create'])(
    'during %s, the next process leaves what an uninterrupted run leaves',
    { timeout: 300_000 },
    async (name) => {
      const matrix = new Matrix(child.entry)
      await using ground = organisations(matrix, server!)
      const pace = { concurrency: 32 }
      const reference = await ground.run(name, 'undo', (prepared) => referenceRun(prepared, pace))
      const points = attackSample(allPoints(reference), seeded(attackSeed() + name.length))
      expect(await wrongPoints({ matrix, ground, name, pace, reference }, points)).toEqual([])
    },
  )
})
