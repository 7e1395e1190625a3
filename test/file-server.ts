// A server of files over http(s) for tests: its answers are set by the test, and it remembers its requests.
import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'

export interface FileServer extends AsyncDisposable {
  /** `http://127.0.0.1:<port>` */
  readonly url: string
  /** Requests since the last `reset`, in order. */
  readonly seen: readonly { readonly url: string; readonly headers: IncomingMessage['headers'] }[]
  /** What is served at a path from now on, with an ETag of its bytes. */
  serve(path: string, text: string | Buffer, headers?: Readonly<Record<string, string>>): void
  /** From now on `fn` answers; undefined: the files again. */
  answer(fn: ((request: IncomingMessage, response: ServerResponse) => void) | undefined): void
  reset(): void
}

export async function startFileServer(tls?: { readonly key: string; readonly cert: string }): Promise<FileServer> {
  const files = new Map<
    string,
    { readonly text: string | Buffer; readonly headers: Readonly<Record<string, string>> }
  >()
  let seen: { readonly url: string; readonly headers: IncomingMessage['headers'] }[] = []
  let answer: ((request: IncomingMessage, response: ServerResponse) => void) | undefined
  const listener: RequestListener = (request, response) => {
    seen.push({ url: request.url ?? '', headers: request.headers })
    if (answer !== undefined) return answer(request, response)
    const file = files.get(request.url ?? '')
    if (file === undefined) return void response.writeHead(404).end('nothing')
    const { etag } = file.headers
    if (etag !== undefined && request.headers['if-none-match'] === etag)
      return void response.writeHead(304, { etag }).end()
    response.writeHead(200, file.headers).end(file.text)
  }
  const server = tls === undefined ? createServer(listener) : createSecureServer(tls, listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http${tls === undefined ? '' : 's'}://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get seen() {
      return seen
    },
    serve: (path, text, headers = {}) =>
      void files.set(path, {
        text,
        headers: {
          'content-type': 'application/yaml',
          etag: `"${createHash('sha256').update(text).digest('hex').slice(0, 20)}"`,
          ...headers,
        },
      }),
    answer: (fn) => void (answer = fn),
    reset: () => void (seen = []),
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}
