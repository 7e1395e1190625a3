// The crash matrix on a real InfluxDB: what is on it is outside of the data directory, so each case has an organisation
// of its own.
import type { Ground } from '../../../crash/ground.js'
import { callOfEarlierEnd, prepare, type Matrix, type Prepared } from '../../../crash/matrix.js'
import { scenarios, type Scenario, type ScenarioName } from '../../../crash/scenarios.js'
import type { PlatformUnderTest } from '../../../plain/under-test.js'
import { newOrganisation, type TestServer } from '../server.js'
import { crashUnderTest } from './under-test.js'

export function organisations(matrix: Matrix, server: TestServer): Ground {
  const earlierEnds = new Map<ScenarioName, Promise<number>>()
  const inNew = async <T>(name: ScenarioName, make: Make, work: (prepared: Prepared) => Promise<T>): Promise<T> => {
    const organisation = await newOrganisation(server)
    try {
      using prepared = await make(crashUnderTest(server, organisation.name, name))
      return await work(prepared)
    } finally {
      await organisation.remove()
    }
  }
  const earlierEnd = (name: ScenarioName): Promise<number> | undefined => {
    const scenario: Scenario = scenarios[name]
    if (scenario.endedAfter !== undefined && !earlierEnds.has(name))
      earlierEnds.set(
        name,
        inNew(name, (on) => prepare(name, { on }), callOfEarlierEnd),
      )
    return earlierEnds.get(name)
  }
  return {
    run: async (name, onFailure, work) => {
      const endedAt = await earlierEnd(name)
      const options = { onFailure, ...(endedAt === undefined ? {} : { endedAt }) }
      return inNew(name, (on) => matrix.prepare(name, { on, ...options }), work)
    },
    [Symbol.asyncDispose]: async () => {},
  }
}

type Make = (on: PlatformUnderTest) => Promise<Prepared>
