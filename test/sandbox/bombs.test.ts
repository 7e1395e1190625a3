// Packages that mean harm: each is a clear fault within its limit, and neither the process nor what else it does takes
// part.
import { existsSync, readFileSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { expect, test } from 'vitest'
import { JsonnetSandbox } from '../../src/sandbox/jsonnet/jsonnet-sandbox.js'
import type { SandboxLimits } from '../../src/sandbox/sandbox.js'
import { errorOf, never } from '../source/git-world.js'
import { describeWithJsonnet } from './with-jsonnet.js'

const MiB = 1024 * 1024
const limits: SandboxLimits = { evaluationMs: 20_000, evaluationMemory: 192 * MiB, evaluationBytes: MiB }
const short = { ...limits, evaluationMs: 800 }

async function faultsOf(
  files: Readonly<Record<string, string>>,
  at: SandboxLimits = limits,
): Promise<readonly string[]> {
  const { problems } = await new JsonnetSandbox(at).jsonnet(new Map(Object.entries(files)), never)
  return problems.map(({ file, code }) => `${file} ${code}`)
}

/** Ids of the processes that this one has begun and that are still there. */
function children(): readonly string[] {
  const file = `/proc/self/task/${process.pid}/children`
  return existsSync(file) ? readFileSync(file, 'utf8').split(' ').filter(Boolean) : []
}

const fanOut = Object.fromEntries(
  Array.from({ length: 40 }, (_, at) => [
    `${at}.libsonnet`,
    `[import '${at + 1}.libsonnet', import '${at + 1}.libsonnet']`,
  ]),
)

describeWithJsonnet('a package', () => {
  test.each<readonly [string, string, string, SandboxLimits]>([
    ['that loops for ever', 'local f(n) = f(n + 1) tailstrict; f(0)', 'sandbox/time', short],
    [
      'that counts for ever',
      'std.foldl(function(a, b) a + b, std.range(1, 1000000000), 0)',
      'sandbox/(time|memory|crash)',
      short,
    ],
    ['that fills memory with a text', 'std.length(std.repeat("x", 1000000000))', 'sandbox/(memory|crash)', limits],
    [
      'that fills memory by doubling',
      'local f(n, s) = if n == 0 then s else f(n - 1, s + s) tailstrict; std.length(f(40, "xx"))',
      'sandbox/(memory|crash)',
      limits,
    ],
    [
      'that fills memory with a list',
      'std.length(std.makeArray(100000000, function(i) [i]))',
      'sandbox/(memory|crash)',
      limits,
    ],
    [
      'that gives too much',
      'local text = std.repeat("x", 10000); [text for i in std.range(1, 300)]',
      'sandbox/output',
      limits,
    ],
    [
      'that gives too many lists',
      '[[[i, i] for i in std.range(1, 20)] for k in std.range(1, 20000)]',
      'sandbox/(output|memory)',
      limits,
    ],
    [
      'that is nested too deep',
      `${'['.repeat(200_000)}${']'.repeat(200_000)}`,
      'sandbox/(crash|evaluation|syntax|memory)',
      limits,
    ],
    ['that calls itself too deep', 'local f(n) = 1 + f(n); f(0)', 'sandbox/evaluation', limits],
  ])('%s has a fault', async (_, text, code, at) => {
    const began = performance.now()
    expect(await faultsOf({ 'a.jsonnet': text }, at)).toEqual([
      expect.stringMatching(new RegExp(`^a.jsonnet ${code}$`)),
    ])
    expect(performance.now() - began).toBeLessThan(at.evaluationMs + 8_000)
    expect(children()).toEqual([])
  })

  test('whose imports fan out without end has a fault', async () => {
    const files = { 'a.jsonnet': "import '0.libsonnet'", ...fanOut, '40.libsonnet': '1' }
    expect(await faultsOf(files, short)).toEqual([expect.stringMatching(/^a.jsonnet sandbox\/(time|memory|output)$/)])
  })

  test('whose imports are a chain of 5,000 files has a fault', async () => {
    const chain = Array.from({ length: 5_000 }, (_, at) => [`${at}.libsonnet`, `import '${at + 1}.libsonnet'`])
    const files = {
      'a.jsonnet': "import '0.libsonnet'",
      ...(Object.fromEntries(chain) as Record<string, string>),
      '5000.libsonnet': '1',
    }
    expect(await faultsOf(files)).toEqual([expect.stringMatching(/\.(json|lib)sonnet sandbox\//)])
  })

  test('beside one with a fault beyond the limits keeps what was evaluated before', async () => {
    const files = new Map([
      ['a.jsonnet', '[1]'],
      ['b.jsonnet', 'local f(n) = f(n + 1) tailstrict; f(0)'],
      ['c.jsonnet', '[2]'],
    ])
    const sandbox = new JsonnetSandbox({ ...limits, evaluationMs: 1_500 })
    const { texts, problems } = await sandbox.jsonnet(files, never)
    expect([[...texts], problems.map(({ file }) => file)]).toEqual([[['a.jsonnet', '[1]']], ['b.jsonnet']])
  })
})

describeWithJsonnet('while packages loop', () => {
  const loop = (at: number): ReadonlyMap<string, string> =>
    new Map([['a.jsonnet', `local f(n) = f(n + 1) tailstrict; f(${at})`]])

  test('two are evaluated at once, the others wait, and this process is not blocked', async () => {
    const sandbox = new JsonnetSandbox(short)
    const stop = new AbortController()
    using delay = new Delay()
    const all = [1, 2, 3, 4, 5].map((at) => errorOf(sandbox.jsonnet(loop(at), stop.signal)))
    await delay.rise()
    expect(children().length).toBeLessThanOrEqual(2)
    stop.abort(new Error('stop now'))
    expect((await Promise.all(all)).map(({ message }) => message)).toEqual(Array.from({ length: 5 }, () => 'stop now'))
    expect(children()).toEqual([])
    expect(delay.longestMs).toBeLessThan(1_000)
  })

  test('who gives up waiting leaves the place to the next', async () => {
    const sandbox = new JsonnetSandbox(limits)
    const first = new AbortController()
    const second = new AbortController()
    const loops = [errorOf(sandbox.jsonnet(loop(1), first.signal)), errorOf(sandbox.jsonnet(loop(2), first.signal))]
    const waiting = errorOf(sandbox.jsonnet(loop(3), second.signal))
    const last = sandbox.jsonnet(new Map([['a.jsonnet', '[1]']]), never)
    second.abort(new Error('not any more'))
    expect((await waiting).message).toBe('not any more')
    first.abort(new Error('stop now'))
    await Promise.all(loops)
    expect((await last).texts.get('a.jsonnet')).toBe('[1]')
  })
})

/** How long this process had no turn, at most. */
class Delay implements Disposable {
  readonly #delay = monitorEventLoopDelay({ resolution: 10 })
  constructor() {
    this.#delay.enable()
  }
  get longestMs(): number {
    return this.#delay.max / 1e6
  }
  /** Until it was measured for a while. */
  async rise(): Promise<void> {
    while (this.#delay.count < 30) await new Promise((resolve) => setTimeout(resolve, 10))
  }
  [Symbol.dispose](): void {
    this.#delay.disable()
  }
}
