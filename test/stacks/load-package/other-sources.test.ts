// Stacks that follow a file behind a URL, a directory, or what is pushed to them.
import { execFileSync } from 'node:child_process'
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { requestedApartMs } from '../../../src/agent/poll/poll-requests.js'
import { createApi } from '../../../src/api/api.js'
import { digestToken } from '../../../src/api/server/access.js'
import type { RunRow } from '../../../src/views/run.js'
import { bucket, label, yaml } from '../../e2e/packages.js'
import { until } from '../../e2e/until.js'
import { refusal } from '../../e2e/refusal.js'
import { never, useWorld } from '../../e2e/world.js'
import { startFileServer, type FileServer } from '../../file-server.js'
import { gitEnvironment } from '../../git-server.js'
import { sha1 } from '../../source/git-world.js'

const world = useWorld()

describe('a stack that follows a URL', () => {
  let server: FileServer
  beforeEach(async () => {
    server = await startFileServer()
  })
  afterEach(() => server[Symbol.asyncDispose]())

  const source = (digest?: string) =>
    ({ kind: 'url', url: `${server.url}/boards.yml`, ...(digest === undefined ? {} : { digest }) }) as const

  test('is applied, and again when the file changes', async () => {
    server.serve('/boards.yml', label('red'))
    const first = await world().create('boards', { sources: [source()] })
    expect(first).toMatchObject({
      outcome: 'applied',
      cause: { kind: 'created' },
      revision: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) as string,
    })
    server.serve('/boards.yml', yaml(label('red'), bucket('raw')))
    world().clock.advance(60_000)
    expect(await world().runAfter('boards', first.id)).toMatchObject({
      outcome: 'applied',
      cause: { kind: 'url-changed' },
    })
    expect(await world().names()).toEqual(['Bucket/raw', 'Label/red'])
    expect((await world().ask.getStack('boards')).sync).toBe('Synced')
  })

  test('after a restart requests the file only if it changed', async () => {
    server.serve('/boards.yml', label('red'))
    await world().create('boards', { sources: [source()] })
    server.reset()
    await world().restart()
    await until('it was polled', () => server.seen.length > 0)
    expect(server.seen[0]!.headers).toHaveProperty('if-none-match')
  })

  test('with a digest takes no other file, and says so', async () => {
    server.serve('/boards.yml', label('red'))
    const { revision } = await world().create('boards', { sources: [source()] })
    await world().ask.updateStack('boards', { source: { digest: revision } }, 'ann')
    await world().lastRun('boards')
    server.serve('/boards.yml', label('blue'))
    await expect(world().ask.requestSync('boards', 'ann', never)).rejects.toMatchObject({
      code: 'source/digest-mismatch',
    })
    expect(world().condition(await world().ask.getStack('boards')).message).toContain(
      'does not have the required digest',
    )
    expect(await world().names()).toEqual(['Label/red'])
  })

  test('deletes nothing where the file is gone, empty, or a page', async () => {
    server.serve('/boards.yml', label('red'))
    await world().create('boards', { sources: [source()] })
    for (const answer of [404, 500]) {
      server.answer((_, response) => void response.writeHead(answer).end())
      await expect(world().ask.requestSync('boards', 'ann', never)).rejects.toThrow(String(answer))
      world().clock.advance(requestedApartMs)
    }
    server.answer((_, response) => void response.end('<html></html>'))
    await expect(world().ask.requestSync('boards', 'ann', never)).rejects.toThrow('HTML')
    world().clock.advance(requestedApartMs)
    server.answer((_, response) => void response.end(''))
    expect((await world().sync('boards')).outcome).toBe('failed')
    expect(await world().names()).toEqual(['Label/red'])
  })
})

describe('a stack that follows a directory', () => {
  let directory: string
  beforeEach(() => {
    directory = join(world().root, 'work', 'boards')
    mkdirSync(directory, { recursive: true })
  })
  const source = () => ({ kind: 'directory', directory }) as const
  const write = (text: string, file = 'package.yml'): void => writeFileSync(join(directory, file), text)

  test('is applied as soon as a file is saved, as editors do', async () => {
    write(label('red'))
    const first = await world().create('boards', { sources: [source()], intervalMs: 3_600_000 })
    expect(first.outcome).toBe('applied')
    write(yaml(label('red'), bucket('raw')), '.package.yml.swp')
    renameSync(join(directory, '.package.yml.swp'), join(directory, 'package.yml'))
    expect(await world().runAfter('boards', first.id)).toMatchObject({
      outcome: 'applied',
      cause: { kind: 'directory-changed' },
    })
    expect(await world().names()).toEqual(['Bucket/raw', 'Label/red'])
  })

  test('is one run after a checkout of hundreds of files', async () => {
    const git = (...args: readonly string[]): void =>
      void execFileSync('git', args, { cwd: directory, env: gitEnvironment(), stdio: 'pipe' })
    git('init', '--quiet', '--initial-branch=main')
    write(label('red'))
    git('add', '.')
    git('commit', '--quiet', '-m', 'one')
    git('checkout', '--quiet', '-b', 'many')
    for (let n = 0; n < 300; n++) write(label(`l${n}`), `l${n}.yml`)
    git('add', '.')
    git('commit', '--quiet', '-m', 'many')
    git('checkout', '--quiet', 'main')
    const first = await world().create('boards', { sources: [source()], intervalMs: 3_600_000 })
    git('checkout', '--quiet', 'many')
    const run = await world().runAfter('boards', first.id)
    expect(run).toMatchObject({ outcome: 'applied', changes: { create: 300 } })
    expect((await world().ask.listRuns('boards', {})).items.map(({ id }) => id)).toEqual([run.id, first.id])
  })

  test('keeps its resources when the directory disappears, reports it, and continues when it is back', async () => {
    write(label('red'))
    const first = await world().create('boards', { sources: [source()] })
    rmSync(directory, { recursive: true })
    await expect(world().ask.requestSync('boards', 'ann', never)).rejects.toMatchObject({
      code: 'source/directory-missing',
    })
    expect(world().condition(await world().ask.getStack('boards'))).toMatchObject({ reason: 'FetchFailed' })
    expect(await world().names()).toEqual(['Label/red'])
    mkdirSync(directory)
    write(yaml(label('red'), label('blue')))
    world().clock.advance(requestedApartMs)
    await world().ask.requestSync('boards', 'ann', never)
    expect(await world().runAfter('boards', first.id)).toMatchObject({ outcome: 'applied' })
    expect(await world().names()).toEqual(['Label/blue', 'Label/red'])
  })

  test('is refused outside allow.directories', async () => {
    const spec = world().spec('boards', { sources: [{ kind: 'directory', directory: '/etc' }] })
    await expect(world().ask.createStack(spec, 'ann')).rejects.toMatchObject({
      code: 'source/directory-not-allowed',
      hint: 'Check the path, or add it or a directory above it to allow.directories in the configuration file.',
    })
  })
})

describe('a stack that is pushed to', () => {
  async function put(name: string, files: unknown): Promise<{ readonly status: number; readonly body: unknown }> {
    const api = createApi({ call: world().call, tokenDigest: digestToken('token'), hosts: [], version: '0' })
    const answer = await api.request(`http://localhost/api/v1/stacks/${name}/package`, {
      method: 'PUT',
      headers: { authorization: 'Bearer token', 'content-type': 'application/json', 'x-gitmoor-by': 'ann' },
      body: JSON.stringify({ files }),
    })
    return { status: answer.status, body: await answer.json() }
  }
  const spec = () => world().spec('boards', { sources: [{ kind: 'inline' }] })

  test('waits for its package, says so, and is applied by the push', async () => {
    const { run } = await world().ask.createStack(spec(), 'ann')
    await until('it was polled', () => world().log.some(({ message }) => message === 'polled'))
    const view = await world().ask.getStack('boards')
    expect(world().condition(view)).toMatchObject({
      reason: 'Waiting',
      message: expect.stringContaining('waits for its first package') as string,
    })
    expect(view.conditions.filter(({ type, status }) => type !== 'Ready' && status)).toEqual([])
    expect(view).toMatchObject({ health: 'Progressing', lastRun: { id: run, outcome: null } })
    const { blockers } = await world().ask.explainStack('boards')
    const missing = { reason: 'PackageMissing', next: [{ cli: 'gitmoor stack push boards -f FILE' }] }
    expect(blockers).toMatchObject([missing])
    expect((await world().ask.getRun('boards', run)).blockers).toMatchObject([missing])
    expect(await refusal(world().ask.waitForStack('boards', { timeoutMs: 60_000 }, never))).toMatchObject({
      status: 'source',
      code: 'stacks/packagemissing',
      message: 'boards cannot sync: The stack waits for its first package.',
      hint: 'Push it: gitmoor stack push boards -f FILE',
    })
    const { status, body } = await put('boards', [{ path: 'a/package.yml', text: label('red') }])
    expect(status).toBe(200)
    expect((body as RunRow).id).toBe(run)
    expect(await world().ended('boards', run)).toMatchObject({
      outcome: 'applied',
      cause: { kind: 'created', by: 'ann' },
    })
    expect(await world().names()).toEqual(['Label/red'])
    expect(world().log.filter(({ level }) => level === 'warn' || level === 'error')).toEqual([])
    expect(world().log.filter(({ message }) => message === 'source reachable again')).toEqual([])
  })

  test('takes the next push as a run of who pushed it, and the same again as a sync that finds nothing', async () => {
    await world().ask.createStack(spec(), 'ann')
    await put('boards', [{ path: 'package.yml', text: label('red') }])
    await world().lastRun('boards')
    const { body } = await put('boards', [{ path: 'package.yml', text: label('blue') }])
    expect(await world().ended('boards', (body as RunRow).id)).toMatchObject({
      outcome: 'applied',
      cause: { kind: 'person', by: 'ann' },
    })
    const again = await put('boards', [{ path: 'package.yml', text: label('blue') }])
    expect(await world().ended('boards', (again.body as RunRow).id)).toMatchObject({ outcome: 'unchanged' })
  })

  test('keeps the pushed package after a restart and a cleanup', async () => {
    await world().ask.createStack(spec(), 'ann')
    await put('boards', [{ path: 'package.yml', text: label('red') }])
    const first = await world().lastRun('boards')
    await world().ask.suspendStack('boards', 'test', undefined, 'ann')
    await world().store.files.prune({ runsKept: 1, revisionsKept: 1 })
    await world().restart()
    await world().ask.resumeStack('boards', 'ann')
    expect(await world().runAfter('boards', first.id)).toMatchObject({ outcome: 'unchanged' })
  })

  test.each([
    ['a path that leaves the package', [{ path: '../a.yml', text: label('red') }], 'must be relative'],
    ['an absolute path', [{ path: '/etc/a.yml', text: label('red') }], 'must be relative'],
    [
      'two paths that are one on some file systems',
      [
        { path: 'a.yml', text: label('red') },
        { path: 'A.yml', text: label('blue') },
      ],
      'is the same name as',
    ],
    ['a file that is not a package file', [{ path: 'README.md', text: 'x' }], 'is not a package file'],
    ['what cannot be read', [{ path: 'a.yml', text: 'a: [' }], 'cannot be read'],
    ['an empty package', [{ path: 'a.yml', text: '' }], 'An empty package never deletes'],
    ['no file', [], 'files'],
  ])('refuses %s with 422, and keeps what it has', async (_, files, words) => {
    await world().ask.createStack(spec(), 'ann')
    await put('boards', [{ path: 'package.yml', text: label('red') }])
    await world().lastRun('boards')
    const { status, body } = await put('boards', files)
    expect(status).toBe(422)
    expect(JSON.stringify(body)).toContain(words)
    expect(await world().names()).toEqual(['Label/red'])
  })

  test('reports all problems of a pushed package together', async () => {
    await world().ask.createStack(spec(), 'ann')
    const { body } = await put('boards', [
      { path: 'a.yml', text: 'a: [\n' },
      { path: 'b.yml', text: 'apiVersion: x\n' },
    ])
    expect((body as { readonly error: { readonly problems: readonly unknown[] } }).error.problems).toHaveLength(2)
  })

  test('to a stack that follows a repository is refused', async () => {
    await world().push(label('red'))
    await world().create('boards')
    expect((await put('boards', [{ path: 'a.yml', text: label('red') }])).status).toBe(409)
    expect((await put('nobody', [{ path: 'a.yml', text: label('red') }])).status).toBe(404)
  })
})

test('a stack of git, a URL, a directory and a push is at a revision of four parts', async () => {
  await using server = await startFileServer()
  server.serve('/boards.yml', label('blue'))
  const directory = join(world().root, 'work')
  mkdirSync(directory)
  writeFileSync(join(directory, 'package.yml'), label('green'))
  const commit = await world().push(label('red'))
  const sources = [
    { kind: 'git', url: world().url, ref: 'main', path: '' },
    { kind: 'url', url: `${server.url}/boards.yml` },
    { kind: 'directory', directory },
    { kind: 'inline' },
  ] as const
  await world().ask.createStack(world().spec('boards', { sources }), 'ann')
  const { id } = await world().ask.pushPackage(
    'boards',
    { files: [{ path: 'package.yml', text: label('white') }] },
    'ann',
    never,
  )
  const run = await world().ended('boards', id)
  expect(run.outcome).toBe('applied')
  expect(run.revision).toMatch(new RegExp(`^main@${sha1(commit)}(,sha256:[0-9a-f]{64}){3}$`))
  expect(await world().names()).toEqual(['Label/blue', 'Label/green', 'Label/red', 'Label/white'])
  expect((await world().ask.explainStack('boards')).follows.map(({ source }) => source)).toEqual([
    `${world().url}#main`,
    `${server.url}/boards.yml`,
    directory,
    'pushed packages',
  ])
})
