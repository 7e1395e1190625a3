import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ReadsFile } from '../../../src/agent/crash/reads-file.js'
import { longestDelayMs, RemoteReads } from '../../../src/agent/crash/remote-reads.js'
import { timeText } from '../../../src/lib/text/time-text.js'
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

/** Leaves what an agent that was killed while it read these remotes leaves, twice if `again`. */
function killed(remotes: readonly string[], again = false): void {
  const crashes = Object.fromEntries(again ? remotes.map((remote) => [remote, 1]) : [])
  new ReadsFile(root).write({ reading: remotes, crashes })
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
    await immediate()
  }
  const last = live()
  expect([...last.reads.suspects]).toEqual([['https://a.example/bad', 9]])
  const next = timeText(last.clock.now() + longestDelayMs)
  const message = `The agent crashed while it read https://a.example/bad, 9 times in a row. The next read is at ${next}.`
  const error = { name: 'Unavailable', code: 'source/delayed-after-crash', message, retryAfterMs: longestDelayMs }
  await expect(last.poll('https://a.example/bad')).rejects.toMatchObject(error)
  last.clock.advance(60_100)
  const later = { message, retryAfterMs: longestDelayMs - 60_100 }
  await expect(last.poll('https://a.example/bad')).rejects.toMatchObject(later)
})

test.each([
  [
    'after one crash all such remotes are read within 3 s',
    { again: false, delayMs: 1_000, apartMs: 250, withinMs: 3_000 },
  ],
  ['after two crashes one is read every 5 s', { again: true, delayMs: 30_000, apartMs: 5_000, withinMs: 330_000 }],
])('%s', async (_, { again, delayMs, apartMs, withinMs }) => {
  const few = hosts(3)
  killed(few, again)
  const next = live()
  next.clock.advance(delayMs - 1)
  for (const remote of few) void next.poll(remote)
  next.clock.advance(1)
  for (const remote of few) {
    await immediate()
    expect(next.reads.reading).toEqual([remote])
    next.finish(remote)
    next.clock.advance(apartMs)
    await immediate()
  }
  killed(hosts(500), again)
  const stepMs = (withinMs - delayMs) / 500
  expect((await pollUntilCrash(hosts(500), 'none', { pollMs: 1, stepMs, withinMs })).size).toBe(500)
})

/** Polls all of them until the poll of `bad` crashes the agent, 100 ms after it began. Returns those polled. */
async function pollUntilCrash(
  remotes: readonly string[],
  bad: string,
  { pollMs = 300, stepMs = 50, withinMs = 60_000 } = {},
): Promise<ReadonlySet<string>> {
  const { clock, reads } = live()
  const polled = new Set<string>()
  const agent = { hasCrashed: false }
  const read = async (remote: string): Promise<unknown> => {
    await clock.sleep(remote === bad ? 100 : pollMs, never)
    agent.hasCrashed ||= remote === bad
    return agent.hasCrashed ? new Promise(() => {}) : new Map()
  }
  const source = reads.source({ poll: read } as unknown as Source)
  for (const remote of remotes)
    void source.poll(remote, [], never).then(
      () => polled.add(remote),
      ({ retryAfterMs }: Unavailable) =>
        clock.sleep(retryAfterMs!, never).then(() => source.poll(remote, [], never).then(() => polled.add(remote))),
    )
  while (!agent.hasCrashed && clock.elapsed() <= withinMs) {
    clock.advance(stepMs)
    await immediate()
  }
  return polled
}

test('of many remotes the one that crashes the agent soon is the only one that is not read', async () => {
  const remotes = hosts(20)
  const bad = remotes[10]!
  killed(remotes)
  await pollUntilCrash(remotes, bad)
  expect([...live().reads.suspects].filter(([, crashes]) => crashes > 1)).toEqual([[bad, 2]])
  const polled = await pollUntilCrash(remotes, bad)
  expect(remotes.filter((remote) => !polled.has(remote))).toEqual([bad])
})

test('the next suspect is read when the first read of the one before has ended, and not at once', async () => {
  const [one = '', other = ''] = hosts(2)
  killed([one, other])
  const { clock, reads, poll, finish } = live()
  void poll(one)
  void poll(other)
  clock.advance(10_000) // both delays are over
  await immediate()
  clock.advance(300)
  await immediate()
  expect(reads.reading).toEqual([one])
  finish(one)
  await immediate()
  expect(reads.reading).toEqual([other])
})

test('a suspect whose first read does not end keeps the next one waiting for 1 s; its later reads do not', async () => {
  const [one = '', other = ''] = hosts(2)
  killed([one, other])
  const { clock, reads, poll, fetch } = live()
  clock.advance(10_000)
  void poll(one)
  void poll(other)
  await immediate()
  clock.advance(999)
  void fetch(one)
  await immediate()
  expect(reads.reading).toEqual([one])
  clock.advance(1)
  await immediate()
  expect(reads.reading).toEqual([one, other])
})

test('a remote that was polled before a normal shutdown is trusted again, one whose poll was aborted is not', async () => {
  killed(hosts(2))
  const next = live()
  next.clock.advance(3_000)
  const [polled, aborted] = hosts(2) as [string, string]
  const poll = next.poll(polled)
  await immediate()
  next.finish(polled)
  await poll
  next.clock.advance(1_000)
  const abort = new AbortController()
  const stopped = next.poll(aborted, abort.signal)
  await immediate()
  abort.abort()
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
    await immediate()
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
