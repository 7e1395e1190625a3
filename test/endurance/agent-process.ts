// The agent's process: started, killed and started again; what it says is kept.
import { spawn, type ChildProcess } from 'node:child_process'
import { createWriteStream, existsSync, readFileSync, type WriteStream } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { join } from 'node:path'
import type { ChildOrder } from './child.js'
import { canaries } from './world.js'

interface AgentFile {
  readonly url: string
  readonly token: string
  readonly pid: number
}

export class AgentProcess {
  readonly #order: ChildOrder
  readonly #log: WriteStream
  readonly #program: string
  #child: ChildProcess | undefined
  starts = 0

  constructor(program: string, order: ChildOrder, log: string) {
    this.#program = program
    this.#order = order
    this.#log = createWriteStream(log, { flags: 'a' })
  }

  get pid(): number | undefined {
    return this.#child?.pid
  }

  /** Starts it, and waits until it is ready. Gives how long that took, in milliseconds. */
  async start(): Promise<number> {
    const began = performance.now()
    const child = spawn(
      process.execPath,
      [this.#program, JSON.stringify({ ...this.#order, seed: this.#order.seed + ++this.starts })],
      {
        env: { PATH: process.env['PATH'], ENDURANCE_TOKEN: canaries.fromEnvironment },
        stdio: ['ignore', 'pipe', 'pipe'],
        cwd: join(this.#order.config, '..'),
      },
    )
    this.#child = child
    for (const stream of [child.stdout, child.stderr]) stream.pipe(this.#log, { end: false })
    while (!(await this.#isReady())) {
      if (child.exitCode !== null || child.signalCode !== null)
        throw new Error(`The agent ended with ${child.exitCode ?? child.signalCode}.`)
      await sleep(50)
    }
    return performance.now() - began
  }

  /** Ends it, and waits for its end. */
  async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const child = this.#child
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const closed = new Promise((resolve) => child.once('close', resolve))
    child.kill(signal)
    await closed
  }

  /** Is stopped for so long. */
  async freeze(ms: number): Promise<void> {
    this.#child?.kill('SIGSTOP')
    await sleep(ms)
    this.#child?.kill('SIGCONT')
  }

  /** One request. `status` 0: there was no answer. */
  async ask(
    method: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'PATCH',
    path: string,
    body?: object,
  ): Promise<{ readonly status: number; readonly body: unknown }> {
    const { url, token } = this.#file()!
    try {
      const response = await fetch(`${url}${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'x-gitmoor-by': 'endurance' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(60_000),
      })
      return { status: response.status, body: await response.json() }
    } catch {
      return { status: 0, body: undefined }
    }
  }

  /** What a sender posts: its answer's status; 0: there was none. */
  async post(path: string, headers: Readonly<Record<string, string>>, body: string): Promise<number> {
    try {
      const { status, body: answer } = await fetch(`${this.#file()!.url}${path}`, {
        method: 'POST',
        headers,
        body,
        signal: AbortSignal.timeout(60_000),
      })
      await answer?.cancel()
      return status
    } catch {
      return 0
    }
  }

  /** Every page of a list. Throws where one does not come. */
  async all<T>(path: string): Promise<readonly T[]> {
    const items: T[] = []
    for (let after: string | null = ''; after !== null;) {
      const page = await this.ask(
        'GET',
        `${path}${path.includes('?') ? '&' : '?'}limit=500${after === '' ? '' : `&after=${encodeURIComponent(after)}`}`,
      )
      if (page.status !== 200) throw new Error(`${path} answers ${page.status}: ${JSON.stringify(page.body)}`)
      const { items: some, next } = page.body as { readonly items: readonly T[]; readonly next: string | null }
      items.push(...some)
      after = next
    }
    return items
  }

  #file(): AgentFile | undefined {
    const file = join(this.#order.data, 'agent.json')
    return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as AgentFile) : undefined
  }

  async #isReady(): Promise<boolean> {
    const file = this.#file()
    if (file === undefined || file.pid !== this.pid) return false
    return fetch(`${file.url}/readyz`).then(
      ({ status }) => status === 200,
      () => false,
    )
  }
}
