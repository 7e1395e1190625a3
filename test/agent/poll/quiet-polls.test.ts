// What a poll that finds nothing new asks of the database, and what ends that.
import { expect, test, vi } from 'vitest'
import { SqliteFile } from '../../../src/store/sqlite/file/sqlite-file.js'
import { label, yaml } from '../../e2e/packages.js'
import { never, useWorld } from '../../e2e/world.js'
import { answering } from '../../memory-git.js'

const world = useWorld()

/** The reads of the database during a poll of a stack's remote. */
async function readsOfPoll(name: string): Promise<number> {
  const stack = (await world().store.stacks.get(name))!
  const read = vi.spyOn(SqliteFile.prototype, 'read')
  await world().agent.polls.poll(stack, never)
  const count = read.mock.calls.length
  read.mockRestore()
  return count
}

/** An applied stack, and a poll after it. */
async function followed(): Promise<string> {
  const commit = await world().push(label('red'))
  await world().create('boards')
  await readsOfPoll('boards')
  return commit
}

test('a poll that finds nothing new does not read the database', async () => {
  await followed()
  expect(await readsOfPoll('boards')).toBe(0)
  world().clock.advance(60_000)
  expect(await readsOfPoll('boards')).toBe(0)
})

test('after a drift check, polls still do not read the database', async () => {
  await followed()
  await world().store.stacks.change((await world().store.stacks.get('boards'))!.id, { checkedAt: 1, drifted: 0 })
  expect(await readsOfPoll('boards')).toBe(0)
})

test('a commit after such polls is applied, and so is the earlier one after it', async () => {
  await followed()
  for (const text of [yaml(label('red'), label('blue')), label('red')]) {
    await readsOfPoll('boards')
    await world().push(text)
    expect(await world().sync('boards')).toMatchObject({ outcome: 'applied' })
  }
  expect(await world().names()).toEqual(['Label/red'])
})

test('a stack that begins to follow the remote is applied', async () => {
  await followed()
  await readsOfPoll('boards')
  expect(await world().create('others', { ref: 'main', path: '' })).toMatchObject({ outcome: 'applied' })
})

test('a stack that follows another ref is applied at that', async () => {
  await followed()
  await world().push(yaml(label('red'), label('blue')), 'next')
  await world().sync('boards')
  await world().push(label('green'))
  await world().sync('boards')
  await world().ask.updateStack('boards', { source: { ref: 'next' } }, 'ann')
  await world().lastRun('boards')
  expect(await world().names()).toEqual(['Label/blue', 'Label/red'])
})

test('a shorter interval of a stack applies to the next poll', async () => {
  await followed()
  await readsOfPoll('boards')
  await world().ask.updateStack('boards', { intervalMs: 7_000 }, 'ann')
  await readsOfPoll('boards')
  const { nextPollAt } = await world().ask.getStack('boards')
  expect(Date.parse(nextPollAt!) - world().clock.now()).toBeLessThan(10_000)
})

test('while the newest commit is vetoed, each poll reads the database', async () => {
  await followed()
  await world().push(yaml(label('red'), label('blue')))
  await world().sync('boards')
  const { items } = await world().ask.listMoves('main', {})
  await world().ask.vetoMove(items[0]!.id, { why: 'wrong', by: 'ann' })
  await world().lastRun('boards')
  await readsOfPoll('boards')
  expect(await readsOfPoll('boards')).toBeGreaterThan(0)
})

test('a commit that could not be compared for a pinned stack is compared at the next poll', async () => {
  await followed()
  const first = await world().lastRun('boards')
  await world().push(yaml(label('red'), label('blue')))
  await world().sync('boards')
  const { id } = await world().ask.rollBack('boards', first.id, 'bad', 'ann')
  await world().ended('boards', id)
  await world().push(label('green'))
  world().server.intercept((request) => (request.kind === 'fetch' ? answering(503)(request) : undefined))
  // The first of them finds the move.
  for (let poll = 1; poll <= 2; poll++)
    await expect(readsOfPoll('boards')).rejects.toMatchObject({ code: 'source/unreachable' })
  world().server.intercept(undefined)
  await readsOfPoll('boards')
  expect(await world().runAfter('boards', id)).toMatchObject({ outcome: 'applied' })
  expect(await world().names()).toEqual(['Label/green'])
})
