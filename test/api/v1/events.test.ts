// Server-sent events over a real port, of a whole agent.
import { connect } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { eventSchema } from '../../../src/views/event.js'
import type { StreamLimits } from '../../../src/api/server/event-stream.js'
import { serveApi, type RunningServer } from '../../../src/api/server/server.js'
import { readEvents } from '../../../src/cli/client/watch-events.js'
import type { Ask } from '../../ask.js'
import type { EventView } from '../../../src/views/event.js'
import { bucket, label } from '../../e2e/packages.js'
import { until } from '../../e2e/until.js'
import { never, useWorld } from '../../e2e/world.js'
import { openDoor, sampleToken, serveAgent } from '../request-api.js'
import { sampleEvent } from '../sample-views.js'

const world = useWorld()
let served: RunningServer
const open: AbortController[] = []

beforeEach(() => serve({}))
afterEach(async () => {
  for (const one of open.splice(0)) one.abort()
  await served.close()
})

async function serve(streams: Partial<StreamLimits>): Promise<void> {
  await served?.close()
  served = await serveAgent(world().call, { streams, graceMs: 10_000 })
}

interface Watching {
  readonly answer: Response
  readonly heard: EventView[]
  readonly ended: Promise<void>
  readonly leave: () => void
}

async function watch(query = '', headers: Readonly<Record<string, string>> = {}): Promise<Watching> {
  const controller = new AbortController()
  open.push(controller)
  const answer = await fetch(`${served.url}/api/v1/events${query}`, {
    headers: { Authorization: `Bearer ${sampleToken}`, ...headers },
    signal: controller.signal,
  })
  const heard: EventView[] = []
  const read = async (): Promise<void> => {
    for await (const event of readEvents(answer.body as unknown as AsyncIterable<Uint8Array>)) heard.push(event)
  }
  const ended = answer.ok ? read() : Promise.resolve()
  ended.catch(() => {})
  return { answer, heard, ended, leave: () => controller.abort() }
}

const types = ({ heard }: Watching): readonly string[] => heard.map(({ type }) => type)
const hear = (watching: Watching, type: string): Promise<boolean> =>
  until(`${type} is sent`, () => types(watching).includes(type))

test('HEAD opens no stream', async () => {
  await serve({ streams: 1 })
  const headers = { Authorization: `Bearer ${sampleToken}` }
  for (let i = 0; i < 3; i++)
    expect((await fetch(`${served.url}/api/v1/events`, { method: 'HEAD', headers })).status).toBe(200)
  expect((await watch()).answer.status).toBe(200)
})

test('a client gets events as the OpenAPI document describes them', async () => {
  await world().push(label('red'))
  const watching = await watch()
  await hear(watching, 'open')
  const { id } = await world().create('boards')
  await until('its end is sent', () => watching.heard.some(({ type, run }) => type === 'run.ended' && run?.id === id))
  for (const { id: _, ...event } of watching.heard) expect(eventSchema.parse(event)).toEqual(event)
  expect(watching.answer.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
  expect(new Set(types(watching))).toEqual(
    new Set(['open', 'stack.created', 'stack.changed', 'run.queued', 'run.phase', 'run.ended', 'channel.moved']),
  )
  expect(watching.heard.find(({ type }) => type === 'run.ended')).toMatchObject({
    stack: 'boards',
    run: { outcome: 'applied' },
  })
})

describe('a client that reconnects', () => {
  test.each(['header', 'query'])('with the id of the last event (%s) gets the events that it missed', async (where) => {
    await world().push(label('red'))
    const first = await watch()
    await hear(first, 'open')
    first.leave()
    await world().create('boards')
    const last = first.heard.at(-1)!.id
    const second = where === 'header' ? await watch('', { 'Last-Event-ID': last }) : await watch(`?after=${last}`)
    await hear(second, 'open')
    expect(types(second)).toContain('stack.created')
    expect(types(second)).not.toContain('reset')
  })

  test('with an id of another process must read the lists again', async () => {
    const watching = await watch('', { 'Last-Event-ID': '00000000-3' })
    await hear(watching, 'reset')
  })
})

test('a stream for one stack has only the events of that stack', async () => {
  await world().push(label('red'))
  await world().create('boards')
  const watching = await watch('?stack=boards')
  await hear(watching, 'open')
  await world().create('others', { target: 'other' })
  await world().ask.suspendStack('boards', 'lunch', undefined, 'ann')
  await hear(watching, 'stack.changed')
  expect(new Set(watching.heard.map(({ stack }) => stack))).toEqual(new Set([null, 'boards']))
})

describe('an event reports', () => {
  /** A client that hears what happens from now on. */
  async function watchNow(): Promise<Watching> {
    const watching = await watch()
    await hear(watching, 'open')
    return watching
  }

  test('that a stack no longer follows its channel, because a person pinned it', async () => {
    await world().push(label('red'))
    await world().create('boards', { drift: 'ignore' })
    await world().ask.pinChannel('main', { why: 'audit', by: 'ann' }, never)
    const watching = await watchNow()
    await world().push(label('blue'))
    world().clock.advance(60_000)
    await until('the stack is sent after the move', () => {
      const moved = watching.heard.findIndex(({ channel }) => channel?.state === 'blocked')
      return moved >= 0 && types(watching).slice(moved).includes('stack.changed')
    })
    expect(types(watching)).not.toContain('run.queued')
  })

  test('a resource that a person changed, as a run of its stack', async () => {
    await world().push(bucket('raw'))
    const created = await world().create('boards', { drift: 'ignore' })
    const watching = await watchNow()
    await world().ask.editResource('Bucket/raw', { description: 'by hand' }, { stack: 'boards', by: 'ann' }, never)
    const ended = await until('its run is sent', () =>
      watching.heard.find(({ type, run }) => type === 'run.ended' && run?.id !== created.id),
    )
    expect(ended).toMatchObject({ stack: 'boards', run: { cause: { by: 'ann' }, outcome: 'applied' } })
  })

  test('a move again when its direction is known', async () => {
    await world().push(label('red'))
    await world().create('boards')
    const watching = await watchNow()
    const commit = await world().push(label('blue'))
    await world().sync('boards')
    const moves = (): readonly EventView[] => watching.heard.filter(({ channel }) => channel?.to?.commit === commit)
    await until('the move is sent twice', () => moves().length === 2)
    expect(moves()[1]!.channel).toEqual(moves()[0]!.channel)
    const { items } = await world().ask.listMoves('main', {})
    expect(items[0]).toMatchObject({ direction: 'forward' })
  })
})

describe('a stream is refused', () => {
  test('for a stack that does not exist', async () => {
    expect((await watch('?stack=nothing')).answer.status).toBe(404)
  })

  test('without a token', async () => {
    expect((await watch('', { Authorization: '' })).answer.status).toBe(401)
  })

  test('if there are too many, until one has ended', async () => {
    await serve({ streams: 2 })
    const [one, two] = [await watch(), await watch()]
    const three = await watch()
    expect(three.answer.status).toBe(503)
    expect(await three.answer.json()).toMatchObject({ error: { status: 'unavailable', code: 'api/too-many-streams' } })
    one.leave()
    await until('there is room', async () => (await watch()).answer.status === 200)
    two.leave()
  })

  test('and a refused stream does not count', async () => {
    await serve({ streams: 1 })
    for (let i = 0; i < 3; i++) expect((await watch('?stack=nothing')).answer.status).toBe(404)
    expect((await watch()).answer.status).toBe(200)
  })
})

test('heartbeats say that the connection works: they have the last id, and the command line ignores them', async () => {
  await serve({ heartbeatMs: 20 })
  const watching = await watch()
  await hear(watching, 'open')
  const { id } = watching.heard[0]!
  const answer = await fetch(`${served.url}/api/v1/events`, { headers: { Authorization: `Bearer ${sampleToken}` } })
  const reader = answer.body!.getReader()
  let text = ''
  await until('it is sent twice', async () => {
    text += new TextDecoder().decode((await reader.read()).value)
    return text.split('event: heartbeat').length > 2
  })
  await reader.cancel()
  expect(text).toContain(`id: ${id}\nevent: heartbeat\ndata: {"type":"heartbeat","intervalMs":20}\n\n`)
  expect(types(watching)).toEqual(['open'])
})

test('a client that does not read is dropped, and the others still get events', async () => {
  const listeners = new Set<(event: EventView) => void>()
  const watchVerb: Ask['watchEvents'] = async (_, listener) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }
  await served.close()
  served = await serveApi(openDoor({ watchEvents: watchVerb }, { streams: { unreadBytes: 64 * 1024 } }).api, {
    host: '127.0.0.1',
    port: 0,
    graceMs: 100,
  })
  const watching = await watch()
  const socket = connect(Number(new URL(served.url).port), '127.0.0.1').pause()
  socket.on('error', () => {})
  socket.write(`GET /api/v1/events HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${sampleToken}\r\n\r\n`)
  await until('both watch', () => listeners.size === 2)
  const large: EventView = { ...sampleEvent, stack: 'x'.repeat(20_000) }
  let sent = 0
  await until('one is dropped', async () => {
    for (const send of listeners) send(large)
    sent++
    await until('the client that reads has it', () => watching.heard.length === sent)
    return listeners.size === 1
  })
  for (const send of listeners) send(large)
  await until('the other client has it', () => watching.heard.length === sent + 1)
  socket.destroy()
})

test('a server that stops ends its streams without waiting for them', async () => {
  const watching = await watch()
  await hear(watching, 'open')
  const began = Date.now()
  await served.close()
  await watching.ended
  expect(Date.now() - began).toBeLessThan(9_000)
})
