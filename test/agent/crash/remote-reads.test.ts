import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ReadsFile } from '../../../src/agent/crash/reads-file.js'
import { longestDelayMs, RemoteReads } from '../../../src/agent/crash/remote-reads.js'
import type { Unavailable } from '../../../src/model/errors.js'
import type { Source } from '../../../src/source/source.js'
import { ManualClock } from '../../manual-clock.js'
import { never } from '../../source/git-world.js'

let root: string
beforeEach(() => void (root = mkdtempSync(join(tmpdir(), 'gitmoor-reads-'))))
afterEach(() => rmSync(root, { recursive: true, force: true }))

interface Life {
  readonly clock: ManualClock
  readonly reads: RemoteReads
  /** Reads a remote; ends when `finish` is called for it. */
  readonly poll: (remote: string, signal?: AbortSignal) => Promise<unknown>
  readonly fetch: (remote: string) => Promise<unknown>
  readonly finish: (remote: string) => void
}

/** An agent in the same data directory. To die it just stops: what the file says then is what a SIGKILL leaves. */
function live(): Life {
  const clock = new ManualClock()
  const reads = new RemoteReads({ record: new ReadsFile(root), clock })
  const ends = new Map<string, () => void>()
  const wait = (remote: string): Promise<void> => new Promise((resolve) => ends.set(remote, resolve))
  const source = reads.source({
    poll: (remote: string) => wait(remote).then(() => new Map()),
    fetch: (remote: string) => wait(remote),
  } as unknown as Source)
  return {
    clock,
    reads,
    poll: (remote, signal = never) => source.poll(remote, [], signal),
    fetch: (remote) => source.fetch(remote, 'sha1:1', never),
    finish: (remote) => ends.get(remote)!(),
  }
}

const immediate = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** An agent that was killed while it read these remotes, twice if `again`. */
function killed(remotes: readonly string[], again = false): void {
  for (let kills = again ? 2 : 1; kills > 0; kills--) {
    const life = live()
    life.clock.advance(longestDelayMs)
    for (const remote of remotes) void life.poll(remote)
  }
}

const hosts = (count: number): readonly string[] => Array.from({ length: count }, (_, at) => `https://${at}.example/`)

test('a remote that was being read when the agent ended is read 1 s later than the others', async () => {
  const first = live()
  void first.poll('https://a.example/bad')
  const done = first.poll('https://a.example/good')
  first.finish('https://a.example/good')
  await done
  await immediate()

  const next = live()
  expect([...next.reads.suspects]).toEqual([['https://a.example/bad', 1]])
  void next.poll('https://a.example/good')
  void next.poll('https://a.example/bad')
  void next.fetch('https://a.example/bad')
  next.clock.advance(999)
  await immediate()
  expect(next.reads.reading).toEqual(['https://a.example/good'])
  next.clock.advance(1)
  await immediate()
  expect(next.reads.reading).toEqual(['https://a.example/good', 'https://a.example/bad'])
})

test('a remote whose reads crash the agent again and again is delayed more each time; the others are not', async () => {
  for (let crashes = 0; crashes < 9; crashes++) {
    const life = live()
    void life.poll('https://a.example/good')
    life.finish('https://a.example/good')
    await immediate()
    life.clock.advance(longestDelayMs)
    void life.poll('https://a.example/bad')
    void life.fetch('https://a.example/bad')
  }
  const last = live()
  expect([...last.reads.suspects]).toEqual([['https://a.example/bad', 9]])
  const message = 'The agent crashed while it read https://a.example/bad, 9 times in a row. The next read is in 600 s.'
  const error = { name: 'Unavailable', code: 'source/delayed-after-crash', message, retryAfterMs: longestDelayMs }
  await expect(last.poll('https://a.example/bad')).rejects.toMatchObject(error)
})

test.each([
  [
    'after one crash all such remotes are read within 3 s',
    { again: false, delayMs: 1_000, apartMs: 250, within: 3_000 },
  ],
  ['after two crashes one is read every 5 s', { again: true, delayMs: 30_000, apartMs: 5_000, within: 330_000 }],
])('%s', async (_, { again, delayMs, apartMs, within }) => {
  const few = hosts(3)
  killed(few, again)
  const next = live()
  next.clock.advance(delayMs - 1)
  for (const remote of few) void next.poll(remote)
  next.clock.advance(1)
  for (const count of [1, 2, 3]) {
    await immediate()
    expect(next.reads.reading).toHaveLength(count)
    next.clock.advance(apartMs)
  }
  rmSync(join(root, 'reads.json'))
  killed(hosts(500), again)
  const last = live()
  last.clock.advance(within)
  for (const remote of hosts(500)) void last.poll(remote)
  await immediate()
  expect(last.reads.reading).toHaveLength(500)
})

/**
 * Polls all of them, each 300 ms, for a minute or until the poll of `bad` crashes the agent 100 ms after it began.
 * Returns those that were polled.
 */
async function pollUntilCrash(remotes: readonly string[], bad: string): Promise<ReadonlySet<string>> {
  const { clock, reads } = live()
  const polled = new Set<string>()
  const agent = { hasCrashed: false }
  const read = async (remote: string): Promise<unknown> => {
    await clock.sleep(remote === bad ? 100 : 300, never)
    agent.hasCrashed ||= remote === bad
    return new Map()
  }
  const source = reads.source({ poll: read } as unknown as Source)
  for (const remote of remotes)
    void source.poll(remote, [], never).then(
      () => polled.add(remote),
      ({ retryAfterMs }: Unavailable) =>
        clock.sleep(retryAfterMs!, never).then(() => source.poll(remote, [], never).then(() => polled.add(remote))),
    )
  while (!agent.hasCrashed && clock.elapsed() < 60_000) {
    clock.advance(50)
    await immediate()
  }
  return polled
}

test('of many remotes the one that crashes the agent soon is the only one that is not read', async () => {
  const remotes = hosts(20)
  const bad = remotes[10]!
  killed(remotes)
  await pollUntilCrash(remotes, bad)
  const doubted = [...live().reads.suspects].filter(([, crashes]) => crashes > 1)
  expect(doubted.length, 'it, and those that were read at the same moment').toBeLessThanOrEqual(5)
  expect(doubted).toContainEqual([bad, 2])
  expect((await pollUntilCrash(remotes, bad)).size).toBeGreaterThanOrEqual(15)
  const third = await pollUntilCrash(remotes, bad)
  expect(remotes.filter((remote) => !third.has(remote))).toEqual([bad])
})

test('suspects are read one after the other, also after a pause of the process that was longer than their delays', async () => {
  const [one = '', other = ''] = hosts(2)
  killed([one, other])
  const { clock, reads, poll } = live()
  void poll(one)
  void poll(other)
  clock.advance(10_000)
  await immediate()
  expect(reads.reading).toEqual([one])
  clock.advance(250)
  await immediate()
  expect(reads.reading).toEqual([one, other])
})

test('only the first read of a suspect keeps others apart from it', async () => {
  const [one = '', other = ''] = hosts(2)
  killed([one, other])
  const { clock, reads, poll, fetch } = live()
  void poll(one)
  void poll(other)
  clock.advance(1_000)
  await immediate()
  clock.advance(200)
  void fetch(one)
  clock.advance(50)
  await immediate()
  expect(reads.reading).toEqual([one, other])
})

test('a remote that was polled before a normal shutdown is trusted again, one whose poll was aborted is not', async () => {
  killed(hosts(2))
  const next = live()
  next.clock.advance(3_000)
  const [polled, aborted] = hosts(2) as [string, string]
  const poll = next.poll(polled)
  next.finish(polled)
  await poll
  const stopped = next.poll(aborted, AbortSignal.abort())
  next.finish(aborted)
  await stopped
  next.reads[Symbol.dispose]()
  expect([...live().reads.suspects]).toEqual([[aborted, 1]])
})

test('a read that is refused says in whole milliseconds when to try again: runs store that time', async () => {
  const [remote = ''] = hosts(1)
  killed([remote], true)
  const next = live()
  next.clock.advance(0.25)
  await expect(next.poll(remote)).rejects.toMatchObject({ retryAfterMs: 30_000 })
})

test('a remote is trusted again after two polls, not after one', async () => {
  void live().poll('https://a.example/x')
  const next = live()
  next.clock.advance(5_000)
  for (const left of [1, 0]) {
    const poll = next.poll('https://a.example/x')
    next.finish('https://a.example/x')
    await poll
    expect(next.reads.suspects.size).toBe(left)
  }
  await immediate()
  expect(live().reads.suspects.size).toBe(0)
})

test('after a normal shutdown no remote is delayed, and reads that end later write nothing', async () => {
  const first = live()
  void first.poll('https://a.example/slow')
  const poll = first.poll('https://a.example/good')
  first.finish('https://a.example/good')
  await poll
  first.reads[Symbol.dispose]()
  first.finish('https://a.example/slow')
  void first.poll('https://a.example/late')
  await immediate()
  expect(live().reads.suspects.size).toBe(0)
})

test('a file that is damaged, missing or longer than its new content counts as empty', async () => {
  const first = live()
  void first.poll(`https://a.example/${'x'.repeat(5_000)}`)
  const next = live()
  for (const remote of next.reads.suspects.keys()) expect(remote).toHaveLength(5_018)
  writeFileSync(join(root, 'reads.json'), '{"reading":["https://a')
  expect(live().reads.suspects.size).toBe(0)
  expect(readFileSync(join(root, 'reads.json'), 'utf8').split('\n')[0]).toBe('{"reading":[],"crashes":{}}')
})
