// Every route of the description, asked wrongly in every way the description lets one think of. The agent behind it is
// a real one.
import Database from 'better-sqlite3'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { createApi } from '../../../src/api/api.js'
import { digestToken } from '../../../src/api/server/access.js'
import { errorAnswerSchema } from '../../../src/views/errors/error.js'
import { bucket, label, yaml } from '../../e2e/packages.js'
import { useWorld } from '../../e2e/world.js'
import { attackSample, attackScale, attackSeed, attackShare } from '../../attack/scale.js'
import { Dice } from '../../random/dice.js'
import { manyExamples, oddRequest } from './odd-requests.js'
import { readDescription, type Description, type Operation } from './description.js'
import { otherMethods, rightRequest, strangeRequests, wrongRequests, type Asking, type Examples } from './requests.js'

const world = useWorld()
const token = 'canary-of-the-admin-4f1d09'
const headers = { Authorization: `Bearer ${token}`, Host: '127.0.0.1' }

let api: ReturnType<typeof createApi>
/** The same for all tests. */
let description: Description
let examples: Examples
const failed: object[] = []

beforeEach(async () => {
  failed.length = 0
  const log = {
    debug: () => {},
    info: () => {},
    error: (message: string, facts: object) => failed.push({ message, ...facts }),
  }
  api = createApi({ call: world().call, tokenDigest: digestToken(token), hosts: [], version: '0', log })
  await world().push(yaml(label('red'), bucket('raw', { labels: ['red'] })))
  const { id } = await world().create('boards')
  description ??= readDescription(await (await api.request('/api/v1/openapi.json', { headers })).json())
  examples = {
    name: 'boards',
    run: id,
    address: 'Bucket/raw',
    channel: 'main',
    url: world().url,
    digest: '0'.repeat(64),
    revision: `main@sha1:${'0'.repeat(40)}`,
    family: 'Label',
    desired: { name: 'blue' },
    timeoutMs: 0,
  }
})

interface Answered {
  readonly status: number
  readonly text: string
  readonly headers: Headers
}

async function ask({ method, path, headers: given, body }: Asking): Promise<Answered> {
  const signal = AbortSignal.timeout(60_000)
  const answer = await api.request(path, { method, headers: given, signal, ...(body === undefined ? {} : { body }) })
  return { status: answer.status, text: await answer.text(), headers: answer.headers }
}

/** What is wrong with the answer to a request that must be refused. */
function faultOf(operation: Operation, { status, text, headers }: Answered): string | undefined {
  if (status >= 500 || status < 400) return `answers ${status}: ${text.slice(0, 300)}`
  if (headers.get('content-type')?.startsWith('application/json') !== true) return 'is not JSON'
  const body: unknown = JSON.parse(text)
  if (!errorAnswerSchema.safeParse(body).success) return `has another shape: ${text.slice(0, 300)}`
  if (text.includes(token) || text.includes(world().root)) return 'reveals a secret or a path'
  if (/\bat .{1,200}:\d+:\d+|node_modules/.test(text)) return 'has a stack trace'
  if (text.length > 100_000) return `is ${text.length} characters long`
  const isOther = status === 405 // an answer of the path, not of an operation
  return operation.open || isOther ? undefined : description.wrong(operation, status, body)
}

/** Faults of all these requests, each by the words that name it. Nothing that is refused is written. */
async function faults(operation: Operation, requests: readonly Asking[]): Promise<readonly string[]> {
  using watch = watchWrites()
  const found: string[] = []
  for (const asking of requests) {
    const fault = faultOf(operation, await ask(asking))
    if (fault !== undefined) found.push(`${asking.what}: ${fault}`)
  }
  return watch.wrote() ? [...found, 'something was written'] : found
}

/** `wrote`: whether anybody committed to the database since it was last asked. */
function watchWrites(): Disposable & { readonly wrote: () => boolean } {
  const database = new Database(join(world().root, 'gitmoor.db'), { readonly: true })
  const version = (): unknown => database.pragma('data_version', { simple: true })
  let before = version()
  return {
    wrote: () => before !== (before = version()),
    [Symbol.dispose]: () => database.close(),
  }
}

describe('hostile requests are refused in one shape, and write nothing:', () => {
  const dice = new Dice(attackSeed())
  const groups: Readonly<Record<string, (operation: Operation, right: Asking) => readonly Asking[]>> = {
    'without the right token': (operation, right) => strangeRequests(operation, right, token),
    'with a wrong method': (operation, right) => otherMethods(operation, right, description.operations),
    'with one error in path, query or body': (operation, right) =>
      attackSample(wrongRequests(operation, right, description, examples), (below) => dice.below(below)),
  }
  test.each(Object.entries(groups))('%s', async (_, requestsOf) => {
    const found: Record<string, readonly string[]> = {}
    let count = 0
    for (const operation of description.operations.filter(({ open }) => !open)) {
      const requests = requestsOf(operation, rightRequest(operation, examples, headers))
      count += requests.length
      const wrong = await faults(operation, requests)
      if (wrong.length > 0) found[operation.title] = wrong
    }
    expect(found).toEqual({})
    expect(failed).toEqual([])
    expect(count).toBeGreaterThan((attackScale() < 1 ? 2 : 4) * description.operations.length)
  })
})

/** An answer that is no JSON is a stream of events, which goes on: test/api/v1/events.test.ts. */
function hasEnd({ answers }: Operation): boolean {
  return !('200' in answers) || answers['200'] !== undefined
}

test(
  'valid requests are answered as the OpenAPI document says, and none makes the API fail',
  { timeout: 180_000 },
  async () => {
    const making = {
      dice: new Dice(attackSeed()),
      description,
      examples: manyExamples(examples, {
        name: ['nothing', 'fresh', 'name'],
        family: ['Label', 'Bucket', 'Task', 'Dashboard', 'LabelMapping', '__proto__'],
        address: ['Bucket/0a1b2c3d4e5f6071', 'Label/red', '/', 'Bucket/', '__proto__/x'],
        target: ['local', 'other', 'nowhere'],
        stack: ['boards', 'nothing'],
        channel: ['nothing', '#', `${world().url}#main`],
        ref: ['main', 'stable', 'HEAD'],
        waitMs: [0, 1],
        timeoutMs: [0, 1],
        limit: [1, 500],
        interval: ['30s'],
        driftInterval: ['1h'],
        desired: [
          {},
          { name: 'x' },
          { name: 'yy' },
          { name: 'zz', description: 'z' },
          { name: 'raw', retentionRules: [{ everySeconds: 'x' }] },
          { name: 'x', charts: [null, 1, { kind: 'x' }] },
        ],
      }),
    }
    const found: string[] = []
    // A valid body of a stack has so many fields that few random ones create one.
    const created = await ask({
      what: 'a stack',
      method: 'POST',
      path: '/api/v1/stacks',
      headers: { ...headers, 'Content-Type': 'application/json' },
      body: JSON.stringify({ name: 'right', target: 'local', sources: [{ url: world().url, ref: 'main' }] }),
    })
    const statuses = new Set([created.status])
    const rounds = attackShare(100)
    for (let round = 0; round < rounds; round++) {
      await world()
        .ask.createStack(world().spec('boards'), 'ann')
        .catch(() => {}) // it is there still
      for (const operation of description.operations.filter(hasEnd)) {
        const asking = oddRequest(operation, headers, making)
        const { status, text } = await ask(asking)
        statuses.add(status)
        const isOther = new URL(asking.path, 'http://127.0.0.1').pathname !== asking.path.split('?')[0] // `..`
        const described = isOther ? undefined : description.wrong(operation, status, JSON.parse(text))
        const wrong = status === 500 ? text : described
        if (wrong !== undefined) found.push(`${operation.title} ${asking.what}: ${status} ${wrong}`)
      }
    }
    expect(found).toEqual([])
    expect(failed).toEqual([])
    expect([...statuses]).toEqual(expect.arrayContaining([200, 201, 400, 404, 409, 422]))
    expect(Object.hasOwn(Object.prototype, 'admin')).toBe(false)
  },
)
