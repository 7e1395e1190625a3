// The real program: the agent as a process, and the command line that talks to it.
import { spawn, type ChildProcess } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { program } from './built.js'
import { until } from './until.js'

export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

/** A process that was started; `stdout` and `stderr` grow as it writes. */
export interface Started {
  readonly child: ChildProcess
  readonly stdout: () => string
  readonly stderr: () => string
  readonly ended: Promise<Ended>
}

export interface Surroundings {
  readonly cwd: string
  readonly env?: Readonly<Record<string, string>>
}

export class Processes implements AsyncDisposable {
  readonly #main: string
  readonly #started = new Set<ChildProcess>()

  /** `main`: what is started in place of the program. */
  constructor(main = program) {
    this.#main = main
  }

  start(args: readonly string[], { cwd, env = {} }: Surroundings): Started {
    const child = spawn(process.execPath, [this.#main, ...args], {
      cwd,
      env: { PATH: process.env['PATH'], HOME: cwd, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.#started.add(child)
    const texts = { stdout: '', stderr: '' }
    for (const name of ['stdout', 'stderr'] as const)
      child[name].on('data', (chunk: Buffer) => (texts[name] += chunk.toString()))
    const ended = new Promise<Ended>((resolve) =>
      child.on('close', (code, signal) => resolve({ code, signal, ...texts })),
    )
    return { child, stdout: () => texts.stdout, stderr: () => texts.stderr, ended }
  }

  /** Types a command and waits for its end. */
  run(args: readonly string[], around: Surroundings): Promise<Ended> {
    return this.start(args, around).ended
  }

  /** An agent that is ready. */
  async agent(args: readonly string[], around: Surroundings & { readonly data: string }): Promise<Started> {
    const started = this.start(['agent', '--data', around.data, '--listen', '127.0.0.1:0', ...args], around)
    const file = join(around.data, 'agent.json')
    const isReady = (): boolean => {
      if (started.child.exitCode !== null) throw new Error(`The agent ended: ${started.stderr()}`)
      return existsSync(file) && (JSON.parse(readFileSync(file, 'utf8')) as { pid: number }).pid === started.child.pid
    }
    await until('the agent is ready', isReady)
    return started
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.end()
  }

  /** Ends what is left, by its id. */
  async end(): Promise<void> {
    for (const child of this.#started) {
      if (child.exitCode !== null || child.signalCode !== null) continue
      const closed = new Promise((resolve) => child.once('close', resolve))
      child.kill('SIGKILL')
      await closed
    }
  }
}
