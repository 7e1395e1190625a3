import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { memoryDirectory } from '../memory-directory.js'
import { bundleTests } from './bundle-tests.js'
import type { Mutant } from './mutant.js'

/** The result: `by` names the test that failed first; `refused`: no test fails, but the type check does. */
export type Verdict =
  | { readonly kind: 'killed'; readonly by: string }
  | { readonly kind: 'timed out' }
  | { readonly kind: 'refused' }
  | { readonly kind: 'survived' }

/** Mutants that one process tries before the next one takes its place: what it imported stays in its memory. */
const mostPerProcess = 40

/** Tests open thousands of databases: on a disk they take five times as long. */
const env = { ...process.env, TMPDIR: process.env['TMPDIR'] ?? memoryDirectory() ?? tmpdir() }

/** Tries one mutant after the other in a warm process, which is ended where a mutant never ends. */
export class Trial implements Disposable {
  readonly #entry: string
  readonly #tests: readonly string[]
  readonly #limitMs: number
  #process: ChildProcess | undefined
  #tried = 0

  /** `entry`: the bundled child; bundles of tests are written beside it. */
  constructor({
    entry,
    tests,
    limitMs,
  }: {
    readonly entry: string
    readonly tests: readonly string[]
    readonly limitMs: number
  }) {
    this.#entry = entry
    this.#tests = tests
    this.#limitMs = limitMs
  }

  /** Without a mutant: the tests of the code as it is. */
  async try(mutant: Mutant | undefined): Promise<Verdict> {
    if (++this.#tried % mostPerProcess === 0) this[Symbol.dispose]()
    this.#process ??= fork(this.#entry, { env, stdio: ['ignore', 'ignore', 'ignore', 'ipc'] })
    const directory = join(this.#entry, '..', `tests-${this.#process.pid}-${this.#tried}`)
    try {
      return await this.#run(this.#process, await bundleTests(this.#tests, directory, mutant))
    } finally {
      rmSync(directory, { recursive: true, force: true })
    }
  }

  async #run(child: ChildProcess, files: readonly string[]): Promise<Verdict> {
    const stop = new AbortController()
    const timer = setTimeout(() => stop.abort(), this.#limitMs)
    try {
      child.send(files)
      const ended = once(child, 'exit', stop).then(() => ['the process ended'])
      const [failed] = (await Promise.race([once(child, 'message', stop), ended])) as [string | null]
      if (child.exitCode !== null || child.signalCode !== null) this[Symbol.dispose]()
      return failed === null ? { kind: 'survived' } : { kind: 'killed', by: failed }
    } catch {
      this[Symbol.dispose]()
      return { kind: 'timed out' }
    } finally {
      clearTimeout(timer)
      stop.abort()
    }
  }

  [Symbol.dispose](): void {
    this.#process?.kill('SIGKILL')
    this.#process = undefined
  }
}
