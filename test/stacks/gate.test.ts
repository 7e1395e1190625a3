// Whether a run may begin.
import { describe, expect, test } from 'vitest'
import type { Run } from '../../src/model/run.js'
import { stackDefaults, type StackSpec } from '../../src/model/stack.js'
import { waitsOf, type GateFacts } from '../../src/stacks/gate.js'

const noon = Date.UTC(2026, 0, 1, 12)
const plain: StackSpec = { ...stackDefaults, name: 'boards', sources: [] }
const closed: StackSpec = { ...plain, windows: [{ kind: 'deny', schedule: '0 11 * * *', durationMs: 7_200_000 }] }
const base = { name: 'base', ready: false, why: 'It is suspended.' }
const facts = (changed: Partial<GateFacts> = {}): GateFacts => ({ dependencies: [], isHalfDone: false, now: noon, ...changed })

function run(changed: Partial<Run> = {}): Run {
  const nothing = { outcome: null, plan: null, changes: null, problems: [], files: null, startedAt: null, finishedAt: null, expects: null }
  return {
    id: '7',
    stack: 'a',
    revision: 'main@sha1:aa',
    cause: { kind: 'commit' },
    phase: 'queued',
    intent: 'sync',
    createdAt: 0,
    ...nothing,
    ...changed,
  }
}

describe('waits', () => {
  test.each<[string, Partial<Run>]>([
    ['a new commit', {}],
    ['a moved tag', { cause: { kind: 'tag-moved' } }],
    ['a correction', { cause: { kind: 'drift' } }],
    ['a retry', { cause: { kind: 'retry' } }],
    ['its schedule', { cause: { kind: 'schedule' } }],
    ['its first sync', { cause: { kind: 'created', by: 'ann' }, revision: '' }],
    ['what a person pushed, or set', { cause: { kind: 'person', by: 'ann', note: 'settings changed' } }],
  ])('%s', (_, changed) => {
    expect(waitsOf(closed, run(changed), facts()).map(({ reason }) => reason)).toEqual(['Window'])
    expect(waitsOf(plain, run(changed), facts({ dependencies: [base] })).map(({ reason }) => reason)).toEqual(['Dependencies'])
  })

  test('whatever it would do by itself, without a run', () => {
    expect(waitsOf(closed, undefined, facts({ dependencies: [base] }))).toHaveLength(2)
  })
})

describe('does not wait', () => {
  test.each<[string, Partial<Run>, Partial<GateFacts>?]>([
    ['what a person asks for by name', { cause: { kind: 'person', by: 'ann', asked: true } }],
    ['a plan that a person consented to', { cause: { kind: 'person', by: 'ann' }, expects: 'ab12' }],
    ['an uninstall', { intent: 'uninstall' }],
    ['an undo', { phase: 'undoing' }],
    ['a recovery', { cause: { kind: 'recovery' } }],
    ['what goes on from something half-done', {}, { isHalfDone: true }],
  ])('%s', (_, changed, known) => {
    expect(waitsOf(closed, run(changed), facts({ dependencies: [base], ...known }))).toEqual([])
  })

  test('anything, where no window is closed and all are ready', () => {
    expect(waitsOf(plain, run(), facts())).toEqual([])
    expect(waitsOf(closed, run(), facts({ now: noon + 3_600_000, dependencies: [{ name: 'base', ready: true, why: '' }] }))).toEqual([])
  })
})

describe('what it waits for is told', () => {
  test.each<[string, StackSpec, Partial<GateFacts>, string, string | null]>([
    ['a window that denies', closed, {}, 'A window denies a sync until 2026-01-01T13:00:00.000Z.', '2026-01-01T13:00:00.000Z'],
    [
      'the windows that allow',
      { ...plain, windows: [{ kind: 'allow', schedule: '@daily', durationMs: 3_600_000 }] },
      {},
      'It is outside of the windows that allow a sync until 2026-01-02T00:00:00.000Z.',
      '2026-01-02T00:00:00.000Z',
    ],
    [
      'stacks that are not ready',
      plain,
      { dependencies: [base, { ...base, name: 'labels' }] },
      'It waits for base, labels to be synced and healthy.',
      null,
    ],
  ])('%s', (_, spec, known, message, until) => {
    const [wait] = waitsOf(spec, run(), facts(known))
    expect(wait).toMatchObject({ message, until: until === null ? null : Date.parse(until) })
    expect(wait!.next).toContain('gitmoor sync boards')
  })
})
