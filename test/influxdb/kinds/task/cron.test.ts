import { describe, expect, test } from 'vitest'
import { isCron } from '../../../../src/influxdb/kinds/task/cron.js'

describe('a task can have', () => {
  test.each([
    '* * * * *',
    '15 3 * * 1-5',
    '*/5,30 0-12/3 1,15 jan-MAR sun',
    '0 0 1 1 7',
    '30 15 3 * * *',
    '0 0 0 1 1 * 2030-2040/2',
    '5/10\t*  * * *',
    '@hourly',
    '@daily',
    '@every_minute',
    '@every 1h',
    '@every  1h 30m15s',
    '@every 2mo',
  ])('%s', (text) => {
    expect(isCron(text)).toBe(true)
  })
})

describe('a task cannot have', () => {
  test.each([
    '99 99 * * *',
    '* * * *',
    '* * * * * * * *',
    '60 * * * *',
    '* 24 * * *',
    '* * 0 * *',
    '* * 32 * *',
    '* * * 13 *',
    '* * * * 8',
    '* * * lamp *',
    'mon * * * *',
    '*/60 * * * *',
    '*/5/5 * * * *',
    '1-2-3 * * * *',
    '1, * * * *',
    '-1 * * * *',
    '? * * * *',
    '* * * * * * 1900',
    'hourly',
    '@lately',
    '@every',
    '@every often',
    '@every 1',
    '@every1h',
    `@every ${'1h '.repeat(400)}`,
    `@every${' '.repeat(900)}x`,
  ])('%s', (text) => {
    expect(isCron(text)).toBe(false)
  })
})
