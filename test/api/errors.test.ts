import { describe, expect, test } from 'vitest'
import { errorStatuses, errorAnswerSchema } from '../../src/api/error-schema.js'
import type { ErrorStatus } from '../../src/api/error-answer.js'
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

const problem: Problem = { severity: 'error', code: 'graph/cycle', message: 'A needs B, which needs A', field: 'root[0]' }

const refusals: readonly (readonly [RefusedStatus, number])[] = [
  ['usage', 400],
  ['auth', 401],
  ['not-found', 404],
  ['conflict', 409],
  ['held', 409],
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
  'a stale plan': [new StalePlan('It is stale.', { code: 'plan/stale' }), 409, 'stale'],
  'a source that does not answer': [new Unavailable('No answer.', { code: 'source/timeout' }), 502, 'source'],
  'a source that refuses': [new Rejected('401', { code: 'source/auth' }), 502, 'source'],
  'a target that does not answer': [new Unavailable('No answer.', { code: 'platform/timeout' }), 502, 'target'],
  'a name that is two refs': [new Ambiguous('Branch and tag.', { code: 'source/ambiguous' }), 502, 'source'],
  'a thing that another stack owns': [new Rejected('Claimed.', { code: 'plan/claimed' }), 409, 'held'],
  'a full disk': [new Unavailable('The disk is full.', { code: 'store/full' }), 503, 'unavailable'],
  'a run that was cancelled': [new Stopped('cancelled', 'Cancelled.'), 409, 'cancelled'],
  'an agent that stops': [new Stopped('shutdown', 'Stopping.'), 503, 'unavailable'],
  'a run that took too long': [new Stopped('timeout', 'Too long.'), 504, 'timeout'],
}

describe('an error of a verb has its status:', () => {
  test.each(refusals)('refused: %s is %i', async (status, http) => {
    const refusal = new Refused(status, 'No.', { hint: 'Do this.', problems: [problem] })
    const answer = await openDoor({ get: async () => Promise.reject(refusal) }).request('GET', '/api/v1/stacks/boards')
    expect(answer.status).toBe(http)
    expect(answer.body).toEqual({ error: { status, code: `refused/${status}`, message: 'No.', hint: 'Do this.', problems: [problem] } })
    expect(errorAnswerSchema.parse(answer.body)).toEqual(answer.body)
  })

  test.each(Object.entries(others))('%s', async (_, [error, http, status]) => {
    const answer = await openDoor({ get: async () => Promise.reject(error) }).request('GET', '/api/v1/stacks/boards')
    expect(answer.status).toBe(http)
    expect(answer.body.error).toMatchObject({ status, message: error.message })
  })

  test('problems of a package are listed', async () => {
    const answer = await openDoor({ plan: async () => Promise.reject(new InvalidPackage([problem])) }).request(
      'POST',
      '/api/v1/stacks/a/plan',
    )
    expect(answer.body.error.problems).toEqual([problem])
  })
})

describe('what nobody foresaw is told without details, and logged with the id of the request:', () => {
  test.each([
    ['an error', new TypeError('secret of /home/ann')],
    ['a bug', new Bug('secret of /home/ann')],
    ['no error at all', 'secret of /home/ann' as unknown as Error],
  ])('%s', async (_, thrown) => {
    const logged: { message: string; facts: any }[] = []
    const log = { info: () => {}, error: (message: string, facts: object) => logged.push({ message, facts }) }
    // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- what is no Error is thrown on purpose
    const door = openDoor({ get: () => Promise.reject(thrown) }, { log })
    const answer = await door.request('GET', '/api/v1/stacks/boards')
    expect(answer.status).toBe(500)
    expect(answer.body.error).toMatchObject({ status: 'internal', code: 'bug' })
    expect(JSON.stringify(answer.body)).not.toContain('secret')
    expect(logged).toHaveLength(1)
    expect(logged[0]).toMatchObject({ message: 'request failed', facts: { requestId: answer.headers.get('x-request-id') } })
  })
})

test('changes are logged, looks are not', async () => {
  const logged: object[] = []
  const door = openDoor({}, { log: { info: (_, facts) => logged.push(facts), error: () => {} } })
  await door.request('GET', '/api/v1/stacks')
  await door.request('POST', '/api/v1/stacks/boards/sync', undefined, { 'X-Gitmoor-By': 'ann' })
  expect(logged).toEqual([expect.objectContaining({ method: 'POST', path: '/api/v1/stacks/boards/sync', status: 200, by: 'ann' })])
})

test('the description knows every status of an error', () => {
  const known: readonly ErrorStatus[] = errorStatuses
  expect([...known].sort()).toEqual([...refusals.map(([status]) => status), 'invalid', 'unavailable', 'internal'].sort())
})
