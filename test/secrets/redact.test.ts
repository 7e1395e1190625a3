import { describe, expect, test } from 'vitest'
import { Redactor, redactText } from '../../src/secrets/redact.js'

const redacted: Readonly<Record<string, readonly [string, string]>> = {
  'a user and password': ['fetch https://me:s3cret@git.example/x.git failed', 'fetch https://(redacted)@git.example/x.git failed'],
  'a token as the user': ['https://ghs_abc@github.com/acme/x', 'https://(redacted)@github.com/acme/x'],
  'a password with an @ in it': ['https://me:p@ss@host/x', 'https://(redacted)@host/x'],
  'a password with a slash in it': ['https://me:p/ss@host/x', 'https://(redacted)@host/x'],
  'user information of ssh': ['ssh://git:pw@host/x', 'ssh://(redacted)@host/x'],
  'a password of ssh with a slash in it': ['ssh://git:p/w@host/x', 'ssh://(redacted)@host/x'],
  'a user of another scheme that ends alike': ['git+ssh://tok@host/x', 'git+ssh://(redacted)@host/x'],
  'a user that holds more than a name': ['ssh://a@b@host/x', 'ssh://(redacted)@host/x'],
  'two addresses in one text': ['a://x:1y@h/ b://u@h/', 'a://(redacted)@h/ b://(redacted)@h/'],
  'a token in the query': ['https://h/x?a=1&private_token=abc&b=2', 'https://h/x?a=1&private_token=(redacted)&b=2'],
  'a signed address': ['https://h/x?X-Amz-Signature=abc#f', 'https://h/x?X-Amz-Signature=(redacted)#f'],
  'an Authorization header': ['Authorization: Basic eDp5 sent', 'Authorization: Basic (redacted) sent'],
  'an Authorization header in JSON': ['{"authorization":"Bearer abc.def"}', '{"authorization":"Bearer (redacted)"}'],
  'a token of well-known form': ['used ghp_0123456789abcdefABCD here', 'used (redacted) here'],
}

const kept = [
  'https://github.com/acme/boards.git',
  'http://127.0.0.1:3000/x@y',
  'http://[::1]:3000/a@b',
  'https://h:443/p?ref=main&page=2',
  'mail ops@example.org about Basic authentication',
  'git@github.com:acme/x',
  'ssh://git@github.com/acme/x failed',
  'ssh://git@[::1]:2222/acme/x@y',
]

describe('redacting text', () => {
  test.each(Object.entries(redacted))('takes out %s', (_, [text, expected]) => {
    expect(redactText(text)).toBe(expected)
  })

  test.each(kept)('leaves %s as it is', (text) => {
    expect(redactText(text)).toBe(text)
  })

  test('costs linear time on hostile text', () => {
    const texts = ['a://x:y'.repeat(30_000), '?'.repeat(200_000), `?${'token'.repeat(40_000)}`, 'a'.repeat(200_000), 'a:'.repeat(100_000)]
    const started = performance.now()
    for (const text of texts) redactText(text)
    expect(performance.now() - started).toBeLessThan(5_000)
  })
})

describe('a redactor', () => {
  const secret = 'pa"ss wörd/+1'

  test.each([
    ['as it is', secret],
    ['URL-encoded', encodeURIComponent(secret)],
    ['in JSON', JSON.stringify({ secret }).slice(11, -2)],
    ['in base64', Buffer.from(secret).toString('base64')],
    ['in base64url', Buffer.from(secret).toString('base64url')],
  ])('takes a value out %s', (_, form) => {
    const redactor = new Redactor()
    redactor.add(secret)
    expect(redactor.redact(`<${form}>`)).toBe('<(redacted)>')
  })

  test('takes the longer of two values first, so that no rest of it is left', () => {
    const redactor = new Redactor()
    redactor.add('secret')
    redactor.add('secret-and-more')
    expect(redactor.redact('secret-and-more secret')).toBe('(redacted) (redacted)')
  })

  test('does not tear words apart for a very short value', () => {
    const redactor = new Redactor()
    redactor.add('a')
    expect(redactor.redact('a bad day')).toBe('a bad day')
  })

  test('also takes out what any text must not show', () => {
    expect(new Redactor().redact('https://me:pw@h/')).toBe('https://(redacted)@h/')
  })
})
