// What every store must do (src/store/store.ts, src/platform/documents.ts). The author of a store calls it.
import { describe, expect, test } from 'vitest'
import type { Change } from '../../src/model/resources/change.js'
import type { Owned } from '../../src/model/resources/resource.js'
import type { Run, RunLease } from '../../src/model/stacks/run.js'
import type { Stack, StackSpec } from '../../src/model/stacks/stack.js'
import { jsonDigest } from '../../src/plan/digest.js'
import type { Documents, StoredDocument } from '../../src/platform/documents.js'
import { stackDefaults } from '../../src/settings/stack-settings.js'
import { blobId } from '../../src/source/blob-id.js'
import type { PackageFileRow } from '../../src/store/file-table.js'
import type { Store } from '../../src/store/store.js'
import { refusal } from '../e2e/refusal.js'
import { movedTo } from './moved-channel.js'
import { beginStep } from '../begin-step.js'
import { sampleSpec } from './sample-spec.js'

type StoreToTest = Store & { readonly documents: Documents }

/** An empty store. `reopen`: closes it, and opens it again with what was written. */
export interface StoreWorld {
  readonly store: StoreToTest
  readonly reopen: () => Promise<StoreToTest>
}

/** A package of one file, as it is kept. */
export function packageOf(bytes: Uint8Array): { readonly files: string; readonly save: readonly PackageFileRow[] } {
  const file = { path: 'a.yml', id: blobId(bytes), bytes }
  return { files: jsonDigest([[file.path, file.id]]), save: [file] }
}

function spec(name: string): StackSpec {
  return { name, ...stackDefaults, sources: [{ kind: 'git', url: 'https://example.com/x', ref: 'main', path: '' }] }
}

/** A stack, with a lease of its first run. */
export async function stack(
  at: StoreToTest,
  name: string,
  target = 'lamps/hall',
): Promise<{ readonly stack: Stack; readonly run: string; readonly lease: RunLease }> {
  const made = await at.stacks.create(spec(name), { managedBy: 'api', target, cause: { kind: 'created' } })
  const { lease } = await at.runs.takeLease(made.run)
  return { stack: made.stack, run: made.run.id, lease }
}

const change = (address: string): Change =>
  ({
    address,
    kind: 'Lamp',
    action: 'create',
    fields: [],
    reason: 'added',
    needs: [],
    after: [],
  }) as unknown as Change

const owned = (address: string, identity: string, more: Partial<Owned> = {}): Owned =>
  ({ address, kind: 'Lamp', identity, applied: {}, needs: [], adopted: false, ...more }) as Owned

/** Writes an ownership record through a journalled step. */
async function own(at: StoreToTest, { lease }: { readonly lease: RunLease }, record: Owned): Promise<void> {
  const entry = await beginStep(at.journal, lease, change(record.address))
  await at.journal.recordProgress(lease, entry, { state: 'done', own: [record] })
}

export function describeStore(name: string, open: () => Promise<StoreWorld>): void {
  describe(`the store ${name}`, () => {
    describe('concurrent writes', () => {
      test('one that fails takes nothing of the others with it', async () => {
        const at = (await open()).store
        await stack(at, 'taken')
        const all = await Promise.allSettled(['a', 'taken', 'b'].map((name) => stack(at, name)))
        expect(all.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
        expect((await at.stacks.list({ limit: 10 })).map(({ spec: { name } }) => name)).toEqual(['a', 'b', 'taken'])
        expect(await at.stacks.names(2)).toEqual(['a', 'b'])
      })
    })

    describe('ownership', () => {
      test('a resource has one owner on a target; on another target it may have another', async () => {
        const at = (await open()).store
        const [one, two, far] = [await stack(at, 'one'), await stack(at, 'two'), await stack(at, 'far', 'lamps/shed')]
        await own(at, one, owned('Lamp/raw', '00aa'))
        expect(await refusal(own(at, two, owned('Lamp/raw', '00aa')))).toMatchObject({ code: 'store/owned' })
        await own(at, far, owned('Lamp/raw', '00aa'))
        await own(at, two, owned('Room/raw', '00aa', { kind: 'Room' }))
        expect([...(await at.ownership.of(two.stack.id)).keys()]).toEqual(['Room/raw'])
      })

      test('what its owner drops belongs to the oldest sharer', async () => {
        const at = (await open()).store
        const [one, two, three] = [await stack(at, 'one'), await stack(at, 'two'), await stack(at, 'three')]
        await own(at, one, owned('Lamp/raw', '00aa'))
        await own(at, three, owned('Lamp/mine', '00aa', { shared: true }))
        await own(at, two, owned('Lamp/raw', '00aa', { shared: true }))
        await at.stacks.delete(one.stack.id)
        const resources = [{ family: 'Lamp', identity: '00aa' as never }]
        expect((await at.ownership.owners('lamps/hall', resources)).get('Lamp/00aa')).toEqual({
          stack: 'three',
          address: 'Lamp/mine',
        })
        const claims = await at.ownership.claims({ stack: two.stack.id, target: 'lamps/hall' }, resources)
        expect(claims.owner('Lamp', resources[0]!.identity)?.stackName).toBe('three')
      })

      test('a run that has ended may not write', async () => {
        const at = (await open()).store
        const one = await stack(at, 'one')
        await at.runs.finish(one.lease, { outcome: 'superseded' })
        expect(await refusal(own(at, one, owned('Lamp/raw', '00aa')))).toMatchObject({ code: 'store/run-finished' })
        expect(await at.journal.openEntries(one.stack.id)).toEqual([])
      })

      test('a run of the newest revision gets one that a poll found since, another run keeps its own', async () => {
        const at = (await open()).store
        const { id: one, spec } = (await stack(at, 'one')).stack
        const cause = { kind: 'retry' } as const
        const polled = { sources: spec.sources, pinned: null }
        const seen = { stack: one, polled, revision: 'main@sha1:2', place: 'x', unpin: false, cause }
        await at.runs.observe([seen], [])
        const given = { stack: one, revision: 'main@sha1:1', cause }
        expect(await at.runs.add({ ...given, orNewer: true })).toMatchObject({ revision: 'main@sha1:2' })
        expect(await at.runs.add(given)).toMatchObject({ revision: 'main@sha1:1' })
      })

      test('nothing is observed for a stack that has other sources or another pin by now, or is deleted', async () => {
        const at = (await open()).store
        const { id, spec } = (await stack(at, 'one')).stack
        const cause = { kind: 'commit' } as const
        const polled = { sources: spec.sources, pinned: null }
        const seen = { stack: id, polled, revision: 'main@sha1:2', place: 'x', unpin: true, cause }
        const before = await at.stacks.get(id)
        const sources = [{ kind: 'directory', directory: '/elsewhere' }] as const
        expect((await at.runs.observe([{ ...seen, polled: { ...polled, sources } }], [])).runs).toEqual([])
        const pinned = { run: '1', revision: 'main@sha1:1', by: 'ann', why: '' }
        expect((await at.runs.observe([{ ...seen, polled: { ...polled, pinned } }], [])).runs).toEqual([])
        expect(await at.stacks.get(id)).toEqual(before)
        expect((await at.runs.observe([{ ...seen, stack: '0'.repeat(16) }], [])).runs).toEqual([])
        expect((await at.runs.observe([seen], [])).runs).toMatchObject([{ stack: id, revision: 'main@sha1:2' }])
      })

      test('a run is settled as unchanged only while what was compared is applied and no run is in progress', async () => {
        const at = (await open()).store
        const one = await stack(at, 'one')
        const applied = { revision: 'main@sha1:1', content: 'c', files: 'd', place: 'x' }
        const read = { observed: applied, settings: 's', spec: sampleSpec, files: 'd', save: [] }
        await at.runs.attempt({ lease: one.lease, ...read })
        const warning = { severity: 'warning', code: 'a/b', message: 'Odd.' } as const
        await at.journal.settle(one.lease, { outcome: 'applied', applied, problems: [warning], failure: null })
        const add = async (): Promise<string> => (await newRun()).id
        const newRun = (): Promise<Run> =>
          at.runs.add({ stack: one.stack.id, revision: 'main@sha1:2', cause: { kind: 'commit' } })
        const settle = async (run: string, content = 'c'): Promise<readonly string[]> =>
          at.runs.settleUnchanged([{ run, stack: one.stack.id, seen: { revision: 'main@sha1:2', content } }])
        const { id: first, lease } = await at.runs.takeLease(await newRun())
        await at.runs.attempt({ lease, ...read })
        expect(await settle(first, 'other')).toEqual([])
        await at.runs.savePlan(
          lease,
          { stack: '', target: 't', revision: 'x', changes: [], unchanged: 0, needsApproval: [], digest: 'd' },
          { create: 0, update: 0, remove: 0, unchanged: 0 },
        )
        expect(await settle(first)).toEqual([])
        const second = await add()
        expect(await settle(second)).toEqual([])
        await at.runs.finish(lease, { outcome: 'failed' })
        expect(await settle(second)).toEqual([second])
        const third = await add()
        expect(await settle(third)).toEqual([third])
        for (const id of [second, third]) {
          // the warnings of what is applied still hold
          expect(await at.runs.get(id)).toMatchObject({ outcome: 'unchanged', problems: [warning] })
          expect(await at.runs.settings(id)).toEqual(sampleSpec)
        }
        expect(await at.stacks.get('one')).toMatchObject({
          attempted: { revision: 'main@sha1:2', settings: 's' },
          applied: { revision: 'main@sha1:2' },
        })
      })

      test('the files of an attempt are its whole package once its plan is stored, until the next attempt', async () => {
        const at = (await open()).store
        const one = await stack(at, 'one')
        const attempt = async (lease: RunLease, files: string): Promise<void> => {
          const observed = { revision: 'main@sha1:1', content: 'c' }
          await at.runs.attempt({ lease, observed, settings: 's', spec: sampleSpec, files, save: [] })
        }
        const planned = (revision = 'main@sha1:1'): Promise<string | undefined> =>
          at.runs.plannedFiles(one.stack.id, revision)
        await attempt(one.lease, 'd')
        await at.stacks.change(one.lease, { drifted: 0 })
        expect(await planned()).toBeUndefined()
        const plan = {
          stack: '',
          target: 't',
          revision: 'x',
          changes: [],
          unchanged: 0,
          needsApproval: [],
          digest: 'd',
        }
        await at.runs.savePlan(one.lease, plan, { create: 0, update: 0, remove: 0, unchanged: 0 })
        await at.runs.finish(one.lease, { outcome: 'interrupted' })
        expect(await planned()).toBe('d')
        expect(await planned('main@sha1:2')).toBeUndefined()
        const next = await at.runs.add({ stack: one.stack.id, revision: 'main@sha1:1', cause: { kind: 'recovery' } })
        expect(await planned()).toBe('d')
        const { lease } = await at.runs.takeLease(next)
        await attempt(lease, 'part')
        await at.runs.finish(lease, { outcome: 'failed' })
        expect(await planned()).toBeUndefined()
      })

      test('settling empties journal and consent and moves what is applied, at once', async () => {
        const at = (await open()).store
        const one = await stack(at, 'one')
        await own(at, one, owned('Lamp/raw', '00aa'))
        await at.stacks.change(one.stack.id, { consent: { revision: 'main@sha1:1', by: 'ann', changes: [] } })
        const applied = { revision: 'main@sha1:1', content: 'c', files: 'd', place: 'x' }
        await at.journal.settle(one.lease, { outcome: 'applied', applied, problems: [], failure: null })
        expect(await at.stacks.get('one')).toMatchObject({ consent: null, applied: { ...applied, run: one.run } })
        expect(await at.journal.openEntries(one.stack.id)).toEqual([])
        expect(await at.stacks.unsettled()).toEqual([])
        expect(await at.stacks.boundSystems()).toEqual(new Map([[one.stack.spec.target, 'lamps/hall']]))
        expect(await at.stacks.countByTarget()).toEqual(new Map([[one.stack.spec.target, 1]]))
        expect((await at.runs.events(one.stack.id, 10)).map(({ eventType }) => eventType)).toEqual(['update'])
      })
    })

    describe('pruning', () => {
      test('runs with events, and files of the applied, pinned, blocked and newest applied revisions are kept', async () => {
        const at = (await open()).store
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
            spec: sampleSpec,
            files,
            save,
          })
          if (n < 2 || n === 6)
            await at.runs.finish(lease, {
              outcome: n === 6 ? 'needs-approval' : 'failed',
              ...(n === 6 ? { phase: 'needs-approval' as const } : {}),
            })
          else {
            await own(at, { lease }, owned(`Lamp/b${n}`, `000${n}`))
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

    test('the newest runs that corrected drift are kept beside the newest of other causes', async () => {
      const at = (await open()).store
      const one = (await stack(at, 'boards')).stack
      const causes = ['commit', 'drift', 'commit', 'drift', 'commit', 'drift', 'drift', 'drift'] as const
      for (const kind of causes) {
        const run = await at.runs.add({ stack: one.id, revision: 'main@sha1:1', cause: { kind } })
        await at.runs.endQueued(run.id, { outcome: 'failed' })
      }
      await at.files.prune({ runsKept: 2, revisionsKept: 1 })
      const kept = (await at.runs.list(one.id, { limit: 100 })).map(({ cause }) => cause.kind)
      expect(kept).toEqual(['drift', 'drift', 'commit', 'commit'])
    })

    describe('a change of a stack', () => {
      const refuse = (): never => {
        throw new Error('not so')
      }

      test('whose check refuses is not written, beside one that is', async () => {
        const at = (await open()).store
        const { id } = (await stack(at, 'boards')).stack
        const refused = expect(at.stacks.change(id, { drifted: 3 }, refuse)).rejects.toThrow('not so')
        await at.stacks.change(id, { retries: 1 })
        await refused
        await expect(at.stacks.delete(id, refuse)).rejects.toThrow('not so')
        expect(await at.stacks.get('boards')).toMatchObject({ drifted: 0, retries: 1 })
      })

      test('is checked with the stack as it is then', async () => {
        const at = (await open()).store
        const { id } = (await stack(at, 'boards')).stack
        const seen: number[] = []
        const check = ({ drifted }: Stack): void => void seen.push(drifted)
        await Promise.all([at.stacks.change(id, { drifted: 3 }, check), at.stacks.change(id, { drifted: 4 }, check)])
        expect(seen).toEqual([0, 3])
      })
    })

    describe('channels', () => {
      test('moves and channels are listed in pages', async () => {
        const at = (await open()).store
        const remote = 'https://example.com/x'
        for (let n = 1; n <= 5; n++)
          await at.runs.observe([], [await movedTo(at, { remote, ref: 'stable' }, `c${n}`, n)])
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

    describe('documents of a platform', () => {
      const lamp = (id: string, key: string | null = null, links: readonly string[] = []): StoredDocument => ({
        id,
        key,
        state: { id },
        links,
      })
      const idsIn = async ({ documents }: StoreToTest, space: string): Promise<readonly string[]> =>
        (await documents.list(space, { limit: 10 })).map(({ family, id }) => `${family}/${id}`)

      test('are found by id and by key, in their own space and family', async () => {
        const { documents } = (await open()).store
        expect(await documents.insert('hall', 'Lamp', lamp('a', 'door'))).toHaveProperty('createdAt')
        await documents.insert('shed', 'Lamp', lamp('a', 'door'))
        expect((await documents.byIds('hall', 'Lamp', ['a', 'b'])).get('a')).toMatchObject(lamp('a', 'door'))
        expect((await documents.byKeys('hall', 'Lamp', ['door'])).get('door')).toMatchObject({ id: 'a' })
        expect((await documents.byIds('hall', 'Room', ['a'])).size).toBe(0)
        expect((await documents.byKeys('attic', 'Lamp', ['door'])).size).toBe(0)
      })

      test('have ids and keys that are unique, and say who has them', async () => {
        const { documents } = (await open()).store
        await documents.insert('hall', 'Lamp', lamp('a', 'door'))
        await documents.insert('hall', 'Lamp', lamp('b', 'desk'))
        expect(await documents.insert('hall', 'Lamp', lamp('c', 'door'))).toEqual({ taken: 'a' })
        expect(await documents.replace('hall', 'Lamp', lamp('b', 'door'))).toEqual({ taken: 'a' })
        expect(await documents.replace('hall', 'Lamp', lamp('c'))).toEqual({ missing: 'c' })
        expect(await documents.replace('hall', 'Lamp', lamp('a', 'porch'))).toHaveProperty('updatedAt')
        expect(await documents.insert('hall', 'Lamp', lamp('c', 'door'))).toHaveProperty('createdAt')
      })

      test('need what they link to, and go with it', async () => {
        const { store } = await open()
        expect(await store.documents.insert('hall', 'Lamp', lamp('a', null, ['r']))).toEqual({ missing: 'r' })
        await store.documents.insert('hall', 'Room', lamp('r'))
        await store.documents.insert('hall', 'Lamp', lamp('a', null, ['r']))
        expect(await idsIn(store, 'hall')).toEqual(['Lamp/a', 'Room/r'])
        await store.documents.remove('hall', 'Room', 'r')
        await store.documents.remove('hall', 'Room', 'r')
        expect(await idsIn(store, 'hall')).toEqual([])
      })

      test('are listed in pages, by family and id', async () => {
        const { documents } = (await open()).store
        for (const id of ['b', 'a', 'c']) await documents.insert('hall', 'Lamp', lamp(id))
        await documents.insert('hall', 'Room', lamp('0'))
        const pages = async (after?: { readonly family: string; readonly id: string }) =>
          (await documents.list('hall', { limit: 2, ...(after === undefined ? {} : { after }) })).map(({ id }) => id)
        expect(await pages()).toEqual(['a', 'b'])
        expect(await pages({ family: 'Lamp', id: 'b' })).toEqual(['c', '0'])
        expect(await pages({ family: 'Room', id: '0' })).toEqual([])
      })
    })

    describe('a new start', () => {
      test('finds stacks, ownership, open steps and documents as they were written', async () => {
        const { store: at, reopen } = await open()
        const one = await stack(at, 'one')
        await own(at, one, owned('Lamp/raw', '00aa'))
        await at.documents.insert('hall', 'Lamp', { id: 'a', key: 'door', state: {}, links: [] })
        const entries = await at.journal.openEntries(one.stack.id)
        const again = await reopen()
        expect(await again.stacks.get('one')).toMatchObject({ id: one.stack.id, spec: one.stack.spec })
        expect([...(await again.ownership.of(one.stack.id)).keys()]).toEqual(['Lamp/raw'])
        expect(entries).toHaveLength(1)
        expect(await again.journal.openEntries(one.stack.id)).toEqual(entries)
        expect((await again.documents.byKeys('hall', 'Lamp', ['door'])).size).toBe(1)
      })
    })
  })
}
