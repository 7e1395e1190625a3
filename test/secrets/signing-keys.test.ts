import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { sshString } from '../../src/secrets/ssh-reader.js'
import { Unavailable } from '../../src/model/errors.js'
import { signingKeyProblem, SigningKeys } from '../../src/secrets/signing-keys.js'

const one = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ1C0bV2cYNRpNBdkbSYcs0vHYrVvPUyV0Ip3oYJPjcQ one'
const two = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAID4MBRPawzxcV4PoUc4V2QMAcJ6B4o3PbgmY+1OUAx/+ two'

function rsaLine(modulusLength: number): string {
  const { e, n } = generateKeyPairSync('rsa', { modulusLength }).publicKey.export({ format: 'jwk' })
  const numbers = [e!, n!].map((number) =>
    sshString(Buffer.concat([Buffer.alloc(1), Buffer.from(number, 'base64url')])),
  )
  return `ssh-rsa ${Buffer.concat([sshString(Buffer.from('ssh-rsa')), ...numbers]).toString('base64')}`
}

let directory: string
beforeEach(() => (directory = mkdtempSync(join(tmpdir(), 'gitmoor-keys-'))))
afterEach(() => rmSync(directory, { recursive: true, force: true }))

function keysOf(text: string): SigningKeys {
  return new SigningKeys([{ name: 'ana', kind: 'ssh', text }], { directory, environment: () => undefined })
}

test('a key in a file is read at each use', () => {
  const keys = keysOf('${file:ana.pub}')
  writeFileSync(join(directory, 'ana.pub'), `${one}\n`)
  expect(keys.read()).toEqual([{ name: 'ana', kind: 'ssh', text: one }])
  writeFileSync(join(directory, 'ana.pub'), `${two}\n`)
  expect(keys.read()).toEqual([{ name: 'ana', kind: 'ssh', text: two }])
})

test('keys that are declared again count from then on, and no others', () => {
  const keys = keysOf(one)
  keys.replace([{ name: 'ben', kind: 'ssh', text: two }])
  expect(keys.read()).toEqual([{ name: 'ben', kind: 'ssh', text: two }])
})

test.each([
  ['is not there any more', undefined],
  ['has no key', 'nothing'],
])('a key whose file %s is an error that names it, and no key at all', (_, text) => {
  if (text !== undefined) writeFileSync(join(directory, 'ana.pub'), text)
  expect(() => keysOf('${file:ana.pub}').read()).toThrow(Unavailable)
  expect(() => keysOf('${file:ana.pub}').read()).toThrow('The key "ana" cannot be used.')
})

test.each([
  ['two keys of SSH, one on each line', 'ssh', `# team\n${one}\n${two}`, undefined],
  ['a type that is another one inside', 'ssh', one.replace('ssh-ed25519 ', 'ssh-rsa '), 'must be a public SSH key'],
  ['half a key of SSH', 'ssh', one.slice(0, 40), 'must be a public SSH key'],
  ['an RSA key of 1024 bits', 'ssh', rsaLine(1024), '2048 bits'],
  ['an RSA key of 2048 bits', 'ssh', rsaLine(2048), undefined],
  ['a private key', 'gpg', '-----BEGIN PGP PRIVATE KEY BLOCK-----\n', 'contains a private key'],
  ['a fingerprint', 'gpg', '8606D26BEF3A27D819D76667779990E9A64E7029', 'must be an armored public key'],
] as const)('%s is validated when the configuration is read', (_, kind, text, words) => {
  const problem = signingKeyProblem(kind, text)
  if (words === undefined) expect(problem).toBeUndefined()
  else expect(problem).toContain(words)
})
