import { describe, expect, test } from 'vitest'
import { openDoor } from '../request-api.js'
import { refusedTarget, sampleTarget } from '../sample-views.js'

describe('the list of stacks', () => {
  test('takes a selector of labels', async () => {
    const door = openDoor()
    const query = new URLSearchParams({ selector: 'team=ops,!old' })
    expect((await door.request('GET', `/api/v1/stacks?${query.toString()}`)).status).toBe(200)
    expect(door.calls.at(-1)!.args).toEqual([
      {
        limit: 100,
        selector: [
          { operator: 'equals', key: 'team', value: 'ops' },
          { operator: 'absent', key: 'old' },
        ],
      },
    ])
  })

  test.each([
    ['team in (a)', 'character 6: expected =, !=, a comma or the end after a key, found "in".'],
    ['', 'character 1: expected the key of a label, found the end.'],
  ])('answers 400 with the position for the selector %j', async (selector, message) => {
    const { status, body } = await openDoor().request(
      'GET',
      `/api/v1/stacks?${new URLSearchParams({ selector }).toString()}`,
    )
    expect(status).toBe(400)
    expect(body.error).toMatchObject({ status: 'usage', message: `"selector" is malformed at ${message}` })
    expect(body.error.problems).toMatchObject([{ field: 'selector' }])
  })

  test('describes the selector as a text', async () => {
    const { body } = await openDoor().request('GET', '/api/v1/openapi.json')
    const { parameters } = body.paths['/api/v1/stacks'].get
    const found = parameters.find((one: { readonly name: string }) => one.name === 'selector')
    expect(found).toMatchObject({ in: 'query', schema: { type: 'string' } })
  })
})

test('the declared targets are listed', async () => {
  const { status, body } = await openDoor().request('GET', '/api/v1/targets')
  expect(status).toBe(200)
  expect(body).toEqual({ items: [sampleTarget, { ...sampleTarget, ...refusedTarget }], next: null })
})

describe('the state of listed stacks', () => {
  test('is one of several, in any case, with - or a space', async () => {
    const door = openDoor()
    expect((await door.request('GET', '/api/v1/stacks?state=failed,Needs-approval')).status).toBe(200)
    expect(door.calls.at(-1)!.args).toEqual([{ limit: 100, states: ['Failed', 'Needs approval'] }])
  })

  test('is refused with the list of states', async () => {
    const { status, body } = await openDoor().request('GET', '/api/v1/stacks?state=broken')
    expect(status).toBe(400)
    expect(body.error.message).toContain('"state" must be states, separated by commas: Failed, Needs approval, Running')
  })
})
