import { expect, test } from 'vitest'
import { Unavailable } from '../../../src/model/errors.js'
import { callDriver, type DriverCall } from '../../../src/platform/call-driver.js'
import { label } from '../../e2e/packages.js'
import { never, useWorld } from '../../e2e/world.js'

const world = useWorld()

function calls(): readonly DriverCall[] {
  return world()
    .log.filter(({ level, message }) => level === 'debug' && message === 'target called')
    .map(({ facts }) => facts as unknown as DriverCall)
}

test('each call of a target is logged with its stack, its run, its subject and its duration', async () => {
  await world().push(label('red'))
  const run = await world().create('boards')
  const facts = { stack: 'boards', run: run.id, ms: expect.any(Number) as number }
  expect(calls()).toEqual([
    { ...facts, call: 'read Label' },
    { ...facts, call: 'create Label/red' },
  ])
})

test('a target gets the caller: a stack and its run, a stack alone, or nothing', async () => {
  await world().push(label('red'))
  const run = await world().create('boards')
  await world().ask.previewPlan('boards', {}, never)
  await world().ask.getResource('Label/red', { stack: 'boards' }, never)
  await world().ask.getResource('Label/red', {}, never)
  expect(world().platform.callers).toEqual([
    { stack: 'boards', run: run.id },
    { stack: 'boards' },
    { stack: 'boards' },
    {},
  ])
})

test('a call that fails or times out is logged with its error code', async () => {
  const calls: DriverCall[] = []
  const calling = { caller: { run: '1' }, limitMs: 20, onCall: (call: DriverCall) => void calls.push(call) }
  const gone = new Unavailable('Gone.', { code: 'platform/gone' })
  await expect(callDriver('read Label', calling, () => Promise.reject(gone))).rejects.toBe(gone)
  await expect(callDriver('read Label', calling, () => Promise.reject(new Error('inner')))).rejects.toThrow(
    'The target failed (read Label): inner',
  )
  await expect(callDriver('read Label', calling, () => new Promise(() => {}))).rejects.toThrow(
    'did not answer within 0.02 s',
  )
  expect(calls.map(({ code }) => code)).toEqual(['platform/gone', 'platform/failed', 'platform/timeout'])
})
