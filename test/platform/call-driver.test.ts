import { describe, expect, test } from 'vitest'
import { Rejected, Unavailable } from '../../src/model/errors.js'
import { callContext, callDriver, type CallContext, type DriverCall } from '../../src/platform/call-driver.js'

const within = (limitMs: number): CallContext => ({ caller: { run: '1' }, limitMs })
const silent = (): Promise<never> => new Promise(() => {})

describe('a call of a driver', () => {
  test('without an answer ends at its time limit, with a hint', async () => {
    await expect(callDriver('create Label/red', within(20), silent)).rejects.toMatchObject({
      name: 'Unavailable',
      code: 'platform/timeout',
      message: 'The target did not answer within 0.02 s (create Label/red).',
      hint: 'The time limit is `limits.driverCall`.',
    })
  })

  test('for a change with a time limit of its own names that limit', async () => {
    const context = callContext({ timeoutMs: 20 }, within(60_000))
    await expect(callDriver('create Label/red', context, silent)).rejects.toMatchObject({
      hint: 'The time limit is `meta.timeout`.',
    })
  })

  test('is aborted at its time limit', async () => {
    let reason: unknown
    const call = (signal: AbortSignal): Promise<never> => {
      signal.addEventListener('abort', () => (reason = signal.reason))
      return silent()
    }
    const error = await callDriver('read Label', within(20), call).catch((one: unknown) => one)
    expect(error).toBeInstanceOf(Unavailable)
    expect(reason).toBe(error)
  })

  test('returns its answer, and its time limit is cancelled', async () => {
    const before = process.getActiveResourcesInfo().filter((one) => one === 'Timeout').length
    expect(await callDriver('read Label', within(600_000), () => Promise.resolve('there'))).toBe('there')
    expect(process.getActiveResourcesInfo().filter((one) => one === 'Timeout')).toHaveLength(before)
  })

  test('keeps our errors, and turns others into errors that are retried', async () => {
    const ours = new Rejected('No.', { code: 'platform/refused' })
    await expect(callDriver('read Label', within(1000), () => Promise.reject(ours))).rejects.toBe(ours)
    const cause = new TypeError('fetch failed')
    await expect(callDriver('read Label', within(1000), () => Promise.reject(cause))).rejects.toMatchObject({
      name: 'Unavailable',
      code: 'platform/failed',
      message: 'The target failed (read Label): fetch failed',
      cause,
    })
    // oxlint-disable-next-line prefer-promise-reject-errors -- what a library may do
    await expect(callDriver('read Label', within(1000), () => Promise.reject('gone'))).rejects.toThrow(
      'The target failed (read Label): gone',
    )
  })

  test('does not begin after its caller aborted, and is aborted with its caller', async () => {
    const stop = new AbortController()
    const call = (signal: AbortSignal): Promise<never> =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)))
    const running = callDriver('read Label', within(60_000), call, stop.signal)
    const why = new Error('The agent stops.')
    stop.abort(why)
    await expect(running).rejects.toBe(why)
    let begun = false
    const late = callDriver('read Label', within(60_000), async () => void (begun = true), stop.signal)
    await expect(late).rejects.toBe(why)
    expect(begun).toBe(false)
  })

  test('is reported when it ends, with the code of its error', async () => {
    const reported: DriverCall[] = []
    const calling = { ...within(1000), onCall: (call: DriverCall) => void reported.push(call) }
    await callDriver('read Label', calling, () => Promise.resolve())
    await callDriver('read Bucket', calling, () =>
      Promise.reject(new Rejected('No.', { code: 'platform/refused' })),
    ).catch(() => {})
    expect(reported.map(({ run, call, code }) => [run, call, code])).toEqual([
      ['1', 'read Label', undefined],
      ['1', 'read Bucket', 'platform/refused'],
    ])
  })
})
