// Where the agent is, and the token for it: GITMOOR_URL (with --token-file or GITMOOR_TOKEN), else agent.json in the
// data directory.
import { join, resolve } from 'node:path'
import { readBoundedFile } from '../../settings/bounded-file.js'
import { CliError, UsageError } from '../cli-error.js'
import { exitCode } from '../exit-code.js'
import { fileErrorText } from '../files/input-file.js'

export interface AgentAddress {
  readonly url: string
  readonly token: string
  /** The agent.json it comes from, and the process that wrote it; absent: from GITMOOR_URL. */
  readonly file?: { readonly path: string; readonly pid: number; readonly data: string; readonly config?: string }
}

export interface AddressOptions {
  readonly data?: string | undefined
  readonly tokenFile?: string | undefined
}

/** Environment variables by name, as the process has them. */
export type Variables = Readonly<Record<string, string | undefined>>

const maximumBytes = 64 * 1024

/** Finds the agent. Errors: `CliError` with exit code 1 (no agent.json), 3 (bad GITMOOR_URL), 4 (no token). */
export async function findAgent(options: AddressOptions, environment: Variables, cwd: string): Promise<AgentAddress> {
  const tokenFromFile = options.tokenFile === undefined ? undefined : await readToken(resolve(cwd, options.tokenFile))
  const url = environment['GITMOOR_URL']
  if (url === undefined || url === '') return readAgentFile(dataDirectory(options, environment, cwd), tokenFromFile)
  const token = tokenFromFile ?? environment['GITMOOR_TOKEN']
  if (token === undefined || token === '') {
    const hint = 'Set GITMOOR_TOKEN, or give --token-file FILE.'
    throw new CliError(exitCode.auth, 'GITMOOR_URL is set, but there is no token.', { status: 'auth', hint })
  }
  return { url: agentOrigin(url), token }
}

export function dataDirectory(options: AddressOptions, environment: Variables, cwd: string): string {
  const fromEnvironment = environment['GITMOOR_DATA'] === '' ? undefined : environment['GITMOOR_DATA']
  return resolve(cwd, options.data ?? fromEnvironment ?? '.gitmoor')
}

function agentOrigin(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new UsageError(
      'GITMOOR_URL is not an http or https address.',
      'For example GITMOOR_URL=http://127.0.0.1:4470.',
    )
  }
  if (url.username !== '' || url.password !== '') {
    throw new UsageError(
      'GITMOOR_URL holds a user name or password.',
      'Leave it out; the token goes into GITMOOR_TOKEN or --token-file.',
    )
  }
  return url.origin
}

async function readToken(path: string): Promise<string> {
  const text = await readSmall(path).catch((cause: unknown) => {
    throw new UsageError(`The token file ${path} cannot be read: ${fileErrorText(cause)}`)
  })
  if (!/^[\x21-\x7e]+$/.test(text.trim())) throw new UsageError(`The token file ${path} does not hold one token.`)
  return text.trim()
}

async function readAgentFile(data: string, tokenFromFile: string | undefined): Promise<AgentAddress> {
  const path = join(data, 'agent.json')
  const text = await readSmall(path).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT' || cause.code === 'ENOTDIR') throw noAgentError(data)
    throw new CliError(exitCode.error, `${path} cannot be read: ${fileErrorText(cause)}`, {
      cause,
      hint: 'It belongs to the user who started the agent.',
    })
  })
  const value = parseMap(text)
  if (typeof value['url'] !== 'string' || !URL.canParse(value['url']) || typeof value['token'] !== 'string') {
    throw new CliError(exitCode.error, `${path} is not what an agent writes.`, {
      hint: `Start the agent again: ${startCommand(data)}`,
    })
  }
  const pid = typeof value['pid'] === 'number' ? value['pid'] : 0
  const config = typeof value['config'] === 'string' ? { config: value['config'] } : {}
  return {
    url: new URL(value['url']).origin,
    token: tokenFromFile ?? value['token'],
    file: { path, pid, data, ...config },
  }
}

async function readSmall(path: string): Promise<string> {
  return readBoundedFile(path, maximumBytes).toString('utf8')
}

function parseMap(text: string): Readonly<Record<string, unknown>> {
  try {
    const value = JSON.parse(text) as unknown
    return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {}
  } catch {
    return {}
  }
}

function noAgentError(data: string): CliError {
  return new CliError(exitCode.error, `No agent has been started on ${data}.`, {
    code: 'cli/no-agent',
    hint: `Is one running? Then type this in the directory where it was started, or name its data directory with --data or GITMOOR_DATA. Else start one: ${startCommand(data)}`,
  })
}

/** What starts the agent on a data directory, with the configuration file that it had. */
export function startCommand(data: string, config?: string): string {
  return `gitmoor agent${config === undefined ? '' : ` --config ${shellWord(config)}`} --data ${shellWord(data)}`
}

function shellWord(text: string): string {
  return /^[\w./:@%+,=-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
}

/** Why nobody answers at an address, in words. */
export function unreachableError(address: AgentAddress, cause: Error): CliError {
  const why = (cause as NodeJS.ErrnoException).code ?? cause.message
  if (address.file === undefined) {
    const hint = 'Is GITMOOR_URL right, and the agent there running?'
    return new CliError(exitCode.error, `Nobody answers at ${address.url} (${why}).`, {
      code: 'cli/no-answer',
      hint,
      cause,
    })
  }
  const { path, pid, data, config } = address.file
  const process = isRunning(pid) ? `process ${pid} is running` : `process ${pid} is gone`
  return new CliError(
    exitCode.error,
    `The agent does not answer at ${address.url} (${why}; ${process}, says ${path}).`,
    {
      code: 'cli/no-answer',
      hint: isRunning(pid)
        ? 'It may be starting or stopping: try again in a moment.'
        : `Start it: ${startCommand(data, config)}`,
      cause,
    },
  )
}

function isRunning(pid: number): boolean {
  if (pid <= 0) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
