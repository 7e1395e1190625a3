// A client of /api/v2 of a whole agent: a real database, the embedded platform, no mocks.
import { influxdbApi } from '../../../src/influxdb/api/api.js'
import type { World } from '../world.js'
import { askTemplates } from '../ask.js'
import { sampleToken, sharedApi } from '../../shared-api.js'
import type { Answer } from '../../api/request-api.js'

export interface Wire {
  /** With the token, and the body as JSON unless it is text. */
  request(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer>
  /** A `GET` whose answer is not JSON. */
  readText(path: string): Promise<{ readonly status: number; readonly type: string | null; readonly text: string }>
  /** The id of the organisation behind a target. */
  orgID(target?: string): Promise<string>
}

export function openWire({ call }: Pick<World, 'call'>): Wire {
  const api = sharedApi(call, influxdbApi)
  return {
    request: async (method, path, body, headers = {}) => {
      const text = typeof body === 'string' || body === undefined ? body : JSON.stringify(body)
      const given = { Authorization: `Token ${sampleToken}`, ...headers }
      const answer = await api.request(path, { method, headers: given, ...(text === undefined ? {} : { body: text }) })
      const reported = await answer.text()
      return {
        status: answer.status,
        headers: answer.headers,
        body: reported === '' ? undefined : JSON.parse(reported),
      }
    },
    readText: async (path) => {
      const answer = await api.request(path, { headers: { Authorization: `Token ${sampleToken}` } })
      return { status: answer.status, type: answer.headers.get('content-type'), text: await answer.text() }
    },
    orgID: async (target = 'local') =>
      (await askTemplates(call).listOrganisations()).find((one) => one.target === target)!.id,
  }
}
