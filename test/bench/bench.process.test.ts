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
  const beside = ['poll', 'many-commits', 'many-stacks']
  const alone = names.filter((name) => !beside.includes(name))
  let good: Measured & { readonly code: number | null }
  let withFailure: typeof good
  beforeAll(async () => {
    const measure = async (words: readonly string[], env = {}): Promise<typeof good> => {
      const { code, stdout } = await bench([...words, '--json'], env)
      return { code, ...(JSON.parse(stdout) as Measured) }
    }
    good = await measure(alone)
    withFailure = await measure(['templates', ...beside], { GITMOOR_INFLUXD: '/nonexistent/influxd' })
  }, 300_000)

  test('measures the rows that it is asked for', () => {
    expect([good.code, good.failures]).toEqual([0, []])
    expect(new Set(good.rows.map((row) => row.bench))).toEqual(new Set(alone))
  })

  test.each(names)('measures %s', (name) => {
    const rows = [...good.rows, ...withFailure.rows].filter((row) => row.bench === name)
    expect(rows.length).toBeGreaterThan(0)
    expect(rows.filter(({ figure }) => !Number.isFinite(figure))).toEqual([])
  })

  test('prints what it measured beside a row that fails, which it names, and ends with 1', () => {
    expect(withFailure.code).toBe(1)
    expect(withFailure.failures).toEqual([{ bench: 'templates', message: 'it ended with 1' }])
    expect(new Set(withFailure.rows.map((row) => row.bench))).toEqual(new Set(beside))
  })
})
