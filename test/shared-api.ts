// One API for all agents and all answers of a process: creating its routes takes longer than answering a request.
import { AsyncLocalStorage } from 'node:async_hooks'
import { createApi } from '../src/api/api.js'
import type { ApiExtension } from '../src/api/api-extension.js'
import { digestToken } from '../src/api/server/access.js'
import type { Api } from '../src/api/v1/endpoint.js'
import type { CallUseCase } from '../src/webhooks/call-use-case.js'

export const sampleToken = 'a-token-for-tests'

/** Calls the use cases of the request in progress. */
const calls = new AsyncLocalStorage<CallUseCase>()
const created = new Map<ApiExtension | undefined, Api>()

/** What tests ask an API by. */
export type SharedApi = Pick<Api, 'fetch' | 'request' | 'routes'>

/** An API over these use cases, with the routes of a platform. Its token is `sampleToken`. */
export function sharedApi(call: CallUseCase, extension?: ApiExtension): SharedApi {
  const api = created.get(extension) ?? createShared(extension)
  return {
    fetch: (...request) => calls.run(call, () => api.fetch(...request)),
    request: (...request) => calls.run(call, () => api.request(...request)),
    routes: api.routes,
  }
}

/** Its handler. */
export function sharedFetch(call: CallUseCase, extension?: ApiExtension): Api['fetch'] {
  return sharedApi(call, extension).fetch
}

function createShared(extension: ApiExtension | undefined): Api {
  const callAgent: CallUseCase = (useCase, ...args) => calls.getStore()!(useCase, ...args)
  const api = createApi({
    call: callAgent,
    tokenDigest: digestToken(sampleToken),
    hosts: ['moor.example'],
    version: '0.0.0-test',
    extensions: extension === undefined ? [] : [extension],
  })
  created.set(extension, api)
  return api
}
