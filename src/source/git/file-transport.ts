// A repository on this machine, read by git itself: `git upload-pack` answers the same requests as a server does.
import { spawn } from 'node:child_process'
import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { Rejected, Unavailable } from '../../model/errors.js'
import { gitDirectory } from '../local-directory.js'
import type { AllowedDirectories } from '../local-directory.js'
import { showText } from '../../model/show-text.js'
import type { Transport } from './transport.js'

const STDERR_BYTES = 4096

export class FileTransport implements Transport {
  readonly #allow: AllowedDirectories
  readonly #searchPath: string

  /** `searchPath`: where git is looked for, as PATH has it. */
  constructor(allow: AllowedDirectories, searchPath: string) {
    this.#allow = allow
    this.#searchPath = searchPath
  }

  async *ask(remote: string, request: Buffer, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    const directory = gitDirectory(remote, this.#allow)
    signal.throwIfAborted()
    const child = startGit(directory, this.#searchPath)
    const end = ending(child)
    const stop = (): void => void child.kill('SIGKILL')
    signal.addEventListener('abort', stop, { once: true })
    try {
      child.stdin.on('error', () => undefined).end(request) // a child that ended early says why on stderr
      yield* child.stdout as AsyncIterable<Uint8Array>
      refuseFailure(remote, await end)
    } finally {
      signal.removeEventListener('abort', stop)
      stop()
      await end
    }
  }
}

/** `--stateless-rpc`: one request, one answer, no listing before it. The child knows no settings but these. */
function startGit(directory: string, searchPath: string): ChildProcessWithoutNullStreams {
  const trusted = [directory, directory.replace(/\/\.git$/, '')].flatMap((path) => ['-c', `safe.directory=${path}`])
  return spawn('git', [...trusted, 'upload-pack', '--strict', '--stateless-rpc', directory], {
    cwd: '/',
    env: {
      PATH: searchPath,
      HOME: '/nonexistent',
      LC_ALL: 'C',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_TERMINAL_PROMPT: '0',
      GIT_PROTOCOL: 'version=2',
      GIT_NO_LAZY_FETCH: '1', // a partial clone would have git reach for other addresses
      GIT_ALLOW_PROTOCOL: 'none',
    },
  })
}

interface Ending {
  readonly code: number | null
  readonly stderr: string
  readonly error?: NodeJS.ErrnoException
}

function ending(child: ChildProcessWithoutNullStreams): Promise<Ending> {
  let stderr = ''
  child.stderr.on('data', (chunk: Buffer) => {
    if (stderr.length < STDERR_BYTES) stderr += chunk.toString('utf8')
  })
  return new Promise((resolve) => {
    child.on('error', (error) => resolve({ code: null, stderr, error }))
    child.on('close', (code) => resolve({ code, stderr }))
  })
}

function refuseFailure(remote: string, { code, stderr, error }: Ending): void {
  if (error?.code === 'ENOENT') {
    throw new Rejected(`${remote} cannot be read: there is no program 'git' on this machine.`, {
      code: 'source/no-git',
      hint: "Install git, or use the repository's http address.",
    })
  }
  if (code === 0) return
  throw new Unavailable(`git could not read ${remote}: ${showText(stderr || (error?.message ?? `it ended with ${code}`))}`, {
    code: 'source/git-failed',
    hint: 'gitmoor tries again by itself. Check the repository with git fsck, and that gitmoor may read all of it.',
  })
}
