import { request } from 'node:http'
import { connect } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { serveApi, type RunningServer } from '../../../src/api/server/server.js'
import type { Ask } from '../../ask.js'
import { deferred } from '../deferred.js'
import { openDoor, sampleToken } from '../request-api.js'
import { sampleRun } from '../sample-views.js'

const open: RunningServer[] = []
afterEach(async () => {
  for (const served of open.splice(0)) await served.close()
})

async function serve(changed: Partial<Ask> = {}, graceMs = 200): Promise<RunningServer> {
  const served = await serveApi(openDoor(changed).api, { host: '127.0.0.1', port: 0, graceMs })
  open.push(served)
  return served
}

const headers = { Authorization: `Bearer ${sampleToken}` }

/** A verb that waits until its signal aborts; `begun` resolves when it is asked. */
function waitingRun(): {
  readonly run: Ask['getRun']
  readonly begun: Promise<void>
  readonly ended: Promise<unknown>
} {
  const begun = deferred<void>()
  const ended = deferred<unknown>()
  return {
    begun: begun.promise,
    ended: ended.promise,
    run: (_, __, wait) =>
      new Promise((_resolve, reject) => {
        wait!.signal.addEventListener('abort', () => {
          ended.resolve(wait!.signal.reason)
          reject(wait!.signal.reason as Error)
        })
        begun.resolve()
      }),
  }
}

test('it answers over a port', async () => {
  const { url } = await serve()
  const answer = await fetch(`${url}/api/v1/stacks/boards/runs/12`, { headers })
  expect(answer.status).toBe(200)
  expect(await answer.json()).toEqual(JSON.parse(JSON.stringify(sampleRun)))
})

test('a client that disconnects cancels its request', async () => {
  const waiting = waitingRun()
  const { url } = await serve({ getRun: waiting.run })
  const pending = request(`${url}/api/v1/stacks/boards/runs/12?waitMs=60000`, { headers })
  pending.on('error', () => {})
  pending.end()
  await waiting.begun
  pending.destroy()
  expect(await waiting.ended).toMatchObject({ name: 'Stopped', why: 'cancelled' })
})

test('closing ends waiting requests, and answers them', async () => {
  const waiting = waitingRun()
  const served = await serve({ getRun: waiting.run }, 5_000)
  const answer = fetch(`${served.url}/api/v1/stacks/boards/runs/12?waitMs=60000`, { headers })
  await waiting.begun
  await served.close()
  expect(await waiting.ended).toMatchObject({ why: 'shutdown' })
  expect((await answer).status).toBe(503)
  await expect(fetch(served.url)).rejects.toThrow()
})

test('closing waits for a client that does not read only until its time limit', async () => {
  const begun = deferred<void>()
  const deaf: Ask['getRun'] = () => new Promise(() => begun.resolve())
  const served = await serve({ getRun: deaf }, 50)
  const answer = fetch(`${served.url}/api/v1/stacks/boards/runs/12?waitMs=60000`, { headers }).catch(() => 'dropped')
  await begun.promise
  await served.close()
  expect(await answer).toBe('dropped')
})

test('an address in use is reported, with what to do', async () => {
  const { url } = await serve()
  const port = Number(new URL(url).port)
  await expect(serveApi(openDoor().api, { host: '127.0.0.1', port })).rejects.toMatchObject({
    code: 'api/listen',
    message: `127.0.0.1:${port} is already in use.`,
  })
})

test('a Host that makes an invalid URL is refused', async () => {
  const { url } = await serve()
  const status = await new Promise<string>((resolve, reject) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => {
      socket.write('GET http://localhost/api/v1/stacks HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n')
    })
    socket.once('data', (data) => resolve(data.toString('latin1').split('\r\n')[0]!))
    socket.once('error', reject)
  })
  expect(status).toContain('421')
})
