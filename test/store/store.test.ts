// What the database promises, with real files.
import Database from 'better-sqlite3'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { describeError } from '../../src/model/errors.js'
import { lockDirectory } from '../../src/store/sqlite/file/lock-directory.js'
import { SqliteStore } from '../../src/store/sqlite/sqlite-store.js'
import { describeStore, packageOf, stack } from './describe-store.js'
import { ManualClock } from '../manual-clock.js'
import { refusal } from '../e2e/refusal.js'
import { sampleSpec } from './sample-spec.js'

let directory: string
let file: string
const open: Disposable[] = []
const clock = new ManualClock()

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'gitmoor-store-'))
  file = join(directory, 'gitmoor.db')
})
afterEach(() => {
  for (const one of open.splice(0)) one[Symbol.dispose]()
  rmSync(directory, { recursive: true, force: true })
})

function store(): SqliteStore {
  const opened = new SqliteStore(file, clock)
  open.push(opened)
  return opened
}

describe('the file', () => {
  test('what was written is there after it is opened again, and every commit is on disk', async () => {
    const first = store()
    await stack(first, 'boards')
    first[Symbol.dispose]()
    open.pop()
    const again = store()
    expect((await again.stacks.get('boards'))?.spec.name).toBe('boards')
    expect(await again.whyUnwritable()).toBeUndefined()
  })

  test('a file of a newer version is refused with what to do, and not changed', async () => {
    store()[Symbol.dispose]()
    open.pop()
    const database = new Database(file)
    database.pragma('user_version = 99')
    database.close()
    expect(await refusal(Promise.resolve().then(store))).toMatchObject({
      code: 'store/newer',
      hint: expect.stringContaining('newer version') as string,
    })
    const after = new Database(file)
    expect(after.pragma('user_version', { simple: true })).toBe(99)
    after.close()
  })

  test('a directory is locked by one process', async () => {
    const held = lockDirectory(directory)
    const second = () => Promise.resolve().then(() => lockDirectory(directory))
    expect(await second().catch(describeError)).toBe(`Another gitmoor agent uses ${directory}.`)
    expect(await refusal(second())).toMatchObject({
      status: 'locked',
      code: 'store/locked',
    })
    held[Symbol.dispose]()
    lockDirectory(directory)[Symbol.dispose]()
  })

  test('a lock file with foreign content is replaced, because nothing is stored in it', () => {
    writeFileSync(join(directory, 'lock.db'), 'x'.repeat(10_000))
    const held = lockDirectory(directory)
    expect(() => lockDirectory(directory)).toThrow('Another gitmoor agent')
    held[Symbol.dispose]()
  })
})

describe('concurrent writes', () => {
  test('on a full disk they are refused in words, and go through when there is room', async () => {
    const at = store()
    await stack(at, 'boards')
    at.limitPages(1)
    const run = (await at.runs.last([(await at.stacks.get('boards'))!.id])).values().next().value!
    const { files, save } = packageOf(Buffer.alloc(100_000))
    const attempt = {
      observed: { revision: 'main@sha1:1', content: 'c' },
      settings: 's',
      spec: sampleSpec,
      files,
      save,
    }
    const attemptIt = async (): Promise<void> => {
      const { lease } = await at.runs.takeLease(run)
      await at.runs.attempt({ ...attempt, lease })
      await at.stacks.change(lease, {})
    }
    expect(await refusal(attemptIt())).toMatchObject({
      code: 'store/full',
      hint: expect.stringContaining('continues by itself') as string,
    })
    expect((await at.runs.get(run.id))?.files).toBeNull()
    at.limitPages(1_000_000)
    await attemptIt()
    expect((await at.files.get(files))?.[0]?.bytes).toHaveLength(100_000)
  })
})

describeStore('SQLite', async () => {
  const first = store()
  const reopen = async (): Promise<SqliteStore> => {
    first[Symbol.dispose]()
    open.pop()
    return store()
  }
  return { store: first, reopen }
})
