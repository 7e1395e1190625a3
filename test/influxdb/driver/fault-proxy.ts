// An HTTP proxy between an agent and an InfluxDB server of tests: it breaks some of the requests, or their answers.
import { Agent, createServer, request, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** One request: what the client sent, and what passes it on to the server. */
interface Exchange {
  readonly client: ServerResponse
  /** Sends the request to the server. Gives the whole answer. */
  readonly forward: () => Promise<Answer>
  readonly pass: (answer: Answer) => void
}

interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

const json = { 'content-type': 'application/json; charset=utf-8' }
const html = { 'content-type': 'text/html' }
const page = Buffer.from('<html><title>Sign in</title></html>')
const refusal = (code: string): Buffer => Buffer.from(JSON.stringify({ code, message: `a fault: ${code}` }))

/** What happens to a request. Those that are late cost the time limit of a request. */
export const faults = {
  'a reset before the request': async ({ client }) => void client.destroy(),
  'a lost answer': async ({ client, forward }) => {
    await forward()
    client.destroy()
  },
  'an answer that is too late': async ({ client, forward }) => {
    await forward()
    await closed(client)
  },
  'a request that arrives after its time limit': async ({ client, forward }) => {
    await closed(client)
    await forward()
  },
  'status 500': async ({ pass }) => pass({ status: 500, headers: json, body: refusal('internal error') }),
  'status 502 after the write': async ({ forward, pass }) => {
    await forward()
    pass({ status: 502, headers: html, body: page })
  },
  'status 503 with Retry-After': async ({ pass }) =>
    pass({ status: 503, headers: { ...json, 'retry-after': '1' }, body: refusal('unavailable') }),
  'status 429 with Retry-After': async ({ pass }) =>
    pass({ status: 429, headers: { ...json, 'retry-after': '1' }, body: refusal('too many requests') }),
  'status 404 of another server': async ({ pass }) => pass({ status: 404, headers: html, body: page }),
  'half an answer': async ({ client, forward }) => {
    const { status, headers, body } = await forward()
    client.writeHead(status, { ...headers, 'content-length': String(body.length + 10) })
    client.write(body.subarray(0, body.length / 2), () => client.destroy())
  },
  'a page in place of the answer': async ({ pass }) => pass({ status: 200, headers: html, body: page }),
  'an empty map in place of what was read': async ({ client, forward, pass }) => {
    const answer = await forward()
    pass(client.req.method === 'GET' ? { status: 200, headers: json, body: Buffer.from('{}') } : answer)
  },
} satisfies Record<string, (exchange: Exchange) => Promise<void>>

export type Fault = keyof typeof faults

/** Requests `from`, `from + 1`, …, `from + times - 1` since it was set have the fault; from 1. */
export interface FaultPlan {
  readonly fault: Fault
  readonly from: number
  readonly times: number
}

export interface FaultProxy extends AsyncDisposable {
  readonly url: string
  /** Requests since `plan` was called last: `POST /api/v2/labels`. */
  readonly requests: readonly string[]
  /** Those that had the fault. */
  readonly faulty: readonly string[]
  /** What happens from now on; undefined: nothing. */
  plan(next?: FaultPlan): void
}

export async function startFaultProxy(serverUrl: string): Promise<FaultProxy> {
  const agent = new Agent({ keepAlive: true, maxSockets: 16 })
  let planned: FaultPlan | undefined
  let requests: string[] = []
  let faulty: string[] = []
  const serve = async (incoming: IncomingMessage, client: ServerResponse): Promise<void> => {
    const body = await bodyOf(incoming)
    const text = `${incoming.method} ${incoming.url}`
    const at = requests.push(text)
    const exchange: Exchange = {
      client,
      forward: () => forward(incoming, body),
      pass: ({ status, headers, body: answer }) => void client.writeHead(status, headers).end(answer),
    }
    const isFaulty = planned !== undefined && at >= planned.from && at < planned.from + planned.times
    if (!isFaulty) return exchange.pass(await exchange.forward())
    faulty.push(text)
    await faults[planned!.fault](exchange)
  }
  const forward = ({ method, url, headers }: IncomingMessage, body: Buffer): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const { host: _host, connection: _connection, ...rest } = headers
      const options = { method, agent, headers: { ...rest, 'content-length': String(body.length) } }
      request(serverUrl + url!, options, (answer) => {
        const { 'content-type': type = '', 'retry-after': retryAfter } = answer.headers
        const passed = { 'content-type': type, ...(retryAfter === undefined ? {} : { 'retry-after': retryAfter }) }
        bodyOf(answer).then((whole) => resolve({ status: answer.statusCode!, headers: passed, body: whole }), reject)
      })
        .on('error', reject)
        .end(body)
    })
  const server = createServer((incoming, client) => {
    serve(incoming, client).catch(() => client.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get requests() {
      return requests
    },
    get faulty() {
      return faulty
    },
    plan(next) {
      planned = next
      requests = []
      faulty = []
    },
    [Symbol.asyncDispose]: async () => {
      const ended = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await ended
      agent.destroy()
    },
  }
}

async function bodyOf(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of message) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

function closed(client: ServerResponse): Promise<void> {
  return new Promise((resolve) => (client.destroyed ? resolve() : client.once('close', resolve)))
}
