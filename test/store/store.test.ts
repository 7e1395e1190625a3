// What the database promises, with real files.
import Database from 'better-sqlite3'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Change } from '../../src/model/change.js'
import type { Owned } from '../../src/model/resource.js'
import type { Run, RunLease } from '../../src/model/run.js'
import type { Stack, StackSpec } from '../../src/model/stack.js'
import { stackDefaults } from '../../src/settings/stack-settings.js'
import { jsonDigest } from '../../src/plan/digest.js'
import { blobId } from '../../src/source/blob-id.js'
import type { PackageFileRow } from '../../src/store/store.js'
import { describeError } from '../../src/model/errors.js'
import { lockDirectory } from '../../src/store/sqlite/file/lock-directory.js'
import { SqliteStore } from '../../src/store/sqlite/sqlite-store.js'
import { movedTo } from './moved-channel.js'
import { ManualClock } from '../manual-clock.js'
import { refusal } from '../e2e/refusal.js'

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

/** A package of one file, as it is kept. */
function packageOf(bytes: Uint8Array): { readonly files: string; readonly save: readonly PackageFileRow[] } {
  const file = { path: 'a.yml', id: blobId(bytes), bytes }
  return { files: jsonDigest([[file.path, file.id]]), save: [file] }
}

function spec(name: string): StackSpec {
  return { name, ...stackDefaults, sources: [{ kind: 'git', url: 'https://example.com/x', ref: 'main', path: '' }] }
}

async function stack(
  at: SqliteStore,
  name: string,
  target = 'embedded/main',
): Promise<{ readonly stack: Stack; readonly run: string; readonly lease: RunLease }> {
  const made = await at.stacks.create(spec(name), { managedBy: 'api', target, cause: { kind: 'created' } })
  const { lease } = await at.runs.takeLease(made.run)
  return { stack: made.stack, run: made.run.id, lease }
}

const change = (address: string): Change =>
  ({
    address,
    kind: 'Bucket',
    action: 'create',
    fields: [],
    reason: 'added',
    needs: [],
    after: [],
  }) as unknown as Change

const owned = (address: string, identity: string, more: Partial<Owned> = {}): Owned =>
  ({ address, kind: 'Bucket', identity, applied: {}, needs: [], adopted: false, ...more }) as Owned

/** Writes an ownership record through a journalled step. */
async function own(at: SqliteStore, { lease }: { readonly lease: RunLease }, record: Owned): Promise<void> {
  const entry = await at.journal.begin(lease, change(record.address), {})
  await at.journal.recordProgress(lease, entry, { state: 'done', own: [record] })
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
  test('one that fails takes nothing of the others with it', async () => {
    const at = store()
    await stack(at, 'taken')
    const all = await Promise.allSettled(['a', 'taken', 'b'].map((name) => stack(at, name)))
    expect(all.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect((await at.stacks.list({ limit: 10 })).map(({ spec: { name } }) => name)).toEqual(['a', 'b', 'taken'])
    expect(await at.stacks.names(2)).toEqual(['a', 'b'])
  })

  test('on a full disk they are refused in words, and go through when there is room', async () => {
    const at = store()
    await stack(at, 'boards')
    at.limitPages(1)
    const run = (await at.runs.last([(await at.stacks.get('boards'))!.id])).values().next().value!
    const { files, save } = packageOf(Buffer.alloc(100_000))
    const attempt = {
      lease: (await at.runs.takeLease(run)).lease,
      observed: { revision: 'main@sha1:1', content: 'c' },
      settings: 's',
      files,
      save,
    }
    expect(await refusal(at.runs.attempt(attempt))).toMatchObject({
      code: 'store/full',
      hint: expect.stringContaining('continues by itself') as string,
    })
    expect((await at.runs.get(run.id))?.files).toBeNull()
    at.limitPages(1_000_000)
    await at.runs.attempt(attempt)
    expect((await at.files.get(files))?.[0]?.bytes).toHaveLength(100_000)
  })
})

describe('ownership', () => {
  test('a resource has one owner on a target; on another target it may have another', async () => {
    const at = store()
    const [one, two, far] = [await stack(at, 'one'), await stack(at, 'two'), await stack(at, 'far', 'embedded/other')]
    await own(at, one, owned('Bucket/raw', '00aa'))
    expect(await refusal(own(at, two, owned('Bucket/raw', '00aa')))).toMatchObject({ code: 'store/owned' })
    await own(at, far, owned('Bucket/raw', '00aa'))
    await own(at, two, owned('Label/raw', '00aa', { kind: 'Label' }))
    expect([...(await at.ownership.of(two.stack.id)).keys()]).toEqual(['Label/raw'])
  })

  test('what its owner drops belongs to the oldest sharer', async () => {
    const at = store()
    const [one, two, three] = [await stack(at, 'one'), await stack(at, 'two'), await stack(at, 'three')]
    await own(at, one, owned('Bucket/raw', '00aa'))
    await own(at, three, owned('Bucket/mine', '00aa', { shared: true }))
    await own(at, two, owned('Bucket/raw', '00aa', { shared: true }))
    await at.stacks.delete(one.stack.id)
    const resources = [{ family: 'Bucket', identity: '00aa' as never }]
    expect((await at.ownership.owners('embedded/main', resources)).get('Bucket/00aa')).toEqual({
      stack: 'three',
      address: 'Bucket/mine',
    })
    const claims = await at.ownership.claims({ stack: two.stack.id, target: 'embedded/main' }, resources)
    expect(claims.owner('Bucket', resources[0]!.identity)?.stackName).toBe('three')
  })

  test('a run that has ended may not write', async () => {
    const at = store()
    const one = await stack(at, 'one')
    await at.runs.finish(one.lease, { outcome: 'superseded' })
    expect(await refusal(own(at, one, owned('Bucket/raw', '00aa')))).toMatchObject({ code: 'store/run-finished' })
    expect(await at.journal.openEntries(one.stack.id)).toEqual([])
  })

  test('a run is settled as unchanged only while what was compared is applied and no earlier run is in progress', async () => {
    const at = store()
    const one = await stack(at, 'one')
    const applied = { revision: 'main@sha1:1', content: 'c', files: 'd', place: 'x' }
    await at.journal.settle(one.lease, { outcome: 'applied', applied, problems: [], failure: null })
    const add = async (): Promise<string> => (await newRun()).id
    const newRun = (): Promise<Run> =>
      at.runs.add({ stack: one.stack.id, revision: 'main@sha1:2', cause: { kind: 'commit' } })
    const settle = async (run: string, content = 'c'): Promise<readonly string[]> =>
      at.runs.settleUnchanged([{ run, stack: one.stack.id, seen: { revision: 'main@sha1:2', content } }])
    const { id: first, lease } = await at.runs.takeLease(await newRun())
    expect(await settle(first, 'other')).toEqual([])
    await at.runs.savePlan(
      lease,
      { stack: '', target: 't', revision: 'x', changes: [], unchanged: 0, needsApproval: [], digest: 'd' },
      { create: 0, update: 0, remove: 0, unchanged: 0 },
    )
    const second = await add()
    expect(await settle(second)).toEqual([])
    await at.runs.finish(lease, { outcome: 'failed' })
    expect(await settle(second)).toEqual([second])
    expect((await at.runs.get(second))!.outcome).toBe('unchanged')
  })

  test('settling empties journal and consent and moves what is applied, at once', async () => {
    const at = store()
    const one = await stack(at, 'one')
    await own(at, one, owned('Bucket/raw', '00aa'))
    await at.stacks.change(one.stack.id, { consent: { revision: 'main@sha1:1', by: 'ann', changes: [] } })
    const applied = { revision: 'main@sha1:1', content: 'c', files: 'd', place: 'x' }
    await at.journal.settle(one.lease, { outcome: 'applied', applied, problems: [], failure: null })
    expect(await at.stacks.get('one')).toMatchObject({ consent: null, applied: { ...applied, run: one.run } })
    expect(await at.journal.openEntries(one.stack.id)).toEqual([])
    expect(await at.stacks.unsettled()).toEqual([])
    expect((await at.runs.events(one.stack.id, 10)).map(({ eventType }) => eventType)).toEqual(['update'])
  })
})

describe('pruning', () => {
  test('runs with events, and files of the applied, pinned, blocked and newest applied revisions are kept', async () => {
    const at = store()
    const { stack: one } = await stack(at, 'one')
    const ids: string[] = []
    const digests: string[] = []
    for (let n = 0; n < 8; n++) {
      const run = await at.runs.add({ stack: one.id, revision: `main@sha1:${n}`, cause: { kind: 'commit' } })
      ids.push(run.id)
      const { lease } = await at.runs.takeLease(run)
      const { files, save } = packageOf(Buffer.from(String(n)))
      digests.push(files)
      await at.runs.attempt({
        lease,
        observed: { revision: `main@sha1:${n}`, content: '' },
        settings: '',
        files,
        save,
      })
      if (n < 2 || n === 6)
        await at.runs.finish(lease, {
          outcome: n === 6 ? 'needs-approval' : 'failed',
          ...(n === 6 ? { phase: 'needs-approval' as const } : {}),
        })
      else {
        await own(at, { lease }, owned(`Bucket/b${n}`, `000${n}`))
        const applied = { revision: `main@sha1:${n}`, content: '', files, place: 'x' }
        await at.journal.settle(lease, { outcome: 'applied', applied, problems: [], failure: null })
      }
    }
    await at.stacks.change(one.id, { pinned: { run: ids[2]!, revision: 'main@sha1:2', by: 'ann', why: '' } })
    await at.files.prune({ runsKept: 1, revisionsKept: 2 })
    const kept = await Promise.all(
      ids.map(async (_, n) => ((await at.files.get(digests[n]!)) === undefined ? '' : `f${n}`)),
    )
    expect(kept.filter((name) => name !== '')).toEqual(['f2', 'f5', 'f6', 'f7'])
    const runs = (await at.runs.list(one.id, { limit: 100 })).map(({ id }) => id)
    expect(runs).toEqual(expect.arrayContaining([ids[2], ids[3], ids[4], ids[5], ids[6], ids[7]]))
    expect(runs).not.toContain(ids[0])
  })
})

describe('a change of a stack', () => {
  const refuse = (): never => {
    throw new Error('not so')
  }

  test('whose check refuses is not written, beside one that is', async () => {
    const at = store()
    const { id } = (await stack(at, 'boards')).stack
    const refused = at.stacks.change(id, { drifted: 3 }, refuse)
    await at.stacks.change(id, { retries: 1 })
    await expect(refused).rejects.toThrow('not so')
    await expect(at.stacks.delete(id, refuse)).rejects.toThrow('not so')
    expect(await at.stacks.get('boards')).toMatchObject({ drifted: 0, retries: 1 })
  })

  test('is checked with the stack as it is then', async () => {
    const at = store()
    const { id } = (await stack(at, 'boards')).stack
    const seen: number[] = []
    const check = ({ drifted }: Stack): void => void seen.push(drifted)
    await Promise.all([at.stacks.change(id, { drifted: 3 }, check), at.stacks.change(id, { drifted: 4 }, check)])
    expect(seen).toEqual([0, 3])
  })
})

describe('channels', () => {
  test('moves and channels are listed in pages', async () => {
    const at = store()
    const remote = 'https://example.com/x'
    for (let n = 1; n <= 5; n++) await at.runs.observe([], [await movedTo(at, { remote, ref: 'stable' }, `c${n}`, n)])
    await at.runs.observe([], [await movedTo(at, { remote, ref: 'beta' }, 'c1', 9)])
    const first = await at.channels.moves(remote, 'stable', { limit: 3 })
    expect(first.map((move) => move.to?.commit)).toEqual(['c5', 'c4', 'c3'])
    const rest = await at.channels.moves(remote, 'stable', { limit: 3, after: first.at(-1)!.id })
    expect(rest.map((move) => move.to?.commit)).toEqual(['c2', 'c1'])
    const [beta] = await at.channels.list({ limit: 1 })
    expect(beta).toMatchObject({ ref: 'beta', tip: { commit: 'c1' } })
    expect(await at.channels.list({ limit: 5, after: `${remote}#beta` })).toMatchObject([
      { ref: 'stable', tip: { commit: 'c5' }, seenAt: 5 },
    ])
  })
})
