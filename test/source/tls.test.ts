// Git over https with certificates that are not as they should be.
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { hasOpenssl, makeAuthority } from '../certificates.js'
import { startGitServer } from '../git-server.js'
import { errorOf, never, useGitWorld } from './git-world.js'

const world = useGitWorld()
const HERE = 'IP:127.0.0.1'

async function lookAt(names: string, times?: { readonly from: string; readonly until: string }): Promise<Error> {
  const { root, repository, source } = world()
  await repository.commit({ files: { a: '1' } })
  await using server = await startGitServer(join(root, 'served'), {
    tls: makeAuthority(join(root, 'ca')).issue(names, times),
  })
  return await errorOf(source.poll(`${server.url}/${repository.name}`, ['main'], never))
}

describe.skipIf(!hasOpenssl)('a certificate (needs openssl)', () => {
  test('that has expired is reported with its date', async () => {
    const error = await lookAt(HERE, { from: '20200101000000Z', until: '20200201123000Z' })
    expect(error).toMatchObject({ name: 'Unavailable', code: 'source/tls' })
    expect(error.message).toMatch(/^Cannot reach https:\/\/127\.0\.0\.1:\d+\/repository\.git: /)
    expect(error.message).toContain('its certificate expired at 2020-02-01 12:30 UTC.')
  })

  test('that is not valid yet is reported with its date', async () => {
    const error = await lookAt(HERE, { from: '29990101000000Z', until: '30000101000000Z' })
    expect(error).toMatchObject({
      code: 'source/tls',
      message: expect.stringContaining('valid only from 2999-01-01 00:00 UTC.') as string,
    })
  })

  test('of an unknown authority is reported with a hint', async () => {
    const error = await lookAt(HERE)
    expect(error).toMatchObject({
      name: 'Unavailable',
      code: 'source/tls',
      message: expect.stringContaining('signed by an unknown authority.') as string,
      hint: expect.stringContaining('"ca" of an entry under connections') as string,
    })
  })
})

test('a server without TLS and an unreachable one give different errors', async () => {
  const plain = createServer(
    (socket) =>
      void socket
        .on('error', () => {})
        .resume()
        .end('HTTP/1.0 400 Bad Request\r\n\r\n'),
  )
  await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve))
  const remote = `https://127.0.0.1:${(plain.address() as AddressInfo).port}/a`
  expect(await errorOf(world().source.poll(remote, ['main'], never))).toMatchObject({
    code: 'source/tls',
    message: `Cannot reach ${remote}: it does not use TLS.`,
  })
  await new Promise((resolve) => plain.close(resolve))
})
