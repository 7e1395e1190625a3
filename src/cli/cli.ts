// cli: the command line door. Takes what was typed; gives an exit code. It reaches the agent through the HTTP API as
// any client would. Promises: stdout holds the answer and nothing else; every error says what, where, and what to do
// next; what came from outside is printed harmlessly.
import { CommanderError, type Command } from 'commander'
import { userInfo } from 'node:os'
import type { Readable } from 'node:stream'
import { findAgent, type Variables } from './client/agent-address.js'
import { Client } from './client/client.js'
import { errorLines, errorValue, exitCodeOfError, usageError } from './text/error-text.js'
import { exitCode } from './exit-code.js'
import { declareWith, type AgentOptions, type Invocation } from './invocation.js'
import { Output, printJson, type Stream } from './output.js'
import { buildProgram, withoutHelpVerb } from './program.js'

export interface CliOptions {
  readonly stdout: Stream
  readonly stderr: Stream
  readonly stdin: Readable & { readonly isTTY?: boolean | undefined }
  /**
   * GITMOOR_URL, GITMOOR_TOKEN, GITMOOR_DATA, NO_COLOR, TERM, VISUAL, EDITOR are read; an editor is given all but
   * GITMOOR_*.
   */
  readonly environment: Variables
  readonly cwd: string
  readonly version: string
  /** Becomes the agent (`gitmoor agent`); resolves with its exit code. */
  readonly startAgent: (options: AgentOptions) => Promise<number>
  /** Makes a data directory from a backup (`gitmoor restore`). */
  readonly restore: Invocation['restore']
  /** What the doctor can tell without an agent. */
  readonly checkOffline: Invocation['checkOffline']
  /** Where SIGINT and SIGTERM are heard while a verb waits. Default: this process. */
  readonly interrupts?: Pick<NodeJS.EventEmitter, 'once' | 'off'>
  /** Milliseconds since the epoch. Default: the system's clock. */
  readonly now?: () => number
}

interface GlobalOptions {
  readonly data?: string
  readonly tokenFile?: string
  readonly json?: boolean
}

/** Does what was typed (`argv` without node and script). Never throws; gives the exit code. */
export async function runCli(argv: readonly string[], options: CliOptions): Promise<number> {
  handleWriteErrors(options.stdout, options.stderr)
  handleWriteErrors(options.stderr, options.stderr)
  let code: number = exitCode.ok
  const declare = declareWith(async (command, act) => {
    code = await invoke(command, act, options)
  })
  try {
    const typed = withoutHelpVerb(argv)
    const program = await buildProgram(typed, { ...options, declare })
    await program.parseAsync([...typed], { from: 'user' })
    return code
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return exitCode.ok
    return printError(error, argv.includes('--json'), options)
  }
}

/** Runs one verb, with a client that exists as long as the verb. */
async function invoke(
  command: Command,
  act: (at: Invocation) => Promise<number>,
  options: CliOptions,
): Promise<number> {
  const { stdin, environment, cwd, startAgent, restore, checkOffline, interrupts = process } = options
  const global = command.optsWithGlobals<GlobalOptions>()
  const address = { data: global.data, tokenFile: global.tokenFile }
  const interrupt = new AbortController()
  const client = new Client(() => findAgent(address, environment, cwd), callerName(), interrupt.signal)
  const out = new Output({ ...options, now: options.now ?? Date.now }, global.json === true)
  const interactive = stdin.isTTY === true && options.stderr.isTTY === true
  const onInterrupt = (): void => interrupt.abort()
  const handlesSignals = command.name() !== 'agent'
  if (handlesSignals) for (const name of signals) interrupts.once(name, onInterrupt)
  if (runsUntilInterrupted(command)) options.stdout.once('error', onInterrupt) // who reads no more needs no more
  try {
    const context = { client, out, stdin, environment, cwd, interactive, signal: interrupt.signal, address }
    return await act({ ...context, startAgent, restore, checkOffline })
  } finally {
    for (const name of signals) interrupts.off(name, onInterrupt)
    options.stdout.off('error', onInterrupt)
    client.close()
  }
}

/** It ends only when somebody ends it. What acts is not given up because nobody reads what it says. */
function runsUntilInterrupted(command: Command): boolean {
  const { watch = false, follow = false } = command.opts<{ readonly watch?: boolean; readonly follow?: boolean }>()
  return watch || follow
}

const signals = ['SIGINT', 'SIGTERM'] as const

function printError(
  error: unknown,
  json: boolean,
  { stdout, stderr, environment, now = Date.now }: CliOptions,
): number {
  const known = error instanceof CommanderError ? usageError(error) : error
  if (known === undefined) return exitCode.usage
  if (json) stderr.write(`${printJson(errorValue(known))}\n`)
  else new Output({ stdout, stderr, environment, now }, false).message((look) => errorLines(known, look.style))
  return exitCodeOfError(known)
}

/** The name of the account, as the API takes names. */
function callerName(): string {
  try {
    const name = userInfo()
      .username.replaceAll(/[^A-Za-z0-9._@+-]/g, '_')
      .replace(/^[^A-Za-z0-9]+/, '')
    return name.slice(0, 100) || 'cli'
  } catch {
    return 'cli'
  }
}

/** `gitmoor … | head`: a reader that left is no error; a disk that is full is. */
function handleWriteErrors(stream: Stream, stderr: Stream): void {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE' || error.code === 'ERR_STREAM_DESTROYED') return
    process.exitCode = exitCode.error
    stderr.write(`error: the answer could not be written: ${error.code ?? error.message}\n`)
  })
}
