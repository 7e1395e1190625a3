// How the answer of a receiver decides what becomes of a message.
import { describe, expect, test } from 'vitest'
import type { FullMessage } from '../../src/model/agent/message.js'
import type { NotificationReceiver, StatusReceiver } from '../../src/notifications/receiver.js'
import { sendMessage, type SendAttempt } from '../../src/notifications/send-message.js'
import { Redactor } from '../../src/secrets/redact/redact.js'

const now = Date.parse('2026-01-02T03:04:00Z')
const message: FullMessage = {
  id: '7',
  key: '00000000-0000-4000-8000-000000000007',
  receiver: 'ops',
  kind: 'notification',
  state: 'pending',
  createdAt: now,
  dueAt: now,
  attempts: 1,
  endedAt: null,
  status: null,
  error: '',
  counts: { failed: 1 },
  commit: {
    stack: 'boards',
    remote: 'https://git.example/team/boards',
    commit: 'a'.repeat(40),
    state: 'success',
    description: 'Run 1 applied.',
    run: '1',
  },
  transitions: [],
}
const webhook: NotificationReceiver = {
  name: 'ops',
  target: { type: 'webhook', url: 'https://hooks.example/x', headers: {}, contentType: 'application/json' },
  on: ['failed'],
  stacks: [],
  selector: [],
  digestMs: 0,
  everyMs: 0,
}
const gitlab: StatusReceiver = {
  name: 'host',
  match: 'https://git.example/',
  forge: 'gitlab',
  api: 'https://git.example/api/v4',
  credential: 'moor',
}

function attempt(
  status: number,
  headers: Readonly<Record<string, string>> = {},
  { receiver = webhook, body = '' }: { receiver?: NotificationReceiver | StatusReceiver; body?: string } = {},
): Promise<SendAttempt> {
  return sendMessage(receiver, message, {
    send: async () => ({ status, headers, body }),
    openSocket: () => Promise.reject(new Error('no mail is sent')),
    lookup: { directory: '.', environment: () => undefined },
    redactor: new Redactor(),
    token: async () => 'token-of-the-host',
    now: () => now,
    publicUrl: undefined,
    signal: new AbortController().signal,
  })
}

describe('an answer', () => {
  test.each([200, 201, 204])('of %i: the message is sent', async (status) => {
    expect(await attempt(status)).toEqual({ result: 'sent', status })
  })

  test.each([401, 408, 425, 429, 500, 502, 503])('of %i: it is sent again later', async (status) => {
    expect(await attempt(status)).toMatchObject({ result: 'retry', status })
  })

  test.each([301, 400, 403, 404, 410, 422])('of %i: it is not sent again', async (status) => {
    expect(await attempt(status)).toMatchObject({ result: 'refused', status })
  })

  test('with Retry-After in seconds or as a date: not before that', async () => {
    expect(await attempt(429, { 'retry-after': '90' })).toMatchObject({ result: 'retry', retryAfterMs: 90_000 })
    const date = 'Fri, 02 Jan 2026 03:06:00 GMT'
    expect(await attempt(503, { 'retry-after': date })).toMatchObject({ result: 'retry', retryAfterMs: 120_000 })
  })

  test('with the limits of GitHub used up: not before their reset, also after 403', async () => {
    const reset = String(now / 1000 + 60)
    const limits = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': reset }
    expect(await attempt(403, limits)).toMatchObject({ result: 'retry', retryAfterMs: 60_000 })
    const left = { 'x-ratelimit-remaining': '12', 'x-ratelimit-reset': reset }
    expect(await attempt(403, left)).toMatchObject({ result: 'refused' })
    expect(await attempt(403, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': 'soon' })).not.toHaveProperty(
      'retryAfterMs',
    )
  })

  test('of GitLab that the commit has the status already: it is sent', async () => {
    const body = '{"message": "Cannot transition status via :run from :running"}'
    expect(await attempt(400, {}, { receiver: gitlab, body })).toEqual({ result: 'sent', status: 400 })
    expect(await attempt(400, {}, { receiver: gitlab, body: '{}' })).toMatchObject({ result: 'refused' })
    expect(await attempt(400, {}, { body })).toMatchObject({ result: 'refused' })
  })

  test('is quoted in the error, with its invisible characters escaped, without the path of the webhook', async () => {
    const { error } = (await attempt(500, {}, { body: 'no\u202Esuch\nchannel' })) as { readonly error: string }
    expect(error).toContain('https://hooks.example answered 500')
    expect(error).not.toMatch(/[\u202E\n]|\/x/)
  })
})
