// A repository on this machine, read by git itself: `git upload-pack` answers the same requests as a server does.
import { spawn } from 'node:child_process'
import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { Rejected, Unavailable } from '../../model/errors.js'
import { gitDirectory } from '../local-directory.js'
import type { AllowedDirectories } from '../local-directory.js'
import type { Deadline } from '../network/deadline.js'
import { showText } from '../../model/show-text.js'
import { converse } from './converse.js'
import type { Ending } from './converse.js'
import type { Question, Service, Transport } from './transport.js'

export class FileTransport implements Transport {
  readonly #allow: AllowedDirectories
  readonly #searchPath: string
  readonly #refsBytes: number

  /** `searchPath`: where git is looked for, as PATH has it. */
  constructor(allow: AllowedDirectories, { searchPath, refsBytes }: { readonly searchPath: string; readonly refsBytes: number }) {
    this.#allow = allow
    this.#searchPath = searchPath
    this.#refsBytes = refsBytes
  }

  async ask(remote: string, question: Question, deadline: Deadline): Promise<AsyncIterable<Uint8Array>> {
    return this.#answer(remote, question, deadline.signal)
  }

  async *#answer(remote: string, question: Question, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    const directory = gitDirectory(remote, this.#allow)
    signal.throwIfAborted()
    const child = startGit(directory, question.service ?? 'git-upload-pack', this.#searchPath)
    const conversation = { remote, question, method: 'git-file', refsBytes: this.#refsBytes }
    refuseFailure(remote, yield* converse(child, conversation, signal))
  }
}

/** The child knows no settings but these, and runs no hooks. */
function startGit(directory: string, service: Service, searchPath: string): ChildProcessWithoutNullStreams {
  const trusted = [directory, directory.replace(/\/\.git$/, '')].flatMap((path) => ['-c', `safe.directory=${path}`])
  const [, command = ''] = /^git-(.+)$/.exec(service)!
  const strict = service === 'git-upload-pack' ? ['--strict'] : []
  return spawn(
    'git',
    [...trusted, '-c', 'core.hooksPath=/dev/null', '-c', 'uploadpack.allowFilter=true', command, ...strict, '--end-of-options', directory],
    {
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
    },
  )
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
