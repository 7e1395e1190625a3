// A real InfluxDB for the crash matrix: each case has an organisation of its own.
import type { JsonObject } from '../../../../src/model/json.js'
import { Keyring } from '../../../../src/secrets/keyring.js'
import type { PlatformUnderTest, TargetResource } from '../../../plain/under-test.js'
import type { ScenarioName } from '../../../crash/scenarios.js'
import { never } from '../../../source/git-world.js'
import type { TestServer } from '../server.js'
import { serverUnderTest } from '../server-under-test.js'

/** Of the child: the name of its organisation. */
export const organisationVariable = 'GITMOOR_CRASH_ORGANISATION'

/** The scenario in which a target refuses to remove what a killed process had not finished: it keeps its mark. */
const withMarks: ScenarioName = 'an undo that is partly refused'

export function crashUnderTest(server: TestServer, organisation: string, scenario?: ScenarioName): PlatformUnderTest {
  const on = serverUnderTest(server, { main: organisation, other: organisation }, { hasFlux: false })
  const settings = on.settings('main')
  return {
    ...on,
    ...(scenario === withMarks ? { finished: withoutMarks } : {}),
    half,
    environment: { [organisationVariable]: organisation },
    resources: async (documents) => {
      using platform = on.open(documents, { sealer: new Keyring(new Uint8Array(32)) }) as ReturnType<typeof on.open> &
        Disposable
      await using connection = await platform.connect({ name: 'main', platform: 'influxdb', settings }, never)
      const listed = await connection.list({ limit: 500 }, never)
      return listed.map(({ family, observed }): TargetResource => ({
        family,
        id: observed.identity,
        state: withDescription(observed.actual),
      }))
    },
  }
}

/** System buckets have the description by which the matrix leaves them out. */
function withDescription(state: JsonObject): JsonObject {
  const { name } = state
  return typeof name === 'string' && name.startsWith('_') ? { ...state, description: 'System bucket' } : state
}

/** A task needs its Flux and its times. */
function half(state: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(state).filter(([key]) => key !== 'color' && key !== 'description'))
}

function withoutMarks(text: string): string {
  return text.replaceAll(/"gitmoor [0-9a-f]{24}"/g, '""')
}
