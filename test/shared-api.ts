// One API for all agents and all answers of a process: creating its routes takes longer than answering a request. While
// requests to several of them are in progress, each has an API of its own.
import { createApi } from '../src/api/api.js'
import type { ApiExtension } from '../src/api/api-extension.js'
import { digestToken } from '../src/api/server/access.js'
import type { Api } from '../src/api/v1/endpoint.js'
import type { CallUseCase } from '../src/webhooks/call-use-case.js'

export const sampleToken = 'a-token-for-tests'

/** An API, and whose use cases its requests in progress call. */
interface Lent {
  readonly api: Api
  readonly extension: ApiExtension | undefined
  call: CallUseCase
  inProgress: number
}

const lent: Lent[] = []

/** What tests ask an API by. */
export type SharedApi = Pick<Api, 'fetch' | 'request' | 'routes'>

/** An API over these use cases, with the routes of a platform. Its token is `sampleToken`. */
export function sharedApi(call: CallUseCase, extension?: ApiExtension): SharedApi {
  const during = async (answer: (api: Api) => Response | Promise<Response>): Promise<Response> => {
    const one = lend(call, extension)
    one.inProgress++
    try {
      return await answer(one.api)
    } finally {
      one.inProgress--
    }
  }
  return {
    fetch: (...request) => during((api) => api.fetch(...request)),
    request: (...request) => during((api) => api.request(...request)),
    routes: lend(call, extension).api.routes,
  }
}

/** Its handler. */
export function sharedFetch(call: CallUseCase, extension?: ApiExtension): Api['fetch'] {
  return sharedApi(call, extension).fetch
}

function lend(call: CallUseCase, extension: ApiExtension | undefined): Lent {
  const known = lent.filter((one) => one.extension === extension)
  const free = known.find((one) => one.call === call) ?? known.find(({ inProgress }) => inProgress === 0)
  if (free === undefined) return createLent(call, extension)
  free.call = call
  return free
}

function createLent(call: CallUseCase, extension: ApiExtension | undefined): Lent {
  const callAgent: CallUseCase = (useCase, ...args) => one.call(useCase, ...args)
  const api = createApi({
    call: callAgent,
    tokenDigest: digestToken(sampleToken),
    hosts: ['moor.example'],
    version: '0.0.0-test',
    extensions: extension === undefined ? [] : [extension],
  })
  const one: Lent = { api, extension, call, inProgress: 0 }
  lent.push(one)
  return one
}
