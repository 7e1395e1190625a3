// What senders send to an agent, over a socket where that matters: who is believed, what it costs, and what comes of
// it.
import { request } from 'node:http'
import { connect } from 'node:net'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createApi } from '../../src/api/api.js'
import { digestToken } from '../../src/api/server/access.js'
import { receiverLimits, type ReceiverLimits } from '../../src/api/webhook-receiver.js'
import { serveApi, type RunningServer } from '../../src/api/server/server.js'
import { label, yaml } from '../e2e/packages.js'
import { until } from '../e2e/until.js'
import { never, useWorld } from '../e2e/world.js'
import { Dice } from '../random/dice.js'
import type { Webhook } from '../../src/webhooks/webhook.js'
import { everyHook, hex, hookOf, secret, senders, signedByGitlab, type Sent } from '../webhooks/senders.js'

const world = useWorld({ webhooks: everyHook })
const both = yaml(label('red'), label('blue'))
const token = 'a-token-for-tests'
const failed: object[] = []
let served: RunningServer
let api: ReturnType<typeof createApi>

async function serve(limits: Partial<ReceiverLimits> = {}): Promise<void> {
  const log = {
    debug: () => {},
    info: () => {},
    error: (message: string, facts: object) => failed.push({ message, ...facts }),
  }
  const options = { call: world().call, tokenDigest: digestToken(token), hosts: ['moor.example'], version: '0', log }
  api = createApi({ ...options, receiver: { ...receiverLimits, ...limits } })
  served = await serveApi(api, { host: '127.0.0.1', port: 0, graceMs: 100 })
}

beforeEach(async () => {
  failed.length = 0
  await world().push(label('red'))
  await serve()
})
/** Another server, or another agent with other webhooks. */
async function serveAgain(limits: Partial<ReceiverLimits>, webhooks?: readonly Webhook[]): Promise<void> {
  await served.close()
  if (webhooks !== undefined) await world().restart({ webhooks })
  await serve(limits)
}

afterEach(async () => {
  await served.close()
  expect(failed).toEqual([])
})

/** What openapi.json says of deliveries. */
let declared: readonly string[] | undefined

async function declaredStatuses(): Promise<readonly string[]> {
  const described = await api.request('/api/v1/openapi.json', { headers: { Authorization: `Bearer ${token}` } })
  const { paths } = (await described.json()) as any
  return Object.keys(paths['/hooks/{id}'].post.responses as object)
}

interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: any
}

async function post(hook: string, { headers, body }: Sent, query = ''): Promise<Answer> {
  declared ??= await declaredStatuses()
  const answer = await api.request(`/hooks/${hook}${query}`, { method: 'POST', headers, body })
  expect(declared).toContain(String(answer.status))
  return { status: answer.status, headers: answer.headers, body: await answer.json() }
}

function pushed(commit: string, { sender = 'GitHub, JSON', ref = 'refs/heads/main' } = {}): Sent {
  return senders[sender]!.send({ repository: world().url.replace(/\.git$/, ''), ref, commit })
}

/** What a client answers that may name any host. */
function statusOf({ headers, body }: Sent): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(`${served.url}/hooks/github`, { method: 'POST', headers }, (answer) => {
      answer.resume().on('end', () => resolve(answer.statusCode ?? 0))
    })
    sent.on('error', reject).end(body)
  })
}

function pollCount(): number {
  return world().server.seen.filter(({ kind }) => kind === 'list').length
}

async function log(hook?: string) {
  return (await world().ask.listDeliveries(hook, {})).items
}

/** The newest delivery, when its result is known. */
async function settled() {
  return until('the delivery has a result', async () => {
    const [newest] = await log()
    return newest?.result != null && newest
  })
}

describe('a delivery', () => {
  test('of each sender is applied, and its run names the sender', async () => {
    await world().create('boards')
    for (const [sender, { provider }] of Object.entries(senders)) {
      const before = (await world().ask.getStack('boards')).lastRun!.id
      const commit = await world().push(yaml(label('red'), label(sender.replaceAll(/\W+/g, '-').toLowerCase())))
      const { status, body } = await post(provider, pushed(commit, { sender }))
      const run = await world().runAfter('boards', before)
      expect([sender, status, body.remotes.length, body.runs]).toEqual([sender, 202, 1, []])
      const note = `reported by the webhook ${provider}, delivery ${body.delivery}`
      expect(run).toMatchObject({ outcome: 'applied', cause: { kind: 'commit', to: commit, note } })
      const runs = [{ stack: 'boards', run: run.id, outcome: 'applied' }]
      expect(await settled()).toMatchObject({ id: body.delivery, result: 'moved', runs })
      expect((await world().ask.listMoves('main', {})).items[0]).toMatchObject({
        to: { commit },
        detectedBy: 'webhook',
      })
    }
  })

  test('with a wait that is neither true nor false is refused', async () => {
    const { status, body } = await post('github', pushed('1'.repeat(40)), '?wait=yes')
    expect(status).toBe(400)
    expect(body.error).toMatchObject({ status: 'usage', code: 'api/invalid' })
  })

  test('that waits is answered with the outcome of its runs', async () => {
    await world().create('boards')
    const commit = await world().push(both)
    const { status, body } = await post('github', pushed(commit), '?wait=true')
    expect({ status, result: body.result, runs: body.runs }).toMatchObject({
      status: 202,
      result: 'moved',
      runs: [{ stack: 'boards', outcome: 'applied' }],
    })
    expect(await world().names()).toEqual(['Label/blue', 'Label/red'])
  })

  test('of another event than a change is accepted and does nothing', async () => {
    await world().create('boards')
    world().server.reset()
    const { headers, body } = pushed('1'.repeat(40))
    const answer = await post('github', { headers: { ...headers, 'X-GitHub-Event': 'ping' }, body })
    expect({ status: answer.status, result: answer.body.result }).toEqual({ status: 202, result: 'ignored' })
    expect(pollCount()).toBe(0)
  })

  test('of a repository that no stack follows is accepted like any other and does nothing', async () => {
    await world().create('boards')
    world().server.reset()
    const elsewhere = senders['GitHub, JSON']!.send({
      repository: 'https://github.com/acme/x',
      ref: 'refs/heads/main',
      commit: '1'.repeat(40),
    })
    expect((await post('github', elsewhere)).body).toMatchObject({
      result: 'unfollowed',
      message: 'No stack follows that repository.',
    })
    const branch = pushed('1'.repeat(40), { ref: 'refs/heads/other' })
    expect((await post('github', branch)).body).toMatchObject({
      result: 'unfollowed',
      message: 'Stacks follow that repository, but not the changed refs.',
    })
    expect(pollCount()).toBe(0)
  })

  test('of a webhook for other remotes is accepted and does nothing', async () => {
    await serveAgain({}, [hookOf('github', { remotes: ['https://github.com/acme/'] })])
    await world().create('boards')
    expect((await post('github', pushed('1'.repeat(40)))).body.result).toBe('unfollowed')
  })

  test('that is repeated is not processed twice, and is answered with its result, also after a restart', async () => {
    await world().create('boards')
    const sent = pushed(await world().push(both))
    const first = await post('github', sent, '?wait=true')
    world().server.reset()
    const second = await post('github', sent)
    expect(second.body).toEqual({ ...first.body, repeated: true })
    await serveAgain({}, everyHook)
    await world().ask.waitForStack('boards', { timeoutMs: 60_000 }, never)
    world().server.reset()
    expect((await post('github', sent)).body).toEqual({ ...first.body, repeated: true })
    expect(pollCount()).toBe(0)
    world().clock.advance(86_400_001)
    expect((await post('github', sent)).body.repeated).toBeUndefined()
  })

  test.each([
    ['back a day', -86_400_000],
    ['forward an hour', 3_600_000],
  ])('that is repeated after the clock was set %s is not processed twice', async (_, jump) => {
    await world().create('boards')
    const sent = pushed(await world().push(both))
    const first = await post('github', sent, '?wait=true')
    world().clock.set(world().clock.now() + jump)
    world().server.reset()
    expect((await post('github', sent)).body).toEqual({ ...first.body, repeated: true })
    expect(pollCount()).toBe(0)
  })

  test('of an older push that arrives late changes nothing', async () => {
    await world().create('boards')
    const older = pushed(await world().push(both))
    await post('github', pushed(world().repository.refs.get('refs/heads/main')!.commit), '?wait=true')
    const newer = await world().push(yaml(label('red'), label('green')))
    await post('github', pushed(newer), '?wait=true')
    expect((await post('github', older, '?wait=true')).body).toMatchObject({ result: 'known', runs: [] })
    expect((await world().ask.getStack('boards')).revision.applied).toContain(newer)
  })

  test('needs no token, and an allowed Host', async () => {
    const { headers, body } = pushed('1'.repeat(40))
    const ask = (host: string): Promise<number> => statusOf({ headers: { ...headers, Host: host }, body })
    expect([await ask('moor.example'), await ask('evil.example')]).toEqual([202, 421])
  })
})

test('two hundred concurrent deliveries share at most two polls', async () => {
  await world().create('boards')
  const commit = await world().push(both)
  const all = Array.from({ length: 200 }, () => pushed(commit))
  world().server.reset()
  const answers = await Promise.all(all.map((sent) => post('github', sent)))
  expect([...new Set(answers.map(({ status }) => status))]).toEqual([202])
  await until('all have ended', () => world().delivered.length === 200)
  await until('all are settled', async () =>
    (await world().ask.listDeliveries('github', { limit: 500 })).items.every(({ result }) => result !== null),
  )
  expect(pollCount()).toBeLessThanOrEqual(2)
  expect((await world().ask.listRuns('boards', {})).items).toHaveLength(2)
})

describe('a delivery of any other sender', () => {
  const form = { header: 'X-Signature-256', prefix: 'sha256=' }
  const pointers = { repository: '/repository', ref: '/ref', commit: '/commit' }
  const { repository, ref, commit } = pointers

  async function serveGeneric(generic: Webhook['generic']): Promise<void> {
    const remotes = generic.repository === undefined ? [world().url] : []
    await serveAgain({}, [hookOf('generic', { generic, remotes })])
    await world().sync('boards') // so that no poll of the start finds what is pushed next
  }

  /** As curl sends it: with the content type of a form. */
  function reported(change: object, { header, prefix } = form): Sent {
    const body = JSON.stringify({ repository: world().url, ref: 'main', ...change })
    const type = { 'Content-Type': 'application/x-www-form-urlencoded' }
    return { headers: { ...type, [header]: `${prefix}${hex(body)}` }, body }
  }

  const forms: Readonly<Record<string, Webhook['generic']>> = {
    'all settings': { ...form, ...pointers, delivery: 'X-Delivery' },
    'no id of the delivery': { ...form, ...pointers },
    'no commit': { ...form, repository, ref },
    'no ref': { ...form, repository, commit },
    'no repository': { ...form, ref, commit },
    'nothing but a signature': form,
    'another header without a prefix': { ...pointers, header: 'X-Build-Signature', prefix: '' },
  }
  test.each(Object.entries(forms))('with %s is applied', async (_, generic) => {
    await world().create('boards')
    await serveGeneric(generic)
    const { status, body } = await post(
      'generic',
      reported({ commit: await world().push(both) }, generic),
      '?wait=true',
    )
    expect({ status, ...body }).toMatchObject({
      status: 202,
      result: 'moved',
      runs: [{ stack: 'boards', outcome: 'applied' }],
    })
  })

  test('without an id is not a repetition, and a test delivery is none of the sender', async () => {
    await world().create('boards')
    await serveGeneric({ ...form, ...pointers })
    const { delivery } = await world().ask.testWebhook('generic', {}, never)
    expect(delivery).toMatchObject({ result: 'known' })
    expect((await world().ask.listWebhooks({})).items[0]).toMatchObject({ last: null })
    const sent = reported({ commit: '1'.repeat(40), ref: 'other' })
    const [one, two] = [await post('generic', sent), await post('generic', sent)]
    expect(two.body).not.toHaveProperty('repeated')
    expect(two.body.delivery).not.toBe(one.body.delivery)
    expect((await world().ask.listWebhooks({})).items[0]).toMatchObject({ last: { id: two.body.delivery } })
  })

  test('that gitmoor fails to process is recorded as a fault of gitmoor, and not as refused', async () => {
    await world().create('boards')
    const find = vi.spyOn(world().store.stacks, 'many').mockRejectedValueOnce(new TypeError('no stacks'))
    const { status } = await post('github', pushed('1'.repeat(40)))
    find.mockRestore()
    expect(status).toBe(500)
    expect(failed.splice(0)).toMatchObject([{ message: 'request failed' }])
    const message = 'gitmoor failed to process the delivery. no stacks'
    expect(await log()).toMatchObject([{ result: 'error', message }])
    expect((await world().ask.listWebhooks({})).items.find(({ name }) => name === 'github')).toMatchObject({
      refused: 0,
      last: { result: 'error' },
    })
    const { checks } = await world().ask.diagnose(never)
    expect(checks.find(({ name }) => name === 'webhook github')).toMatchObject({ state: 'problem', message })
    expect(world().delivered).toContainEqual({ hook: 'github', result: 'error' })
  })
})

describe('a delivery that may not be authentic', () => {
  const forged: Readonly<Record<string, (sent: Sent) => Sent>> = {
    'another secret': () =>
      senders['GitHub, JSON']!.send(
        { repository: world().url, ref: 'refs/heads/main', commit: '1'.repeat(40) },
        'wrong',
      ),
    'another body': ({ headers, body }) => ({ headers, body: body.replace('main', 'evil') }),
    'no signature': ({ body }) => ({ headers: { 'X-GitHub-Event': 'push' }, body }),
    'an empty signature': ({ headers, body }) => ({ headers: { ...headers, 'X-Hub-Signature-256': '' }, body }),
    'the signature of SHA-1': ({ headers, body }) => ({
      headers: {
        ...headers,
        'X-Hub-Signature-256': '',
        'X-Hub-Signature': 'sha1=2fd4e1c67a2d28fced849ee1bb76e7391b93eb12',
      },
      body,
    }),
    'the token of the API': ({ body }) => ({
      headers: { 'X-GitHub-Event': 'push', Authorization: `Bearer ${token}` },
      body,
    }),
  }
  test('is refused, and nothing is polled', async () => {
    await world().create('boards')
    world().server.reset()
    for (const [what, forge] of Object.entries(forged)) {
      const { status, body } = await post('github', forge(pushed('1'.repeat(40))))
      expect([what, status, body.error.code]).toEqual([what, 401, 'api/webhook-signature'])
    }
    expect(pollCount()).toBe(0)
  })

  test('is answered 404 if its webhook is not declared', async () => {
    const { status, body } = await post('nothing', pushed('1'.repeat(40)))
    expect({ status, code: body.error.code }).toEqual({ status: 404, code: 'api/webhook-unknown' })
    expect(await log()).toEqual([])
  })

  test('is counted, and logged once a minute', async () => {
    const forge = { headers: {}, body: '{}' }
    for (let at = 0; at < 30; at++) await post('github', forge)
    expect(await log()).toMatchObject([
      { hook: 'github', result: 'refused', message: 'The signature is missing or wrong.' },
    ])
    expect((await world().ask.listWebhooks({})).items.find(({ name }) => name === 'github')).toMatchObject({
      refused: 30,
      last: null,
    })
    world().clock.advance(60_000)
    await post('github', forge)
    expect((await log()).map(({ message }) => message)[0]).toContain('(and 29 more since the last stored one)')
    expect(world().delivered).toHaveLength(31)
  })

  test('may use the former secret, until that is removed', async () => {
    const file = join(world().root, 'hook')
    const rotated = hookOf('github', { secret: '${file:hook}', previousSecret: '${file:hook-before}' })
    writeFileSync(file, `${secret}\n`)
    writeFileSync(`${file}-before`, 'the-secret-of-last-year')
    await serveAgain({}, [rotated])
    const send = (key: string): Promise<number> =>
      post(
        'github',
        senders['GitHub, JSON']!.send({ repository: world().url, ref: 'refs/heads/x', commit: '1'.repeat(40) }, key),
      ).then(({ status }) => status)
    expect([await send(secret), await send('the-secret-of-last-year')]).toEqual([202, 202])
    writeFileSync(file, 'the-secret-of-next-year')
    writeFileSync(`${file}-before`, secret)
    expect([await send('the-secret-of-next-year'), await send(secret), await send('the-secret-of-last-year')]).toEqual([
      202, 202, 401,
    ])
  })

  test('is answered that the secret cannot be read, without its location', async () => {
    await serveAgain({}, [hookOf('github', { secret: '${file:gone}' })])
    const { status, body } = await post('github', pushed('1'.repeat(40)))
    expect({ status, code: body.error.code }).toEqual({ status: 503, code: 'api/webhook-secret' })
    expect(JSON.stringify(body)).not.toContain(world().root)
    const checks = (await world().ask.diagnose(never)).checks.filter(({ name }) => name === 'webhook github')
    expect(checks).toMatchObject([{ state: 'problem' }])
  })

  test('with an old timestamp is refused', async () => {
    const old = signedByGitlab('{}', { at: world().clock.now() })
    expect((await post('gitlab', old)).status).toBe(202)
    world().clock.advance(301_000)
    expect((await post('gitlab', old)).status).toBe(401)
  })
})

describe('a body', () => {
  const head = (more: string): string =>
    `POST /hooks/github HTTP/1.1\r\nHost: 127.0.0.1\r\nX-GitHub-Event: push\r\n${more}\r\n\r\n`

  /** What is answered to a client that goes on sending, and how much it could send. */
  function send(
    first: string,
    more: () => string | undefined,
  ): Promise<{ readonly answer: string; readonly sent: number }> {
    return new Promise((resolve) => {
      const socket = connect(Number(new URL(served.url).port), '127.0.0.1')
      let answer = ''
      let sent = 0
      const go = (): void => {
        for (let text = more(); text !== undefined && !socket.destroyed; text = more()) {
          sent += text.length
          if (!socket.write(text)) return void socket.once('drain', go)
        }
      }
      socket.on('data', (chunk) => (answer += chunk.toString()))
      socket.on('error', () => {})
      socket.on('close', () => resolve({ answer, sent }))
      socket.write(first)
      go()
    })
  }

  test('of ten gigabytes is refused before any of it is read', async () => {
    const { answer } = await send(head('Content-Length: 10737418240'), () => undefined)
    expect(answer).toMatch(/^HTTP\/1\.1 413/)
    expect(answer).toContain('api/body-too-large')
  })

  test('that never ends is refused as soon as it is too large', async () => {
    const chunk = `10000\r\n${'x'.repeat(65_536)}\r\n`
    const before = process.memoryUsage().arrayBuffers
    const { answer, sent } = await send(head('Transfer-Encoding: chunked'), () => chunk)
    expect(answer).toMatch(/^HTTP\/1\.1 413/)
    expect(sent).toBeLessThan(64 * 1024 * 1024)
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(64 * 1024 * 1024)
  })

  test('that does not come in time is refused', async () => {
    await serveAgain({ bodyMs: 200 })
    const { answer } = await send(head('Content-Length: 100'), () => undefined)
    expect(answer).toMatch(/^HTTP\/1\.1 408/)
    expect(answer).toContain('api/request-timeout')
  })

  test('is refused while others use up the limit, and accepted after them', async () => {
    await serveAgain({ bodyBytes: 2_000, bodyMs: 1_000, bodies: 2 })
    const slow = [1, 2].map(() => send(`${head('Content-Length: 2000')}${'x'.repeat(1_999)}`, () => undefined))
    const signed = pushed('1'.repeat(40))
    await until('there is no room', async () => (await post('github', signed)).body.error?.code === 'api/overloaded')
    expect((await Promise.all(slow)).map(({ answer }) => answer.slice(9, 12))).toEqual(['408', '408'])
    expect((await post('github', signed)).status).toBe(202)
  })

  test('may be as large as the configuration says', async () => {
    await serveAgain({ bodyBytes: 2_000 })
    const { headers, body } = pushed('1'.repeat(40))
    expect((await post('github', { headers, body })).status).toBe(202)
    expect((await post('github', { headers, body: body.padEnd(2_001) })).status).toBe(413)
  })

  test('that is signed and malformed is refused with the reason, and is logged', async () => {
    await world().create('boards')
    const { headers, body } = signedByGitlab('{"object_kind":"push"}', { at: world().clock.now() })
    const answer = await post('gitlab', { headers, body })
    expect({ status: answer.status, code: answer.body.error.code, message: answer.body.error.message }).toEqual({
      status: 422,
      code: 'api/webhook-payload',
      message: 'The body has no ref at /ref.',
    })
    expect(await log()).toMatchObject([{ result: 'refused', message: 'The body has no ref at /ref.' }])
  })

  test('of any content is never answered with an error of the agent', async () => {
    await world().create('boards')
    const dice = new Dice(20_261_122)
    const statuses = new Set<number>()
    for (let at = 0; at < 200; at++) {
      const { body } = senders[dice.pick(['GitLab, with its secret token', 'GitHub, JSON'])]!.send({
        repository: world().url,
        ref: 'refs/heads/main',
        commit: '1'.repeat(40),
      })
      const place = dice.below(body.length)
      const spoilt = body.slice(0, place) + String.fromCharCode(dice.below(0x2ff)) + body.slice(place + dice.below(9))
      const { status } = await post('gitlab', signedByGitlab(spoilt, { at: world().clock.now() }))
      statuses.add(status)
    }
    expect(statuses).toEqual(new Set([202, 422]))
  })
})

test('a client that sends too often gets a Retry-After, and others do not', async () => {
  await serveAgain({ rate: { burst: 3, perSecond: 0.1 } })
  const statuses: number[] = []
  for (let at = 0; at < 4; at++) statuses.push((await post('github', { headers: {}, body: '' })).status)
  expect(statuses).toEqual([401, 401, 401, 429])
  const { headers, body } = await post('github', { headers: {}, body: '' })
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
  expect(body.error.code).toBe('api/rate-limited')
})

test('only POST is allowed', async () => {
  const answer = await fetch(`${served.url}/hooks/github`)
  expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST'])
})

describe('manual commands', () => {
  test('a test delivery is processed like a real one, and applies nothing', async () => {
    const first = await world().create('boards')
    for (const { name, provider } of everyHook) {
      const tested = await world().ask.testWebhook(name, {}, never)
      expect(tested).toMatchObject({
        webhook: { provider, path: `/hooks/${name}`, last: null },
        delivery: { hook: name, result: 'known', runs: [] },
      })
      expect(tested.sent).toMatchObject({ ref: 'refs/heads/main', repository: world().url })
    }
    expect((await world().ask.getStack('boards')).lastRun!.id).toBe(first.id)
  })

  test.each([
    ['a tag', 'stable', 'refs/tags/stable'],
    ['a branch', 'main', 'refs/heads/main'],
    ['a version range', 'semver:^1', 'refs/tags/v1.0.0'],
    ['HEAD', 'HEAD', 'refs/heads/trunk'],
  ])('a test delivery names the ref that a stack follows as its sender would: %s', async (_, ref, name) => {
    const commit = await world().push(label('blue'), 'stable', 'v1.0.0')
    await world().repository.branch('trunk', commit)
    world().repository.head = 'refs/heads/trunk'
    await world().create('boards', { ref })
    const { sent, delivery } = await world().ask.testWebhook('github', {}, never)
    expect([sent.ref, sent.commit, delivery.result]).toEqual([name, commit, 'known'])
    expect((await world().ask.testWebhook('github', { ref }, never)).sent).toEqual(sent)
  })

  test('a test delivery for a stack that follows a commit is processed, too', async () => {
    const commit = world().repository.refs.get('refs/heads/main')!.commit
    await world().create('boards', { ref: commit })
    for (const { name } of everyHook)
      expect((await world().ask.testWebhook(name, {}, never)).delivery.result).toBe('known')
  })

  test('a test of a ref that no stack follows says so', async () => {
    await world().create('boards')
    expect((await world().ask.testWebhook('github', { ref: 'other' }, never)).delivery.result).toBe('unfollowed')
  })

  test('a test without any followed repository says so', async () => {
    expect((await world().ask.testWebhook('github', {}, never)).delivery.message).toBe(
      'No stack follows that repository.',
    )
  })

  test('a delivery is processed again', async () => {
    const first = await world().create('boards')
    await post('github', pushed(world().repository.refs.get('refs/heads/main')!.commit), '?wait=true')
    await world().push(both)
    const [newest] = await log()
    const again = await world().ask.redeliver(newest!.id, 'ann', never)
    const run = await world().runAfter('boards', first.id)
    expect(again).toMatchObject({ hook: 'github', result: 'moved', runs: [{ stack: 'boards', run: run.id }] })
    expect(again.message).toContain(`delivery ${newest!.id}, repeated by ann`)
    await expect(world().ask.redeliver('999', 'ann', never)).rejects.toMatchObject({
      status: 'not-found',
      code: 'webhooks/delivery-unknown',
    })
  })

  test('the list shows the last delivery, and the remotes whose changes a delivery reported before a poll', async () => {
    await world().create('boards')
    await post('github', pushed(await world().push(both)), '?wait=true')
    const { items } = await world().ask.listWebhooks({})
    expect(items.map(({ name }) => name)).toEqual(everyHook.map(({ name }) => name).sort())
    const [followed] = world().agent.polls.followers.keys()
    expect(items.filter(({ proven }) => proven.length > 0)).toMatchObject([
      { name: 'github', proven: [followed], last: { result: 'moved' } },
    ])
  })

  test('the doctor reports a webhook without deliveries', async () => {
    await world().create('boards')
    await post('github', pushed('1'.repeat(40), { ref: 'refs/heads/other' }))
    const checks = (await world().ask.diagnose(never)).checks.filter(({ name }) => name.startsWith('webhook '))
    expect(checks.map(({ name, state }) => `${name}: ${state}`)).toContain('webhook github: ok')
    expect(checks.map(({ name, state }) => `${name}: ${state}`)).toContain('webhook gitlab: warning')
  })

  test('the doctor says what proves a webhook after a test, which counts as no delivery', async () => {
    await world().ask.testWebhook('gitlab', {}, never)
    const { checks } = await world().ask.diagnose(never)
    expect(checks.find(({ name }) => name === 'webhook gitlab')).toMatchObject({
      state: 'warning',
      next: expect.stringMatching(/\nThen push a commit, or redeliver an event from the sender\.$/),
    })
  })

  test('a delivery that was being processed when the agent stopped is interrupted', async () => {
    await world().create('boards')
    await post('github', pushed('1'.repeat(40)))
    await world().restart({ webhooks: everyHook })
    expect(await log()).toMatchObject([{ result: 'interrupted' }])
  })
})
