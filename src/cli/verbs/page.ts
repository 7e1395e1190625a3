import { spawn } from 'node:child_process'
import type { Command } from 'commander'
import type { SignInCode } from '../../views/session.js'
import { agentErrors } from '../errors/agent-errors.js'
import { CliError } from '../errors/cli-error.js'
import { exitCode } from '../exit-code.js'
import type { Declare, Invocation } from '../invocation.js'

export function addPageVerb(program: Command, declare: Declare): void {
  const page = {
    usage: 'page',
    summary: 'open the web page of the agent, signed in',
    example: 'page --print',
    notes:
      'The address contains a code that signs in once, within 60 s. Without a browser on this machine, or with ' +
      '--print, gitmoor prints the address.',
    options: [['--print', 'print the address and open no browser']],
  } as const
  declare<{ print?: true }>(program, page, async (cli, _, { print }) => {
    const { code, expiresAt } = await createCode(cli)
    const url = `${await cli.client.origin()}/sign-in#code=${code}`
    const isOpened = print === undefined && cli.interactive && (await openBrowser(cli, url))
    const note = isOpened
      ? 'The browser opens. The address works once, within 60 s:'
      : 'Open within 60 s; it works once:'
    cli.out.answer({ url, expiresAt, opened: isOpened }, () => [note, url])
    return exitCode.ok
  })
}

/** Errors: also `cli/page-off`. */
async function createCode({ client }: Invocation): Promise<SignInCode> {
  try {
    return await client.request<SignInCode>('POST', '/api/v1/session/code')
  } catch (error) {
    throw error instanceof CliError && error.code === 'api/not-found' ? agentErrors.pageOff(error) : error
  }
}

/** The program that opens an address in the browser; undefined: this machine shows no windows. */
function opener({ environment }: Invocation): string | undefined {
  if (process.platform === 'darwin') return 'open'
  const hasWindows = (environment['DISPLAY'] ?? environment['WAYLAND_DISPLAY'] ?? '') !== ''
  return process.platform === 'linux' && hasWindows ? 'xdg-open' : undefined
}

/** Openers that fail do so at once; some run as long as the browser. */
const failureMs = 1_500

/** False if no browser can be opened. Does not wait for its end. */
function openBrowser(cli: Invocation, url: string): Promise<boolean> {
  const program = opener(cli)
  if (program === undefined) return Promise.resolve(false)
  return new Promise((resolve) => {
    const child = spawn(program, [url], { stdio: 'ignore', detached: true, env: cli.environment })
    const timer = setTimeout(resolve, failureMs, true)
    const end = (isOpened: boolean): void => {
      clearTimeout(timer)
      resolve(isOpened)
    }
    child.once('error', () => end(false))
    child.once('exit', (code) => end(code === 0))
    child.unref()
  })
}
