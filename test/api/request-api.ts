import { createApi, type ApiOptions } from '../../src/api/api.js'
import { digestToken } from '../../src/api/server/access.js'
import { serveApi, type RunningServer } from '../../src/api/server/server.js'
import { sampleToken, sharedApi, type SharedApi } from '../shared-api.js'
import { sampleAnswers, type UseCaseCall } from './sample-answers.js'

export { sampleToken }

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: any
}

export interface Door {
  /** Hands a request to the API, with token and JSON unless `headers` say otherwise. */
  request(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer>
  readonly calls: UseCaseCall[]
  readonly api: SharedApi
}

export function openDoor(changed: Parameters<typeof sampleAnswers>[0] = {}, options: Partial<ApiOptions> = {}): Door {
  const { call, calls } = sampleAnswers(changed)
  const { call: asked = call, extensions = [], ...others } = options
  const known = { tokenDigest: digestToken(sampleToken), hosts: ['moor.example'], version: '0.0.0-test' }
  const api =
    Object.keys(others).length === 0 && extensions.length < 2
      ? sharedApi(asked, extensions[0])
      : createApi({ call: asked, ...known, extensions, ...others })
  return {
    api,
    calls,
    request: async (method, path, body, headers = {}) => {
      const given = {
        Authorization: `Bearer ${sampleToken}`,
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...headers,
      }
      const text = typeof body === 'string' || body === undefined ? body : JSON.stringify(body)
      const init = { method, headers: given, ...(text === undefined ? {} : { body: text }) }
      const answer = await api.fetch(new Request(new URL(path, 'http://localhost'), init))
      const answered = await answer.text()
      return {
        status: answer.status,
        headers: answer.headers,
        body: answered === '' ? undefined : JSON.parse(answered),
      }
    },
  }
}

/** The API of a running agent on a port of this machine; its token is `sampleToken`. To be closed. */
export function serveAgent(
  call: ApiOptions['call'],
  {
    port = 0,
    graceMs = 200,
    ...options
  }: Partial<ApiOptions> & { readonly port?: number; readonly graceMs?: number } = {},
): Promise<RunningServer> {
  return serveApi(openDoor({}, { ...options, call }).api, { host: '127.0.0.1', port, graceMs })
}
