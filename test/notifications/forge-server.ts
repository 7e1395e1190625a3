// Servers with the documented API for commit statuses of GitHub, GitLab and Gitea. They answer 4xx to whatever the
// published schema refuses, and keep the statuses of each commit.
import type { ServerResponse } from 'node:http'
import type { Forge } from '../../src/model/sources/forge.js'
import { recordingServer, type ReceivedRequest, type RecordingServer } from './recording-server.js'

export interface PostedStatus {
  readonly repository: string
  readonly commit: string
  readonly state: string
  readonly context: string
  readonly description: string
  readonly link: string
}

export interface ForgeServer extends AsyncDisposable {
  readonly url: string
  readonly statuses: readonly PostedStatus[]
  /** Requests that the schema refused, and why. */
  readonly refused: readonly string[]
  readonly requests: RecordingServer['requests']
  /** What the next requests get in place of an answer of the API. */
  intercept: ((response: ServerResponse) => void) | undefined
}

export const forgeToken = 'forge-token-of-the-tests'

interface Api {
  readonly path: RegExp
  readonly authorization: string
  readonly states: readonly string[]
  /** The field with the context. */
  readonly context: 'context' | 'name'
  readonly mostDescription: number
  readonly headers: Readonly<Record<string, string>>
}

const gitea: Api = {
  path: /^\/api\/v1\/repos\/([^/]+(?:\/[^/]+)?)\/statuses\/([0-9a-f]{40})$/,
  authorization: `token ${forgeToken}`,
  states: ['pending', 'success', 'error', 'failure', 'warning'],
  context: 'context',
  mostDescription: 255,
  headers: {},
}

const apis: Readonly<Record<Forge, Api>> = {
  github: {
    path: /^\/api\/v3\/repos\/([^/]+(?:\/[^/]+)?)\/statuses\/([0-9a-f]{40})$/,
    authorization: `Bearer ${forgeToken}`,
    states: ['error', 'failure', 'pending', 'success'],
    context: 'context',
    mostDescription: 140,
    headers: { accept: 'application/vnd.github+json', 'x-github-api-version': '2022-11-28' },
  },
  gitlab: {
    path: /^\/api\/v4\/projects\/([^/]+)\/statuses\/([0-9a-f]{40})$/,
    authorization: `Bearer ${forgeToken}`,
    states: ['pending', 'running', 'success', 'failed', 'canceled', 'skipped'],
    context: 'name',
    mostDescription: 255,
    headers: {},
  },
  gitea,
  forgejo: gitea,
}

export const apiPath: Readonly<Record<Forge, string>> = {
  github: '/api/v3',
  gitlab: '/api/v4',
  gitea: '/api/v1',
  forgejo: '/api/v1',
}

export async function forgeServer(forge: Forge): Promise<ForgeServer> {
  const server = await recordingServer()
  const statuses: PostedStatus[] = []
  const refused: string[] = []
  const fake: ForgeServer = {
    url: server.url,
    statuses,
    refused,
    requests: server.requests,
    intercept: undefined,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
  server.answer = (request, response) => {
    if (fake.intercept !== undefined) return fake.intercept(response)
    const read = readStatus(apis[forge], request)
    if (typeof read !== 'string') {
      const before = statuses.findLast((one) => one.commit === read.commit && one.context === read.context)
      // GitLab's state machine of a status that is not finished.
      if (forge === 'gitlab' && before?.state === 'pending' && read.state === 'pending')
        return answer(response, 400, { message: 'Cannot transition status via :enqueue from :pending' })
      statuses.push(read)
      return answer(response, 201, { id: statuses.length, state: read.state })
    }
    refused.push(read)
    answer(response, read === 'authorization' ? 401 : 422, { message: `Validation failed: ${read}` })
  }
  return fake
}

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

/** The name of what the schema refuses. */
function readStatus(api: Api, { method, path, headers, body }: ReceivedRequest): PostedStatus | string {
  const [, repository, commit] = api.path.exec(path) ?? []
  if (method !== 'POST' || repository === undefined || commit === undefined) return `${method} ${path}`
  if (headers.authorization !== api.authorization) return 'authorization'
  if (headers['content-type'] !== 'application/json' || headers['user-agent'] === undefined) return 'headers'
  const missing = Object.entries(api.headers).find(([name, value]) => headers[name] !== value)
  if (missing !== undefined) return `header ${missing[0]}`
  const fields = JSON.parse(body) as Record<string, unknown>
  const known = ['state', 'target_url', 'description', api.context]
  const unknown = Object.keys(fields).find((field) => !known.includes(field))
  if (unknown !== undefined) return `field ${unknown}`
  const { state, description, target_url: link = '', [api.context]: context } = fields
  if (typeof state !== 'string' || !api.states.includes(state)) return 'state'
  if (typeof context !== 'string' || context.length > 255) return api.context
  if (typeof description !== 'string' || description.length > api.mostDescription) return 'description'
  if (typeof link !== 'string' || (link !== '' && !/^https?:\/\//.test(link))) return 'target_url'
  return { repository: decodeURIComponent(repository), commit, state, context, description, link }
}
