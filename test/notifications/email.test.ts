// E-mail to a real SMTP server.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { afterEach, describe, expect, test } from 'vitest'
import type { EmailTarget } from '../../src/notifications/receiver.js'
import { hasOpenssl, makeAuthority } from '../certificates.js'
import { never, useWorld } from '../e2e/world.js'

const world = useWorld()
let server: SMTPServer | undefined
const mails: string[] = []
afterEach(async () => {
  mails.length = 0
  await new Promise<void>((done) => (server === undefined ? done() : server.close(done)))
  server = undefined
})

async function serve(options: SMTPServerOptions = {}): Promise<number> {
  server = new SMTPServer({
    authOptional: true,
    disabledCommands: options.key === undefined ? ['STARTTLS'] : [],
    onData: (stream, _, done) => {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        mails.push(Buffer.concat(chunks).toString('utf8'))
        done()
      })
    },
    ...options,
  })
  server.on('error', () => {}) // clients that hang up
  const listening = server.listen(0, '127.0.0.1')
  await once(listening, 'listening')
  return (listening.address() as AddressInfo).port
}

async function sendTest(target: Partial<EmailTarget>): Promise<object> {
  const email = {
    type: 'email',
    server: '',
    from: 'gitmoor <moor@example.com>',
    to: ['ops@example.com'],
    allowUnencrypted: false,
    ...target,
  } as const
  const timing = { digestMs: 0, everyMs: 0 }
  const mail = { name: 'mail', target: email, on: ['failed'], stacks: [], selector: [], ...timing } as const
  await world().reload({ changed: { receivers: { notifications: [mail], statuses: [] } } })
  return world().ask.testReceiver('mail', never)
}

describe('a mail', () => {
  test('over plain SMTP has the id of its message, and is sent only if that is allowed', async () => {
    const port = await serve()
    const refused = await sendTest({ server: `smtp://127.0.0.1:${port}` })
    expect(refused).toMatchObject({ state: 'failed' })
    expect(mails).toEqual([])
    const sent = await sendTest({ server: `smtp://127.0.0.1:${port}`, allowUnencrypted: true })
    expect(sent).toMatchObject({ state: 'sent', status: 250, error: '' })
    const { key } = sent as { readonly key: string }
    expect(mails[0]).toContain(`Message-ID: <${key}@gitmoor>`)
    expect(mails[0]).toMatch(/^Subject: \[gitmoor\] Test of the receiver mail\r$/m)
    expect(mails[0]).toContain('Auto-Submitted: auto-generated')
  })

  test.skipIf(!hasOpenssl)('over TLS is sent with the login and the private CA of the configuration', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'gitmoor-mail-'))
    try {
      const authority = makeAuthority(directory)
      const { key, cert } = authority.issue('IP:127.0.0.1,DNS:localhost')
      const logins: unknown[] = []
      const port = await serve({
        secure: true,
        key,
        cert,
        authOptional: false,
        onAuth: ({ username, password }, _, done) => {
          logins.push([username, password])
          done(null, { user: username })
        },
      })
      world().environment.set('MAIL', 'a-password-of-mail')
      const login = { username: 'moor', password: '${env:MAIL}' }
      const to = { server: `smtps://localhost:${port}`, ...login }
      expect(await sendTest(to)).toMatchObject({ state: 'failed', status: null })
      expect(await sendTest({ ...to, ca: authority.file })).toMatchObject({ state: 'sent' })
      expect(logins).toEqual([['moor', 'a-password-of-mail']])
    } finally {
      rmSync(directory, { recursive: true, force: true })
    }
  })

  test('that the server refuses shows its status, without the password', async () => {
    const onRcptTo: SMTPServerOptions['onRcptTo'] = (_address, _session, done) =>
      done(Object.assign(new Error('no such user'), { responseCode: 550 }))
    const port = await serve({ onRcptTo })
    const refused = await sendTest({ server: `smtp://127.0.0.1:${port}`, allowUnencrypted: true })
    expect(refused).toMatchObject({
      state: 'failed',
      status: 550,
      error: expect.stringContaining('no such user') as string,
    })
  })

  test('is not sent to a refused address', async () => {
    expect(await sendTest({ server: 'smtp://169.254.169.254:25', allowUnencrypted: true })).toMatchObject({
      state: 'failed',
      error: expect.stringContaining('link-local or cloud metadata address') as string,
    })
  })
})
