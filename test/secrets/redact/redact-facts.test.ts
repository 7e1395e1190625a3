import { expect, test } from 'vitest'
import { InvalidPackage, Unavailable } from '../../../src/model/errors.js'
import {
  redactCall,
  redactError,
  redactFacts,
  redactParts,
  redactSteps,
  redactStrings,
} from '../../../src/secrets/redact/redact-facts.js'

const redact = (text: string): string => text.replaceAll('hunter2', '(redacted)')

/** Small data is redacted in one step, large data in many. */
const sizes = [
  ['small', []],
  ['large', Array.from({ length: 1_000 }, (_, at) => at)],
] as const

test.each(sizes)('sentences of %s data are redacted; names, addresses and content of packages stay', (_, many) => {
  const facts = {
    many,
    name: 'hunter2',
    message: 'no hunter2',
    delays: ['since hunter2'],
    problems: [{ code: 'hunter2', message: 'hunter2', hint: 'hunter2' }],
    next: [{ purpose: 'use hunter2', args: { stack: 'hunter2' } }],
    actual: { message: 'hunter2' },
    plan: { message: 'hunter2' },
    spec: { note: 'hunter2' },
    facts: { commit: { name: 'hunter2', message: 'hunter2' } },
  }
  expect(redactFacts(facts, redact)).toEqual({
    ...facts,
    message: 'no (redacted)',
    delays: ['since (redacted)'],
    problems: [{ code: 'hunter2', message: '(redacted)', hint: '(redacted)' }],
    next: [{ purpose: 'use (redacted)', args: { stack: 'hunter2' } }],
    facts: { commit: { name: '(redacted)', message: '(redacted)' } },
  })
})

test.each(sizes)('%s data without a secret is the same data', (_, many) => {
  const facts = { many, message: 'fine', items: [{ message: 'fine' }], bytes: new Uint8Array(3) }
  expect(redactFacts(facts, redact)).toBe(facts)
})

test.each(sizes)('the place of the next page of %s data is no sentence, what to do next is one', (_, many) => {
  expect(redactFacts({ many, items: [{ next: 'hunter2' }], next: 'hunter2' }, redact)).toEqual({
    many,
    items: [{ next: '(redacted)' }],
    next: 'hunter2',
  })
})

test('every string of a log line is redacted, before it is JSON', () => {
  expect(redactStrings({ remote: 'a hunter2', list: ['hunter2', 1, null] }, redact)).toEqual({
    remote: 'a (redacted)',
    list: ['(redacted)', 1, null],
  })
})

test('an error stays the same error, redacted with its hint, its problems and its causes', () => {
  const cause = new Error('hunter2 in the cause')
  const error = new Unavailable('hunter2', { code: 'source/x', hint: 'ask hunter2', path: '/hunter2', cause })
  expect(redactError(error, redact)).toBe(error)
  expect(error).toMatchObject({ message: '(redacted)', hint: 'ask (redacted)', path: '/(redacted)' })
  expect(`${error.stack} ${cause.message} ${cause.stack}`).not.toContain('hunter2')
  const invalid = redactError(
    new InvalidPackage([{ severity: 'error', code: 'x', message: 'hunter2', hint: 'hunter2' }]),
    redact,
  )
  expect(JSON.stringify(invalid)).not.toContain('hunter2')
})

test('what a function answers, throws and calls back with is redacted', async () => {
  expect(await redactCall(async () => ({ message: 'hunter2' }), [], redact)).toEqual({ message: '(redacted)' })
  await expect(redactCall(async () => Promise.reject(new Error('hunter2')), [], redact)).rejects.toThrow('(redacted)')
  const heard: unknown[] = []
  const report = (back: (fact: { message: string }) => void): void => back({ message: 'hunter2' })
  redactCall(report, [(fact) => heard.push(fact)], redact)
  expect(heard).toEqual([{ message: '(redacted)' }])
})

test('redacts many problems in a step for each', () => {
  const problems = Array.from({ length: 1_000 }, (_, at) => ({ code: 'x', message: `hunter2 in ${at}` }))
  const steps = redactSteps({ problems }, redact)
  let count = 0
  let step = steps.next()
  for (; step.done !== true; step = steps.next()) count++
  expect(count).toBeGreaterThanOrEqual(1_000)
  expect(step.value.problems[999]).toEqual({ code: 'x', message: '(redacted) in 999' })
})

test('redacts the arguments of the named methods only', async () => {
  const table = {
    prefix: 'as',
    add: async (note: { message: string }): Promise<string> => `${table.prefix} ${note.message}`,
    find: async (note: { message: string }): Promise<string> => `${table.prefix} ${note.message}`,
  }
  const wrapped = redactParts({ notes: table, others: table }, { notes: ['add'] }, redact)
  expect(await wrapped.notes.add({ message: 'hunter2' })).toBe('as (redacted)')
  expect(await wrapped.notes.find({ message: 'hunter2' })).toBe('as hunter2')
  expect(wrapped.notes.prefix).toBe('as')
  expect(await wrapped.others.add({ message: 'hunter2' })).toBe('as hunter2')
})
