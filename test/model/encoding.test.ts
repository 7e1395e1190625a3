import { describe, expect, test } from 'vitest'
import { detectEncoding, isJsonnetAddress, type EncodingSigns } from '../../src/model/encoding.js'

const cases: readonly (readonly [string, EncodingSigns, string])[] = [
  [
    'a declared short name wins over the extension',
    { contentType: 'yml', path: 'https://x/a.json', text: '[]' },
    'yaml',
  ],
  [
    'a declared content type wins over the extension',
    { contentType: 'application/x-yaml', path: 'a.json', text: '[]' },
    'yaml',
  ],
  ['an unknown declared name says nothing', { contentType: 'toml', path: 'a.json', text: 'a: 1' }, 'json'],
  [
    'the extension wins over the answer',
    { path: 'https://x/a.yml', responseType: 'application/json', text: '[]' },
    'yaml',
  ],
  ['the extension is that of the path', { path: 'https://x/a.yml?as=.json#b.json', text: '[]' }, 'yaml'],
  ['the extension is read without case', { path: 'A.JSON', text: 'a: 1' }, 'json'],
  ['the extension is unescaped', { path: 'https://x/a.%6asonnet', text: 'a: 1' }, 'jsonnet'],
  ['a file may have a question mark in its name', { path: 'what?.json', text: 'a: 1' }, 'json'],
  ['the answer wins over the text', { path: 'https://x/a', responseType: 'text/yml', text: '[]' }, 'yaml'],
  ['parameters of the answer do not matter', { responseType: 'Application/JSON; charset=utf-8', text: 'a: 1' }, 'json'],
  ['an answer in a dialect of JSON is JSON', { responseType: 'application/vnd.acme+json', text: 'a: 1' }, 'json'],
  ['an answer may be Jsonnet', { responseType: 'application/x-jsonnet', text: '[]' }, 'jsonnet'],
  ['plain text that begins with a bracket is JSON', { responseType: 'text/plain', text: ' \n[1]' }, 'json'],
  ['plain text that begins with a brace is JSON', { responseType: 'text/plain', text: '{}' }, 'json'],
  ['a byte order mark is no first character', { text: '\ufeff{}' }, 'json'],
  ['any other text is YAML', { text: 'kind: Label' }, 'yaml'],
  ['an empty text is YAML', { text: '' }, 'yaml'],
  ['the name of a property of objects is no extension', { path: 'a.constructor', text: '' }, 'yaml'],
]

describe('the encoding of a package', () => {
  test.each(cases)('%s', (_, signs, encoding) => {
    expect(detectEncoding(signs)).toBe(encoding)
  })
})

describe('an address that the API refuses as Jsonnet', () => {
  test.each([
    'https://x/a.jsonnet',
    'https://x/a.JSONNET',
    'https://x/a.%6asonnet',
    'https://x/a.%6A%73onnet',
    'https://x/a.jsonnet?raw=1',
    'https://x/a.yml?as=jsonnet',
    'jsonnet',
  ])('%s', (address) => {
    expect(isJsonnetAddress(address)).toBe(true)
  })

  test.each(['https://x/a.yml', 'https://x/jsonnet/a.yml', 'https://x/a.%256asonnet', 'https://x/%ff.yml', ''])(
    'not %j',
    (address) => {
      expect(isJsonnetAddress(address)).toBe(false)
    },
  )

  test.each(['https://x/%zz.yml', 'https://x/a%', '%6'])(
    '%s cannot be unescaped, which is an error of its own',
    (address) => {
      expect(() => isJsonnetAddress(address)).toThrow(
        expect.objectContaining({ status: 'usage', code: 'package/bad-escape' }),
      )
    },
  )
})
