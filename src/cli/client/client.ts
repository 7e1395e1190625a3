// client: the agent's HTTP API. Takes a method, a path and a body; gives the JSON of the response, or a file. Promises:
// every failure is a CliError with an exit code; loads nothing but node:http, so that commands start fast.
import { encodeCaller } from '../../model/agent/caller-name.js'
import { setMaxListeners } from 'node:events'
import {
  Agent,
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestOptions,
} from 'node:http'
import { systemClock } from '../../lib/clock.js'
import { CliError } from '../errors/cli-error.js'
import { agentErrors, type SentError } from '../errors/agent-errors.js'
import { interruptions } from '../errors/interruptions.js'
import { unreachableError, type AgentAddress } from './agent-address.js'

export interface ClientRequest {
  /** Undefined values are not sent. */
  readonly query?: Readonly<Record<string, string | number | undefined>>
  readonly body?: object
  /** The content type of the response. Default: JSON. */
  readonly accept?: string
  /** The longest time without a byte from the agent. Default 600,000, because a plan may fetch first. */
  readonly idleTimeoutMs?: number
  /** Ends the request. Default: the signal of the client. */
  readonly signal?: AbortSignal
}

/** A file in transfer. */
export interface Download {
  readonly headers: IncomingHttpHeaders
  readonly chunks: AsyncIterable<Buffer>
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** Connections to the agent. Commands on several stacks use them all. */
const maximumConnections = 100

/** Retries of a request that an overloaded agent did not process, one per second. */
const overloadRetries = 60

const defaultIdleTimeoutMs = 600_000

export const maximumResponseBytes = 256 * 1024 * 1024

/** Sends requests to one agent. */
export class Client {
  readonly #address: () => Promise<AgentAddress>
  readonly #by: string
  readonly #signal: AbortSignal
  readonly #agents = new Map<string, Agent>()

  /** `by`: the person to name in the history. `signal` aborts requests in progress. */
  constructor(address: () => Promise<AgentAddress>, by: string, signal: AbortSignal) {
    this.#address = address
    this.#by = by
    this.#signal = signal
    setMaxListeners(0, signal) // one for each request in progress
  }

  /** The JSON of the response. Errors: `CliError` with the exit code for the error's status; 1 without a response. */
  async request<T>(method: Method, path: string, request: ClientRequest = {}): Promise<T> {
    const address = await this.#address()
    const response = await this.#successfulResponse(address, method, path, request)
    const value = parseJson(await this.#read(address, response))
    if (value !== undefined) return value as T
    throw errorFromResponse(response.statusCode ?? 0, value, address)
  }

  /** A response that is a file: `receive` reads it during the transfer. Errors as those of `request`. */
  async download<T>(
    method: Method,
    path: string,
    request: ClientRequest,
    receive: (download: Download) => Promise<T>,
  ): Promise<T> {
    const address = await this.#address()
    const response = await this.#successfulResponse(address, method, path, request)
    return receive({ headers: response.headers, chunks: this.#chunks(address, response) })
  }

  async #successfulResponse(
    address: AgentAddress,
    method: Method,
    path: string,
    request: ClientRequest,
  ): Promise<IncomingMessage> {
    for (let retriesLeft = overloadRetries; ; retriesLeft--) {
      const response = await this.#send(address, method, path, request)
      const { statusCode = 0 } = response
      if (statusCode >= 200 && statusCode < 300) return response
      const error = errorFromResponse(statusCode, parseJson(await this.#read(address, response)), address)
      if (error.code !== 'api/overloaded' || retriesLeft === 0) throw error
      await systemClock
        .sleep(1_000, this.#signal)
        .catch((cause: Error) => Promise.reject(this.#connectionError(address, cause)))
    }
  }

  /** `http://127.0.0.1:4470`. Errors as those of `request`. */
  async origin(): Promise<string> {
    return (await this.#address()).url
  }

  close(): void {
    for (const agent of this.#agents.values()) agent.destroy()
  }

  async #send(address: AgentAddress, method: Method, path: string, request: ClientRequest): Promise<IncomingMessage> {
    const url = new URL(path, address.url)
    for (const [name, value] of Object.entries(request.query ?? {}))
      if (value !== undefined) url.searchParams.set(name, String(value))
    const body = request.body === undefined ? undefined : JSON.stringify(request.body)
    const headers = {
      Accept: request.accept ?? 'application/json',
      Authorization: `Bearer ${address.token}`,
      'X-Gitmoor-By': encodeCaller(this.#by),
      ...(body === undefined
        ? {}
        : { 'Content-Type': 'application/json', 'Content-Length': String(Buffer.byteLength(body)) }),
    }
    const timeout = request.idleTimeoutMs ?? defaultIdleTimeoutMs
    return this.#exchange(address, url, { method, headers, signal: request.signal ?? this.#signal, timeout }, body)
  }

  async #exchange(
    address: AgentAddress,
    url: URL,
    options: RequestOptions & { readonly timeout: number },
    body: string | undefined,
  ): Promise<IncomingMessage> {
    const { open, agent } = await this.#transport(url)
    return new Promise<IncomingMessage>((resolve, reject) => {
      const request = open(url, { ...options, agent }, resolve)
      request.on('timeout', () => request.destroy(agentErrors.silent(url.origin, options.timeout)))
      request.on('error', (error) => reject(this.#connectionError(address, error)))
      request.end(body)
    })
  }

  async #read(address: AgentAddress, response: IncomingMessage): Promise<string> {
    try {
      return await readText(response)
    } catch (error) {
      throw this.#connectionError(address, error as Error)
    }
  }

  async *#chunks(address: AgentAddress, response: IncomingMessage): AsyncGenerator<Buffer> {
    try {
      yield* response as AsyncIterable<Buffer>
    } catch (error) {
      throw this.#connectionError(address, error as Error)
    }
  }

  async #transport(url: URL): Promise<{ open: typeof httpRequest; agent: Agent }> {
    const secure = url.protocol === 'https:' ? await import('node:https') : undefined
    let agent = this.#agents.get(url.protocol)
    if (agent === undefined) {
      agent = new (secure?.Agent ?? Agent)({ keepAlive: true, maxSockets: maximumConnections })
      this.#agents.set(url.protocol, agent)
    }
    return { open: secure?.request ?? httpRequest, agent }
  }

  #connectionError(address: AgentAddress, error: Error): Error {
    if (error instanceof CliError) return error
    return this.#signal.aborted ? interruptions.interruptedRequest(error) : unreachableError(address, error)
  }
}

/** The values of a response with a JSON document in each line, as they arrive. */
export async function* readLines<T>(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<T> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) yield JSON.parse(line) as T
  }
}

async function readText(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > maximumResponseBytes) throw agentErrors.responseTooLarge('The response', maximumResponseBytes)
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

function errorFromResponse(httpStatus: number, value: unknown, address: AgentAddress): CliError {
  const error = (value as { readonly error?: SentError } | undefined)?.error
  if (error === undefined || typeof error.message !== 'string')
    return agentErrors.unexpectedResponse(address.url, httpStatus)
  if (error.code === 'api/token') return agentErrors.wrongToken(error.message)
  return agentErrors.sent(error)
}
