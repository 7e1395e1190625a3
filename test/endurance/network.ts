// The git servers, and what befalls requests on their way.
import type { ServerResponse } from 'node:http'
import type { Dice } from '../random/dice.js'
import { startGitServer, type BackendAnswer, type GitServer } from '../git-server.js'
import { hasSsh, startSshServer, type SshFiles, type SshIntercept, type SshServer } from '../ssh-server.js'
import { canaries, type Project } from './world.js'

const modes = ['500', '429', '403', 'silent', 'cut', 'slow', 'garbage', 'reset'] as const
type Mode = (typeof modes)[number]

/** Every repository at one address; faults go by repository. */
export class Network {
  readonly #server: GitServer
  /** undefined: there is no ssh on this machine. */
  readonly #ssh: SshServer | undefined
  readonly #faults = new Map<string, Mode>()
  requests = 0

  private constructor(server: GitServer, ssh: SshServer | undefined) {
    this.#server = server
    this.#ssh = ssh
    ssh?.intercept((...given) => this.#answerSsh(...given))
  }

  static async open(root: string, needsToken: (path: string) => boolean): Promise<Network> {
    const server = await startGitServer(root)
    const network = new Network(server, hasSsh ? await startSshServer(root) : undefined)
    server.intercept(async ({ url, headers }, response, backend) => {
      network.requests++
      if (network.requests % 1_000 === 0) server.reset()
      if (needsToken(url) && !isKnown(headers.authorization))
        return void response.writeHead(401).end(`no: ${headers.authorization ?? ''}`)
      const mode = network.#faults.get(repositoryOf(url))
      return answer(mode, response, backend)
    })
    return network
  }

  get url(): string {
    return this.#server.url
  }

  /** The second repository is reached by ssh, where there is one. */
  readonly remoteOf = ({ name, directory }: Project): string =>
    this.#ssh !== undefined && name === 'repository-1.git' ? `${this.#ssh.url}${directory}` : `${this.url}/${name}`

  /** Files that let the agent in, written below a directory. */
  sshFiles(directory: string): (SshFiles & { readonly match: string }) | undefined {
    return this.#ssh && { match: this.#ssh.url, ...this.#ssh.files(directory) }
  }

  break(repository: string, dice: Dice): void {
    this.#faults.set(repository, dice.pick(modes))
  }

  repair(repository: string): void {
    this.#faults.delete(repository)
  }

  mendAll(): void {
    this.#faults.clear()
  }

  async close(): Promise<void> {
    await this.#ssh?.[Symbol.asyncDispose]()
    await this.#server.close()
  }

  #answerSsh(...[{ command }, channel, run]: Parameters<SshIntercept>): void {
    this.requests++
    const [, mode] = [...this.#faults].find(([repository]) => command.includes(repository)) ?? []
    if (mode === 'silent') return
    if (mode === 'cut' || mode === 'garbage') return run(200)
    if (mode === undefined || mode === 'slow') return run()
    channel.exit(1)
    channel.end()
  }
}

async function answer(
  mode: Mode | undefined,
  response: ServerResponse,
  backend: () => Promise<BackendAnswer>,
): Promise<void> {
  if (mode === '500' || mode === '403') return void response.writeHead(Number(mode)).end('no')
  if (mode === '429') return void response.writeHead(429, { 'retry-after': '3' }).end()
  if (mode === 'silent') return
  if (mode === 'reset') return void response.destroy()
  const { status, headers, body } = await backend()
  response.writeHead(status, headers)
  if (mode === 'cut') return void response.write(body.subarray(0, body.length / 2), () => response.destroy())
  if (mode === 'garbage') return void response.end(Buffer.from(body).fill(0x41, body.length / 2))
  if (mode === 'slow') return trickle(response, body)
  response.end(body)
}

/** A hundred bytes, then a hundred more. */
function trickle(response: ServerResponse, body: Buffer): void {
  let at = 0
  const timer = setInterval(() => {
    if (response.destroyed || at >= body.length) {
      clearInterval(timer)
      return void response.end()
    }
    response.write(body.subarray(at, (at += 100)))
  }, 50)
}

function repositoryOf(url: string): string {
  return url.split('/')[1] ?? ''
}

function isKnown(header: string | undefined): boolean {
  const text = Buffer.from((header ?? '').replace(/^Basic /, ''), 'base64').toString()
  return Object.values(canaries).some((canary) => text.endsWith(`:${canary}`))
}
