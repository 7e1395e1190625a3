import { expect, test } from 'vitest'
import { runBounded } from '../../src/sandbox/bounded-child.js'
import { errorOf, never } from '../source/git-world.js'

const limits = { timeMs: 20_000, memory: 128 * 1024 * 1024, outputBytes: 1_000_000 }
const run = (script: string, input = '', at: Partial<typeof limits> = {}) =>
  runBounded(script, input, { ...limits, ...at }, never)

test('a child has no environment, no arguments, and only its standard streams', async () => {
  const script = 'console.log(JSON.stringify([process.env, process.argv.slice(1), process.cwd()]))'
  expect(await run(script)).toEqual({ output: '[{},[],"/"]\n', end: 'itself' })
})

test('a child is given its input whole, and its output comes whole', async () => {
  const input = 'é'.repeat(300_000)
  expect(await run('process.stdin.pipe(process.stdout)', input)).toEqual({ output: input, end: 'itself' })
})

test.each([
  ['that does not end is killed', 'for (;;);', { timeMs: 500 }, 'time'],
  [
    'that says too much is killed',
    'setInterval(() => process.stdout.write("x".repeat(65536)), 1)',
    { outputBytes: 100_000 },
    'output',
  ],
  [
    'that fills its heap breaks down',
    'const all = []; for (;;) all.push(new Array(1000).fill({}))',
    { memory: 32 * 1024 * 1024 },
    'crash',
  ],
  ['that throws breaks down', 'throw new Error("no")', {}, 'crash'],
  ['that does not read its input ends as it does', 'process.exit(0)', {}, 'itself'],
] as const)('a child %s', async (_, script, at, end) => {
  expect((await run(script, 'x'.repeat(1_000_000), at)).end).toBe(end)
})

test('a child is killed when its signal aborts', async () => {
  const stop = new AbortController()
  const running = errorOf(runBounded('for (;;);', '', limits, stop.signal))
  stop.abort(new Error('stop now'))
  expect((await running).message).toBe('stop now')
})
