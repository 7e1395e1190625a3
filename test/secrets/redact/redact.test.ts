import { describe, expect, test } from 'vitest'
import { Redactor, redactText } from '../../../src/secrets/redact/redact.js'
import { cpuMs } from '../../cpu-time.js'

const redacted: Readonly<Record<string, readonly [string, string]>> = {
  'a user and password': [
    'fetch https://me:s3cret@git.example/x.git failed',
    'fetch https://(redacted)@git.example/x.git failed',
  ],
  'a token as the user': ['https://ghs_abc@github.com/acme/x', 'https://(redacted)@github.com/acme/x'],
  'a password with an @ in it': ['https://me:p@ss@host/x', 'https://(redacted)@host/x'],
  'a password with a slash in it': ['https://me:p/ss@host/x', 'https://(redacted)@host/x'],
  'user information of ssh': ['ssh://git:pw@host/x', 'ssh://(redacted)@host/x'],
  'a password of ssh with a slash in it': ['ssh://git:p/w@host/x', 'ssh://(redacted)@host/x'],
  'a user of another scheme that ends alike': ['git+ssh://tok@host/x', 'git+ssh://(redacted)@host/x'],
  'a user that contains more than a name': ['ssh://a@b@host/x', 'ssh://(redacted)@host/x'],
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

  test('costs linear time on hostile text', async () => {
    const texts = [
      'a://x:y'.repeat(30_000),
      '?'.repeat(200_000),
      `?${'token'.repeat(40_000)}`,
      'a'.repeat(200_000),
      'a:'.repeat(100_000),
    ]
    const ms = await cpuMs(() => texts.forEach((text) => redactText(text)))
    expect(ms).toBeLessThan(5_000)
  })
})

describe('a redactor', () => {
  const secret = 'pa"ss wörd/+1<&>'
  const bytes = Buffer.from(secret)

  const all = (escape: (code: number) => string): string =>
    Array.from(secret, (one) => escape(one.charCodeAt(0))).join('')

  test.each([
    ['as it is', secret],
    ['in upper case', secret.toUpperCase()],
    ['URL-encoded', encodeURIComponent(secret)],
    ['URL-encoded with small digits', encodeURIComponent(secret).toLowerCase()],
    ['URL-encoded as a form', encodeURIComponent(secret).replaceAll('%20', '+')],
    ['URL-encoded but for slashes', encodeURIComponent(secret).replaceAll('%2F', '/')],
    ['URL-encoded twice', encodeURIComponent(encodeURIComponent(secret))],
    ['in JSON', JSON.stringify({ secret }).slice(11, -2)],
    ['in JSON with escaped slashes', JSON.stringify({ secret }).slice(11, -2).replaceAll('/', '\\/')],
    ['in JSON of ASCII', JSON.stringify({ secret }).slice(11, -2).replaceAll('ö', '\\u00f6')],
    ['in HTML', 'pa&quot;ss wörd/+1&lt;&amp;&gt;'],
    ['in HTML with numbers', 'pa&#34;ss wörd/+1&lt;&amp;&gt;'],
    ['URL-encoded but for one character', secret.replace('/', '%2F')],
    ['URL-encoded with letters', encodeURIComponent(secret).replace('ss', '%73%53')],
    ['URL-encoded three times', encodeURIComponent(encodeURIComponent(encodeURIComponent(secret)))],
    ['URL-encoded twice with letters', secret.replace('ss', '%2573s')],
    ['URL-encoded in Latin-1', secret.replace('ö', '%F6')],
    ['URL-encoded as old scripts do', secret.replace('ö', '%u00F6')],
    ['in bytes that were read as Latin-1', bytes.toString('latin1')],
    ['in JSON with all escaped', all((code) => `\\u${code.toString(16).padStart(4, '0')}`)],
    ['in JSON with one letter escaped', JSON.stringify(secret).slice(1, -1).replace('w', '\\u0077')],
    ['in JSON with capital digits', JSON.stringify(secret).slice(1, -1).replace('/', '\\u002F')],
    ['in JSON in JSON', JSON.stringify(JSON.stringify(secret)).slice(3, -3)],
    ['in JSON in JSON with letters escaped', secret.replace('w', '\\\\u0077').replace('"', '\\\\\\"')],
    ['in JSON and URL-encoded', encodeURIComponent(JSON.stringify(secret).slice(1, -1).replace('w', '\\u0077'))],
    ['in HTML with decimal numbers', all((code) => `&#${code};`)],
    ['in HTML with hexadecimal numbers', all((code) => `&#x${code.toString(16)};`)],
    ['in HTML with zeros', all((code) => `&#X000${code.toString(16).toUpperCase()};`)],
    ['in HTML with names', 'pa&quot;ss w&ouml;rd&sol;&plus;1&lt;&amp;&gt;'],
    ['in HTML in HTML', 'pa&amp;quot;ss w&amp;ouml;rd&amp;#47;+1&amp;lt;&amp;amp;&amp;gt;'],
    ['in the strings of scripts', secret.replace('"', '\\x22').replace('w', '\\x77')],
    ['in hex', bytes.toString('hex')],
    ['in hex of capitals', bytes.toString('hex').toUpperCase()],
    ['in base64', bytes.toString('base64')],
    ['in base64url', bytes.toString('base64url')],
  ])('takes a value out %s', (_, form) => {
    const redactor = new Redactor()
    redactor.add(secret)
    expect(redactor.redact(`<${form}>`)).toBe('<(redacted)>')
  })

  test.each([1, 2, 3, 4, 5])('takes out what base64 shows of a value behind %i other bytes', (before) => {
    const redactor = new Redactor()
    redactor.add(secret)
    const text = Buffer.concat([Buffer.alloc(before, 'x'), bytes, Buffer.from('yz')])
    const shown = redactor.redact(text.toString('base64')).replace('(redacted)', '')
    expect(shown.length).toBeLessThanOrEqual(Math.ceil(((before + 4) * 8) / 6) + 4)
  })

  test('takes out the beginning of a value that was cut, and not that of another word', () => {
    const redactor = new Redactor()
    redactor.add('hunter-of-secrets')
    expect(redactor.redact('no hunter-of… here')).toBe('no (redacted)… here')
    expect(redactor.redact('no hunter-of here')).toBe('no hunter-of here')
  })

  test('takes out the beginning of an encoded value that was cut within an escape', () => {
    const redactor = new Redactor()
    redactor.add('hunter/of/secrets')
    expect(redactor.redact('no hunter%2Fof%2… here')).toBe('no (redacted)%2… here')
    expect(redactor.redact('no hunter&sol;o&so… here')).toBe('no (redacted)&so… here')
  })

  test.each(['50%41 of&amp;all\\n', 'DOMAIN\\user%2Fname', '🔑-key=%F0%9F%94%91', '\\u0053ecret'])(
    'removes %j, which resembles encoded text',
    (value) => {
      const redactor = new Redactor()
      redactor.add(value)
      const forms = [
        value,
        encodeURIComponent(value),
        JSON.stringify(value).slice(1, -1),
        value.replace(/[a-z]/i, (one) => `%${one.charCodeAt(0).toString(16)}`),
      ]
      for (const form of forms) expect(redactor.redact(`<${form}>`)).toBe('<(redacted)>')
    },
  )

  test('leaves other encoded text unchanged', () => {
    const redactor = new Redactor()
    redactor.add(secret)
    const text = 'GET /a%2Fb?c=%C3%B6&amp;d \\"quoted\\" \\u0053 &nothing; 100% \\'
    expect(redactor.redact(text)).toBe(text)
  })

  test('takes values out that overlap or touch, as one', () => {
    const redactor = new Redactor()
    for (const value of ['abcdef123', 'def123xyz']) redactor.add(value)
    expect(redactor.redact('<abcdef123xyz>')).toBe('<(redacted)>')
  })

  test('takes out each line of a private key', () => {
    const redactor = new Redactor()
    redactor.add('-----BEGIN KEY-----\nMIIBOgIBAAJBAKj34Gky\nFzKyLPGkz3cVqTn1aaaa\n-----END KEY-----\n')
    expect(redactor.redact('line 2 is FzKyLPGkz3cVqTn1aaaa -----BEGIN KEY-----')).toBe(
      'line 2 is (redacted) -----BEGIN KEY-----',
    )
  })

  test('keeps the newest 1,000 values, and one that is used again counts as new', () => {
    const redactor = new Redactor()
    redactor.add('credential')
    for (let number = 0; number < 999; number++) redactor.add(`pushed-${number}-value`)
    redactor.add('credential')
    redactor.add('another-value')
    expect(redactor.redact('credential pushed-0-value pushed-1-value')).toBe('(redacted) pushed-0-value (redacted)')
  })

  test.each([
    ['ordinary lines', 'An ordinary line of a log, with 17-Secret/134623 and a number. '],
    ['beginnings of values', '17-Secre 17-Secret/13462 '],
    ['percent-encoded letters', '%41%62%63'],
    ['one percent sign that is encoded again and again', '25'],
    ['escapes that nest', '%3'],
    ['backslashes', '\\'],
    ['escapes of JSON', '\\u0041\\"'],
    ['ampersands', '&'],
    ['semicolons', 'amp;'],
    ['entities', '&#0000065;&amp;'],
    ['entities that nest', '&#3'],
    ['bytes of UTF-8', '\u00c3\u00b6\u00f0'],
    ['cuts', '17-Secret/…%…'],
  ])('stays fast with 1,000 values and 256 KiB of %s', async (_, part) => {
    const redactor = new Redactor()
    for (let number = 0; number < 1_000; number++)
      redactor.add(`${number}-Secret/${number * 7_919}+value-of-some-length`)
    const text = `%${part.repeat(2 ** 18 / part.length)}5;`
    expect(await cpuMs(() => redactor.redact(text))).toBeLessThan(1_250)
  })

  test('stays fast where all values begin alike, and so does the text', async () => {
    const redactor = new Redactor()
    for (let number = 0; number < 1_000; number++) redactor.add(`common-prefix-of-tokens-${number}`)
    const text = `${'common-prefix-of-tokens-'.repeat(10_000)}7`
    const expected = `${'common-prefix-of-tokens-'.repeat(9_999)}(redacted)`
    expect(await cpuMs(() => expect(redactor.redact(text)).toBe(expected))).toBeLessThan(1_250)
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
