// Decisions about a channel: a table of situations, and random sequences that must keep all promises.
import { describe, expect, test } from 'vitest'
import {
  directions,
  followedTip,
  type Channel,
  type ChannelChange,
  type ChannelMove,
  type Decision,
  type Direction,
  type NamedRefTip,
  type Signature,
} from '../../src/model/sources/channel.js'
import { channelBlocker } from '../../src/channel/blocked-move.js'
import { releaseAtOnce, type ChannelPolicy } from '../../src/channel/channel-policy.js'
import { approveMove, pinChannel, unpinChannel, vetoMove } from '../../src/channel/decide-channel.js'
import { hourMs, newChannel, nextChannel, type ChannelObservation } from '../../src/channel/channel.js'

const minute = 60_000
const start = Date.UTC(2026, 0, 1)
const good: Signature = { state: 'good', key: 'ABCD', by: 'ops' }

function tip(commit: string, object = commit): NamedRefTip {
  return { commit, object, name: 'refs/tags/stable' }
}

function decision(kind: Decision['kind'], at: number): Decision {
  return { kind, by: 'ann', why: 'because', at }
}

/** One channel of a test: its stored state, and the facts that the policy gets. */
class Kept {
  channel: Channel = newChannel('https://git.example/boards', 'stable')
  readonly rows = new Map<string, ChannelMove>()
  policy: ChannelPolicy
  now = start
  direction: (from: string, to: string) => Direction = () => 'forward'
  signature: (at: NamedRefTip) => Signature = () => good
  /** What was asked. */
  readonly needed: string[] = []

  constructor(policy: Partial<ChannelPolicy> = {}) {
    this.policy = { ...releaseAtOnce, ...policy }
  }

  get tip(): NamedRefTip | null {
    return this.channel.tip && { ...this.channel.tip, name: this.channel.move?.name ?? '' }
  }

  get offered(): string | null {
    return followedTip(this.channel)?.commit ?? null
  }

  get states(): readonly string[] {
    return [...this.rows.values()].map(({ state, blockedBy }) => (blockedBy === null ? state : `${state} ${blockedBy}`))
  }

  /** A poll finds this. Returns the number of stored rows. */
  see(at: NamedRefTip | null, afterMs = 0): number {
    this.now += afterMs
    return this.#next({ tip: at, detectedBy: 'poll' })
  }

  /** Time passes, without a poll. */
  wait(ms: number): number {
    return this.see(this.tip, ms)
  }

  veto(id: string): void {
    const move = this.rows.get(id)!
    const rows = [...this.rows.values()]
    const isVetoedLater = (one: ChannelMove): boolean =>
      rows.some(
        (later) => Number(later.id) > Number(one.id) && later.to?.commit === one.to?.commit && later.state === 'vetoed',
      )
    const before = rows.findLast(
      (one) =>
        Number(one.id) < Number(id) &&
        one.state === 'released' &&
        one.to?.commit !== move.to?.commit &&
        !isVetoedLater(one),
    )
    this.decide(vetoMove(this.channel, move, decision('veto', this.now), before ?? null))
  }

  approve(id: string): void {
    this.decide(approveMove(this.channel, this.rows.get(id)!, decision('approve', this.now)))
  }

  decide(change: ChannelChange): void {
    this.#write(change)
    this.see(this.tip)
  }

  #next(seen: ChannelObservation): number {
    const next = nextChannel(this.channel, seen, this.policy, this.now)
    if (!('needs' in next)) return this.#write(next)
    this.needed.push(next.needs)
    const from = this.channel.released?.to?.commit ?? ''
    const answers = {
      last: { last: [...this.rows.values()].findLast(({ to }) => to?.commit === seen.tip!.commit) ?? null },
      direction: { direction: this.direction(from, seen.tip!.commit) },
      facts: {
        facts: {
          tag: null,
          commit: { name: 'Ann', email: 'ann@example.com', at: start, message: '' },
          signature: this.signature(seen.tip!),
        },
      },
      releases: { releases: [...this.rows.values()].flatMap(({ releasedAt }) => releasedAt ?? []) },
    }
    return this.#next({ ...seen, ...answers[next.needs] })
  }

  #write({ channel, moves }: ChannelChange): number {
    const written = new Map(
      moves.map((move) => [move, move.id === '' ? { ...move, id: String(this.rows.size + 1) } : move]),
    )
    for (const move of written.values()) this.rows.set(move.id, move)
    const kept = (move: ChannelMove | null): ChannelMove | null => move && (written.get(move) ?? move)
    this.channel = { ...channel, move: kept(channel.move), released: kept(channel.released) }
    return moves.length
  }
}

describe('a move', () => {
  test('is released at once without a policy, and needs no approval', () => {
    const kept = new Kept()
    kept.see(tip('a'))
    kept.see(tip('b'))
    kept.see(tip('a'))
    expect(kept.offered).toBe('a')
    expect(kept.states).toEqual(['released', 'released', 'released'])
    expect(kept.needed).toEqual([])
  })

  test('is stored once: a known commit changes nothing', () => {
    const kept = new Kept({ moves: 'forward-only', minAgeMs: 5 * minute, movesPerHour: 2, signedBy: ['ops'] })
    for (const commit of ['a', 'b', 'c']) {
      kept.see(tip(commit))
      expect(kept.see(tip(commit), minute)).toBe(0)
    }
  })

  test('to another tag object at the same commit is released, and does not count as a release', () => {
    const kept = new Kept({ movesPerHour: 1, minAgeMs: minute })
    kept.see(tip('a'))
    kept.see(tip('a', 'tag'))
    expect([...kept.rows.values()].map(({ state, releasedAt }) => [state, releasedAt])).toEqual([
      ['released', start],
      ['released', null],
    ])
  })

  test('of a deleted ref is recorded, stacks keep the released commit, and restoring the ref is another move', () => {
    const kept = new Kept()
    kept.see(tip('a'))
    kept.see(null)
    expect(kept.offered).toBe('a')
    expect(kept.see(null)).toBe(0)
    kept.see(tip('a'))
    expect(kept.states).toEqual(['released', 'gone', 'released'])
    expect([...kept.rows.values()].map(({ from, to }) => [from?.commit ?? null, to?.commit ?? null])).toEqual([
      [null, 'a'],
      ['a', null],
      [null, 'a'],
    ])
  })
})

describe('a move that does not go forward', () => {
  test('waits for approval, and is released when approved', () => {
    const kept = new Kept({ moves: 'approve-back' })
    kept.direction = () => 'back'
    kept.see(tip('b'))
    kept.see(tip('a'))
    expect([kept.offered, kept.states.at(-1)]).toEqual(['b', 'blocked approval'])
    expect(kept.channel.move?.direction).toBe('back')
    kept.approve('2')
    expect([kept.offered, kept.states.at(-1)]).toEqual(['a', 'released'])
    expect(kept.channel.move?.decision).toMatchObject({ kind: 'approve', by: 'ann' })
  })

  test.each([
    ['back', 'goes back from the released commit'],
    ['diverged', 'diverged from the released commit'],
    ['unknown', 'is not known to go forward from the released commit'],
  ] as const)('%s needs approval, or is refused if only forward moves are allowed', (direction, words) => {
    const policies = [
      ['approve-back', 'blocked approval', words],
      ['forward-only', 'refused forward-only', `it ${words}`],
    ] as const
    for (const [policy, state, why] of policies) {
      const kept = new Kept({ moves: policy })
      kept.see(tip('b'))
      kept.direction = () => direction
      kept.see(tip('a'))
      expect([kept.offered, kept.states.at(-1)]).toEqual(['b', state])
      expect(channelBlocker(kept.channel, kept.policy)?.message).toContain(why)
    }
  })

  test('does not block the next one that goes forward', () => {
    const kept = new Kept({ moves: 'forward-only' })
    kept.see(tip('b'))
    kept.direction = () => 'diverged'
    kept.see(tip('a'))
    kept.direction = () => 'forward'
    kept.see(tip('c'))
    expect(kept.offered).toBe('c')
  })

  test('is compared with the released commit, not the last one seen: deleting the tag does not bypass it', () => {
    const kept = new Kept({ moves: 'forward-only' })
    kept.see(tip('c'))
    kept.direction = (from, to) => (from < to ? 'forward' : 'back')
    kept.see(tip('a'))
    kept.see(null)
    kept.see(tip('b'))
    expect(kept.offered).toBe('c')
    kept.see(tip('d'))
    expect(kept.offered).toBe('d')
  })
})

describe('a cool-down', () => {
  test('does not delay the first move: no commit is released before it', () => {
    const kept = new Kept({ minAgeMs: 15 * minute })
    kept.see(tip('a'))
    expect(kept.offered).toBe('a')
  })

  test('releases a move after its time, and not before', () => {
    const kept = new Kept({ minAgeMs: 15 * minute })
    kept.see(tip('a'))
    kept.see(tip('b'), minute)
    expect(kept.channel.move).toMatchObject({ state: 'waiting', blockedBy: 'minAge', until: start + 16 * minute })
    kept.wait(15 * minute - 1)
    expect(kept.offered).toBe('a')
    kept.wait(1)
    expect([kept.offered, kept.channel.move?.releasedAt]).toEqual(['b', start + 16 * minute])
  })

  test('restarts with another move, which supersedes the waiting one', () => {
    const kept = new Kept({ minAgeMs: 15 * minute })
    for (const commit of ['a', 'b', 'c']) kept.see(tip(commit), 10 * minute)
    expect([kept.offered, kept.states]).toEqual(['a', ['released', 'superseded minAge', 'waiting minAge']])
    kept.wait(15 * minute)
    expect([kept.offered, kept.states]).toEqual(['c', ['released', 'superseded minAge', 'released']])
  })

  test('ends at once for a move back to the released commit', () => {
    const kept = new Kept({ minAgeMs: 15 * minute })
    for (const commit of ['a', 'b', 'a']) kept.see(tip(commit))
    expect([kept.offered, kept.states]).toEqual(['a', ['released', 'superseded minAge', 'released']])
  })

  test('ends at once when the move is approved', () => {
    const kept = new Kept({ minAgeMs: 15 * minute })
    kept.see(tip('a'))
    kept.see(tip('b'))
    kept.approve('2')
    expect(kept.offered).toBe('b')
  })

  test('restarts, and ends, if the clock was set back meanwhile', () => {
    const kept = new Kept({ minAgeMs: 15 * minute })
    kept.see(tip('a'))
    kept.see(tip('b'))
    kept.wait(-365 * 24 * hourMs)
    expect(kept.channel.move).toMatchObject({ state: 'waiting', until: kept.now + 15 * minute })
    kept.wait(15 * minute)
    expect(kept.offered).toBe('b')
  })
})

describe('moves an hour', () => {
  test('beyond the limit wait until the oldest of the hour is an hour ago', () => {
    const kept = new Kept({ movesPerHour: 2 })
    kept.see(tip('a'))
    kept.see(tip('b'), 10 * minute)
    kept.see(tip('c'), 10 * minute)
    expect(kept.channel.move).toMatchObject({ state: 'waiting', blockedBy: 'movesPerHour', until: start + hourMs })
    kept.see(tip('d'), 10 * minute)
    expect([kept.offered, kept.states.slice(2)]).toEqual(['b', ['superseded movesPerHour', 'waiting movesPerHour']])
    kept.wait(30 * minute)
    expect(kept.offered).toBe('d')
  })
})

describe('a required signature', () => {
  const bad: Readonly<Record<string, Signature>> = {
    'none at all': { state: 'none' },
    'an unknown key': { state: 'unknown-key', key: 'EF01' },
    'a bad signature': { state: 'bad', why: 'It does not fit.' },
    'a known key that is not among those of the policy': { state: 'good', key: 'EF01', by: 'guest' },
  }
  test.each(Object.entries(bad))('%s refuses even the first move', (_, signature) => {
    const kept = new Kept({ signedBy: ['ops'] })
    kept.signature = () => signature
    kept.see(tip('a'))
    expect([kept.offered, kept.states]).toEqual([null, ['refused signedBy']])
    kept.signature = () => good
    kept.see(tip('a'))
    expect([kept.offered, kept.states]).toEqual(['a', ['released']])
  })

  test('is not replaced by an approval', () => {
    const kept = new Kept({ signedBy: ['ops'], moves: 'approve-back' })
    kept.see(tip('a'))
    kept.signature = () => ({ state: 'none' })
    kept.see(tip('b'))
    kept.approve('2')
    expect([kept.offered, kept.states.at(-1)]).toEqual(['a', 'refused signedBy'])
  })
})

describe('a veto', () => {
  test('of a released move reverts to the commit released before, until another one is released', () => {
    const kept = new Kept()
    for (const commit of ['a', 'b']) kept.see(tip(commit))
    kept.veto('2')
    expect(kept.offered).toBe('a')
    for (const again of [tip('b'), tip('b', 'tag'), null, tip('b')]) {
      kept.see(again, minute)
      expect(kept.offered).toBe('a')
    }
    kept.see(tip('c'))
    expect(kept.offered).toBe('c')
    kept.see(tip('b'))
    expect(kept.offered).toBe('b')
  })

  test('is not ended by moves to blocked, vetoed or released commits', () => {
    const kept = new Kept({ signedBy: ['ops'] })
    for (const commit of ['a', 'b', 'c']) kept.see(tip(commit))
    kept.veto('3')
    kept.signature = ({ commit }) => (commit === 'x' ? { state: 'none' } : good)
    for (const commit of ['x', 'c', 'b', 'c']) kept.see(tip(commit))
    expect([kept.offered, kept.states.at(-1)]).toEqual(['b', 'vetoed'])
    kept.see(tip('d'))
    kept.veto('8')
    kept.see(tip('c'))
    expect([kept.offered, kept.states.at(-1)]).toEqual(['b', 'vetoed'])
    for (const commit of ['e', 'c']) kept.see(tip(commit))
    expect(kept.offered).toBe('c')
  })

  test('of a waiting move prevents its release', () => {
    const kept = new Kept({ minAgeMs: minute })
    for (const commit of ['a', 'b']) kept.see(tip(commit))
    kept.veto('2')
    kept.wait(hourMs)
    expect([kept.offered, kept.states]).toEqual(['a', ['released', 'vetoed']])
  })

  test('of the only move leaves no released commit', () => {
    const kept = new Kept()
    kept.see(tip('a'))
    kept.veto('1')
    expect(kept.offered).toBeNull()
  })

  test('of the released commit does not change the waiting move', () => {
    const kept = new Kept({ minAgeMs: 15 * minute })
    for (const commit of ['a', 'b']) kept.see(tip(commit))
    kept.wait(15 * minute)
    kept.see(tip('c'))
    kept.veto('2')
    expect([kept.offered, kept.states]).toEqual(['a', ['released', 'vetoed', 'waiting minAge']])
    kept.wait(15 * minute)
    expect(kept.offered).toBe('c')
  })

  test('ends if the move is approved later', () => {
    const kept = new Kept()
    for (const commit of ['a', 'b']) kept.see(tip(commit))
    kept.veto('2')
    kept.approve('2')
    expect(kept.offered).toBe('b')
  })
})

describe('a pin', () => {
  test('keeps stacks at its commit without approval, and releases later moves when it ends', () => {
    const kept = new Kept({ moves: 'forward-only', signedBy: ['ops'] })
    kept.see(tip('a'))
    kept.decide(pinChannel(kept.channel, tip('old'), decision('pin', kept.now)))
    kept.needed.length = 0
    kept.see(tip('b'))
    expect([kept.offered, kept.states, kept.needed]).toEqual(['old', ['released', 'blocked pin'], []])
    kept.decide(unpinChannel(kept.channel, decision('unpin', kept.now)))
    expect([kept.offered, kept.states]).toEqual(['b', ['released', 'released']])
  })
})

describe('random sequences', () => {
  test.each(Array.from({ length: 60 }, (_, n) => n + 1))('seed %i keeps all promises', (seed) => {
    const dice = diceOf(seed)
    const kept = new Kept({
      moves: dice(['any', 'approve-back', 'forward-only']),
      minAgeMs: dice([0, 10 * minute]),
      ...dice([{}, { movesPerHour: 2 }]),
      ...dice([{}, { signedBy: ['ops'] }]),
    })
    const ancestry = new Map<string, Direction>()
    kept.direction = (from, to) => {
      const key = `${from} ${to}`
      if (!ancestry.has(key)) ancestry.set(key, dice(['forward', 'forward', 'forward', ...directions]))
      return ancestry.get(key)!
    }
    kept.signature = ({ commit }) => (Number(commit) % 3 === 0 ? { state: 'none' } : good)
    const releases: number[] = []
    for (let n = 0; n < 60; n++) {
      const before = kept.channel
      act(kept, dice)
      check(kept, before, releases)
      expect(kept.see(kept.tip), 'deciding again changes nothing').toBe(0)
    }
  })
})

/** One event of a channel. */
function act(kept: Kept, dice: Dice): void {
  const { channel } = kept
  switch (dice(['move', 'move', 'move', 'wait', 'wait', 'gone', 'veto', 'approve', 'pin', 'unpin'])) {
    case 'move':
      return void kept.see(
        tip(String(dice([1, 2, 3, 4, 5, 6, 7, 8, 9])), dice(['1', '2'])),
        dice([0, minute, 30 * minute]),
      )
    case 'wait':
      return void kept.wait(dice([minute, 10 * minute, hourMs]))
    case 'gone':
      return void kept.see(null)
    case 'veto':
      return channel.move === null || channel.pin !== null ? undefined : kept.veto(channel.move.id)
    case 'approve':
      return channel.move?.state === 'blocked' || channel.move?.state === 'waiting'
        ? kept.approve(channel.move.id)
        : undefined
    case 'pin': {
      const at = followedTip(channel)
      return at === null ? undefined : kept.decide(pinChannel(channel, at, decision('pin', kept.now)))
    }
    case 'unpin':
      return kept.decide(unpinChannel(channel, decision('unpin', kept.now)))
  }
}

/** `releases`: of the moves that the policy let go by itself, where there was something to stay at. */
function check({ channel, policy, rows, now, offered }: Kept, before: Channel, releases: number[]): void {
  const { move, released, pin } = channel
  if (pin !== null) expect(offered).toBe(pin.commit)
  if (move?.state === 'vetoed') expect(offered, 'never what is vetoed').not.toBe(move.to!.commit)
  if (move?.state === 'released' && pin === null) expect(offered, 'the newest wins').toBe(move.to!.commit)
  for (const { id, state } of rows.values())
    if (id !== move?.id) expect(state, 'only the newest move waits').not.toMatch(/waiting|held/)
  if (
    released === null ||
    released.id !== move?.id ||
    released.releasedAt !== now ||
    released.id === before.released?.id
  )
    return
  if (policy.signedBy !== undefined) expect(Number(released.to!.commit) % 3, 'never unsigned').not.toBe(0)
  if (before.released === null || released.decision !== null) return
  expect(now - released.seenAt, 'never while it cools').toBeGreaterThanOrEqual(policy.minAgeMs)
  if (policy.moves !== 'any') expect(released.direction).toBe('forward')
  releases.push(now)
  const most = policy.movesPerHour ?? Number.POSITIVE_INFINITY
  expect(releases.filter((at) => at > now - hourMs).length, 'never too many in an hour').toBeLessThanOrEqual(most)
}

type Dice = <T>(of: readonly T[]) => T

function diceOf(seed: number): Dice {
  let state = seed * 2_654_435_761
  return (of) => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_507) + 0x9e3779b9) >>> 0
    return of[((state ^ (state >>> 13)) >>> 0) % of.length]!
  }
}
