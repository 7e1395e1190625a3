import { sampleToken } from '../api/request-api.js'
import { influxdbApi } from '../../src/influxdb/api/api.js'
import { askTemplates } from '../influxdb/ask.js'
import { sharedFetch } from '../shared-api.js'
import type { World } from '../influxdb/world.js'

export interface WireReply {
  readonly status: number
  readonly body: any
}

/** Asks a running agent over InfluxDB's API. A text is sent as YAML. `client`: the User-Agent. */
export async function askWire(
  world: World,
  method: string,
  path: string,
  body?: unknown,
  client = 'test',
): Promise<WireReply> {
  const isText = typeof body === 'string'
  const type = isText ? 'application/x-yaml' : 'application/json'
  const headers = {
    Authorization: `Token ${sampleToken}`,
    Host: '127.0.0.1',
    'User-Agent': client,
    'Content-Type': type,
  }
  const sent = body === undefined ? {} : { body: isText ? body : JSON.stringify(body) }
  const request = new Request(`http://127.0.0.1${path}`, { method, headers, ...sent })
  const answer = await sharedFetch(world.call, influxdbApi)(request)
  const text = await answer.text()
  return { status: answer.status, body: text === '' ? undefined : JSON.parse(text) }
}

export const orgOf = async (world: World): Promise<string> =>
  (await askTemplates(world.call).listOrganisations())[0]!.id

/** A dry run or an apply of packages as texts. */
export async function templates(
  world: World,
  texts: readonly string[],
  {
    dryRun = false,
    client,
    ...more
  }: { readonly dryRun?: boolean; readonly client?: string; readonly [key: string]: unknown } = {},
): Promise<WireReply> {
  const packages = texts.map((contents, at) => ({ contentType: 'yaml', sources: [`file://${at}.yml`], contents }))
  return askWire(
    world,
    'POST',
    '/api/v2/templates/apply',
    { orgID: await orgOf(world), dryRun, templates: packages, ...more },
    client,
  )
}
