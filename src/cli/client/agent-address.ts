// The address of the agent and the API token: GITMOOR_URL (with --token-file or GITMOOR_TOKEN), else agent.json in the
// data directory.
import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { faultText } from '../../lib/text/fault-text.js'
import { isRunning } from '../../settings/is-running.js'
import { agentStart, startCommand, type AgentStart } from '../../model/agent/agent-start.js'
import { readBoundedFile } from '../../settings/bounded-file.js'
import type { CliError } from '../errors/cli-error.js'
import { agentErrors } from '../errors/agent-errors.js'
import { fileErrors } from '../errors/file-errors.js'

export interface AgentAddress {
  readonly url: string
  readonly token: string
  /**
   * The agent.json with this address, the process that wrote it and when, in milliseconds since the epoch, and the
   * command that starts the same agent; absent for GITMOOR_URL.
   */
  readonly file?: { readonly path: string; readonly pid: number; readonly since?: number; readonly start: string }
}

export interface AddressOptions {
  readonly data?: string | undefined
  readonly tokenFile?: string | undefined
}

/** Environment variables by name. */
export type Variables = Readonly<Record<string, string | undefined>>

const maximumBytes = 64 * 1024

/** Finds the agent. Errors: `CliError` with exit code 1 (no agent.json), 3 (invalid GITMOOR_URL), 4 (no token). */
export async function findAgent(options: AddressOptions, environment: Variables, cwd: string): Promise<AgentAddress> {
  const tokenFromFile = options.tokenFile === undefined ? undefined : readToken(resolve(cwd, options.tokenFile))
  const url = environment['GITMOOR_URL']
  if (url === undefined || url === '')
    return readAgentFile(
      { path: dataDirectory(options, environment, cwd), named: dataDirectoryName(options, environment) },
      tokenFromFile,
      cwd,
    )
  const token = tokenFromFile ?? environment['GITMOOR_TOKEN']
  if (token === undefined || token === '') throw agentErrors.noToken()
  return { url: agentOrigin(url), token }
}

export function dataDirectory(options: AddressOptions, environment: Variables, cwd: string): string {
  const fromEnvironment = environment['GITMOOR_DATA'] === '' ? undefined : environment['GITMOOR_DATA']
  return resolve(cwd, options.data ?? fromEnvironment ?? '.gitmoor')
}

/** Where the name of the data directory comes from, for messages. */
function dataDirectoryName({ data }: AddressOptions, environment: Variables): string {
  if (data !== undefined) return '--data'
  return (environment['GITMOOR_DATA'] ?? '') === '' ? 'the default' : 'GITMOOR_DATA'
}

function agentOrigin(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || (url.protocol !== 'http:' && url.protocol !== 'https:')) throw agentErrors.invalidUrl()
  if (url.username !== '' || url.password !== '') throw agentErrors.urlWithPassword()
  return url.origin
}

function readToken(path: string): string {
  let text: string
  try {
    text = readSmallFile(path).trim()
  } catch (cause) {
    throw fileErrors.unreadable(`token file ${path}`, cause)
  }
  if (!/^[\x21-\x7e]+$/.test(text)) throw fileErrors.notToken(path)
  return text
}

/** How the last agent on a data directory was started, as far as its agent.json says so. */
export function lastStart(data: string): AgentStart {
  try {
    return agentStart(data, parseMap(readSmallFile(join(data, 'agent.json'))))
  } catch {
    return { data }
  }
}

/** `named`: where the name of the directory comes from. */
interface DataDirectory {
  readonly path: string
  readonly named: string
}

function readAgentFile(directory: DataDirectory, tokenFromFile: string | undefined, cwd: string): AgentAddress {
  const data = directory.path
  const path = join(data, 'agent.json')
  const value = parseMap(readAgentText(path, directory))
  const start = startCommand(agentStart(data, value), cwd)
  if (typeof value['url'] !== 'string' || !URL.canParse(value['url']) || typeof value['token'] !== 'string')
    throw agentErrors.invalidAgentFile(path, start)
  const pid = typeof value['pid'] === 'number' ? value['pid'] : 0
  const since = typeof value['startedAt'] === 'string' ? Date.parse(value['startedAt']) : Number.NaN
  const token = tokenFromFile ?? value['token']
  const file = { path, pid, ...(Number.isNaN(since) ? {} : { since }), start }
  return { url: new URL(value['url']).origin, token, file }
}

function readAgentText(path: string, { path: data, named }: DataDirectory): string {
  try {
    return readSmallFile(path)
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    const isMissing = code === 'ENOENT' || code === 'ENOTDIR'
    if (isMissing && existsSync(join(data, 'gitmoor.db'))) throw agentErrors.noAgentFile(data, startCommand({ data }))
    if (isMissing) throw agentErrors.noAgent(data, named, startCommand({ data }))
    throw agentErrors.unreadableAgentFile(path, cause)
  }
}

function readSmallFile(path: string): string {
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

/** Why the agent at an address does not respond, and what to do. */
export function unreachableError(address: AgentAddress, cause: Error): CliError {
  const reason = faultText(cause)
  if (address.file === undefined)
    return agentErrors.noResponse(address.url, reason, 'Check GITMOOR_URL, and that the agent is running.', cause)
  const { path, pid, since, start } = address.file
  const isLost = !existsSync(join(dirname(path), 'gitmoor.db'))
  if (!isRunning(pid, since)) return agentErrors.notRunning(address.url, { reason, pid, path, start, isLost }, cause)
  const details = `${reason}; its process ${pid} is running, according to ${path}`
  return agentErrors.noResponse(address.url, details, 'It may be starting or stopping. Try again in a moment.', cause)
}
