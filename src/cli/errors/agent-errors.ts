// Errors of the agent, of the connection to it and of its responses.
import { faultText } from '../../lib/text/fault-text.js'
import type { Problem } from '../../model/problem.js'
import { exitCode, exitCodeOfStatus } from '../exit-code.js'
import { CliError, UsageError } from './cli-error.js'

/** An error as the agent sends it. */
export interface SentError {
  readonly status: string
  readonly code: string
  readonly message: string
  readonly hint?: string
  readonly suggestion?: string
  readonly problems?: readonly Problem[]
  readonly requestId?: string
}

/** `isLost`: gitmoor.db was removed, which ends an agent. */
interface EndedAgent {
  readonly reason: string
  readonly pid: number
  readonly path: string
  readonly start: string
  readonly isLost: boolean
}

const lostDatabase =
  'gitmoor.db was removed from its data directory: put it back, or remove the directory and restore a backup'

/** agent.json cannot say which configuration file the agent had. */
function configNote(start: string): string {
  return start.includes(' --config ') ? '' : '\nIf it had a configuration file, add --config FILE.'
}

/** The agent, the connection to it and its responses. `start`: the command that starts the agent. */
export const agentErrors = {
  sent: (error: SentError) => new CliError(exitCodeOfStatus(error.status), error.message, error),
  noToken: () =>
    new CliError(exitCode.auth, 'GITMOOR_URL is set, but no token is.', {
      code: 'cli/no-token',
      status: 'auth',
      hint: 'Set GITMOOR_TOKEN or pass --token-file FILE.',
    }),
  pageOff: (cause: CliError) =>
    new CliError(exitCode.notFound, 'This agent serves no web page.', {
      code: 'cli/page-off',
      status: cause.status,
      hint: 'Remove "page: {enabled: false}" from its configuration file, and restart the agent.',
      cause,
    }),
  /** The agent refused the token. */
  wrongToken: (message: string) =>
    new CliError(exitCode.auth, message, {
      code: 'api/token',
      status: 'auth',
      hint:
        'Set GITMOOR_TOKEN or pass --token-file FILE. ' +
        'The token is in agent.json in the data directory of the agent.',
    }),
  invalidUrl: () =>
    new UsageError('GITMOOR_URL is not an http or https URL.', 'For example, GITMOOR_URL=http://127.0.0.1:4470'),
  urlWithPassword: () =>
    new UsageError(
      'GITMOOR_URL contains a username or password.',
      'Remove it. Pass the token in GITMOOR_TOKEN or --token-file.',
    ),
  unreadableAgentFile: (path: string, cause: unknown) =>
    new CliError(exitCode.error, `Cannot read ${path}: ${faultText(cause)}.`, {
      code: 'cli/unreadable-file',
      hint: 'Run this command as the user who started the agent.',
      cause,
    }),
  invalidAgentFile: (path: string, start: string) =>
    new CliError(exitCode.error, `${path} is not a valid agent.json.`, {
      code: 'cli/invalid-file',
      hint: `Restart the agent: ${start}${configNote(start)}`,
    }),
  /** An agent used the data directory, and its agent.json was removed. */
  noAgentFile: (data: string, start: string) =>
    new CliError(exitCode.error, `${data} has no agent.json, so the address of its agent is unknown.`, {
      code: 'cli/no-agent',
      hint: `Start the agent, or stop it first if it runs: ${start}${configNote(start)}`,
    }),
  /** `named`: where the name of the directory comes from. */
  noAgent: (data: string, named: string, start: string) =>
    new CliError(exitCode.error, `No agent uses the data directory ${data} (from ${named}).`, {
      code: 'cli/no-agent',
      hint: `If an agent runs, pass its data directory with --data or GITMOOR_DATA. Otherwise start one: ${start}`,
    }),
  noResponse: (url: string, details: string, hint: string, cause: Error) =>
    new CliError(exitCode.error, `No response from the agent at ${url} (${details}).`, {
      code: 'cli/no-answer',
      hint,
      cause,
    }),
  /** The process of its agent.json has ended. */
  notRunning: (url: string, { reason, pid, path, start, isLost }: EndedAgent, cause: Error) =>
    new CliError(
      exitCode.error,
      `The agent is not running: process ${pid} of ${path} has ended, and nothing answers at ${url} (${reason}).`,
      {
        code: 'cli/no-answer',
        hint: isLost ? `${lostDatabase}\nThen start it: ${start}` : `Start it: ${start}`,
        cause,
      },
    ),
  silent: (url: string, timeoutMs: number) =>
    new CliError(exitCode.timeout, `The agent at ${url} sent nothing for ${Math.round(timeoutMs / 1000)} s.`, {
      code: 'cli/timeout',
      status: 'timeout',
    }),
  responseTooLarge: (what: string, maximumBytes: number) =>
    new CliError(exitCode.error, `${what} of the agent is larger than ${maximumBytes / 1024 ** 2} MiB.`, {
      code: 'cli/bad-response',
    }),
  unexpectedResponse: (url: string, httpStatus: number) =>
    new CliError(exitCode.error, `Unexpected response from ${url} (HTTP ${httpStatus}): it is not a gitmoor agent.`, {
      code: 'cli/bad-response',
      hint: 'Check GITMOOR_URL, and any proxy in front of the agent.',
    }),
  pathOutside: (path: string, directory: string) =>
    new CliError(exitCode.error, `The path of the stack, ${path}, is outside of ${directory}. Nothing was sent.`, {
      code: 'cli/bad-response',
      hint: 'Check GITMOOR_URL: an agent accepts no such path.',
    }),
  incompleteBackup: () =>
    new CliError(exitCode.error, 'The backup is incomplete: its size or checksum differs.', {
      code: 'cli/bad-response',
      hint: 'Nothing was written. Try again.',
    }),
} as const
