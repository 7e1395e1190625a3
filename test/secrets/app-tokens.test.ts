// Tokens of apps of GitHub, asked of a real server that checks the claim as GitHub does.
import { createPublicKey, generateKeyPairSync, verify, type KeyObject } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { describeError } from '../../src/model/errors.js'
import type { Credential } from '../../src/secrets/credential.js'
import { Credentials } from '../../src/secrets/credentials.js'
import { Redactor } from '../../src/secrets/redact/redact.js'
import { authorizedRequest, type HttpAccess } from '../../src/source/network/authorized-request.js'
import { Deadline } from '../../src/source/network/deadline.js'
import { noLinkLocal } from '../../src/source/network/address-policy.js'
import { post } from '../../src/source/network/post.js'
import { startFileServer, type FileServer } from '../file-server.js'
import { ManualClock } from '../manual-clock.js'
import { openAccess } from '../source/access.js'

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const pem = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'pem' }).toString()

let api: FileServer
let access: HttpAccess & AsyncDisposable
let clock: ManualClock
let redactor: Redactor
let key: string
/** Tokens that the API gave, and those that it takes back. */
let given: string[]
let answer: number | undefined

beforeEach(async () => {
  clock = new ManualClock(Date.parse('2026-01-01T12:00:00Z'))
  redactor = new Redactor()
  key = pem(privateKey)
  given = []
  answer = undefined
  api = await startFileServer()
  api.answer((request, response) => {
    if (answer !== undefined) return void response.writeHead(answer).end('{"message":"no"}')
    if (!isGoodClaim(request.headers.authorization)) return void response.writeHead(401).end()
    given.push(`ghs-token-${given.length + 1}`)
    const until = new Date(clock.now() + 3_600_000).toISOString()
    response
      .writeHead(201, { 'content-type': 'application/json' })
      .end(JSON.stringify({ token: given.at(-1), expires_at: until }))
  })
  access = openAccess()
})
afterEach(async () => {
  await access[Symbol.asyncDispose]()
  await api[Symbol.asyncDispose]()
})

/** RS256 by the app's key, of app 12, begun in the past and at an end in 10 minutes at most. */
function isGoodClaim(authorization: string | undefined): boolean {
  const [head = '', body = '', signature = ''] = (authorization ?? '').replace(/^Bearer /, '').split('.')
  const read = (part: string): Record<string, unknown> =>
    JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>
  const { iss, iat, exp } = read(body) as { iss: string; iat: number; exp: number }
  const now = clock.now() / 1000
  const signed = verify(
    'sha256',
    Buffer.from(`${head}.${body}`),
    createPublicKey(publicKey.export({ type: 'spki', format: 'pem' })),
    Buffer.from(signature, 'base64url'),
  )
  return signed && read(head)['alg'] === 'RS256' && iss === '12' && iat <= now && exp > now && exp - now <= 600
}

function open(): Credentials {
  const entry: Credential = {
    name: 'app',
    match: 'https://github.example/acme/',
    githubApp: { appId: '12', installationId: '34', privateKey: '${env:KEY}', api: api.url },
  }
  return new Credentials([entry], {
    lookup: { directory: '/', environment: () => key },
    redactor,
    clock,
    post: (url, headers) => post(access.client, 10_000, { url, headers }),
  })
}
const address = 'https://github.example/acme/boards.git/git-upload-pack'
const basic = (token: string): object => ({
  authorization: `Basic ${Buffer.from(`x-access-token:${token}`).toString('base64')}`,
})

describe('a token of an app', () => {
  test('is requested once for concurrent callers, and cached until 5 minutes before it expires', async () => {
    const credentials = open()
    const ask = (): Promise<object> => credentials.authorization(address)
    expect(await Promise.all([ask(), ask(), ask()])).toEqual([1, 2, 3].map(() => basic('ghs-token-1')))
    expect(api.seen.map(({ url }) => url)).toEqual(['/app/installations/34/access_tokens'])
    clock.advance(3_299_000)
    expect(await ask()).toEqual(basic('ghs-token-1'))
    clock.advance(2_000)
    expect(await ask()).toEqual(basic('ghs-token-2'))
  })

  test('goes to no other address', async () => {
    expect(await open().authorization('https://github.example/other/boards.git')).toEqual({})
    expect(api.seen).toEqual([])
  })

  test('that a server rejects is requested again, once', async () => {
    const credentials = open()
    await using server = await startFileServer()
    const sent: (string | undefined)[] = []
    let taken = ''
    server.answer((request, response) => {
      sent.push(request.headers.authorization)
      response.writeHead(request.headers.authorization === taken ? 200 : 401).end()
    })
    const authorization: HttpAccess['authorization'] = (_, refused) => credentials.authorization(address, refused)
    using deadline = new Deadline({ silenceMs: 10_000, totalMs: 10_000 }, server.url, new AbortController().signal)
    const ask = (): Promise<{ readonly statusCode: number }> =>
      authorizedRequest({ client: access.client, authorization }, server.url, {
        method: 'GET',
        headers: {},
        shown: server.url,
        policy: noLinkLocal,
        deadline,
      })
    taken = Object.values(basic('ghs-token-2'))[0] as string
    expect((await ask()).statusCode).toBe(200)
    expect(sent).toHaveLength(2)
    taken = 'nothing'
    expect((await ask()).statusCode).toBe(401)
    expect(sent).toHaveLength(4)
    expect(given).toHaveLength(3)
  })

  test.each([
    [401, 'rejected its key (401)'],
    [403, 'denied access (403)'],
    [404, 'has no such installation (404)'],
    [500, 'answered 500'],
    [201, 'returned no token'],
  ])(
    'that the API answers with %s is an error of the credential, and is requested again at the next attempt',
    async (status, says) => {
      const credentials = open()
      answer = status
      const error = await credentials.authorization(address).catch((caught: unknown) => caught)
      expect(error).toMatchObject({
        name: 'Unavailable',
        code: 'source/credential-unreadable',
        cause: { code: 'secrets/github-app' },
      })
      expect(describeError(error)).toContain(`Cannot get a token for the GitHub App 12: ${api.url} ${says}`)
      answer = undefined
      expect(await credentials.authorization(address)).toEqual(basic('ghs-token-1'))
    },
  )

  test('is another one where its key is changed', async () => {
    const credentials = open()
    await credentials.authorization(address)
    key = pem(generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey)
    expect(describeError(await credentials.authorization(address).catch((caught: unknown) => caught))).toContain(
      'rejected its key (401)',
    )
    key = pem(privateKey)
    expect(await credentials.authorization(address)).toEqual(basic('ghs-token-1'))
  })

  test('needs a key of RSA', async () => {
    const credentials = open()
    key = pem(generateKeyPairSync('ed25519').privateKey)
    expect(describeError(await credentials.authorization(address).catch((caught: unknown) => caught))).toContain(
      'not an RSA key',
    )
    key = 'no key'
    expect(await credentials.authorization(address).catch((caught: unknown) => caught)).toMatchObject({
      code: 'source/credential-unreadable',
    })
    expect(api.seen).toEqual([])
  })

  test('is redacted, as the key and the claim are', async () => {
    const { authorization } = (await open().authorization(address)) as { readonly authorization: string }
    const claim = api.seen[0]!.headers.authorization!.slice('Bearer '.length)
    const printed = redactor.redact([authorization, claim, 'ghs-token-1', key].join(' | '))
    expect(printed).toBe('Basic (redacted) | (redacted) | (redacted) | (redacted)')
  })
})
