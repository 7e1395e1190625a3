// The shipped program beside a served repository: the agent as a process, and a person who types.
import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import type { StackView } from '../../src/views/stack.js'
import { makeRepository, startGitServer, type GitServer, type Repository } from '../git-server.js'
import { Processes, type Ended, type Started } from './processes.js'
import { typeHere } from './type-here.js'

interface Situation {
  readonly root: string
  readonly processes: Processes
  readonly repository: Repository
  readonly server: GitServer
}

export class Program {
  #now: Situation | undefined

  /** The directory the agent and the command line are started in. */
  get root(): string {
    return this.#now!.root
  }
  get data(): string {
    return join(this.root, 'data')
  }
  get processes(): Processes {
    return this.#now!.processes
  }
  get repository(): Repository {
    return this.#now!.repository
  }
  get server(): GitServer {
    return this.#now!.server
  }
  /** The repository's address over http. */
  get url(): string {
    return `${this.server.url}/${this.repository.name}`
  }
  /** How the running agent is reached. */
  get address(): { readonly url: string; readonly token: string } {
    return JSON.parse(readFileSync(join(this.data, 'agent.json'), 'utf8')) as { url: string; token: string }
  }

  async open(repository?: string): Promise<void> {
    const root = realpathSync(mkdtempSync(join(tmpdir(), 'gitmoor-program-')))
    const served = join(root, 'served')
    this.#now = {
      root,
      processes: new Processes(),
      repository: await makeRepository(served, repository),
      server: await startGitServer(served),
    }
  }

  async close(): Promise<void> {
    if (this.#now === undefined) return
    const { root, processes, server } = this.#now
    this.#now = undefined
    await processes[Symbol.asyncDispose]()
    await server.close()
    rmSync(root, { recursive: true, force: true })
  }

  /** Gets a path of the API: cheaper than a command, for frequent requests. */
  readonly fetch = (path: string): Promise<Response> => {
    const { url, token } = this.address
    return fetch(`${url}${path}`, { headers: { Authorization: `Bearer ${token}` } })
  }

  /** An agent that is ready. */
  readonly agent = (...args: readonly string[]): Promise<Started> =>
    this.processes.agent(args, { cwd: this.root, data: this.data })

  /** The command line in this process. */
  readonly type = (...args: readonly string[]): Promise<Ended> =>
    typeHere([...args, '--data', this.data], { cwd: this.root })

  /** The command line as a process of its own, for its signals and its exit code. */
  readonly start = (...args: readonly string[]): Started =>
    this.processes.start([...args, '--data', this.data], { cwd: this.root })
  readonly run = (...args: readonly string[]): Promise<Ended> => this.start(...args).ended

  readonly json = async <T>(...args: readonly string[]): Promise<T> =>
    JSON.parse((await this.type(...args, '--json')).stdout) as T
  readonly list = async <T>(...args: readonly string[]): Promise<readonly T[]> =>
    (await this.json<{ items: readonly T[] }>(...args)).items
  readonly get = (stack = 'boards'): Promise<StackView> => this.json('stack', 'get', stack)

  /** Makes a stack that follows the repository. */
  readonly create = (stack: string, ...options: readonly string[]): Promise<Ended> =>
    this.type('stack', 'create', stack, '--repo', this.url, ...options)

  /** Commits one package file, and moves the tags to it. */
  readonly push = (text: string, ...tags: readonly string[]): Promise<string> =>
    this.repository.commit({ files: { 'package.yml': text }, tags })
}

export interface ProgramUse {
  /** The name of the repository. */
  readonly repository?: string
  /** Opened once for all tests of the file or of the describe block. Default: for each test. */
  readonly once?: boolean
}

/** Opened before the tests; afterwards its processes are ended and its directory is removed. */
export function useProgram({ repository, once = false }: ProgramUse = {}): Program {
  const program = new Program()
  const [before, after] = once ? [beforeAll, afterAll] : [beforeEach, afterEach]
  before(() => program.open(repository))
  after(() => program.close())
  return program
}
