import { expect, test } from 'vitest'
import { CachedRefTips } from '../../../../src/agent/poll/channels/cached-ref-tips.js'
import type { RefTipFacts } from '../../../../src/model/sources/channel.js'
import { never } from '../../../source/git-world.js'

const tip = { name: 'refs/tags/stable', object: 'a'.repeat(40), commit: 'b'.repeat(40) }
const author = { name: 'ann', email: 'ann@example.test', at: 0, message: 'red' }
const facts: RefTipFacts = { tag: null, commit: author, signature: { state: 'none' } }

test('facts are read once, and again after signing keys changed, also if they were being read then', async () => {
  let reads = 0
  const answers: (() => void)[] = []
  const cached = new CachedRefTips({
    describe: async () => {
      reads++
      await new Promise<void>((resolve) => answers.push(resolve))
      return facts
    },
    direction: async () => 'forward',
  })
  const read = async (): Promise<RefTipFacts> => {
    const answer = cached.facts('https://git.example/x', tip, never)
    answers.shift()?.()
    return answer
  }
  await read()
  await read()
  expect(reads).toBe(1)
  cached.clear()
  const before = cached.facts('https://git.example/x', tip, never)
  cached.clear()
  answers.shift()!()
  await before
  await read()
  expect(reads).toBe(3)
})
