import { expect, test } from 'vitest'
import { SyncThread } from '../../src/sandbox/sync-thread.js'

const startMs = 20_000

test('a thread answers one question after another', () => {
  const thread = new SyncThread('answer = (question) => `${data.greeting} ${question}`', { greeting: 'hello' })
  expect(['a', 'b', 'c'].map((name) => thread.ask(name, startMs))).toEqual(['hello a', 'hello b', 'hello c'])
  thread.end()
})

test('a notification that is late does not end the wait for the next answer', () => {
  const program = `
    const busy = (ms) => { for (const until = Date.now() + ms; Date.now() < until;); }
    answer = (question) => {
      for (let i = 0; i < 5; i++) { busy(20); Atomics.notify(turn, 0) }
      return question
    }`
  const thread = new SyncThread(program, {})
  expect([thread.ask('a', startMs), thread.ask('b', startMs)]).toEqual(['a', 'b'])
  thread.end()
})

test.each([
  ['has not answered in time', 'answer = () => { for (;;); }', 50],
  ['has died', 'answer = () => process.exit(1)', 200],
])('there is no answer of a thread that %s', (_, program, ms) => {
  const thread = new SyncThread(program, {})
  expect(thread.ask('a', ms)).toBeUndefined()
  thread.end()
})
