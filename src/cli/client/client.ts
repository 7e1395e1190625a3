// The HTTP API as any client sees it, over node:http alone: the command line starts fast because it loads nothing else.
import {
  Agent,
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestOptions,
} from 'node:http'
import { systemClock } from '../../lib/clock.js'
import type { Problem } from '../../model/problem.js'
import { unreachableError, type AgentAddress } from './agent-address.js'
import { CliError } from '../cli-error.js'
import { exitCode, exitCodeOfStatus } from '../exit-code.js'

export interface ClientRequest {
  /** What is undefined is left out. */
  readonly query?: Readonly<Record<string, string | number | undefined>>
  readonly body?: object
  /** How long the agent may be silent before it is given up. Default 600,000: a plan may fetch first. */
  readonly idleTimeoutMs?: number
}

/** A file on its way here. */
export interface Download {
  readonly headers: IncomingHttpHeaders
  readonly chunks: AsyncIterable<Buffer>
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** An agent of which too many ask has begun nothing: it is asked again, so many times, a second apart. */
const overloadRetries = 60

/** Of an answer of the agent. */
export const maximumResponseBytes = 256 * 1024 * 1024

/** One connection to one agent. */
export class Client {
  readonly #address: () => Promise<AgentAddress>
  readonly #by: string
  readonly #signal: AbortSignal
  readonly #agents = new Map<string, Agent>()

  /** `by`: who asks, for the record. `signal` gives up whatever is in hand. */
  constructor(address: () => Promise<AgentAddress>, by: string, signal: AbortSignal) {
    this.#address = address
    this.#by = by
    this.#signal = signal
  }

  /** The answer's JSON. Errors: `CliError` with the exit code for what the agent said, or 1 when it does not answer. */
  async request<T>(method: Method, path: string, asking: ClientRequest = {}): Promise<T> {
    const address = await this.#address()
    const answer = await this.#response(address, method, path, asking)
    const value = parseJson(await this.#read(address, answer))
    if (value !== undefined) return value as T
    throw errorFromResponse(answer.statusCode ?? 0, value, address)
  }

  /** An answer that is a file: `take` reads it as it comes. Errors as those of `ask`. */
  async download<T>(
    method: Method,
    path: string,
    asking: ClientRequest,
    take: (coming: Download) => Promise<T>,
  ): Promise<T> {
    const address = await this.#address()
    const answer = await this.#response(address, method, path, asking)
    return take({ headers: answer.headers, chunks: this.#chunks(address, answer) })
  }

  /** What is no refusal. */
  async #response(
    address: AgentAddress,
    method: Method,
    path: string,
    asking: ClientRequest,
  ): Promise<IncomingMessage> {
    for (let left = overloadRetries; ; left--) {
      const answer = await this.#send(address, method, path, asking)
      const { statusCode = 0 } = answer
      if (statusCode >= 200 && statusCode < 300) return answer
      const refused = errorFromResponse(statusCode, parseJson(await this.#read(address, answer)), address)
      if (refused.code !== 'api/crowded' || left === 0) throw refused
      await systemClock
        .sleep(1_000, this.#signal)
        .catch((error: Error) => Promise.reject(this.#connectionError(address, error)))
    }
  }

  close(): void {
    for (const agent of this.#agents.values()) agent.destroy()
  }

  async #send(address: AgentAddress, method: Method, path: string, asking: ClientRequest): Promise<IncomingMessage> {
    const url = new URL(path, address.url)
    for (const [name, value] of Object.entries(asking.query ?? {}))
      if (value !== undefined) url.searchParams.set(name, String(value))
    const body = asking.body === undefined ? undefined : JSON.stringify(asking.body)
    const headers = {
      Accept: 'application/json',
      Authorization: `Bearer ${address.token}`,
      'X-Gitmoor-By': this.#by,
      ...(body === undefined
        ? {}
        : { 'Content-Type': 'application/json', 'Content-Length': String(Buffer.byteLength(body)) }),
    }
    const options = { method, headers, signal: this.#signal, timeout: asking.idleTimeoutMs ?? 600_000 }
    return this.#exchange(address, url, options, body)
  }

  async #exchange(
    address: AgentAddress,
    url: URL,
    options: RequestOptions,
    body: string | undefined,
  ): Promise<IncomingMessage> {
    const { open, agent } = await this.#transport(url)
    return new Promise<IncomingMessage>((resolve, reject) => {
      const request = open(url, { ...options, agent }, resolve)
      request.on('timeout', () =>
        request.destroy(new CliError(exitCode.timeout, `The agent at ${url.origin} is silent.`, { status: 'timeout' })),
      )
      request.on('error', (error) => reject(this.#connectionError(address, error)))
      request.end(body)
    })
  }

  async #read(address: AgentAddress, answer: IncomingMessage): Promise<string> {
    try {
      return await readText(answer)
    } catch (error) {
      throw this.#connectionError(address, error as Error)
    }
  }

  async *#chunks(address: AgentAddress, answer: IncomingMessage): AsyncGenerator<Buffer> {
    try {
      yield* answer as AsyncIterable<Buffer>
    } catch (error) {
      throw this.#connectionError(address, error as Error)
    }
  }

  async #transport(url: URL): Promise<{ open: typeof httpRequest; agent: Agent }> {
    const secure = url.protocol === 'https:' ? await import('node:https') : undefined
    let agent = this.#agents.get(url.protocol)
    if (agent === undefined) {
      agent = new (secure?.Agent ?? Agent)({ keepAlive: true, maxSockets: 2 })
      this.#agents.set(url.protocol, agent)
    }
    return { open: secure?.request ?? httpRequest, agent }
  }

  #connectionError(address: AgentAddress, error: Error): Error {
    if (error instanceof CliError) return error
    if (this.#signal.aborted)
      return new CliError(exitCode.cancelled, 'Interrupted.', { status: 'cancelled', cause: error })
    return unreachableError(address, error)
  }
}

async function readText(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > maximumResponseBytes) throw new CliError(exitCode.error, 'The answer of the agent is too large.')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

interface ErrorBody {
  readonly status: string
  readonly code: string
  readonly message: string
  readonly hint?: string
  readonly problems?: readonly Problem[]
  readonly requestId?: string
}

function errorFromResponse(http: number, value: unknown, address: AgentAddress): CliError {
  const error = (value as { readonly error?: ErrorBody } | undefined)?.error
  if (error === undefined || typeof error.message !== 'string') {
    const hint = 'Is it really an agent of gitmoor that listens there?'
    return new CliError(exitCode.error, `${address.url} gave an answer that is none of gitmoor's (HTTP ${http}).`, {
      hint,
    })
  }
  return new CliError(exitCodeOfStatus(error.status), error.message, error)
}
