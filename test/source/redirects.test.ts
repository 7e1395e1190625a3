// Where a git server sends one elsewhere: within its host it is followed, three times; everything else is named and
// never connected to.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { systemClock } from '../../src/lib/clock.js'
import { Credentials } from '../../src/secrets/credentials.js'
import { Redactor } from '../../src/secrets/redact/redact.js'
import { redirectTarget } from '../../src/source/network/http-errors.js'
import type { Intercept } from '../git-server.js'
import { errorOf, never, sha1, useGitWorld } from './git-world.js'

const world = useGitWorld()

function redirect(location: string, status = 302): Intercept {
  return (_, response) => void response.writeHead(status, { location }).end()
}

test('a redirect to another host is named and not followed', async () => {
  const { source, restart, server, remote } = world()
  const requests: string[] = []
  const other = createServer((request, response) => {
    requests.push(request.url ?? '')
    response.end()
  })
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  const elsewhere = `http://127.0.0.1:${(other.address() as AddressInfo).port}`
  server.intercept(redirect(`http://u:p4ss@${elsewhere.slice(7)}/new.git/git-upload-pack?token=p4ss`))
  for (const one of [source, restart({ authorization: () => Promise.resolve({ authorization: 'Basic x' }) })]) {
    const error = await errorOf(one.poll(remote, ['main'], never))
    expect(error).toMatchObject({ name: 'Rejected', code: 'source/redirected' })
    expect(error.message).toContain(`redirects to ${elsewhere}/new.git,`)
    expect(error.message).not.toContain('p4ss')
  }
  expect(requests).toEqual([])
  await new Promise((resolve) => other.close(resolve))
})

test('a redirect within the host is followed by the request itself, and remembered', async () => {
  const { repository, source, server } = world()
  const commit = await repository.commit({ files: { a: '1' } })
  server.intercept(async (seen, response, backend) => {
    const moved = { status: 301, headers: { location: '/repository.git/git-upload-pack' }, body: '' }
    const { status, headers, body } = seen.url.startsWith('/old.git/') ? moved : await backend()
    response.writeHead(status, headers).end(body)
  })
  const remote = `${server.url}/old.git`
  expect((await source.poll(remote, ['main'], never)).get('main')).toMatchObject({ state: sha1(commit) })
  await source.fetch(remote, sha1(commit), never)
  expect(server.seen.map(({ url }) => url.split('/')[1])).toEqual(['old.git', 'repository.git', 'repository.git'])
})

test('a server that redirects only the listing is found by it', async () => {
  const { repository, source, server } = world()
  const commit = await repository.commit({ files: { a: '1' } })
  server.intercept(async (seen, response, backend) => {
    const moved = { status: 301, headers: { location: '/repository.git/info/refs?service=git-upload-pack' }, body: '' }
    const { status, headers, body } = seen.url.startsWith('/old/info/refs') ? moved : await backend()
    response.writeHead(status, headers).end(body)
  })
  expect((await source.poll(`${server.url}/old`, ['main'], never)).get('main')).toMatchObject({ state: sha1(commit) })
})

test('redirects without end are given up', async () => {
  const { source, server, remote } = world()
  server.intercept((seen, response) => void response.writeHead(307, { location: seen.url }).end())
  expect(await errorOf(source.poll(remote, ['main'], never))).toMatchObject({ code: 'source/redirected' })
  expect(server.seen).toHaveLength(4)
})

test('two addresses that redirect to each other are given up', async () => {
  const { source, server } = world()
  server.intercept((seen, response) => {
    const to = seen.url.startsWith('/a.git/') ? '/b.git/git-upload-pack' : '/a.git/git-upload-pack'
    response.writeHead(301, { location: to }).end()
  })
  const error = await errorOf(source.poll(`${server.url}/a.git`, ['main'], never))
  expect(error).toMatchObject({
    name: 'Rejected',
    code: 'source/redirected',
    message: `${server.url}/a.git redirects more than 3 times.`,
  })
  expect(server.seen.map(({ url }) => url.slice(0, 3))).toEqual(['/a.', '/b.', '/a.', '/b.'])
})

const useIt = /^If the repository moved there, use /
const noPlace = /^That address cannot serve a repository/

test.each([
  ['another host', 'https://elsewhere.invalid/a.git/git-upload-pack', 'https://elsewhere.invalid/a.git', useIt],
  ['another port', 'http://127.0.0.1:1/a.git/git-upload-pack', 'http://127.0.0.1:1/a.git', useIt],
  ['another name of the same machine', 'http://localhost:1/a.git/git-upload-pack', 'http://localhost:1/a.git', useIt],
  ['a private address', 'http://10.0.0.1/a.git/git-upload-pack', 'http://10.0.0.1/a.git', useIt],
  [
    'a link-local address',
    'http://169.254.169.254/latest/meta-data',
    'http://169.254.169.254/latest/meta-data',
    noPlace,
  ],
  ['a link-local address, written as a number', 'http://2852039166/a', 'http://169.254.169.254/a', noPlace],
  ['a link-local address, inside IPv6', 'http://[::ffff:169.254.169.254]/a', 'http://[::ffff:a9fe:a9fe]/a', noPlace],
  ['a file', 'file:///etc/passwd', 'file:///etc/passwd', noPlace],
  ['another scheme', 'ssh://git@elsewhere.invalid/a', 'ssh://elsewhere.invalid/a', noPlace],
])('a redirect to %s is not followed', async (_, location, shown, hint) => {
  const { source, server, remote } = world()
  server.intercept(redirect(location))
  const error = await errorOf(source.poll(remote, ['main'], never))
  expect(error).toMatchObject({
    name: 'Rejected',
    code: 'source/redirected',
    hint: expect.stringMatching(hint) as string,
  })
  expect(error.message).toBe(`${remote} redirects to ${shown}, which gitmoor does not follow.`)
  expect(server.seen).toHaveLength(1)
})

test.each([
  ['nowhere', undefined, 'it redirects without a valid address'],
  ['an invalid address', 'http://[', 'it redirects without a valid address'],
  ['a page', '/login', 'it redirects to a page'],
])('a redirect to %s is reported as not git', async (_, location, said) => {
  const { source, server, remote } = world()
  server.intercept((_seen, response) => void response.writeHead(302, location === undefined ? {} : { location }).end())
  const error = await errorOf(source.poll(remote, ['main'], never))
  expect(error).toMatchObject({
    name: 'Rejected',
    code: 'source/not-git',
    message: expect.stringContaining(said) as string,
  })
})

test('a redirect within the host takes no credential to where its match does not reach', async () => {
  const { repository, restart, server } = world()
  const commit = await repository.commit({ files: { a: '1' } })
  server.intercept(async (seen, response, backend) => {
    const moved = { status: 301, headers: { location: '/repository.git/git-upload-pack' }, body: '' }
    const { status, headers, body } = seen.url.startsWith('/private/') ? moved : await backend()
    response.writeHead(status, headers).end(body)
  })
  const entry = {
    name: 'private',
    match: `${server.url}/private/`,
    header: { name: 'X-Token', value: 't0ken-private' },
    allowHttp: true,
  }
  const nothing = (): Promise<never> => Promise.reject(new Error('Nothing is asked here.'))
  const lookup = { directory: '/', environment: () => undefined }
  const credentials = new Credentials([entry], { lookup, redactor: new Redactor(), clock: systemClock, post: nothing })
  const source = restart({ authorization: (url) => credentials.authorization(url) })
  expect((await source.poll(`${server.url}/private/old.git`, ['main'], never)).get('main')).toMatchObject({
    state: sha1(commit),
  })
  expect(server.seen.map(({ headers }) => headers['x-token'])).toEqual(['t0ken-private', undefined])
})

test('a redirect from https to http is not followed', () => {
  const act = (): unknown =>
    redirectTarget('https://a.example/x', 'https://a.example/x/info/refs', {
      statusCode: 302,
      headers: { location: 'http://a.example/x/info/refs' },
    })
  expect(act).toThrow('https://a.example/x redirects to http://a.example/x, which gitmoor does not follow.')
})
