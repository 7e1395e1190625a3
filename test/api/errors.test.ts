import { describe, expect, test } from 'vitest'
import { errorStatuses, errorAnswerSchema, type ErrorStatus } from '../../src/views/errors/error.js'
import {
  Ambiguous,
  Bug,
  InvalidPackage,
  Refused,
  Rejected,
  StalePlan,
  Stopped,
  Unavailable,
  type RefusedStatus,
} from '../../src/model/errors.js'
import type { Problem } from '../../src/model/problem.js'
import { openDoor } from './request-api.js'
import { sampleDigest, sampleRevision } from './sample-views.js'

const problem: Problem = {
  severity: 'error',
  code: 'graph/cycle',
  message: 'A needs B, which needs A',
  field: 'root[0]',
}

const refusals: readonly (readonly [RefusedStatus, number])[] = [
  ['usage', 400],
  ['auth', 401],
  ['not-found', 404],
  ['conflict', 409],
  ['needs-approval', 409],
  ['stale', 409],
  ['cancelled', 409],
  ['failed', 422],
  ['locked', 423],
  ['source', 502],
  ['target', 502],
  ['timeout', 504],
]

const others: Readonly<Record<string, readonly [Error, number, ErrorStatus]>> = {
  'an invalid package': [new InvalidPackage([problem]), 422, 'invalid'],
  'a plan that a safeguard refuses': [new InvalidPackage([problem], 'plan/claimed', 'The plan'), 409, 'needs-approval'],
  'a stale plan': [new StalePlan('It is stale.', { code: 'plan/stale' }), 409, 'stale'],
  'a source that does not answer': [new Unavailable('No answer.', { code: 'source/timeout' }), 502, 'source'],
  'a source that refuses': [new Rejected('401', { code: 'source/auth' }), 502, 'source'],
  'a directory that gitmoor may not read': [
    new Rejected('Not allowed.', { code: 'source/directory-not-allowed' }),
    400,
    'usage',
  ],
  'a target that does not answer': [new Unavailable('No answer.', { code: 'platform/timeout' }), 502, 'target'],
  'a name that is two refs': [new Ambiguous('Branch and tag.', { code: 'source/ambiguous' }), 502, 'source'],
  'a resource that another stack owns': [new Rejected('Claimed.', { code: 'plan/claimed' }), 409, 'needs-approval'],
  'a full disk': [new Unavailable('The disk is full.', { code: 'store/full' }), 503, 'unavailable'],
  'a run that was cancelled': [new Stopped('cancelled', 'Cancelled.'), 409, 'cancelled'],
  'an agent that stops': [new Stopped('shutdown', 'Stopping.'), 503, 'unavailable'],
  'a run that took too long': [new Stopped('timeout', 'Too long.'), 504, 'timeout'],
}

describe('each error has its status:', () => {
  test.each(refusals)('refused: %s is %i', async (status, http) => {
    const refusal = new Refused(status, 'No.', { hint: 'Do this.', problems: [problem] })
    const answer = await openDoor({ getStack: async () => Promise.reject(refusal) }).request(
      'GET',
      '/api/v1/stacks/boards',
    )
    expect(answer.status).toBe(http)
    const requestId = answer.headers.get('x-request-id')
    expect(answer.body).toEqual({
      error: { status, code: `refused/${status}`, message: 'No.', hint: 'Do this.', problems: [problem], requestId },
    })
    expect(errorAnswerSchema.parse(answer.body)).toEqual(answer.body)
  })

  test.each(Object.entries(others))('%s', async (_, [error, http, status]) => {
    const answer = await openDoor({ getStack: async () => Promise.reject(error) }).request(
      'GET',
      '/api/v1/stacks/boards',
    )
    expect(answer.status).toBe(http)
    expect(answer.body.error).toMatchObject({ status, message: error.message })
  })

  test('problems of a package are listed', async () => {
    const answer = await openDoor({ previewPlan: async () => Promise.reject(new InvalidPackage([problem])) }).request(
      'POST',
      '/api/v1/stacks/a/plan',
    )
    expect(answer.body.error.problems).toEqual([problem])
  })
})

describe('an unexpected error is answered without details, and logged with the id of the request:', () => {
  test.each([
    ['an error', new TypeError('secret of /home/ann')],
    ['a bug', new Bug('secret of /home/ann')],
    ['no error at all', 'secret of /home/ann' as unknown as Error],
  ])('%s', async (_, thrown) => {
    const logged: { message: string; facts: any }[] = []
    const log = {
      debug: () => {},
      info: () => {},
      error: (message: string, facts: object) => logged.push({ message, facts }),
    }
    // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- what is no Error is thrown on purpose
    const door = openDoor({ getStack: () => Promise.reject(thrown) }, { log })
    const answer = await door.request('GET', '/api/v1/stacks/boards')
    expect(answer.status).toBe(500)
    const requestId = answer.headers.get('x-request-id')
    expect(answer.body.error).toMatchObject({ status: 'internal', code: 'bug', requestId })
    expect(JSON.stringify(answer.body)).not.toContain('secret')
    expect(logged).toHaveLength(1)
    expect(logged[0]).toMatchObject({ message: 'request failed', facts: { requestId } })
  })
})

describe('a request is logged', () => {
  const openLogged = (): {
    readonly door: ReturnType<typeof openDoor>
    readonly logged: { readonly level: string; readonly facts: object }[]
  } => {
    const logged: { level: string; facts: object }[] = []
    const note =
      (level: string) =>
      (_: string, facts: object): void =>
        void logged.push({ level, facts })
    return { door: openDoor({}, { log: { debug: note('debug'), info: note('info'), error: note('error') } }), logged }
  }

  test('at level info with its run if it changes something, else at level debug', async () => {
    const { door, logged } = openLogged()
    await door.request('GET', '/api/v1/stacks')
    await door.request('POST', '/api/v1/stacks/boards/sync', undefined, { 'X-Gitmoor-By': 'ann' })
    const facts = expect.objectContaining({
      method: 'POST',
      path: '/api/v1/stacks/boards/sync',
      status: 200,
      by: 'ann',
      run: '12',
    }) as object
    expect(logged).toEqual([
      {
        level: 'debug',
        facts: expect.objectContaining({ method: 'GET', path: '/api/v1/stacks', status: 200 }) as object,
      },
      { level: 'info', facts },
    ])
  })

  test.each([
    ['stacks', { name: 'boards', sources: [{ url: 'https://git.example/boards' }] }],
    ['stacks/boards/apply', { revision: sampleRevision, digest: sampleDigest }],
    ['stacks/boards/rollback', { run: '12' }],
  ])('with the run that POST %s returns', async (path, body) => {
    const { door, logged } = openLogged()
    await door.request('POST', `/api/v1/${path}`, body)
    expect(logged[0]!.facts).toMatchObject({ run: '12' })
  })

  test('without its query, and only at level debug if it has no token', async () => {
    const { door, logged } = openLogged()
    await door.request('POST', '/api/v1/stacks?token=hunter2', {}, { Authorization: 'Bearer wrong' })
    expect(logged).toMatchObject([{ level: 'debug', facts: { path: '/api/v1/stacks', status: 401 } }])
    expect(JSON.stringify(logged)).not.toContain('hunter2')
  })
})

describe('the id of a request', () => {
  test.each(['a', '0a1b-2c3d', 'ci:build_12.3', 'x'.repeat(64)])(
    'is the one that the client sends: %s',
    async (given) => {
      const answer = await openDoor().request('GET', '/api/v1/stacks', undefined, { 'X-Request-Id': given })
      expect(answer.headers.get('x-request-id')).toBe(given)
    },
  )

  test.each(['', 'x'.repeat(65), 'a b', '-a', 'a\u00e9', 'a"b'])(
    'is generated if the one of the client is ambiguous: %j',
    async (given) => {
      const answer = await openDoor().request('GET', '/api/v1/stacks', undefined, { 'X-Request-Id': given })
      expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
    },
  )
})

test('the OpenAPI document names every status of an error', () => {
  const known: readonly ErrorStatus[] = errorStatuses
  expect([...known].sort()).toEqual(
    [...refusals.map(([status]) => status), 'invalid', 'unavailable', 'internal'].sort(),
  )
})

test('an unknown key of a body is named with the one that was meant', async () => {
  const { status, body } = await openDoor().request('POST', '/api/v1/stacks/boards/sync', { overideWindow: true })
  expect(status).toBe(422)
  expect(body.error.message).toBe('Unknown key "overideWindow". Did you mean "overrideWindow"?')
})
