// The address of the agent and the API token: GITMOOR_URL (with --token-file or GITMOOR_TOKEN), else agent.json in the
// data directory.
import { join, resolve } from 'node:path'
import { shellWord } from '../../lib/shell-word.js'
import { readBoundedFile } from '../../settings/bounded-file.js'
import type { CliError } from '../cli-error.js'
import { agentErrors, fileErrors } from '../cli-errors.js'

export interface AgentAddress {
  readonly url: string
  readonly token: string
  /**
   * The agent.json with this address, the process that wrote it, and the command that starts the same agent; absent for
   * GITMOOR_URL.
   */
  readonly file?: { readonly path: string; readonly pid: number; readonly start: string }
}

/** How to start an agent. `config`: its file, else an earlier one. `directory`: where its relative paths start. */
export interface AgentStart {
  readonly data: string
  readonly config?: string
  readonly listen?: string
  readonly log?: string
  readonly directory?: string
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
    return readAgentFile(dataDirectory(options, environment, cwd), tokenFromFile, cwd)
  const token = tokenFromFile ?? environment['GITMOOR_TOKEN']
  if (token === undefined || token === '') throw agentErrors.noToken()
  return { url: agentOrigin(url), token }
}

export function dataDirectory(options: AddressOptions, environment: Variables, cwd: string): string {
  const fromEnvironment = environment['GITMOOR_DATA'] === '' ? undefined : environment['GITMOOR_DATA']
  return resolve(cwd, options.data ?? fromEnvironment ?? '.gitmoor')
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
    return toAgentStart(data, parseMap(readSmallFile(join(data, 'agent.json'))))
  } catch {
    return { data }
  }
}

function readAgentFile(data: string, tokenFromFile: string | undefined, cwd: string): AgentAddress {
  const path = join(data, 'agent.json')
  const value = parseMap(readAgentText(path, data))
  const start = startCommand(toAgentStart(data, value), cwd)
  if (typeof value['url'] !== 'string' || !URL.canParse(value['url']) || typeof value['token'] !== 'string')
    throw agentErrors.invalidAgentFile(path, start)
  const pid = typeof value['pid'] === 'number' ? value['pid'] : 0
  const token = tokenFromFile ?? value['token']
  return { url: new URL(value['url']).origin, token, file: { path, pid, start } }
}

function toAgentStart(data: string, value: Readonly<Record<string, unknown>>): AgentStart {
  const { listen, log, directory } = value
  const config = value['config'] ?? value['formerConfig']
  return {
    data,
    ...(typeof config === 'string' ? { config } : {}),
    ...(typeof listen === 'string' ? { listen } : {}),
    ...(typeof log === 'string' ? { log } : {}),
    ...(typeof directory === 'string' ? { directory } : {}),
  }
}

function readAgentText(path: string, data: string): string {
  try {
    return readSmallFile(path)
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') throw agentErrors.noAgent(data, startCommand({ data }))
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

/**
 * The command that starts the same agent. It changes to the agent's working directory if `cwd` is another one and the
 * configuration file may contain relative paths.
 */
export function startCommand({ data, config, listen, log, directory }: AgentStart, cwd = directory): string {
  const words = [
    'gitmoor agent',
    ...(config === undefined ? [] : ['--config', shellWord(config)]),
    ...(listen === undefined ? [] : ['--listen', shellWord(listen)]),
    ...(log === undefined ? [] : ['--log', shellWord(log)]),
    '--data',
    shellWord(data),
  ]
  const isElsewhere = config !== undefined && directory !== undefined && directory !== cwd
  return `${isElsewhere ? `cd ${shellWord(directory)} && ` : ''}${words.join(' ')}`
}

/** Why the agent at an address does not respond, and what to do. */
export function unreachableError(address: AgentAddress, cause: Error): CliError {
  const reason = (cause as NodeJS.ErrnoException).code ?? cause.message
  if (address.file === undefined)
    return agentErrors.noResponse(address.url, reason, 'Check GITMOOR_URL, and that the agent is running.', cause)
  const { path, pid, start } = address.file
  const running = isRunning(pid)
  const hint = running ? 'It may be starting or stopping. Try again in a moment.' : `Start it: ${start}`
  const details = `${reason}; its process ${pid} is ${running ? 'running' : 'not running'}, according to ${path}`
  return agentErrors.noResponse(address.url, details, hint, cause)
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
