// What a server makes of our requests is read back as the same state: InfluxDB, and another agent, over HTTP.
import { beforeEach, expect, test } from 'vitest'
import {
  chartFromView,
  dashboardCells,
  resourceBodies,
  resourceStates,
  resourceTypes,
} from '../../../src/influxdb/kinds/kinds.js'
import { compareText } from '../../../src/lib/text/compare-text.js'
import { familyOf, nameOf, type Address } from '../../../src/model/address.js'
import { Secret, type Json, type JsonObject } from '../../../src/model/json.js'
import { attackShare } from '../../attack/scale.js'
import { corpusSample, corpusText } from '../../corpus.js'
import { seeded } from '../../package/seeded.js'
import { describeInfluxServers, type InfluxServer } from '../influx-servers.js'
import type { PackageFile } from '../../../src/package/package.js'
import { build, doc, docs, file } from '../read-texts.js'
import { chartKindNames, randomChart } from '../kinds/dashboard/random-chart.js'
import { kindNamed, stateOf } from '../kinds/desired-state.js'

let server: InfluxServer

async function ask(method: string, path: string, body?: JsonObject): Promise<JsonObject> {
  const { url, token } = server
  const headers = { authorization: `Token ${token}`, accept: 'application/json', 'content-type': 'application/json' }
  const sent = body === undefined ? {} : { body: JSON.stringify(body) }
  const answer = await fetch(`${url}/api/v2${path}`, { method, headers, ...sent })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${method} ${path} ${answer.status} ${text} for ${JSON.stringify(body)}`)
  return text === '' ? {} : (JSON.parse(text) as JsonObject)
}

const run = Math.random().toString(36).slice(2, 8)

/** Made and removed again. Gives what is read back. */
class Made implements AsyncDisposable {
  readonly #paths: string[] = []
  readonly #orgID: string
  readonly #types = new Map<string, string>()

  static async open(): Promise<Made> {
    const { orgs } = await ask('GET', `/orgs?org=${encodeURIComponent(server.org)}`)
    return new Made((orgs as readonly JsonObject[])[0]!['id'] as string)
  }

  private constructor(orgID: string) {
    this.#orgID = orgID
  }

  async make(family: string, state: JsonObject): Promise<{ readonly id: string; readonly read: JsonObject }> {
    const endpointType = this.#types.get(state['endpointID'] as string)
    const more = endpointType === undefined ? {} : { endpointType }
    const path = `/${resourceTypes[family]!}`
    const answer = await ask('POST', path, resourceBodies[family]!(state, { orgID: this.#orgID, ...more }))
    const { id } = (family === 'Label' ? answer['label'] : answer) as { readonly id: string }
    this.#paths.push(`${path}/${id}`)
    if (family === 'NotificationEndpoint') this.#types.set(id, state['type'] as string)
    const { state: read } = resourceStates[family]!(await this.#show(family, `${path}/${id}`))
    return { id, read: family === 'Dashboard' ? { ...read, charts: await this.#charts(id, state) } : read }
  }

  async #show(family: string, path: string): Promise<JsonObject> {
    const shown = await ask('GET', path)
    return family === 'Label' ? (shown['label'] as JsonObject) : shown
  }

  async #charts(id: string, state: JsonObject): Promise<readonly JsonObject[]> {
    for (const { id: _ours, name, properties, ...place } of dashboardCells(state, id)) {
      const { id: cell } = await ask('POST', `/dashboards/${id}/cells`, place)
      await ask('PATCH', `/dashboards/${id}/cells/${cell as string}/view`, { name, properties })
    }
    const { cells } = await ask('GET', `/dashboards/${id}?include=properties`)
    return (cells as readonly JsonObject[]).map(chartFromView)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const path of this.#paths.reverse()) await ask('DELETE', path)
  }
}

/** Another name, which no other resource of the server has. */
function named(state: JsonObject): JsonObject {
  return { ...state, name: `${(state['name'] as string).trim()} ${run}` }
}

function comparable(kind: { normalise(state: JsonObject): JsonObject }, state: JsonObject): JsonObject {
  const shown = Object.entries(kind.normalise(state)).filter(([, value]) => !(value instanceof Secret))
  const { charts, ...rest } = Object.fromEntries(shown)
  if (charts === undefined) return rest
  const text = (chart: Json): string => JSON.stringify(Object.entries(chart as object).toSorted(byKey))
  return { ...rest, charts: (charts as readonly Json[]).map(text).toSorted() }
}

function byKey([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return compareText(a, b)
}

/** Every resource of a package is shown as it was given, rules after their endpoints. */
async function expectShown(files: readonly PackageFile[]): Promise<void> {
  await using made = await Made.open()
  const { value, problems } = build(files)
  if (problems.some(({ code }) => code === 'kinds/refused-by-influxdb')) return
  const shown = value.resources.filter(({ address }) => resourceStates[familyOf(address)] !== undefined)
  const isRule = ({ address }: { readonly address: Address }): boolean => familyOf(address) === 'NotificationRule'
  const known = new Map<string, JsonObject>()
  for (const { address, kind, spec } of [...shown.filter((one) => !isRule(one)), ...shown.filter(isRule)]) {
    const encoded = kind.encode(spec, ({ to, output = 'id' }) => known.get(to)?.[output] ?? nameOf(to))
    const { measurementSchemas: _schemas, ...given } = named(encoded)
    const state = familyOf(address) === 'Bucket' ? { ...given, schemaType: 'implicit' } : given
    const { id, read } = await made.make(familyOf(address), state)
    known.set(address, { ...state, id })
    expect([address, comparable(kind, read)]).toEqual([address, comparable(kind, state)])
  }
}

describeInfluxServers((given) => {
  beforeEach(() => {
    server = given()
  })

  test.each(corpusSample('yaml', 'json').map(([path]) => path))(
    'shows what it was given of %s',
    (path) => expectShown([file(path, corpusText({ path }))]),
    60_000,
  )

  test.each([
    ['HTTP', { type: 'basic', method: 'POST', username: 'a', password: 'b' }],
    ['Slack', {}],
    ['PagerDuty', { routingKey: 'k' }],
  ])('shows an endpoint of %s, and a rule with all its fields', (type, own) => {
    const endpoint = doc(`NotificationEndpoint${type}`, 'end', { url: 'https://example.test/', ...own })
    const rule = doc('NotificationRule', 'rule', {
      endpointName: 'end',
      description: 'd',
      channel: '#a',
      messageTemplate: 'm',
      every: '90s',
      offset: '5s',
      status: 'inactive',
      statusRules: [{ currentLevel: 'CRIT' }, { currentLevel: 'OK', previousLevel: 'WARN' }],
      tagRules: [{ key: 'k', value: 'v', operator: 'notequalregex' }],
    })
    return expectShown([file('package.yml', docs(endpoint, rule))])
  })

  test.each(chartKindNames)(
    'shows the charts of kind %s that it was given',
    async (kind) => {
      await using made = await Made.open()
      const charts = Array.from({ length: attackShare(40) }, (_, at) => ({
        ...randomChart(seeded(at), kind),
        xPos: at,
      }))
      const state = named(stateOf(doc('Dashboard', 'ops', { charts })))
      const { read } = await made.make('Dashboard', state)
      const dashboard = kindNamed('Dashboard')
      expect(comparable(dashboard, read)).toEqual(comparable(dashboard, state))
      expect((read['charts'] as readonly JsonObject[]).map(({ view }) => view)).toEqual(charts.map(() => undefined))
    },
    60_000,
  )
})
