import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ReadsFile } from '../../../src/agent/crash/reads-file.js'
import { longestDelayMs, RemoteReads } from '../../../src/agent/crash/remote-reads.js'
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
  readonly poll: (remote: string) => Promise<unknown>
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
    poll: (remote) => source.poll(remote, [], never),
    fetch: (remote) => source.fetch(remote, 'sha1:1', never),
    finish: (remote) => ends.get(remote)!(),
  }
}

const immediate = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

test('a remote that was being read when the agent ended is read 5 s later than the others', async () => {
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
  next.clock.advance(4_999)
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

test('several such remotes are read one after the other', async () => {
  const first = live()
  for (const name of ['x', 'y', 'z']) void first.poll(`https://${name}.example/`)
  const next = live()
  for (const name of ['x', 'y', 'z']) void next.poll(`https://${name}.example/`)
  for (const count of [0, 1, 2, 3]) {
    await immediate()
    expect(next.reads.reading).toHaveLength(count)
    next.clock.advance(5_000)
  }
})

test('a read that is refused says in whole milliseconds when to try again: runs store that time', async () => {
  const first = live()
  for (const name of ['v', 'w', 'x', 'y']) void first.poll(`https://${name}.example/`)
  const next = live()
  next.clock.advance(0.25)
  await expect(next.poll('https://y.example/')).rejects.toMatchObject({ retryAfterMs: 20_000 })
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
