// cli: the command line. Takes arguments; gives an exit code. It uses the agent's HTTP API, as any client does.
// Promises: stdout has the answer and nothing else; every error says what happened, where, and what to type next;
// control characters in data are escaped.
import { CommanderError, type Command } from 'commander'
import { callerPattern } from '../model/agent/caller-name.js'
import { userInfo } from 'node:os'
import type { Readable } from 'node:stream'
import { faultText } from '../lib/text/fault-text.js'
import { findAgent, type Variables } from './client/agent-address.js'
import { Client } from './client/client.js'
import { errorLines, errorValue, exitCodeOfError, usageError, withCorrectedCommand } from './text/error-text.js'
import { exitCode } from './exit-code.js'
import { declareWith, type AgentOptions, type Invocation } from './invocation.js'
import { Output, printJson, type Stream } from './output.js'
import { buildProgram, namedCommand, withoutHelpVerb, wordsToParse } from './program.js'

export interface CliOptions {
  readonly stdout: Stream
  readonly stderr: Stream
  readonly stdin: Readable & { readonly isTTY?: boolean | undefined }
  /** GITMOOR_URL, GITMOOR_TOKEN, GITMOOR_DATA, NO_COLOR, TERM, VISUAL, EDITOR. An editor gets all but GITMOOR_*. */
  readonly environment: Variables
  readonly cwd: string
  readonly version: string
  /** Runs the agent (`gitmoor agent`); resolves with its exit code. */
  readonly startAgent: (options: AgentOptions) => Promise<number>
  /** Creates a data directory from a backup (`gitmoor restore`). */
  readonly restore: Invocation['restore']
  /** The checks of `gitmoor doctor` that need no agent. */
  readonly checkOffline: Invocation['checkOffline']
  /** Loaded only for the verbs that need them. */
  readonly platforms: Invocation['platforms']
  /** Emits SIGINT and SIGTERM. Default: this process. */
  readonly interrupts?: Pick<NodeJS.EventEmitter, 'once' | 'off'>
  /** Milliseconds since the epoch. Default: the system clock. */
  readonly now?: () => number
}

interface GlobalOptions {
  readonly data?: string
  readonly tokenFile?: string
  readonly json?: boolean
}

/** Runs a command (`argv` without node and script) and returns its exit code. Never throws. */
export async function runCli(argv: readonly string[], options: CliOptions): Promise<number> {
  handleWriteErrors(options.stdout, options.stderr)
  handleWriteErrors(options.stderr, options.stderr)
  let code: number = exitCode.ok
  const declare = declareWith(async (command, action) => {
    code = await invoke(command, action, options)
  })
  const args = withoutHelpVerb(argv)
  let program: Command | undefined
  try {
    program = await buildProgram(args, { ...options, declare })
    await program.parseAsync([...wordsToParse(program, args)], { from: 'user' })
    return code
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return exitCode.ok
    const command = program && namedCommand(program, args)
    return printError(error instanceof CommanderError ? usageError(error, argv, command) : error, argv, options)
  }
}

/** Runs one verb with a client of its own. */
async function invoke(
  command: Command,
  action: (cli: Invocation) => Promise<number>,
  options: CliOptions,
): Promise<number> {
  const { stdin, environment, cwd, startAgent, restore, checkOffline, platforms, interrupts = process } = options
  const global = command.optsWithGlobals<GlobalOptions>()
  const address = { data: global.data, tokenFile: global.tokenFile }
  const interrupt = new AbortController()
  const client = new Client(() => findAgent(address, environment, cwd), callerName(), interrupt.signal)
  const out = new Output({ ...options, now: options.now ?? Date.now }, global.json === true)
  const interactive = stdin.isTTY === true && options.stderr.isTTY === true
  const onInterrupt = (): void => interrupt.abort()
  const handlesSignals = command.name() !== 'agent'
  if (handlesSignals) for (const name of signals) interrupts.once(name, onInterrupt)
  if (runsUntilInterrupted(command)) options.stdout.once('error', onInterrupt) // the reader closed the pipe
  try {
    const context = { client, out, stdin, environment, cwd, interactive, signal: interrupt.signal, address }
    return await action({ ...context, startAgent, restore, checkOffline, platforms })
  } finally {
    for (const name of signals) interrupts.off(name, onInterrupt)
    options.stdout.off('error', onInterrupt)
    client.close()
  }
}

/** True for verbs that only print. A verb that changes something continues when its output is closed. */
function runsUntilInterrupted(command: Command): boolean {
  const { watch = false, follow = false } = command.opts<{ readonly watch?: boolean; readonly follow?: boolean }>()
  return watch || follow
}

const signals = ['SIGINT', 'SIGTERM'] as const

function printError(
  thrown: unknown,
  argv: readonly string[],
  { stdout, stderr, environment, now = Date.now }: CliOptions,
): number {
  // The parser printed the help.
  if (thrown === undefined) return exitCode.usage
  const error = withCorrectedCommand(thrown, argv)
  if (argv.includes('--json')) stderr.write(`${printJson(errorValue(error))}\n`)
  else new Output({ stdout, stderr, environment, now }, false).message((display) => errorLines(error, display.style))
  return exitCodeOfError(error)
}

/** The name of the account, without characters that the API rejects in names. */
function callerName(): string {
  try {
    const name = userInfo()
      .username.replaceAll(/[^\p{L}\p{M}\p{N}._@+-]/gu, '_')
      .replace(/^[^\p{L}\p{N}]+/u, '')
    const [short] = /^.{0,100}/su.exec(name)!
    return callerPattern.test(short) ? short : 'cli'
  } catch {
    return 'cli'
  }
}

/** A closed pipe (`gitmoor … | head`) or terminal is not an error; a full disk is. What stderr refuses is lost. */
function handleWriteErrors(stream: Stream, stderr: Stream): void {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE' || error.code === 'ERR_STREAM_DESTROYED') return
    if (error.code === 'EIO' && stream.isTTY === true) return
    process.exitCode = exitCode.error
    if (stream === stderr) return // the report would fail, too, without end
    stderr.write(`error: cannot write to stdout: ${faultText(error)}\n`)
  })
}
