import { expect, test } from 'vitest'
import { Pacer, type Policy } from '../../src/engine/pacer.js'

/** First come, first served. Pieces in `joins` end at once. */
class InOrder implements Policy<string> {
  readonly begun: number[] = []
  readonly results: string[] = []
  readonly #ready: number[] = []
  readonly #joins: (at: number) => boolean
  readonly #released: (at: number, result: string) => readonly number[]

  constructor(
    joins: (at: number) => boolean = () => false,
    released: (at: number, result: string) => readonly number[] = (at) => [at],
  ) {
    this.#joins = joins
    this.#released = released
  }

  ready(at: number): boolean {
    if (this.#joins(at)) return true
    this.#ready.push(at)
    return false
  }

  next(): number | undefined {
    const at = this.#ready.shift()
    if (at !== undefined) this.begun.push(at)
    return at
  }

  ended(at: number, result: string): readonly number[] {
    this.results.push(result)
    return this.#released(at, result)
  }
}

/** `after[n]`: what n waits for. */
function workOf(after: readonly (readonly number[])[]) {
  const dependants: number[][] = after.map(() => [])
  for (const [at, all] of after.entries()) for (const one of all) dependants[one]!.push(at)
  return {
    count: after.length,
    waits: (at: number) => after[at]!.length,
    dependants: (at: number) => dependants[at]!,
  }
}

const done = (at: number): Promise<string> => Promise.resolve(`done ${at}`)

test('a piece begins after all that it waits for, and its result reaches the policy', async () => {
  const policy = new InOrder()
  await new Pacer({ work: workOf([[1, 2], [], [1]]), policy, concurrency: 8, perform: done }).run()
  expect(policy.begun).toEqual([1, 2, 0])
  expect(policy.results).toEqual(['done 1', 'done 2', 'done 0'])
})

test('no more pieces than the concurrency are in progress', async () => {
  let running = 0
  let most = 0
  const perform = async (at: number): Promise<string> => {
    most = Math.max(most, ++running)
    await Promise.resolve()
    running--
    return String(at)
  }
  const policy = new InOrder()
  await new Pacer({ work: workOf(Array.from({ length: 20 }, () => [])), policy, concurrency: 3, perform }).run()
  expect([most, policy.begun.length]).toEqual([3, 20])
})

test('a piece that ends at once is not performed, and its dependants begin', async () => {
  const policy = new InOrder((at) => at === 1)
  await new Pacer({ work: workOf([[], [0], [1]]), policy, concurrency: 1, perform: done }).run()
  expect(policy.begun).toEqual([0, 2])
})

test('pieces that wait for nothing and end at once let their dependants begin', async () => {
  const policy = new InOrder((at) => at < 2)
  await new Pacer({ work: workOf([[], [0], [0, 1], []]), policy, concurrency: 1, perform: done }).run()
  expect(policy.begun).toEqual([3, 2])
})

test('a chain of 200,000 pieces that end at once does not overflow the stack', async () => {
  const length = 200_000
  const after = Array.from({ length }, (_, at) => (at === 0 ? [] : [at - 1]))
  const policy = new InOrder((at) => at > 0 && at < length - 1)
  await new Pacer({ work: workOf(after), policy, concurrency: 1, perform: done }).run()
  expect(policy.begun).toEqual([0, length - 1])
})

test('pieces wait for what the policy does not release, and it may release several at once', async () => {
  const kept = new InOrder(undefined, () => [])
  await new Pacer({ work: workOf([[], [0]]), policy: kept, concurrency: 1, perform: done }).run()
  expect(kept.begun).toEqual([0])
  const both = new InOrder(undefined, (at) => (at === 0 ? [0, 1] : []))
  await new Pacer({ work: workOf([[], [3], [1], [0]]), policy: both, concurrency: 1, perform: done }).run()
  expect(both.begun).toEqual([0, 2, 3])
})

test('work without pieces ends', async () => {
  const policy = new InOrder()
  await new Pacer({ work: workOf([]), policy, concurrency: 1, perform: done }).run()
  expect(policy.begun).toEqual([])
})
