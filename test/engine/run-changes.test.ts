import { describe, expect, test } from 'vitest'
import type { Change } from '../../src/model/resources/change.js'
import { runChanges, type Pace } from '../../src/engine/run-changes.js'
import { at } from '../plan/scenario.js'

const never = new AbortController().signal

function change(address: string, after: readonly string[] = [], over: Partial<Change> = {}): Change {
  return {
    address: at(address),
    kind: 'Label',
    action: 'create',
    fields: [],
    reason: 'added',
    needs: [],
    after: after.map(at),
    ...over,
  }
}

const removal = (address: string, after: readonly string[] = [], over: Partial<Change> = {}): Change =>
  change(address, after, { action: 'remove', reason: 'dropped', ...over })

/** Changes whose ends a test decides. */
class Work {
  readonly begun: string[] = []
  most = 0
  #running = 0
  readonly #ends = new Map<string, { resolve: () => void; reject: (error: Error) => void }>()

  readonly perform = (one: Change): Promise<void> => {
    this.begun.push(one.address)
    this.most = Math.max(this.most, ++this.#running)
    return new Promise<void>((resolve, reject) => this.#ends.set(one.address, { resolve, reject })).finally(
      () => this.#running--,
    )
  }

  async end(address: string): Promise<void> {
    this.#ends.get(address)!.resolve()
    await settle()
  }

  async fail(address: string): Promise<void> {
    this.#ends.get(address)!.reject(new Error(`${address} failed`))
    await settle()
  }
}

/** Lets everything that waits for no one go on. */
async function settle(): Promise<void> {
  for (let i = 0; i < 10; i++) await Promise.resolve()
}

function run(
  changes: readonly Change[],
  over: Partial<Pace> = {},
): { readonly work: Work; readonly ended: ReturnType<typeof runChanges> } {
  const work = new Work()
  return {
    work,
    ended: runChanges(changes, work.perform, { concurrency: 32, onFailure: 'undo', signal: never, ...over }),
  }
}

describe('changes', () => {
  test('without predecessors begin at once, others after their predecessors', async () => {
    const { work, ended } = run([change('a'), change('b'), change('c', ['a', 'b'])])
    expect(work.begun).toEqual(['a', 'b'])
    await work.end('a')
    expect(work.begun).toEqual(['a', 'b'])
    await work.end('b')
    expect(work.begun).toEqual(['a', 'b', 'c'])
    await work.end('c')
    expect(await ended).toEqual({ failures: new Map(), begun: 3 })
  })

  test('never exceed the concurrency', async () => {
    const { work, ended } = run(
      ['a', 'b', 'c', 'd'].map((address) => change(address)),
      { concurrency: 2 },
    )
    expect(work.begun).toEqual(['a', 'b'])
    for (const address of ['a', 'b', 'c', 'd']) await work.end(address)
    await ended
    expect([work.most, work.begun]).toEqual([2, ['a', 'b', 'c', 'd']])
  })

  test('end at once if there are none', async () => {
    expect(await run([]).ended).toEqual({ failures: new Map(), begun: 0 })
  })

  test('that remove begin after all writes, those that lose data after all removals', async () => {
    const { work, ended } = run([change('a'), removal('r'), removal('d', [], { losesData: true })])
    expect(work.begun).toEqual(['a'])
    await work.end('a')
    expect(work.begun).toEqual(['a', 'r'])
    await work.end('r')
    expect(work.begun).toEqual(['a', 'r', 'd'])
    await work.end('d')
    expect((await ended).begun).toBe(3)
  })

  test('that no undo can restore begin after the other writes, before removals', async () => {
    const last = { action: 'update', last: true } as const
    const { work, ended } = run([change('a'), change('s', [], last), change('t', ['s']), removal('r')])
    expect(work.begun).toEqual(['a'])
    await work.end('a')
    expect(work.begun).toEqual(['a', 's'])
    await work.end('s')
    expect(work.begun).toEqual(['a', 's', 't'])
    await work.end('t')
    expect(work.begun).toEqual(['a', 's', 't', 'r'])
    await work.end('r')
    expect((await ended).begun).toBe(4)
  })

  test('that no undo can restore never begin after a failure that is undone', async () => {
    const { work, ended } = run([change('a'), change('s', [], { action: 'update', last: true })], { groupOf: () => 0 })
    await work.fail('a')
    expect([(await ended).begun, work.begun]).toEqual([1, ['a']])
  })

  test('that release a name begin with the writes', () => {
    expect(run([removal('r', [], { first: true }), change('a')]).work.begun).toEqual(['r', 'a'])
  })

  test('stop beginning on abort; changes in progress finish', async () => {
    const stop = new AbortController()
    const { work, ended } = run([change('a'), change('b', ['a'])], { signal: stop.signal })
    stop.abort()
    await work.end('a')
    expect(await ended).toEqual({ failures: new Map(), begun: 1 })
    expect(work.begun).toEqual(['a'])
  })
})

describe('after a failure that is undone', () => {
  test('the others of its group are applied and reported together', async () => {
    const { work, ended } = run(
      ['a', 'b', 'c'].map((address) => change(address)),
      { concurrency: 1 },
    )
    await work.fail('a')
    await work.fail('b')
    await work.end('c')
    expect([...(await ended).failures.keys()]).toEqual(['a', 'b'])
  })

  test('nothing of a later group begins, even if it does not need the failed change', async () => {
    const { work, ended } = run([change('a'), change('b'), change('c', ['b'])])
    await work.fail('a')
    await work.end('b')
    expect((await ended).begun).toBe(2)
    expect(work.begun).not.toContain('c')
  })

  test('nothing of a later group begins, at any depth of the failure', async () => {
    const { work, ended } = run([change('a'), change('b'), change('c', ['a']), change('d', ['b']), change('e', ['d'])])
    await work.end('a')
    await work.end('b')
    await work.fail('c')
    await work.end('d')
    expect([(await ended).begun, work.begun]).toEqual([4, ['a', 'b', 'c', 'd']])
  })

  test('a change of the same depth that becomes ready late begins before deeper ones', async () => {
    const { work, ended } = run(
      [
        change('a'),
        change('x'),
        change('c', ['a']),
        change('deep', ['c']),
        change('f', ['a']),
        change('s', ['x']),
        change('t', ['x']),
      ],
      {
        concurrency: 2,
      },
    )
    await work.end('a')
    await work.end('c')
    await work.fail('f')
    await work.end('x')
    await work.end('s')
    await work.end('t')
    expect([(await ended).begun, work.begun]).toEqual([6, ['a', 'x', 'c', 'f', 's', 't']])
  })

  test('removals are one group', async () => {
    const { work, ended } = run([change('a'), change('b', ['a']), removal('r', ['b']), removal('s')], {
      concurrency: 1,
    })
    await work.end('a')
    await work.end('b')
    await work.fail(work.begun.at(-1)!)
    await work.end(work.begun.at(-1)!)
    expect([(await ended).begun, work.begun.toSorted()]).toEqual([4, ['a', 'b', 'r', 's']])
  })

  test('groups of kinds decide what continues, not depth', async () => {
    const groups: Readonly<Record<string, number>> = { label: 1, rule: 3, mapping: 4, bucket: 2, late: 2 }
    const groupOf = ({ address }: Change): number => groups[address]!
    const plan = [
      change('label'),
      change('bucket'),
      change('rule', ['bucket']),
      change('mapping', ['bucket']),
      change('late'),
    ]
    const { work, ended } = run(plan, { groupOf, concurrency: 2 })
    await work.end('label')
    await work.end('bucket')
    expect(work.begun).toEqual(['label', 'bucket', 'late', 'rule'])
    await work.fail('rule')
    await work.end('late')
    expect([(await ended).begun, work.begun]).toEqual([4, ['label', 'bucket', 'late', 'rule']])
  })

  test('a change of a kind without a group has its depth as its group', async () => {
    const groupOf = ({ address }: Change): number | undefined => (address === 'a' ? 1 : undefined)
    const changes = [change('a'), change('b'), change('c', ['b']), change('d', ['c'])]
    const { work, ended } = run(changes, { groupOf, concurrency: 2 })
    await work.fail('a')
    await work.end('b')
    await work.end('c')
    expect([(await ended).begun, work.begun]).toEqual([3, ['a', 'b', 'c']])
  })

  test('no removal begins', async () => {
    const { work, ended } = run([change('a'), change('b'), removal('r')])
    await work.fail('a')
    await work.end('b')
    expect((await ended).begun).toBe(2)
  })
})

describe('after a failure with onFailure: continue', () => {
  const continued = { onFailure: 'continue' } as const

  test('only its dependants do not begin, direct or not', async () => {
    const { work, ended } = run(
      [change('a'), change('b'), change('c', ['a']), change('d', ['c']), change('e', ['b'])],
      continued,
    )
    await work.fail('a')
    await work.end('b')
    await work.end('e')
    expect([...(await ended).failures.keys()]).toEqual(['a'])
    expect(work.begun).toEqual(['a', 'b', 'e'])
  })

  test('removals that do not depend on it are applied', async () => {
    const { work, ended } = run([change('a'), removal('r'), removal('s', ['a'])], continued)
    await work.fail('a')
    await work.end('r')
    expect((await ended).begun).toBe(2)
    expect(work.begun).toEqual(['a', 'r'])
  })

  test('skipped changes count once, so no removal begins before all writes have ended', async () => {
    const writes = [
      change('a'),
      change('b'),
      change('c', ['a', 'b']),
      change('d', ['a']),
      change('e', ['c', 'd']),
      change('x'),
      change('y'),
    ]
    const { work, ended } = run([...writes, removal('r')], continued)
    await work.fail('a')
    await work.fail('b')
    expect(work.begun).toEqual(['a', 'b', 'x', 'y'])
    await work.end('x')
    expect(work.begun).not.toContain('r')
    await work.end('y')
    await work.end('r')
    expect((await ended).begun).toBe(5)
  })

  test('a change that depends on two failures is skipped once', async () => {
    const { work, ended } = run([change('a'), change('b'), change('c', ['a', 'b']), removal('r')], continued)
    await work.fail('a')
    await work.fail('b')
    await work.end('r')
    expect((await ended).begun).toBe(3)
  })
})
