// Notifications of an agent with real receivers.
import { createHmac } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Configuration } from '../../src/config/config.js'
import { isoTime } from '../../src/lib/text/time-text.js'
import type { NotificationReceiver } from '../../src/notifications/receiver.js'
import type { MessageView } from '../../src/views/notification.js'
import { attackScale } from '../attack/scale.js'
import { answering } from '../memory-git.js'
import { bucket, label } from '../e2e/packages.js'
import { until } from '../e2e/until.js'
import { never, useWorld } from '../e2e/world.js'
import { refusal } from '../e2e/refusal.js'
import { recordingServer, type RecordingServer } from './recording-server.js'

const everything = ['failed', 'needs-approval', 'drifted', 'recovered'] as const
const world = useWorld()
let server: RecordingServer
beforeEach(async () => {
  server = await recordingServer()
})
afterEach(() => server[Symbol.asyncDispose]())

function receiver(changed: Partial<NotificationReceiver> = {}): NotificationReceiver {
  return {
    name: 'ops',
    target: { type: 'webhook', url: `${server.url}/hook`, headers: {}, contentType: 'application/json' },
    on: everything,
    stacks: [],
    selector: [],
    digestMs: 10_000,
    everyMs: 60_000,
    ...changed,
  }
}

function configured(...notifications: readonly NotificationReceiver[]): { readonly changed: Partial<Configuration> } {
  return { changed: { receivers: { notifications, statuses: [], publicUrl: 'https://moor.example' } } }
}

const messages = async (): Promise<readonly MessageView[]> => (await world().ask.listMessages(undefined, {})).items

/** Until a message reports so many transitions. */
function reported(count: number): Promise<unknown> {
  return until(`${count} transitions are reported`, async () => {
    const counts = (await messages()).flatMap((one) => Object.values(one.counts))
    return counts.reduce<number>((sum, one) => sum + (one ?? 0), 0) >= count
  })
}

function received(count: number): Promise<unknown> {
  return until(`${count} requests arrived`, () => server.requests.length >= count)
}

/** Until so many attempts failed, and the time of the next one is known. */
function retried(count: number): Promise<unknown> {
  const failed = (): number => world().log.filter(({ message }) => message === 'message is retried').length
  return until(`${count} attempts failed`, () => failed() >= count)
}

const broken = 'not: [a package'

async function pushValid(): Promise<void> {
  await world().push(label('red'))
}

describe('a failed stack', () => {
  test('is reported once, and again as recovered', async () => {
    await world().reload(configured(receiver()))
    await world().push(broken)
    const failed = await world().create('boards')
    await reported(1)
    world().clock.advance(10_000)
    await received(1)
    const { title, counts, transitions, id } = server.json() as Record<string, never>
    expect(title).toBe('boards failed')
    expect(counts).toEqual({ failed: 1 })
    expect(transitions).toMatchObject([
      { kind: 'failed', stack: 'boards', run: failed.id, url: `https://moor.example/stacks/boards/runs/${failed.id}` },
    ])
    expect(server.requests[0]!.headers).toMatchObject({ 'x-gitmoor-delivery': id, 'x-gitmoor-attempt': '1' })
    await world()
      .sync('boards')
      .catch(() => {})
    await pushValid()
    await world().sync('boards')
    await reported(2)
    world().clock.advance(60_000)
    await received(2)
    expect(server.json()).toMatchObject({ title: 'boards recovered', counts: { recovered: 1 } })
    await until('both are sent', async () => (await messages()).every(({ state }) => state === 'sent'))
    expect((await messages()).map(({ state, status, attempts }) => ({ state, status, attempts }))).toEqual([
      { state: 'sent', status: 200, attempts: 1 },
      { state: 'sent', status: 200, attempts: 1 },
    ])
  })

  test('that already failed when receivers are configured is reported', async () => {
    await world().push(broken)
    await world().create('boards')
    await world().reload(configured(receiver()))
    await reported(1)
    world().clock.advance(10_000)
    await received(1)
    expect(server.json()).toMatchObject({ title: 'boards failed' })
  })
})

test('a plan that needs approval is reported with its command', async () => {
  await world().reload(configured(receiver({ digestMs: 0 })))
  await pushValid()
  await world().create('boards', { apply: 'approval' })
  await received(1)
  expect(server.json()).toMatchObject({
    title: 'boards needs approval',
    transitions: [{ kind: 'needs-approval', hint: expect.stringContaining('gitmoor plan boards') as string }],
  })
})

describe('drift', () => {
  const damage = (): Promise<unknown> =>
    world().ask.editResource('Bucket/raw', { description: 'by hand' }, { stack: 'boards' }, never)

  test('that a stack only reports is reported, and its end, too', async () => {
    await world().reload(configured(receiver({ digestMs: 0, everyMs: 0 })))
    await world().push(bucket('raw', { description: 'as declared' }))
    await world().create('boards', { drift: 'report' })
    await damage()
    world().clock.advance(330_000)
    await received(1)
    expect(server.json()).toMatchObject({
      title: 'boards drifted',
      text: expect.stringContaining('1 resource differs on the target') as string,
    })
    await world().sync('boards')
    await received(2)
    expect(server.json()).toMatchObject({ title: 'boards recovered' })
  })

  test('that gitmoor corrects is reported once, with what was found', async () => {
    await world().reload(configured(receiver({ digestMs: 0, everyMs: 0 })))
    await world().push(bucket('raw', { description: 'as declared' }))
    const { id } = await world().create('boards')
    await damage()
    world().clock.advance(330_000)
    const run = await world().runAfter('boards', id)
    await received(1)
    expect(server.json()).toMatchObject({
      title: 'boards drifted',
      transitions: [{ message: expect.stringMatching(`^Run ${run.id} corrected drift: 1 field differs`) as string }],
    })
    expect((await messages()).flatMap(({ counts }) => Object.keys(counts))).toEqual(['drifted'])
  })
})

test('an unreachable remote is reported once, also across a restart, and its end when it answers again', async () => {
  const options = configured(receiver({ digestMs: 0, everyMs: 0 }))
  await world().reload(options)
  await pushValid()
  await world().create('boards')
  world().server.intercept(answering(503))
  await refusal(world().ask.requestSync('boards', 'ann', never))
  await received(1)
  expect(server.json()).toMatchObject({ title: 'boards failed', transitions: [{ code: 'source/server-error' }] })
  // A message whose answer is not stored is sent again by the next agent.
  await until('it is sent', async () => (await messages()).every(({ state }) => state === 'sent'))
  await world().restart(options)
  world().server.intercept(undefined)
  await world().sync('boards')
  await received(2)
  expect(server.json()).toMatchObject({ title: 'boards recovered' })
  expect(await messages()).toHaveLength(2)
})

test('a burst of failures is one digest', async () => {
  const count = attackScale() < 1 ? 200 : 1_000
  await world().reload(configured(receiver()))
  await world().push(broken)
  const names = Array.from({ length: count }, (_, at) => `s${String(at).padStart(4, '0')}`)
  for (const name of names) await world().ask.createStack(world().spec(name), 'ann')
  await reported(count)
  expect(server.requests).toEqual([])
  world().clock.advance(10_000)
  await received(1)
  const { text, ...digest } = server.json() as Record<string, unknown> & { readonly text: string }
  expect(digest).toMatchObject({ title: `${count} stacks failed`, count })
  expect(digest['transitions']).toHaveLength(100)
  expect(text.split('\n').at(-1)).toBe(`And ${count - 20} more. List all stacks: gitmoor stack list`)
  expect(await messages()).toHaveLength(1)
})

test('receivers select kinds, names and labels', async () => {
  await world().reload(
    configured(
      receiver({ name: 'other-kind', on: ['recovered'] }),
      receiver({ name: 'other-name', stacks: ['apps-*'] }),
      receiver({ name: 'other-label', selector: [{ operator: 'equals', key: 'team', value: 'apps' }] }),
      receiver({
        name: 'right',
        stacks: ['bo*ds'],
        selector: [{ operator: 'equals', key: 'team', value: 'ops' }],
        digestMs: 0,
      }),
    ),
  )
  await world().push(broken)
  await world().create('boards', { labels: { team: 'ops' } })
  await received(1)
  expect((await messages()).map((one) => one.receiver)).toEqual(['right'])
})

describe('a receiver', () => {
  test('in the format of Slack gets text without markup of others', async () => {
    await world().reload(configured(receiver({ target: { type: 'slack', url: server.url }, digestMs: 0 })))
    await world().push('<a & b>: [')
    await world().create('boards')
    await received(1)
    const { text } = server.json() as { readonly text: string }
    expect(text).toMatch(/^\*boards failed\*\nboards \(target local\) failed at /)
    expect(text).not.toMatch(/[<>]|&(?!amp;|lt;|gt;)/)
    expect(Object.keys(server.json())).toEqual(['text'])
  })

  test('with a template and references gets escaped values, a signature and its headers', async () => {
    world().environment.set('HOOK', `${server.url}/secret-path-of-hook`).set('KEY', 'a-key-of-sixteen-letters')
    const target = {
      type: 'webhook',
      url: '${env:HOOK}',
      headers: { Authorization: 'Bearer ${env:KEY}' },
      secret: '${env:KEY}',
      contentType: 'application/json',
      body: '{"summary": "${title}: ${message}", "all": ${transitions}}',
    } as const
    await world().reload(configured(receiver({ target, digestMs: 0 })))
    await world().push('"a quote": [')
    await world().create('boards')
    await received(1)
    const { headers, body, path } = server.requests[0]!
    expect(path).toBe('/secret-path-of-hook')
    expect(headers['authorization']).toBe('Bearer a-key-of-sixteen-letters')
    const hmac = createHmac('sha256', 'a-key-of-sixteen-letters').update(body).digest('hex')
    expect(headers['x-signature-256']).toBe(`sha256=${hmac}`)
    expect(server.json()).toMatchObject({
      summary: expect.stringMatching(/^boards failed: .+/) as string,
      all: [{ stack: 'boards' }],
    })
  })

  test('that fails is retried with the same id, later and later; the doctor names it', async () => {
    await world().reload(configured(receiver({ digestMs: 0 })))
    server.answer = (_, response) => void response.writeHead(503).end('busy')
    await world().push(broken)
    await world().create('boards')
    const retriedAfter = (delayMs: number, attempts: number) =>
      until(`attempt ${attempts} is followed by another after ${delayMs} ms`, async () => {
        const [message] = await messages()
        return message?.attempts === attempts && message.dueAt === isoTime(world().clock.now() + delayMs)
      })
    await received(1)
    await retriedAfter(5_000, 1)
    const { checks } = await world().ask.diagnose(never)
    expect(checks.find(({ name }) => name === 'receiver ops')).toMatchObject({
      state: 'problem',
      message: expect.stringMatching(/answered 503: busy/) as string,
    })
    world().clock.advance(5_000)
    await received(2)
    await retriedAfter(10_000, 2)
    server.answer = (_, response) => void response.end()
    world().clock.advance(10_000)
    await received(3)
    const keys = server.requests.map(({ headers }) => headers['x-gitmoor-delivery'])
    expect(new Set(keys).size).toBe(1)
    expect(server.requests.map(({ headers }) => headers['x-gitmoor-attempt'])).toEqual(['1', '2', '3'])
    await until('it is sent', async () => (await messages())[0]!.state === 'sent')
  })

  describe('that refuses messages about one stack for now', () => {
    const about = (stack: string): number[] =>
      server.requests.flatMap(({ body }, at) => (body.includes(`"stack":"${stack}"`) ? [at] : []))
    const titles = (from: number): unknown[] =>
      server.requests.slice(from).map((_, at) => server.json(from + at)['title'])

    beforeEach(async () => {
      await world().reload(configured(receiver({ digestMs: 0, everyMs: 0 })))
      server.answer = ({ body }, response) => void response.writeHead(body.includes('boards') ? 503 : 200).end()
      await world().push(broken)
      await world().create('boards')
      await retried(1)
    })

    test('gets those about other stacks after the first pause', async () => {
      await world().create('apps')
      await reported(2)
      world().clock.advance(5_000)
      await until('apps is reported', () => about('apps').length === 1)
      await until('it is sent', async () => (await messages())[0]!.state === 'sent')
      expect((await messages())[1]).toMatchObject({ state: 'pending' })
    })

    test('gets the end of a failure after the failure', async () => {
      await pushValid()
      await world().sync('boards')
      await reported(2)
      world().clock.advance(5_000)
      await retried(2)
      server.answer = (_, response) => void response.end()
      world().clock.advance(20_000)
      await received(4)
      expect(titles(0)).toEqual(['boards failed', 'boards failed', 'boards failed', 'boards recovered'])
    })
  })

  test('that is down gets one attempt for each pause, and then few messages', async () => {
    await world().reload(configured(receiver({ digestMs: 0, everyMs: 0 })))
    server.answer = (_, response) => void response.writeHead(503).end()
    await world().push(broken)
    const names = ['boards', 'apps', 'charts', 'disks', 'edges']
    for (const [at, name] of names.entries()) {
      await world().create(name)
      await reported(at + 1)
      world().clock.advance(at === 0 ? 0 : 5_000 * 2 ** (at - 1))
      await retried(at + 1)
    }
    expect(server.requests).toHaveLength(names.length)
    expect((await messages()).map(({ title }) => title)).toEqual([
      '3 stacks failed',
      '1 stack failed',
      '1 stack failed',
    ])
    server.answer = (_, response) => void response.end()
    world().clock.advance(600_000)
    await received(names.length + 3)
    await until('all are sent', async () => (await messages()).every(({ state }) => state === 'sent'))
  })

  test('that refuses a message for good is not asked again, until a person sends the message again', async () => {
    await world().reload(configured(receiver({ digestMs: 0 })))
    server.answer = (_, response) => void response.writeHead(404).end('no_such_hook')
    await world().push(broken)
    await world().create('boards')
    const failed = await until('it failed', async () => (await messages()).find(({ state }) => state === 'failed'))
    expect(failed).toMatchObject({ status: 404, error: expect.stringContaining('no_such_hook') as string })
    expect(world().log.some(({ message }) => message === 'message not sent')).toBe(true)
    server.answer = (_, response) => void response.end()
    await world().ask.redeliverMessage(failed.id)
    await received(2)
    expect(server.requests[1]!.headers['x-gitmoor-delivery']).toBe(failed.key)
  })

  test('gets a test at once, which is logged', async () => {
    await world().reload(configured(receiver()))
    expect(await world().ask.testReceiver('ops', never)).toMatchObject({ kind: 'test', state: 'sent', status: 200 })
    expect(server.json()).toMatchObject({ kind: 'test', title: 'Test of the receiver ops' })
    server.answer = (_, response) => void response.writeHead(410).end()
    expect(await world().ask.testReceiver('ops', never)).toMatchObject({ state: 'failed', status: 410 })
    expect(await messages()).toHaveLength(2)
    expect((await refusal(world().ask.testReceiver('nobody', never))).code).toBe('notifications/receiver-unknown')
  })

  test('at a refused address gets nothing', async () => {
    const target = { type: 'webhook', url: 'http://169.254.169.254/', headers: {}, contentType: 'text/plain' } as const
    await world().reload(configured(receiver({ target })))
    expect(await world().ask.testReceiver('ops', never)).toMatchObject({
      state: 'failed',
      error: expect.stringContaining('link-local or cloud metadata address') as string,
    })
  })

  test('that hangs delays no run', async () => {
    await world().reload(configured(receiver({ digestMs: 0 })))
    server.answer = () => {}
    await world().push(broken)
    await world().create('boards')
    await received(1)
    await pushValid()
    expect(await world().sync('boards')).toMatchObject({ outcome: 'applied' })
    expect(await world().create('apps')).toMatchObject({ outcome: 'applied' })
    expect((await messages()).find(({ attempts }) => attempts === 1)).toMatchObject({ state: 'pending' })
  })
})
