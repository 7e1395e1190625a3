// Stacks that follow an archive behind a URL.
import { afterEach, beforeEach, expect, test } from 'vitest'
import { label } from '../../e2e/packages.js'
import { useWorld } from '../../e2e/world.js'
import { tarGz, zipOf } from '../../archives.js'
import { startFileServer, type FileServer } from '../../file-server.js'

const world = useWorld()
let server: FileServer
beforeEach(async () => {
  server = await startFileServer()
})
afterEach(() => server[Symbol.asyncDispose]())

const source = (path = '') =>
  ({ kind: 'url', url: `${server.url}/main.tar.gz`, ...(path === '' ? {} : { path }) }) as const
const serve = (top: string, files: Readonly<Record<string, string>>): void =>
  server.serve('/main.tar.gz', tarGz(Object.entries(files).map(([name, data]) => ({ name: `${top}/${name}`, data }))))

test('a stack is applied from a folder of an archive, with any name of its top folder', async () => {
  serve('boards-a1', { 'p/a.yml': label('red'), 'q/b.yml': label('blue'), LICENSE: 'MIT' })
  const first = await world().create('boards', { sources: [source('*/p')] })
  expect(first).toMatchObject({
    outcome: 'applied',
    cause: { kind: 'created' },
    revision: expect.stringMatching(/^sha256:/) as string,
  })
  expect(await world().names()).toEqual(['Label/red'])
  serve('boards-b2', { 'p/a.yml': label('red'), 'q/b.yml': label('green') })
  world().clock.advance(60_000)
  const second = await world().runAfter('boards', first.id)
  expect(second).toMatchObject({ outcome: 'unchanged', cause: { kind: 'url-changed' } })
  serve('boards-c3', { 'p/a.yml': label('white') })
  world().clock.advance(66_000)
  expect(await world().runAfter('boards', second.id)).toMatchObject({ outcome: 'applied' })
  expect(await world().names()).toEqual(['Label/white'])
})

test('files that .gitmoorignore at the path names are excluded', async () => {
  serve('x', { 'p/.gitmoorignore': 'b.yml\n', 'p/a.yml': label('red'), 'p/b.yml': label('blue') })
  await world().create('boards', { sources: [source('x/p')] })
  expect(await world().names()).toEqual(['Label/red'])
})

test('an archive in place of another sort of archive is read as what it is', async () => {
  serve('x', { 'a.yml': label('red') })
  const first = await world().create('boards', { sources: [source()] })
  server.serve('/main.tar.gz', zipOf([{ name: 'x/a.yml', data: label('blue') }]))
  world().clock.advance(60_000)
  expect(await world().runAfter('boards', first.id)).toMatchObject({ outcome: 'applied' })
  expect(await world().names()).toEqual(['Label/blue'])
})

test('nothing is deleted where the path is gone, the archive is empty, or cut', async () => {
  serve('x', { 'p/a.yml': label('red') })
  let last = await world().create('boards', { sources: [source('*/p')] })
  for (const [body, why] of [
    [tarGz([{ name: 'x/q/a.yml', data: label('red') }]), 'There is no "x/p" in'],
    [tarGz([]), 'has no folder at its top'],
    [tarGz([{ name: 'x/p/README', data: '' }]), 'There is no package file'],
    [tarGz([{ name: 'x/p/a.yml', data: label('red') }]).subarray(0, -20), 'is incomplete or damaged'],
  ] as const) {
    server.serve('/main.tar.gz', body)
    world().clock.advance(66_000)
    last = await world().runAfter('boards', last.id)
    expect(last.outcome).toBe('failed')
    expect(world().condition(await world().ask.getStack('boards')).message).toContain(why)
    expect(await world().names()).toEqual(['Label/red'])
  }
})

test('where a package of it is wrong, the problem names the file with its path', async () => {
  serve('x', { 'p/a.yml': 'apiVersion: plain/v1\nkind: Nothing\nmetadata:\n  name: a\n' })
  const run = await world().create('boards', { sources: [source('x/p')] })
  expect(run.outcome).toBe('failed')
  const { problems } = await world().ask.getRun('boards', run.id)
  expect(problems[0]!.place!.file).toBe('x/p/a.yml')
})

test('the path is changed like that of a repository, and is shown', async () => {
  serve('x', { 'p/a.yml': label('red'), 'q/a.yml': label('blue') })
  const first = await world().create('boards', { sources: [source('x/p')] })
  await world().ask.updateStack('boards', { source: { path: 'x/q' } }, 'ann')
  await world().runAfter('boards', first.id)
  expect(await world().names()).toEqual(['Label/blue'])
  expect((await world().ask.explainStack('boards')).follows[0]!.source).toBe(`${server.url}/main.tar.gz in x/q`)
})
