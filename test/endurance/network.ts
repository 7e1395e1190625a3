// The git servers, and what befalls requests on their way.
import type { ServerResponse } from 'node:http'
import type { Dice } from '../random/dice.js'
import { startGitServer, type BackendAnswer, type GitServer } from '../git-server.js'
import { canaries } from './world.js'

const modes = ['500', '429', '403', 'silent', 'cut', 'slow', 'garbage', 'reset'] as const
type Mode = (typeof modes)[number]

/** Every repository at one address; faults go by repository. */
export class Network {
  readonly #server: GitServer
  readonly #faults = new Map<string, Mode>()
  requests = 0

  private constructor(server: GitServer) {
    this.#server = server
  }

  static async open(root: string, needsToken: (path: string) => boolean): Promise<Network> {
    const server = await startGitServer(root)
    const network = new Network(server)
    server.intercept(async ({ url, headers }, response, backend) => {
      network.requests++
      if (network.requests % 1_000 === 0) server.reset()
      if (needsToken(url) && !isKnown(headers.authorization)) return void response.writeHead(401).end(`no: ${headers.authorization ?? ''}`)
      const mode = network.#faults.get(repositoryOf(url))
      return answer(mode, response, backend)
    })
    return network
  }

  get url(): string {
    return this.#server.url
  }

  break(repository: string, dice: Dice): void {
    this.#faults.set(repository, dice.pick(modes))
  }

  mend(repository: string): void {
    this.#faults.delete(repository)
  }

  mendAll(): void {
    this.#faults.clear()
  }

  close(): Promise<void> {
    return this.#server.close()
  }
}

async function answer(mode: Mode | undefined, response: ServerResponse, backend: () => Promise<BackendAnswer>): Promise<void> {
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
