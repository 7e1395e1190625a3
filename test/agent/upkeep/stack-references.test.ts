// What stacks refer to outside of gitmoor, and whether it can be read: once for each reference.
import { beforeEach, describe, expect, test } from 'vitest'
import { StackReferences } from '../../../src/agent/upkeep/stack-references.js'
import { Changes } from '../../../src/agent/watch/changes.js'
import { Live } from '../../../src/agent/watch/live.js'
import type { Stack } from '../../../src/model/stacks/stack.js'
import type { StackReference } from '../../../src/stacks/inputs/inputs.js'

/** The text around the reference is not for the log. */
const pagerUrl = 'https://key@pager.example/${env:PAGER}'
const missing = new Set<string>()
let reads: string[]
let logged: string[]
let notified: string[]
let live: Live
let references: StackReferences

beforeEach(() => {
  missing.clear()
  reads = []
  logged = []
  notified = []
  live = new Live()
  const changes = new Changes()
  changes.subscribe((stack) => void notified.push(stack))
  const note = (message: string, facts: object = {}): void => void logged.push(`${message} ${JSON.stringify(facts)}`)
  references = new StackReferences({
    live,
    changes,
    log: { debug: note, info: note, warn: note, error: note },
    inputs: {
      references: ({ spec: { secrets = {} } }) =>
        Object.entries(secrets).map(([key, text]): StackReference => ({ kind: 'secret', key, text, managedBy: 'api' })),
      whyUnreadable: ({ text }) => {
        reads.push(text)
        const name = text === pagerUrl ? 'PAGER' : text
        return missing.has(text) ? { why: `${name} is not set.`, fix: `Set ${name}` } : undefined
      },
    },
  })
})

const stack = (id: string, secrets: Readonly<Record<string, string>>): Stack => ({ id, spec: { secrets } }) as Stack
const keys = (id: string): readonly string[] => live.unreadableInputsOf(id).map(({ key }) => key)

describe('a reference', () => {
  test('is read once for all stacks that use it, and again at each check', async () => {
    for (const id of ['a', 'b', 'c']) references.follow(stack(id, { slack: 'SLACK' }))
    expect(reads).toEqual(['SLACK'])
    await references.check()
    expect(reads).toEqual(['SLACK', 'SLACK'])
  })

  test('that vanishes is reported for each stack that uses it, until it is back', async () => {
    references.follow(stack('a', { slack: 'SLACK', pager: pagerUrl }))
    references.follow(stack('b', { pager: pagerUrl }))
    references.follow(stack('c', { slack: 'SLACK' }))
    missing.add(pagerUrl)
    notified = []
    await references.check()
    expect([keys('a'), keys('b'), keys('c')]).toEqual([['pager'], ['pager'], []])
    expect(live.unreadableInputsOf('b')).toEqual([
      { kind: 'secret', key: 'pager', why: 'PAGER is not set.', fix: 'Set PAGER' },
    ])
    expect(notified).toEqual(['a', 'b'])
    await references.check()
    expect(notified).toEqual(['a', 'b'])
    missing.clear()
    await references.check()
    expect(live.unreadableInputs.size).toBe(0)
    expect(logged).toEqual([
      'reference cannot be read {"reference":"${env:PAGER}","stacks":2,"error":"PAGER is not set."}',
      'reference can be read again {"reference":"${env:PAGER}"}',
    ])
  })

  test('that is missing already is reported as soon as a stack uses it', () => {
    missing.add('SLACK')
    references.follow(stack('a', { slack: 'SLACK' }))
    expect(keys('a')).toEqual(['slack'])
  })

  test('that no stack uses any more is not read', async () => {
    missing.add('SLACK')
    references.follow(stack('a', { slack: 'SLACK' }))
    references.follow(stack('b', { slack: 'SLACK' }))
    references.follow(stack('a', {}))
    references.remove('b')
    expect(live.unreadableInputs.size).toBe(0)
    reads = []
    await references.check()
    expect(reads).toEqual([])
  })
})
