import { describe, expect, test } from 'vitest'
import { causeKinds, causeText, type Cause } from '../../../src/model/stacks/run.js'

const from = `stable@sha1:${'2f1c9ab'.padEnd(40, '0')}`
const to = `stable@sha1:${'81d0c3e'.padEnd(40, '0')}`

const texts: readonly (readonly [string, Cause])[] = [
  ['created by the configuration file', { kind: 'created', by: 'file' }],
  [
    'new commit on main from 2f1c9ab to 81d0c3e',
    { kind: 'commit', ref: 'main', from: from.slice(12), to: to.slice(12) },
  ],
  ['new commit on its ref', { kind: 'commit' }],
  ['tag stable moved from stable@2f1c9ab to stable@81d0c3e', { kind: 'tag-moved', ref: 'stable', from, to }],
  ['v2.0 is the highest version in 2.x, moved to stable@81d0c3e', { kind: 'tag-moved', ref: '2.x', tag: 'v2.0', to }],
  ['directory changed', { kind: 'directory-changed' }],
  ['file at the URL changed', { kind: 'url-changed' }],
  ['schedule', { kind: 'schedule', note: '' }],
  ['drift; overrode a blocker: waits for base', { kind: 'drift', overrode: 'waits for base.' }],
  ['requested by ann: roll back to run 12', { kind: 'person', by: 'ann', note: 'roll back to run 12' }],
  ['requested; may override closed windows: INC-7', { kind: 'person', overrideWindow: 'INC-7' }],
  ['requested; overrode a closed window: INC-7', { kind: 'person', overrideWindow: 'INC-7', overrodeWindow: true }],
  ['retry', { kind: 'retry' }],
  ['recovery', { kind: 'recovery' }],
  ['recovery: run 12 was interrupted', { kind: 'recovery', note: 'run 12 was interrupted' }],
  ['recovery: restored from a backup', { kind: 'recovery', note: 'restored from a backup' }],
]

describe('the cause of a run in words is', () => {
  test.each(texts)('%s', (text, cause) => {
    expect(causeText(cause)).toBe(text)
  })

  test('there for every kind', () => {
    expect(new Set(texts.map(([, { kind }]) => kind))).toEqual(new Set(causeKinds))
  })
})
