// A database with a history, and what a damage or a restore must not lose of it.
import { stackDefaults } from '../../src/settings/stack-settings.js'
import type { Change } from '../../src/model/resources/change.js'
import type { Owned } from '../../src/model/resources/resource.js'
import type { SqliteStore } from '../../src/store/sqlite/sqlite-store.js'
import { beginStep } from '../begin-step.js'

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

/**
 * Stacks `s<from>` up to `s<to>`, each of which applied one bucket; the bucket is there, with a description that takes
 * room.
 */
export async function fill(store: SqliteStore, from: number, to: number): Promise<void> {
  await Promise.all(Array.from({ length: to - from }, (_, n) => addStack(store, from + n)))
}

async function addStack(store: SqliteStore, n: number): Promise<void> {
  const sources = [{ kind: 'git', url: 'https://example.com/x', ref: 'main', path: '' }] as const
  const spec = { name: `s${n}`, ...stackDefaults, sources }
  const { run } = await store.stacks.create(spec, {
    managedBy: 'api',
    target: 'embedded/main',
    cause: { kind: 'created' },
  })
  const identity = n.toString(16).padStart(16, '0')
  const state = { name: `b${n}`, description: 'd'.repeat(500) }
  const { lease } = await store.runs.takeLease(run)
  const entry = await beginStep(store.journal, lease, change(`Bucket/b${n}`), { trace: identity })
  await store.documents.insert('main', 'Bucket', { id: identity, key: `b${n}`, state, links: [] })
  const record = {
    address: `Bucket/b${n}`,
    kind: 'Bucket',
    identity,
    applied: state,
    needs: [],
    adopted: false,
  } as unknown as Owned
  await store.journal.recordProgress(lease, entry, { state: 'done', identity: record.identity, own: [record] })
  const applied = { revision: `main@sha1:${n}`, content: 'c', files: 'f', place: 'p' }
  await store.journal.settle(lease, { outcome: 'applied', applied, problems: [], failure: null })
}

/** Names of stacks, how many have what they applied in their records, how many resources there are on the target. */
export async function picture(
  store: SqliteStore,
): Promise<{ readonly stacks: readonly string[]; readonly owning: number; readonly resources: number }> {
  const stacks = await store.stacks.list({ limit: 500 })
  const owned = await Promise.all(stacks.map(({ id }) => store.ownership.of(id)))
  const resources = await store.documents.list('main', { limit: 500 })
  return {
    stacks: stacks.map(({ spec }) => spec.name).sort((a, b) => Number(a.slice(1)) - Number(b.slice(1))),
    owning: owned.filter((records) => records.size > 0).length,
    resources: resources.length,
  }
}

export function names(to: number): readonly string[] {
  return Array.from({ length: to }, (_, n) => `s${n}`)
}
