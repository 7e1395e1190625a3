// `npm run bench` in seconds: rows are measured once, small. `npm test` measures the short ones, `test:all` all.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { beforeAll, describe, expect, test } from 'vitest'
import { attackScale } from '../attack/scale.js'

/** Rows with servers of their own, killed agents or many requests. */
const long = ['polls', 'push-to-sync', 'webhook', 'throughput', 'templates', 'influxdb', 'idle', 'restart']
const every = JSON.parse(readFileSync('bench/names.json', 'utf8')) as readonly string[]
const possible = process.env['GITMOOR_INFLUXD'] === undefined ? every.filter((name) => name !== 'influxdb') : every
const names = attackScale() < 1 ? possible.filter((name) => !long.includes(name)) : possible

interface Row {
  readonly bench: string
  readonly what: string
  readonly figure: number
}
interface Measured {
  readonly rows: readonly Row[]
  readonly failures: readonly { readonly bench: string; readonly message: string }[]
}

async function bench(
  words: readonly string[],
  env = {},
): Promise<{ readonly code: number | null; readonly stdout: string }> {
  const child = spawn(process.execPath, ['bench/bench.mjs', '--small', ...words], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const [stdout, [code]] = (await Promise.all([text(child.stdout), once(child, 'close')])) as [string, [number | null]]
  return { code, stdout }
}

describe.skipIf(process.platform !== 'linux')('the bench (needs /proc)', () => {
  let measured: Measured & { readonly code: number | null }
  beforeAll(async () => {
    const { code, stdout } = await bench([...names, '--json'])
    measured = { code, ...(JSON.parse(stdout) as Measured) }
  }, 300_000)

  test('measures the rows that it is asked for', () => {
    expect([measured.code, measured.failures]).toEqual([0, []])
  })

  test.each(names)('measures %s', (name) => {
    const rows = measured.rows.filter((row) => row.bench === name)
    expect(rows.length).toBeGreaterThan(0)
    expect(rows.filter(({ figure }) => !Number.isFinite(figure))).toEqual([])
  })

  test('prints what it measured beside a row that fails, which it names, and ends with 1', async () => {
    const noInfluxd = { GITMOOR_INFLUXD: '/nonexistent/influxd' }
    const { code, stdout } = await bench(['templates', 'page', '--json'], noInfluxd)
    const { rows, failures } = JSON.parse(stdout) as Measured
    expect(code).toBe(1)
    expect(failures).toEqual([{ bench: 'templates', message: 'it ended with 1' }])
    expect(new Set(rows.map((row) => row.bench))).toEqual(new Set(['page']))
  })
})
