import { describe, expect, test } from 'vitest'
import { isBelow } from '../../src/source/repository-identity.js'
import { isSameRepository } from '../../src/webhooks/notified-remotes.js'
import { isSigned } from '../../src/webhooks/signature.js'
import { deliveryKey, readDelivery } from '../../src/webhooks/delivery-content.js'
import type { Incoming } from '../../src/webhooks/webhook.js'
import { Dice } from '../random/dice.js'
import { everyHook, secret, senders, signedByGitlab, zeros, type Sent } from './senders.js'

const now = Date.UTC(2026, 0, 1)
const repository = 'https://git.example.com/acme/boards'
const change = { repository, ref: 'refs/heads/main', commit: '1'.repeat(40) }
const other = 'another-secret-of-the-tests'

function incoming({ headers, body }: Sent): Incoming {
  const all = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
  return { header: (name) => all.get(name), body: Buffer.from(body) }
}

const hookFor = (provider: string) => everyHook.find(({ name }) => name === provider)!
const signed = (provider: string, sent: Sent, secrets = [secret, secret]): boolean =>
  isSigned(hookFor(provider), incoming(sent), { secrets, now })

describe.each(Object.entries(senders))('%s', (_, { provider, send }) => {
  test('is known by its signature, whichever of two secrets made it, and by no other', () => {
    expect(signed(provider, send(change))).toBe(true)
    expect(signed(provider, send(change), [other, secret])).toBe(true)
    expect(signed(provider, send(change), [secret, other])).toBe(true)
    expect(signed(provider, send(change), [other, other])).toBe(false)
    expect(signed(provider, send(change, other))).toBe(false)
  })

  test('is not known without a signature', () => {
    const { body, headers } = send(change)
    const plain = Object.entries(headers).filter(([name]) => !/signature|token/i.test(name))
    expect(signed(provider, { body, headers: Object.fromEntries(plain) })).toBe(false)
  })

  test('contains the repository, the ref and the commit', () => {
    const reported = readDelivery(hookFor(provider), incoming(send(change)))
    expect(reported.changes).toEqual([{ ref: change.ref, commit: change.commit }])
    expect(reported.repositories.some((named) => isSameRepository(`${repository}.git`, named))).toBe(true)
  })

  test('contains a tag, and a deleted tag', () => {
    const gone = { repository, ref: 'refs/tags/stable', commit: zeros }
    expect(readDelivery(hookFor(provider), incoming(send(gone))).changes).toEqual([
      { ref: 'refs/tags/stable', commit: null },
    ])
  })

  test('numbers its deliveries', () => {
    const [one, two] = [send(change), send(change)].map((sent) => deliveryKey(hookFor(provider), incoming(sent)))
    expect(one).toMatch(/^72d3162e-/)
    expect(two).not.toBe(one)
  })
})

describe('a signature', () => {
  test('of SHA-1 is not accepted', () => {
    const body = JSON.stringify({ ref: change.ref })
    expect(
      signed('github', { headers: { 'X-Hub-Signature': 'sha1=2fd4e1c67a2d28fced849ee1bb76e7391b93eb12' }, body }),
    ).toBe(false)
    expect(
      signed('bitbucket', { headers: { 'X-Hub-Signature': 'sha1=2fd4e1c67a2d28fced849ee1bb76e7391b93eb12' }, body }),
    ).toBe(false)
  })

  test('is of every byte of the body', () => {
    const { headers, body } = senders['GitHub, JSON']!.send(change)
    expect(signed('github', { headers, body: `${body} ` })).toBe(false)
  })

  test('with a time counts for five minutes', () => {
    for (const [at, counts] of [
      [now - 290_000, true],
      [now + 290_000, true],
      [now - 310_000, false],
      [now + 310_000, false],
    ] as const)
      expect(signed('gitlab', signedByGitlab('{}', { at }))).toBe(counts)
  })

  test('may be one of several, while its sender changes the secret', () => {
    const { headers, body } = signedByGitlab('{}', { at: now })
    expect(
      signed('gitlab', {
        headers: { ...headers, 'webhook-signature': `v1,AAAA ${headers['webhook-signature']}` },
        body,
      }),
    ).toBe(true)
  })

  test('by a token in the form of that standard uses the decoded token', () => {
    const token = `whsec_${Buffer.from('thirty-two bytes of a signing key').toString('base64')}`
    const { headers, body } = signedByGitlab('{}', { at: now, key: 'thirty-two bytes of a signing key' })
    expect(signed('gitlab', { headers, body }, [token, token])).toBe(true)
  })
})

describe('the changes', () => {
  const content = (body: string, headers: Readonly<Record<string, string>> = {}, provider = 'github') =>
    readDelivery(hookFor(provider), incoming({ headers: { 'X-GitHub-Event': 'push', ...headers }, body }))

  test('may be of something else than a change', () => {
    expect(content(JSON.stringify({ zen: 'Keep it.', hook_id: 1 }), { 'X-GitHub-Event': 'ping' }).changes).toEqual([])
    expect(
      content(JSON.stringify({ object_kind: 'issue' }), { 'X-Gitlab-Event': 'Issue Hook' }, 'gitlab').changes,
    ).toEqual([])
  })

  test('may be of several refs', () => {
    const changes = ['refs/heads/main', 'refs/tags/v1'].map((ref) => ({ ref, before: zeros, after: '2'.repeat(40) }))
    const body = JSON.stringify({ event_name: 'repository_update', changes, project: { web_url: repository } })
    expect(content(body, {}, 'gitlab').changes.map(({ ref }) => ref)).toEqual(['refs/heads/main', 'refs/tags/v1'])
  })

  test('may be of a tag that was made, by its short name', () => {
    const made = { ref: 'v1', ref_type: 'tag', repository: { clone_url: repository } }
    const body = JSON.stringify(made)
    expect(content(body, { 'X-GitHub-Event': 'create' }).changes).toEqual([{ ref: 'refs/tags/v1' }])
    expect(content(body, { 'X-GitHub-Event': 'delete' }).changes).toEqual([{ ref: 'refs/tags/v1', commit: null }])
    const said = JSON.stringify({ ...made, sha: '2'.repeat(40) }) // as Gitea says it
    expect(content(said, { 'X-GitHub-Event': 'create' }).changes).toEqual([
      { ref: 'refs/tags/v1', commit: '2'.repeat(40) },
    ])
  })

  const wrong: Readonly<Record<string, readonly [body: string, message: string]>> = {
    'no JSON': ['{', 'The body is not valid JSON.'],
    nothing: ['', 'The body is not valid JSON.'],
    'a list': ['[]', 'The body has no ref at /ref.'],
    'too deep': [`${'['.repeat(101)}${']'.repeat(101)}`, 'The body nests lists and maps more than 100 deep.'],
    'without a ref': [JSON.stringify({ after: change.commit }), 'The body has no ref at /ref.'],
    'a ref that is not a text': [JSON.stringify({ ref: { toString: 1 } }), 'The body has no ref at /ref.'],
    'a ref with control characters': [JSON.stringify({ ref: 'refs/heads/\u001b[31m' }), 'The body has no ref at /ref.'],
    'an invalid commit': [
      JSON.stringify({ ref: 'refs/heads/main', after: 'HEAD' }),
      'The body has no commit id at /after.',
    ],
    'without a repository': [
      JSON.stringify({ ref: 'refs/heads/main', after: change.commit }),
      'The body does not name the changed repository.',
    ],
  }
  test.each(Object.entries(wrong))('is refused with the reason: %s', (_, [body, message]) => {
    expect(() => content(body)).toThrow(
      expect.objectContaining({ status: 'failed', code: 'api/webhook-payload', message }),
    )
  })

  test('of a generic webhook is JSON with any content type: curl sends that of a form', () => {
    const { body, headers } = senders['another one']!.send(change)
    const asForm = { body, headers: { ...headers, 'Content-Type': 'application/x-www-form-urlencoded' } }
    expect(readDelivery(hookFor('generic'), incoming(asForm)).changes).toEqual([
      { ref: change.ref, commit: change.commit },
    ])
  })

  test('in a form without its field, or in bytes that are no text, is refused', () => {
    expect(() => content('data=1', { 'Content-Type': 'application/x-www-form-urlencoded' })).toThrow(
      'The form has no field payload.',
    )
    const header = (name: string): string | undefined => (name === 'x-github-event' ? 'push' : undefined)
    expect(() => readDelivery(hookFor('github'), { header, body: Buffer.from([0x22, 0xff, 0x22]) })).toThrow(
      'The body is not UTF-8 text.',
    )
  })

  test('of any form, from each provider, is read or refused', () => {
    const dice = new Dice(20_261_121)
    const seen = new Set<string>()
    for (let at = 0; at < 600; at++) {
      const { provider, send } = dice.pick(Object.values(senders))
      const { headers, body } = send(change)
      const spoilt = spoil(body, dice)
      try {
        readDelivery(hookFor(provider), incoming({ headers, body: spoilt }))
        seen.add('read')
      } catch (error) {
        expect(error).toMatchObject({ name: 'Refused', status: 'failed', code: 'api/webhook-payload' })
        seen.add('refused')
      }
    }
    expect([...seen].sort()).toEqual(['read', 'refused'])
  })
})

/** One value, one character, or the end of it is another. */
function spoil(body: string, dice: Dice): string {
  const odd = [
    'null',
    '[]',
    '{}',
    '""',
    '-1',
    '1e999',
    '"\\u0000"',
    `"${'x'.repeat(3_000)}"`,
    '{"__proto__":{"ref":"x"}}',
    '[[[[]]]]',
    'tru',
  ]
  const at = dice.below(body.length)
  switch (dice.below(3)) {
    case 0:
      return body.slice(0, at)
    case 1:
      return body.slice(0, at) + String.fromCharCode(dice.below(0x250)) + body.slice(at + 1)
    default: {
      const values = [...body.matchAll(/:("[^"]*"|\[|\{|true|false|\d+)/g)]
      if (values.length === 0) return dice.pick(odd)
      const value = dice.pick(values)
      return body.slice(0, value.index + 1) + dice.pick(odd) + body.slice(value.index + value[0].length)
    }
  }
}

const same: Readonly<Record<string, readonly [remote: string, named: string, is: boolean]>> = {
  'with .git and without': ['https://github.com/acme/boards', 'https://github.com/acme/boards.git', true],
  'by https, ssh and the short form of ssh': [
    'ssh://git@github.com/acme/boards.git',
    'git@github.com:acme/boards.git',
    true,
  ],
  'with a default port and without': ['https://git.example.com/a/b', 'https://git.example.com:443/a/b/', true],
  'in other letters': ['https://github.com/acme/boards', 'https://GitHub.com/Acme/Boards', true],
  'with user information': ['https://github.com/acme/boards', 'https://ann@github.com/acme/boards', true],
  'by its path alone': ['https://bb.example.com/scm/plat/boards.git', 'PLAT/boards', true],
  'of a directory': ['file:///srv/git/boards.git', '/srv/git/boards', true],
  'of a file behind a URL': ['url:https://files.example.com/a.yml', 'https://files.example.com/a.yml', true],
  'not on another port': ['https://git.example.com:8443/a/b', 'https://git.example.com/a/b', false],
  'not on another host': ['https://github.com/acme/boards', 'https://github.com.evil.example/acme/boards', false],
  'not by a part of its name': ['https://github.com/acme/my-boards', 'boards', false],
  'not by nothing': ['https://github.com/acme/boards', '/', false],
}
test.each(Object.entries(same))('an address is that of a repository: %s', (_, [remote, named, is]) => {
  expect(isSameRepository(remote, named)).toBe(is)
})

test('a webhook may report remotes below an address, in whole segments, over any scheme', () => {
  expect(isBelow('git@github.com:acme/boards.git', 'https://github.com/acme/')).toBe(true)
  expect(isBelow('https://github.com/acme-evil/boards', 'https://github.com/acme')).toBe(false)
})
