// POST requests to configured addresses, such as those that exchange the key of an app for a token.
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Rejected, Unavailable } from '../../../src/model/errors.js'
import type { HttpAccess } from '../../../src/source/network/authorized-request.js'
import { mostPostBytes, post } from '../../../src/source/network/post.js'
import { startFileServer, type FileServer } from '../../file-server.js'
import { openAccess } from '../access.js'
import { errorOf } from '../git-world.js'

let server: FileServer
let access: HttpAccess & AsyncDisposable
beforeEach(async () => {
  server = await startFileServer()
  access = openAccess()
})
afterEach(async () => {
  await access[Symbol.asyncDispose]()
  await server[Symbol.asyncDispose]()
})

function send(url = `${server.url}/token`, limitMs = 20_000): ReturnType<typeof post> {
  return post(access.client, limitMs, { url, headers: { authorization: 'Bearer claim' } })
}

/** The server answers with this status and text. */
function answer(status: number, text: string): void {
  server.answer((_, response) => void response.writeHead(status).end(text))
}

test.each([200, 201])('an answer with status %i is read', async (status) => {
  server.answer((request, response) => {
    const { method, url, headers } = request
    response.writeHead(status).end(JSON.stringify([method, url, headers.authorization, headers['content-length']]))
  })
  const answered = await send()
  expect(answered.status).toBe(status)
  expect(JSON.parse(answered.text)).toEqual(['POST', '/token', 'Bearer claim', '0'])
})

test.each([202, 302, 401, 404, 500])('of an answer with status %i only the status is read', async (status) => {
  answer(status, 'a page of the server')
  expect(await send()).toEqual({ status, text: '' })
})

test('an answer may be as large as the limit, and no larger', async () => {
  answer(200, 'é'.repeat(mostPostBytes / 2))
  expect((await send()).text).toBe('é'.repeat(mostPostBytes / 2))
  answer(200, 'x'.repeat(mostPostBytes + 1))
  expect(await errorOf(send())).toMatchObject({
    name: 'Unavailable',
    code: 'source/server-error',
    message: `${server.url}/token answered with more than 65536 bytes.`,
  } satisfies Partial<Unavailable>)
})

test('a server that does not answer is given up after the limit', async () => {
  server.answer(() => {})
  expect(await errorOf(send(undefined, 50))).toMatchObject({
    name: 'Unavailable',
    code: 'source/timeout',
    message: expect.stringContaining(`${server.url}/token did not finish within 0.05 s`),
  })
})

test('the metadata of the machine is not asked, and the query is not shown', async () => {
  const refused = { name: 'Rejected', code: 'source/address-refused' } satisfies Partial<Rejected>
  expect(await errorOf(send('http://169.254.169.254/latest/?key=secret'))).toMatchObject(refused)
  await server[Symbol.asyncDispose]()
  const error = await errorOf(send(`${server.url}/token?key=secret`))
  expect(error).toMatchObject({ name: 'Unavailable', code: 'source/unreachable' })
  expect(error.message).toContain(`${server.url}/token`)
  expect(error.message).not.toContain('secret')
  server = await startFileServer()
})
