import { spawn } from 'node:child_process'
import { afterRunning } from '../lib/async/after-running.js'

export interface ChildLimits {
  readonly timeMs: number
  /** The limit of its JavaScript heap. The script must watch the memory of native libraries. */
  readonly memory: number
  readonly outputBytes: number
}

/** The output of a child, and how it ended. */
export interface ChildEnd {
  readonly output: string
  readonly end: 'itself' | 'time' | 'output' | 'crash'
}

/**
 * Runs a script in a child process, without environment and arguments, with `input` on its standard input. The child is
 * killed over its limits and when the signal aborts. Rejects with the signal's reason, or if no process can be started.
 * The child has ended when this resolves.
 */
export async function runBounded(
  script: string,
  input: string,
  limits: ChildLimits,
  signal: AbortSignal,
): Promise<ChildEnd> {
  signal.throwIfAborted()
  const heap = `--max-old-space-size=${Math.ceil(limits.memory / 2 ** 20)}`
  const child = spawn(process.execPath, [heap, '-e', script], {
    cwd: '/',
    env: {},
    stdio: ['pipe', 'pipe', 'ignore'],
    windowsHide: true,
  })
  const chunks: Buffer[] = []
  let bytes = 0
  let stopped: ChildEnd['end'] | undefined
  const stop = (end?: ChildEnd['end']): void => {
    stopped ??= end
    child.kill('SIGKILL')
  }
  const onAbort = (): void => stop()
  const callOff = afterRunning(limits.timeMs, () => stop('time'))
  signal.addEventListener('abort', onAbort, { once: true })
  child.stdin.on('error', () => undefined).end(input) // a child that ends early is reported by its exit
  child.stdout.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > limits.outputBytes) stop('output')
    else chunks.push(chunk)
  })
  try {
    const code = await new Promise<number | null>((resolve, reject) => child.on('error', reject).on('close', resolve))
    signal.throwIfAborted()
    return { output: Buffer.concat(chunks).toString('utf8'), end: stopped ?? (code === 0 ? 'itself' : 'crash') }
  } finally {
    callOff()
    signal.removeEventListener('abort', onAbort)
  }
}
