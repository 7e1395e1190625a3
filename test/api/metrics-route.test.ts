import { describe, expect, test } from 'vitest'
import { openDoor } from './request-api.js'

const metrics = (
  isPublic: boolean,
): { readonly type: string; readonly print: () => Promise<string>; readonly public: boolean } => ({
  type: 'text/plain; version=0.0.4; charset=utf-8',
  print: async () => 'gitmoor_stacks 3\n',
  public: isPublic,
})

async function get(isPublic: boolean, headers: Readonly<Record<string, string>>): Promise<Response> {
  return openDoor({}, { metrics: metrics(isPublic) }).api.request('/metrics', { headers })
}

describe('metrics', () => {
  test('are answered with the token, in the content type of Prometheus', async () => {
    const answer = await get(false, { Authorization: 'Bearer a-token-for-tests' })
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
    expect(await answer.text()).toBe('gitmoor_stacks 3\n')
  })

  test('are refused without the token, because they name stacks', async () => {
    expect((await get(false, {})).status).toBe(401)
  })

  test('are answered without the token if the configuration allows it, but only for known Hosts', async () => {
    expect((await get(true, {})).status).toBe(200)
    expect((await get(true, { Host: 'evil.example' })).status).toBe(421)
  })

  test('are part of the OpenAPI document only if there are any', async () => {
    const { body } = await openDoor({}, { metrics: metrics(false) }).request('GET', '/api/v1/openapi.json')
    expect(body.paths['/metrics'].get.responses).toHaveProperty('200')
    const without = await openDoor().request('GET', '/api/v1/openapi.json')
    expect(without.body.paths).not.toHaveProperty('/metrics')
  })
})
