// One stack, several sources, in order.
import { beforeEach, describe, expect, test } from 'vitest'
import { requestedApartMs } from '../../../src/agent/poll/poll-requests.js'
import type { SourceSpec } from '../../../src/model/sources/source-spec.js'
import { bucket, label, yaml } from '../../e2e/packages.js'
import { never, useWorld } from '../../e2e/world.js'
import { answering } from '../../memory-git.js'
import type { MemoryRepository } from '../../memory-repository.js'
import { sha1 } from '../../source/git-world.js'

const world = useWorld()
let second: MemoryRepository

beforeEach(() => {
  second = world().server.makeRepository('second')
})

function both(path = ''): readonly SourceSpec[] {
  const { url, server } = world()
  return [
    { kind: 'git', url, ref: 'main', path: '' },
    { kind: 'git', url: `${server.url}/second.git`, ref: 'stable', path },
  ]
}

const part = (ref: string, commit: string): string => `${ref}@${sha1(commit)}`

/** Requests for the second repository fail, or do no more. */
function second503(fails: boolean): void {
  world().server.intercept(
    fails
      ? async (request) => {
          if (request.remote.endsWith('/second.git')) await answering(503)(request)
        }
      : undefined,
  )
}

test('a stack of two sources applies both packages, at a revision with a part for each', async () => {
  const a = await world().push(label('red'))
  const b = await second.commit({ files: { 'b/more.yml': bucket('raw') }, tags: ['stable'] })
  const run = await world().create('boards', { sources: both('b') })
  expect(run).toMatchObject({
    outcome: 'applied',
    revision: `${part('main', a)},${part('stable', b)}`,
    cause: { kind: 'created' },
  })
  expect(await world().names()).toEqual(['Bucket/raw', 'Label/red'])
  const { sources, sync } = await world().ask.getStack('boards')
  expect(sync).toBe('Synced')
  expect(sources.map(({ revision }) => revision)).toEqual([part('main', a), part('stable', b)])
})

test('a move of either is a run for both, whose cause names the one that moved', async () => {
  const a = await world().push(label('red'))
  const b = await second.commit({ files: { 'more.yml': bucket('raw') }, tags: ['stable'] })
  await world().create('boards', { sources: both() })
  const later = await second.commit({ files: { 'more.yml': yaml(bucket('raw'), bucket('fine')) }, tags: ['stable'] })
  expect(await world().sync('boards')).toMatchObject({
    outcome: 'applied',
    revision: `${part('main', a)},${part('stable', later)}`,
    cause: { kind: 'tag-moved', ref: 'stable', from: b, to: later },
  })
  const moved = await world().push(label('blue'))
  expect(await world().sync('boards')).toMatchObject({
    outcome: 'applied',
    cause: { kind: 'commit', ref: 'main', from: a, to: moved },
  })
  expect(await world().names()).toEqual(['Bucket/fine', 'Bucket/raw', 'Label/blue'])
})

test('a commit that changes nothing below either path does not read the target', async () => {
  await world().push(label('red'))
  await second.commit({ files: { 'b/more.yml': bucket('raw') }, tags: ['stable'] })
  await world().create('boards', { sources: both('b') })
  const b = await second.commit({ files: { 'README.md': 'no package' }, tags: ['stable'] })
  const run = await world().sync('boards')
  expect(run).toMatchObject({ outcome: 'unchanged', plan: null, cause: { kind: 'tag-moved', to: b } })
  expect((await world().ask.getStack('boards')).sync).toBe('Synced')
})

test('a resource that both declare is reported with both places, with paths of their sources', async () => {
  await world().push(label('red'))
  await second.commit({ files: { 'b/more.yml': label('red') }, tags: ['stable'] })
  const run = await world().create('boards', { sources: both('b') })
  expect(run.outcome).toBe('failed')
  const [problem] = run.problems
  expect(problem?.place?.file).toBe('sources[1]/b/more.yml')
  expect(problem?.message).toContain('sources[0]/package.yml')
})

test('.gitmoorignore works at the root of each source, and only there', async () => {
  await world().repository.commit({
    files: { 'package.yml': label('red'), 'skip.yml': label('no'), '.gitmoorignore': 'skip.yml\n' },
  })
  await second.commit({
    files: { 'skip.yml': label('blue'), 'other.yml': label('not'), '.gitmoorignore': 'other.yml\n' },
    tags: ['stable'],
  })
  await world().create('boards', { sources: both() })
  expect(await world().names()).toEqual(['Label/blue', 'Label/red'])
})

describe('where one source cannot be seen', () => {
  test('a new stack waits for it, and says which it is', async () => {
    await world().push(label('red'))
    await second.commit({ files: { 'more.yml': bucket('raw') }, tags: ['stable'] })
    second503(true)
    const run = await world().create('boards', { sources: both() })
    expect(run.outcome).toBe('failed')
    expect(world().condition(await world().ask.getStack('boards')).message).toContain('second.git')
    expect(await world().names()).toEqual([])
    second503(false)
    expect(await world().sync('boards')).toMatchObject({ outcome: 'applied' })
    expect(await world().names()).toEqual(['Bucket/raw', 'Label/red'])
  })

  test('moves of the others wait for it, and are carried out when it is seen again', async () => {
    await world().push(label('red'))
    await second.commit({ files: { 'more.yml': bucket('raw') }, tags: ['stable'] })
    const first = await world().create('boards', { sources: both() })
    second503(true)
    await expect(world().ask.requestSync('boards', 'ann', never)).rejects.toThrow('second.git')
    const a = await world().push(label('blue'))
    world().clock.advance(requestedApartMs)
    await expect(world().ask.requestSync('boards', 'ann', never)).rejects.toThrow('second.git')
    expect((await world().ask.getStack('boards')).lastRun?.id).toBe(first.id)
    second503(false)
    world().clock.advance(requestedApartMs)
    expect(await world().sync('boards')).toMatchObject({
      outcome: 'applied',
      cause: { kind: 'commit', ref: 'main', to: a },
    })
    expect(await world().names()).toEqual(['Bucket/raw', 'Label/blue'])
  })

  test('the applied state is still corrected: drift needs no source', async () => {
    await world().push(label('red'))
    await second.commit({ files: { 'more.yml': bucket('raw') }, tags: ['stable'] })
    await world().create('boards', { sources: both(), driftIntervalMs: 10_000 })
    const last = (await world().ask.getStack('boards')).lastRun!.id
    second503(true)
    await world().ask.deleteResource('Label/red', { stack: 'boards' }, never)
    world().clock.advance(12_000)
    expect(await world().runAfter('boards', last)).toMatchObject({ outcome: 'applied', cause: { kind: 'drift' } })
  })
})

test('after a restart a move of one is put beside what is remembered of the other', async () => {
  const a = await world().push(label('red'))
  await second.commit({ files: { 'more.yml': bucket('raw') }, tags: ['stable'] })
  const first = await world().create('boards', { sources: both(), dataLoss: 'allow' })
  await world().stop()
  const b = await second.commit({ files: { 'more.yml': bucket('fine') }, tags: ['stable'] })
  await world().start()
  expect(await world().runAfter('boards', first.id)).toMatchObject({
    outcome: 'applied',
    revision: `${part('main', a)},${part('stable', b)}`,
  })
  expect(await world().names()).toEqual(['Bucket/fine', 'Label/red'])
})

test('a rollback restores the resources of both', async () => {
  await world().push(label('red'))
  await second.commit({ files: { 'more.yml': bucket('raw') }, tags: ['stable'] })
  const first = await world().create('boards', { sources: both(), dataLoss: 'allow' })
  await world().push(yaml(label('red'), label('blue')))
  await world().sync('boards')
  await second.commit({ files: { 'more.yml': yaml(bucket('raw'), bucket('fine')) }, tags: ['stable'] })
  await world().sync('boards')
  const { id } = await world().ask.rollBack('boards', first.id, '', 'ann')
  expect(await world().ended('boards', id)).toMatchObject({ outcome: 'applied' })
  expect(await world().names()).toEqual(['Bucket/raw', 'Label/red'])
})
