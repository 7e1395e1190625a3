// A local repository, read by git itself: `git upload-pack` answers the same requests as a server.
import { faultText } from '../../../lib/text/fault-text.js'
import { Bug, Rejected, Unavailable } from '../../../model/errors.js'
import type { Deadline } from '../../network/deadline.js'
import { showText } from '../../../lib/text/printable.js'
import { exchangeWithChild, startChild, type ChildExit, type ServiceChild } from './child-exchange.js'
import { openRepository, type LocalLimits } from '../local/local-repository.js'
import type { RepositoryView, RepositoryViews } from '../local/repository-views.js'
import type { GitRequest, Transport } from './protocol.js'

export interface FileTransportOptions extends LocalLimits {
  readonly views: RepositoryViews
  /** Search path for git, in the format of PATH. */
  readonly searchPath: string
}

export class FileTransport implements Transport {
  readonly #options: FileTransportOptions

  constructor(options: FileTransportOptions) {
    this.#options = options
  }

  async send(remote: string, question: GitRequest, deadline: Deadline): Promise<AsyncIterable<Uint8Array>> {
    if (question.service === 'git-receive-pack') throw new Bug('Pushes to a local repository do not use a transport.')
    return this.#answer(remote, question, deadline.signal)
  }

  async *#answer(remote: string, request: GitRequest, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    const { refsBytes } = this.#options
    await using started = await this.#start(remote, signal)
    refuseFailure(remote, yield* exchangeWithChild(started, { remote, request, method: 'git-file', refsBytes }, signal))
  }

  /** The child inherits the descriptors; ours are closed before it gets the request. */
  async #start(remote: string, signal: AbortSignal): Promise<ServiceChild & AsyncDisposable> {
    const { views, searchPath } = this.#options
    await using repository = await openRepository(remote, this.#options, signal)
    signal.throwIfAborted()
    const view = await views.open(repository)
    return { ...startGit(view, searchPath), [Symbol.asyncDispose]: () => view[Symbol.asyncDispose]() }
  }
}

/** The child reads no git configuration except that of the view. */
function startGit({ directory, descriptors }: RepositoryView, searchPath: string): ServiceChild {
  return startChild('git', ['upload-pack', '--strict', '--end-of-options', directory], {
    cwd: '/',
    stdio: ['pipe', 'pipe', 'pipe', ...descriptors.map((handle) => handle?.fd ?? ('ignore' as const))],
    env: {
      PATH: searchPath,
      HOME: '/nonexistent',
      LC_ALL: 'C',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_TERMINAL_PROMPT: '0',
      GIT_PROTOCOL: 'version=2',
      GIT_NO_LAZY_FETCH: '1', // otherwise git would fetch from other addresses in a partial clone
      GIT_ALLOW_PROTOCOL: 'none',
    },
  })
}

function refuseFailure(remote: string, { code, stderr, error }: ChildExit): void {
  if (error?.code === 'ENOENT') {
    throw new Rejected(`Cannot read ${remote}: git is not installed on this machine.`, {
      code: 'source/no-git',
      hint: "Install git, or use the repository's HTTP address.",
    })
  }
  if (code === 0) return
  const reason = stderr || (error === undefined ? `it ended with ${code}` : faultText(error))
  throw new Unavailable(`git could not read ${remote}: ${showText(reason)}`, {
    code: 'source/git-failed',
    hint: 'Check the repository with git fsck, and that gitmoor can read all its files.',
  })
}
