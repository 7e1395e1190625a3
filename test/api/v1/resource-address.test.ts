// Addresses have slashes. Proxies pass `%2F` on, or decode it: the agent takes both for the same address.
import { createServer, request as httpRequest, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { RunningServer } from '../../../src/api/server/server.js'
import { bucket, label, yaml } from '../../e2e/packages.js'
import { useWorld } from '../../e2e/world.js'
import { sampleToken, serveAgent } from '../request-api.js'

const world = useWorld()
let agent: RunningServer
let proxy: Server | undefined

beforeEach(async () => {
  agent = await serveAgent(world().call)
  await world().push(yaml(label('red'), bucket('raw', { labels: ['red'] })))
  await world().create('boards')
})
afterEach(async () => {
  await new Promise((resolve) => (proxy === undefined ? resolve(undefined) : proxy.close(resolve)))
  proxy = undefined
  await agent.close()
})

const paths = {
  'passes the path on': (path: string) => path,
  'decodes %2F': (path: string) => path.replaceAll(/%2f/gi, '/'),
  'decodes the path and encodes it again': (path: string) => encodeURI(decodeURIComponent(path)),
}

/** A proxy that forwards to the agent. */
async function openProxy(rewrite: (path: string) => string): Promise<string> {
  proxy = createServer((incoming, outgoing) => {
    const [path = '', ...query] = incoming.url!.split('?')
    const options = { method: incoming.method, headers: incoming.headers, path: [rewrite(path), ...query].join('?') }
    const forwarded = httpRequest(agent.url, options, (answer) => {
      outgoing.writeHead(answer.statusCode!, answer.headers)
      answer.pipe(outgoing)
    })
    incoming.pipe(forwarded)
  })
  await new Promise<void>((resolve) => proxy!.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
}

describe.each(Object.entries(paths))('behind a proxy that %s, an address', (_, rewrite) => {
  const ask = async (method: string, path: string, body?: object): Promise<{ status: number; body: any }> => {
    const url = await openProxy(rewrite)
    const headers = { Authorization: `Bearer ${sampleToken}`, 'Content-Type': 'application/json', Connection: 'close' }
    const given = body === undefined ? {} : { body: JSON.stringify(body) }
    const answer = await fetch(`${url}/api/v1/${path}`, { method, headers, ...given })
    return { status: answer.status, body: await answer.json() }
  }

  test.each(['Bucket%2Fraw', 'Bucket/raw', 'Bucket%2fraw'])('%s names its resource', async (address) => {
    expect(await ask('GET', `resources/${address}?stack=boards`)).toMatchObject({
      status: 200,
      body: { address: 'Bucket/raw' },
    })
  })

  test('of a label mapping has more slashes', async () => {
    const address = encodeURIComponent('LabelMapping/Bucket/raw/red')
    expect(await ask('GET', `resources/${address}`)).toMatchObject({
      status: 200,
      body: { address: 'LabelMapping/Bucket/raw/red' },
    })
  })

  test('is changed', async () => {
    const changed = await ask('PUT', 'resources/Label%2Fred', { desired: { description: 'by hand' } })
    expect(changed).toMatchObject({ status: 200, body: { actual: { description: 'by hand' } } })
  })

  test('is explained', async () => {
    expect(await ask('GET', 'stacks/boards/explain/resources/Label%2Fred')).toMatchObject({
      status: 200,
      body: { address: 'Label/red' },
    })
  })

  test('is removed', async () => {
    expect(await ask('DELETE', 'resources/Label%2Fred')).toEqual({ status: 200, body: { deleted: 'Label/red' } })
  })

  test('of a resource that does not exist is not found', async () => {
    expect(await ask('GET', 'resources/Bucket%2Fnothing')).toMatchObject({ status: 404 })
    expect(await ask('GET', 'resources/Bucket%252Fraw')).toMatchObject({ status: 400 })
  })
})

test('a method that an address does not have is refused with the methods that it has', async () => {
  const headers = { Authorization: `Bearer ${sampleToken}` }
  const answer = await fetch(`${agent.url}/api/v1/resources/Bucket/raw`, { method: 'POST', headers })
  expect(answer.status).toBe(405)
  expect(answer.headers.get('allow')).toBe('DELETE, GET, PUT')
})
