// Who signed a tag or a commit: what git, gpg and ssh-keygen sign is good, and nothing else is.
import { execFileSync } from 'node:child_process'
import { createHash, generateKeyPairSync, sign, type KeyObject } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Signature } from '../../../../src/model/sources/channel.js'
import { sshFingerprint, type SigningKey } from '../../../../src/secrets/signing-keys.js'
import { parseObject } from '../../../../src/source/git/objects/git-object.js'
import { checkSignature } from '../../../../src/source/git/signatures/signatures.js'
import { sshString } from '../../../../src/secrets/ssh-reader.js'
import { makeRepository, type Repository } from '../../../git-server.js'
import { Dice } from '../../../random/dice.js'
import { GpgHome, hasGpg, hasSshKeygen, newSshKey, signingGit, type SigningWith } from '../../../signing.js'

let root: string
let repository: Repository
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'gitmoor-signatures-'))
  repository = await makeRepository(root)
  await repository.commit({ files: { a: '1' } })
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

const stable = 'refs/tags/stable'

function check(
  type: 'tag' | 'commit',
  bytes: Buffer,
  keys: readonly SigningKey[],
  { ref = stable, now = Date.now() } = {},
): Promise<Signature> {
  return checkSignature({ type, object: parseObject(bytes) }, ref, { keys: { read: () => keys }, now })
}

/** A tag named `stable` that git made and signed. */
async function signedTag(by: SigningWith): Promise<Buffer> {
  await signingGit(repository.directory, by, 'tag', '--force', '-s', '-m', 'Release', 'stable', 'main')
  return objectAt(stable, 'tag')
}

async function signedCommit(by: SigningWith): Promise<Buffer> {
  const commit = await signingGit(repository.directory, by, 'commit-tree', '-S', '-m', 'Charts', 'main^{tree}')
  return objectAt(commit, 'commit')
}

function objectAt(name: string, type: string): Buffer {
  return execFileSync('git', ['cat-file', type, name], { cwd: repository.directory })
}

const unsigned = (name = 'stable'): Buffer =>
  Buffer.from(`object ${'a'.repeat(40)}\ntype commit\ntag ${name}\ntagger T <t@e> 1700000000 +0000\n\nRelease\n`)

test('unsigned objects have no signature', async () => {
  expect(await check('tag', unsigned(), [])).toEqual({ state: 'none' })
})

test('what an X.509 certificate signed is signed by an unknown key', async () => {
  const signature = '-----BEGIN SIGNED MESSAGE-----\nabcd\n-----END SIGNED MESSAGE-----\n'
  expect(await check('tag', Buffer.concat([unsigned(), Buffer.from(signature)]), [])).toEqual({
    state: 'unknown-key',
    key: 'an X.509 certificate, which gitmoor does not support',
  })
})

test.each(['PGP SIGNATURE', 'PGP MESSAGE', 'SSH SIGNATURE'])('an invalid %s of any size is bad', async (kind) => {
  for (const inside of ['abcd', '', '\0\0', 'A'.repeat(70_000), Buffer.alloc(40_000, 0xc2).toString('base64')]) {
    const signature = Buffer.from(`-----BEGIN ${kind}-----\n\n${inside}\n-----END ${kind}-----\n`)
    expect((await check('tag', Buffer.concat([unsigned(), signature]), [])).state).toBe('bad')
  }
})

describe.skipIf(!hasSshKeygen)(`signatures of SSH keys${hasSshKeygen ? '' : ' (ssh-keygen is not installed)'}`, () => {
  const path = (name: string): string => join(root, 'ssh', name)
  const ssh = (name: string, text: string): SigningKey => ({ name, kind: 'ssh', text })
  const blobOf = (line: string): Buffer => Buffer.from(line.split(' ')[1]!, 'base64')

  test.each([
    ['ed25519', ['ed25519']],
    ['ECDSA on 256 bits', ['ecdsa', '-b', '256']],
    ['ECDSA on 384 bits', ['ecdsa', '-b', '384']],
    ['ECDSA on 521 bits', ['ecdsa', '-b', '521']],
    ['RSA', ['rsa', '-b', '2048']],
  ])(
    'tags and commits that git signs with %s are good, in the name of the key',
    async (name, [type = '', ...options]) => {
      const line = newSshKey(path(name), type, ...options)
      const keys = [ssh('other', newSshKey(path('other'), 'ed25519')), ssh('ana', `# keys of Ana\n${line}`)]
      const good = { state: 'good', key: sshFingerprint(blobOf(line)), by: 'ana' }
      for (let round = 0; round < 3; round++)
        expect(await check('commit', await signedCommit({ key: path(name) }), keys)).toEqual(good)
      expect(await check('tag', await signedTag({ key: path(name) }), keys)).toEqual(good)
      expect(execFileSync('ssh-keygen', ['-l', '-f', `${path(name)}.pub`], { encoding: 'utf8' })).toContain(good.key)
    },
  )

  test('a key outside the configuration is unknown, and reported with its fingerprint', async () => {
    const line = newSshKey(path('ana'), 'ed25519')
    const tag = await signedTag({ key: path('ana') })
    expect(await check('tag', tag, [])).toEqual({ state: 'unknown-key', key: sshFingerprint(blobOf(line)) })
  })

  test('a tag that was signed under another name is bad, and so is one at a branch', async () => {
    const keys = [ssh('ana', newSshKey(path('ana'), 'ed25519'))]
    const tag = await signedTag({ key: path('ana') })
    for (const ref of ['refs/tags/beta', 'refs/tags/x/stable', 'refs/heads/stable', 'stable'])
      expect(await check('tag', tag, keys, { ref })).toEqual({
        state: 'bad',
        why: 'The tag was signed with another name.',
      })
  })

  test('a signature for something else than git is bad', async () => {
    const keys = [ssh('ana', newSshKey(path('ana'), 'ed25519'))]
    writeFileSync(join(root, 'payload'), unsigned())
    execFileSync('ssh-keygen', ['-q', '-Y', 'sign', '-n', 'file', '-f', path('ana'), join(root, 'payload')], {
      stdio: 'ignore',
    })
    const tag = Buffer.concat([unsigned(), readFileSync(join(root, 'payload.sig'))])
    expect(await check('tag', tag, keys)).toEqual({
      state: 'bad',
      why: 'The signature is not for git.',
    })
  })

  test('with any byte of it, or of what is signed, changed it is never good', async () => {
    const dice = new Dice(3)
    const keys = [ssh('ana', newSshKey(path('ana'), 'ed25519'))]
    const tag = (await signedTag({ key: path('ana') })).toString('latin1')
    const at = tag.indexOf('-----BEGIN')
    const payload = Buffer.from(tag.slice(0, at), 'latin1')
    const blob = Buffer.from(tag.slice(at).replace(/-----.*-----/g, ''), 'base64')
    expect((await check('tag', Buffer.concat([payload, armoured(blob)]), keys)).state).toBe('good')
    for (const bytes of [payload, blob])
      for (let index = 0; index < bytes.length; index++) {
        const changed = Buffer.from(bytes)
        changed[index]! ^= 1 + dice.below(255)
        const whole = bytes === payload ? [changed, armoured(blob)] : [payload, armoured(changed)]
        expect((await check('tag', Buffer.concat(whole), keys)).state, `byte ${index}`).not.toBe('good')
      }
  })

  test('a second signature in a commit is bad, whichever is right', async () => {
    const keys = [ssh('ana', newSshKey(path('ana'), 'ed25519'))]
    const commit = (await signedCommit({ key: path('ana') })).toString('latin1')
    const header = /gpgsig (?:.*\n )*.*\n/.exec(commit)![0]
    const doubled = Buffer.from(commit.replace(header, header + header), 'latin1')
    expect(await check('commit', doubled, keys)).toEqual({ state: 'bad', why: 'It contains more than one signature.' })
    const other = Buffer.from(commit.replace(header, `${header}gpgsig-sha256 one\n more\n`), 'latin1')
    // A signature over the other sort of ids is no part of what is signed, as in git.
    expect((await check('commit', other, keys)).state).toBe('good')
  })
})

describe('a signature as the protocol of SSH has it', () => {
  const string = (text: string): Buffer => sshString(Buffer.from(text, 'latin1'))
  const ed25519 = generateKeyPairSync('ed25519')
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const p256 = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const part = (key: KeyObject, name: 'x' | 'y' | 'n' | 'e'): Buffer =>
    Buffer.from(key.export({ format: 'jwk' })[name]!, 'base64url')
  const point = Buffer.concat([Buffer.from([4]), part(p256.publicKey, 'x'), part(p256.publicKey, 'y')])
  const positive = (bytes: Buffer): Buffer =>
    sshString(bytes[0]! > 127 ? Buffer.concat([Buffer.from([0]), bytes]) : bytes)
  const blobs = {
    'sk-ssh-ed25519@openssh.com': Buffer.concat([
      string('sk-ssh-ed25519@openssh.com'),
      sshString(part(ed25519.publicKey, 'x')),
      string('ssh:'),
    ]),
    'sk-ecdsa-sha2-nistp256@openssh.com': Buffer.concat([
      string('sk-ecdsa-sha2-nistp256@openssh.com'),
      string('nistp256'),
      sshString(point),
      string('ssh:'),
    ]),
    'ssh-rsa': Buffer.concat([
      string('ssh-rsa'),
      positive(part(rsa.publicKey, 'e')),
      positive(part(rsa.publicKey, 'n')),
    ]),
  } as const
  const sha = (name: string, bytes: Buffer): Buffer => createHash(name).update(bytes).digest()

  /** What is signed: about the payload, its hash. */
  function about(payload: Buffer, hash: string): Buffer {
    return Buffer.concat([
      Buffer.from('SSHSIG'),
      string('git'),
      string(''),
      string(hash),
      sshString(sha(hash === 'sha1' ? 'sha1' : hash, payload)),
    ])
  }

  function whole(type: keyof typeof blobs, signature: Buffer, hash: string): Buffer {
    const head = [
      Buffer.from('SSHSIG\0\0\0\x01'),
      sshString(blobs[type]),
      string('git'),
      string(''),
      string(hash),
      sshString(signature),
    ]
    return Buffer.concat([unsigned(), armoured(Buffer.concat(head))])
  }

  function byDevice(type: 'sk-ssh-ed25519@openssh.com' | 'sk-ecdsa-sha2-nistp256@openssh.com', flags: number): Buffer {
    const end = Buffer.from([flags, 0, 0, 0, 7])
    const bytes = Buffer.concat([sha('sha256', Buffer.from('ssh:')), end, sha('sha256', about(unsigned(), 'sha512'))])
    if (type.startsWith('sk-ssh'))
      return Buffer.concat([string(type), sshString(sign(null, bytes, ed25519.privateKey)), end])
    const pair = sign('sha256', bytes, { key: p256.privateKey, dsaEncoding: 'ieee-p1363' })
    const numbers = Buffer.concat([positive(trimmed(pair.subarray(0, 32))), positive(trimmed(pair.subarray(32)))])
    return Buffer.concat([string(type), sshString(numbers), end])
  }

  const keyOf = (type: keyof typeof blobs): SigningKey => ({
    name: 'ana',
    kind: 'ssh',
    text: `${type} ${blobs[type].toString('base64')}`,
  })

  test.each(['sk-ssh-ed25519@openssh.com', 'sk-ecdsa-sha2-nistp256@openssh.com'] as const)(
    'by a device (%s) is good where its owner touched it, else bad',
    async (type) => {
      expect(await check('tag', whole(type, byDevice(type, 1), 'sha512'), [keyOf(type)])).toMatchObject({
        state: 'good',
        by: 'ana',
      })
      expect(await check('tag', whole(type, byDevice(type, 0), 'sha512'), [keyOf(type)])).toMatchObject({
        state: 'bad',
      })
    },
  )

  test.each([
    ['good by RSA with SHA-512', 'rsa-sha2-512', 'sha512', 'sha512', 'good'],
    ['good by RSA with SHA-256', 'rsa-sha2-256', 'sha256', 'sha512', 'good'],
    ['bad by RSA with SHA-1', 'ssh-rsa', 'sha1', 'sha512', 'bad'],
    ['bad over a hash that is not safe', 'rsa-sha2-512', 'sha512', 'sha1', 'bad'],
  ])('is %s', async (_, format, digest, hash, expected) => {
    const signature = Buffer.concat([string(format), sshString(sign(digest, about(unsigned(), hash), rsa.privateKey))])
    expect((await check('tag', whole('ssh-rsa', signature, hash), [keyOf('ssh-rsa')])).state).toBe(expected)
  })
})

describe.skipIf(!hasGpg)(`signatures of GPG${hasGpg ? '' : ' (gpg is not installed)'}`, () => {
  let home: GpgHome
  let ops: string
  let keys: readonly SigningKey[]
  beforeAll(async () => {
    home = new GpgHome()
    ops = await home.newKey('ops', 'ed25519', '2y')
    await home.newKey('sub', 'rsa2048', '2y', 'ed25519')
    keys = [await gpg('sub'), await gpg('ops')]
  })
  afterAll(() => home[Symbol.dispose]())

  const gpg = async (name: string): Promise<SigningKey> => ({ name, kind: 'gpg', text: await home.export(name) })
  const year = 365.25 * 86_400_000

  test('tags and commits that git signs are good, in the name of the key', async () => {
    const good = { state: 'good', key: ops, by: 'ops' }
    expect(await check('tag', await signedTag({ key: ops, gpg: home }), keys)).toEqual(good)
    expect(await check('commit', await signedCommit({ key: ops, gpg: home }), keys)).toEqual(good)
  })

  test('what a subkey signs is signed by its key', async () => {
    expect(await check('tag', await signedTag({ key: 'sub@example.com', gpg: home }), keys)).toMatchObject({
      state: 'good',
      by: 'sub',
    })
  })

  test('a key that is not in the configuration is unknown', async () => {
    const tag = await signedTag({ key: ops, gpg: home })
    expect(await check('tag', tag, [await gpg('sub')])).toEqual({ state: 'unknown-key', key: ops.slice(-16) })
  })

  test('a tag that was signed under another name is bad', async () => {
    const tag = await signedTag({ key: ops, gpg: home })
    expect(await check('tag', tag, keys, { ref: 'refs/tags/beta' })).toMatchObject({ state: 'bad' })
  })

  test.each([
    ['after the key has expired', 3 * year, 'expired'],
    ['before it was made', -year, 'future'],
  ])('%s it is bad', async (_, later, word) => {
    const found = await check('tag', await signedTag({ key: ops, gpg: home }), keys, { now: Date.now() + later })
    expect(found).toMatchObject({ state: 'bad', why: expect.stringContaining(word) as string })
  })

  test('once its key is revoked it is bad', async () => {
    const lost = await home.newKey('lost', 'ed25519', '2y')
    const tag = await signedTag({ key: lost, gpg: home })
    expect(await check('tag', tag, [await gpg('lost')])).toMatchObject({ state: 'good' })
    await home.revoke(lost)
    expect(await check('tag', tag, [await gpg('lost')])).toMatchObject({
      state: 'bad',
      why: expect.stringContaining('revoked') as string,
    })
  })

  test.each([
    ['two signatures', ['--detach-sign', '-u', 'ops@example.com', '-u', 'sub@example.com']],
    ['a signature with SHA-1', ['--detach-sign', '-u', 'sub@example.com', '--digest-algo', 'SHA1']],
    ['a signature over text', ['--detach-sign', '-u', 'ops@example.com', '--textmode']],
    ['a message that is signed', ['--sign', '-u', 'ops@example.com']],
  ])('%s is bad', async (_, options) => {
    const tag = Buffer.concat([unsigned(), Buffer.from(home.sign(unsigned(), ...options))])
    expect((await check('tag', tag, keys)).state).toBe('bad')
  })

  test('with any byte of what is signed changed it is never good', async () => {
    const dice = new Dice(4)
    const tag = await signedTag({ key: ops, gpg: home })
    const end = tag.indexOf('-----BEGIN')
    for (let index = 0; index < end; index++) {
      const changed = Buffer.from(tag)
      changed[index]! ^= 1 + dice.below(255)
      expect((await check('tag', changed, keys)).state, `byte ${index}`).not.toBe('good')
    }
  })

  test('with bytes of the signature changed it is read or refused in words', async () => {
    const dice = new Dice(6)
    const tag = await signedTag({ key: ops, gpg: home })
    const begin = tag.indexOf('-----BEGIN')
    for (let round = 0; round < 150; round++) {
      const changed = Buffer.from(tag)
      for (let change = 0; change < 3; change++) changed[begin + dice.below(tag.length - begin)] = 32 + dice.below(95)
      expect(['good', 'bad', 'unknown-key', 'none']).toContain((await check('tag', changed, keys)).state)
    }
  })
})

function armoured(blob: Buffer): Buffer {
  const lines = blob.toString('base64').replace(/.{70}/g, '$&\n')
  return Buffer.from(`-----BEGIN SSH SIGNATURE-----\n${lines}\n-----END SSH SIGNATURE-----\n`)
}

/** A number without zeros before it. */
function trimmed(bytes: Buffer): Buffer {
  const first = bytes.findIndex((byte) => byte !== 0)
  return bytes.subarray(Math.max(0, first))
}
