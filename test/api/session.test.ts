// Sign-in of the page, without a browser.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { digestToken } from '../../src/api/server/access.js'
import { Sessions } from '../../src/api/session/sessions.js'
import { SqliteStore } from '../../src/store/sqlite/sqlite-store.js'
import { ManualClock } from '../manual-clock.js'
import { openDoor, sampleToken, type Answer, type Door } from './request-api.js'

const hourMs = 3_600_000
const path = '/api/v1/session'
const fromPage = { Authorization: '', 'Sec-Fetch-Site': 'same-origin', 'X-Gitmoor-Page': '1' }

let directory: string
let clock: ManualClock
let store: SqliteStore
let sessions: Sessions
let door: Door

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'gitmoor-session-'))
  clock = new ManualClock()
  store = new SqliteStore(join(directory, 'gitmoor.db'), clock)
  sessions = new Sessions({ table: store.sessions, clock, tokenDigest: digestToken(sampleToken) })
  door = openDoor({}, { sessions })
})
afterEach(() => {
  store[Symbol.dispose]()
  rmSync(directory, { recursive: true, force: true })
})

/** Without the token of other tests. */
async function ask(method: string, at: string, body?: object, headers = {}): Promise<Answer> {
  const { Authorization: _none, ...given } = { ...fromPage, ...headers }
  const init = { method, headers: { ...given, 'Content-Type': 'application/json' } }
  const answer = await door.api.fetch(
    new Request(`http://localhost${at}`, { ...init, ...(body && { body: JSON.stringify(body) }) }),
  )
  return { status: answer.status, headers: answer.headers, body: await answer.json() }
}

async function signIn(body: object = { token: sampleToken, name: 'ana' }): Promise<{ readonly Cookie: string }> {
  const answer = await ask('POST', path, body)
  expect(answer.status).toBe(201)
  return { Cookie: answer.headers.get('set-cookie')!.split(';')[0]! }
}

describe('a session', () => {
  test('begins with the token, and its cookie is for this host only', async () => {
    const answer = await ask('POST', path, { token: sampleToken, name: 'ana' })
    expect(answer.headers.get('set-cookie')).toMatch(
      /^gitmoor-[0-9a-f]{8}=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=604800$/,
    )
    expect(answer.body).toMatchObject({ session: { name: 'ana' } })
  })

  test('has a cookie with the prefix __Host- over https', async () => {
    const answer = await ask('POST', path, { token: sampleToken }, { Origin: 'https://moor.example' })
    expect(answer.headers.get('set-cookie')).toMatch(/^__Host-gitmoor-\S+ Path=\/; HttpOnly; SameSite=Strict; Secure;/)
  })

  test('names the person of what the page does', async () => {
    const cookie = await signIn()
    const answer = await ask('POST', '/api/v1/stacks/boards/suspend', { why: 'moving' }, cookie)
    expect(answer.status).toBe(200)
    expect(door.calls.find(({ verb }) => verb === 'suspendStack')!.args).toContain('ana')
  })

  test('is not needed to read who is signed in, and nothing else answers without it', async () => {
    expect((await ask('GET', path)).body).toEqual({ session: null })
    expect((await ask('GET', '/api/v1/stacks')).status).toBe(401)
  })

  test('ends after 12 hours without a request, and after 7 days', async () => {
    const cookie = await signIn()
    for (let hour = 0; hour < 7 * 24 - 8; hour += 8) {
      clock.advance(8 * hourMs)
      expect((await ask('GET', '/api/v1/stacks', undefined, cookie)).status).toBe(200)
    }
    clock.advance(8 * hourMs)
    expect((await ask('GET', '/api/v1/stacks', undefined, cookie)).status).toBe(401)
    const idle = await signIn()
    clock.advance(12 * hourMs)
    expect((await ask('GET', '/api/v1/stacks', undefined, idle)).status).toBe(401)
  })

  test('ends with another token', async () => {
    const { value } = await sessions.create('ana')
    const other = new Sessions({ table: store.sessions, clock, tokenDigest: digestToken('another token') })
    expect(await other.find(value)).toBeUndefined()
  })

  test('ends by signing out, also from another browser', async () => {
    const [own, others] = [await signIn(), await signIn()]
    const { body } = await ask('GET', path, undefined, own)
    const other = body.sessions.find((one: { readonly id: string }) => one.id !== body.session.id)
    expect((await ask('DELETE', `${path}?id=${other.id}`, undefined, own)).status).toBe(200)
    expect((await ask('GET', '/api/v1/stacks', undefined, others)).status).toBe(401)
    expect((await ask('DELETE', path, undefined, own)).body).toEqual({ session: null })
    expect((await ask('GET', '/api/v1/stacks', undefined, own)).status).toBe(401)
  })

  test('is one of at most 100', async () => {
    const { value } = await sessions.create('first')
    for (let count = 0; count < 100; count++) {
      clock.advance(1)
      await sessions.create('later')
    }
    expect(await sessions.find(value)).toBeUndefined()
    expect(await sessions.list()).toHaveLength(100)
  })
})

describe('a write with the cookie', () => {
  const refused: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    'from another site is refused': { 'Sec-Fetch-Site': 'cross-site' },
    'from another port of the host is refused': { 'Sec-Fetch-Site': 'same-site' },
    'without the header of the page is refused': { 'X-Gitmoor-Page': '' },
    'of another origin is refused, where Sec-Fetch-Site is missing': {
      'Sec-Fetch-Site': '',
      Origin: 'http://evil.example',
    },
  }
  test.each(Object.entries(refused))('%s', async (_title, headers) => {
    const cookie = await signIn()
    const sent = Object.fromEntries(
      Object.entries({ ...fromPage, ...cookie, ...headers }).filter(([, text]) => text !== ''),
    )
    const init = { method: 'POST', headers: sent as Record<string, string> }
    const answer = await door.api.fetch(new Request('http://localhost/api/v1/stacks/boards/sync', init))
    expect(answer.status).toBe(401)
    expect(await answer.json()).toMatchObject({ error: { code: 'api/other-origin' } })
  })

  test('is no way to a new code', async () => {
    expect((await ask('POST', `${path}/code`, {}, await signIn())).status).toBe(401)
  })
})

describe('a code', () => {
  test('signs in once', async () => {
    const { body } = await door.request('POST', `${path}/code`)
    await signIn({ code: body.code })
    expect(await ask('POST', path, { code: body.code })).toMatchObject({
      status: 401,
      body: { error: { code: 'api/sign-in' } },
    })
  })

  test('signs in under the name of its creator, unless another one is given', async () => {
    const { body } = await door.request('POST', `${path}/code`, undefined, { 'X-Gitmoor-By': 'Bob M%C3%BCller' })
    expect((await ask('POST', path, { code: body.code })).body.session.name).toBe('Bob Müller')
    const { code } = sessions.issueCode('ann')
    expect((await ask('POST', path, { code, name: 'Émile' })).body.session.name).toBe('Émile')
  })

  test('is refused after 60 seconds', async () => {
    const { code } = sessions.issueCode('ann')
    clock.advance(60_000)
    expect((await ask('POST', path, { code })).status).toBe(401)
  })
})

test('five attempts a minute are allowed', async () => {
  for (let count = 0; count < 5; count++) expect((await ask('POST', path, { token: 'wrong' })).status).toBe(401)
  const late = await ask('POST', path, { token: sampleToken })
  expect(late.status).toBe(429)
  expect(late.headers.get('retry-after')).toBe('12')
  clock.advance(12_000)
  expect((await ask('POST', path, { token: sampleToken })).status).toBe(201)
})
