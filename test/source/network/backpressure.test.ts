// An answer whose reader is slow waits at its sender, and is read whole when its reader goes on, also where its
// connection has ended meanwhile.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Socket } from 'node:net'
import { expect, test } from 'vitest'
import { Deadline } from '../../../src/source/network/deadline.js'
import { noLinkLocal } from '../../../src/source/network/address-policy.js'
import { startRawServer } from '../../attack/raw-server.js'
import { openAccess } from '../access.js'
import { never } from '../git-world.js'

const size = 60_000_000

test.each([
  ['keeps its connection', 'Connection: keep-alive', true],
  ['closes after its length', 'Connection: close', true],
  ['is delimited by closing', 'Connection: close', false],
])('that %s', async (_, header, hasLength) => {
  let socket: Socket | undefined
  await using server = await startRawServer((_asked, to) => {
    socket = to
    to.write(`HTTP/1.1 200 OK\r\n${header}\r\n${hasLength ? `Content-Length: ${size}\r\n` : ''}\r\n`)
    to.write(Buffer.alloc(size, 'x'))
    if (header.endsWith('close')) to.end()
  })
  await using access = openAccess()
  using deadline = new Deadline({ silenceMs: 20_000, totalMs: 20_000 }, 'here', never)
  const request = { method: 'GET', headers: {}, shown: 'here', policy: noLinkLocal, deadline } as const
  const { body } = await access.client.request(`${server.url}/`, request)
  await body.peek()
  await sleep(300)
  expect(socket!.writableLength).toBeGreaterThan(size / 2)
  let bytes = 0
  for await (const chunk of body) {
    if (bytes === 0) await sleep(50)
    bytes += chunk.length
  }
  expect(bytes).toBe(size)
  const next = await access.client.request(`${server.url}/`, request)
  expect((await next.body.peek())?.length).toBeGreaterThan(0)
  next.body.destroy()
})
