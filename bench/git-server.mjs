// A git server in a process of its own, so that what it costs is not counted with the client: `git http-backend` on the
// loopback interface.
import { fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { fileURLToPath } from 'node:url'
import { gitEnvironment } from './git.mjs'

/**
 * Serves the repositories below `root`. `bytes`: in both directions since the last question; `wire` with HTTP's
 * headers, `bodies` without; and how many `requests`.
 */
export async function startGitServer(root) {
  const child = fork(fileURLToPath(import.meta.url), [root], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  const [url] = await once(child, 'message')
  const bytes = async () => {
    child.send('bytes')
    return (await once(child, 'message'))[0]
  }
  const close = async () => {
    child.kill()
    await once(child, 'exit')
  }
  return { url, bytes, close }
}

let bodies = 0
let requests = 0

/** The Common Gateway Interface (RFC 3875), as far as git uses it. Answers are passed on as they come. */
function answer(root, request, response) {
  const { pathname, search } = new URL(request.url, 'http://localhost')
  const { headers } = request
  requests++
  const child = spawn('git', ['http-backend'], {
    env: {
      ...gitEnvironment,
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: '1',
      REQUEST_METHOD: request.method,
      PATH_INFO: decodeURIComponent(pathname),
      QUERY_STRING: search.slice(1),
      CONTENT_TYPE: headers['content-type'] ?? '',
      ...(headers['content-length'] === undefined ? {} : { CONTENT_LENGTH: headers['content-length'] }),
      ...(headers['content-encoding'] === undefined ? {} : { HTTP_CONTENT_ENCODING: headers['content-encoding'] }),
      ...(headers['git-protocol'] === undefined ? {} : { GIT_PROTOCOL: headers['git-protocol'] }),
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  request.on('data', ({ length }) => (bodies += length)).pipe(child.stdin.on('error', () => undefined))
  let head = Buffer.alloc(0)
  child.stdout.on('data', function onHead(chunk) {
    head = Buffer.concat([head, chunk])
    const end = head.indexOf('\r\n\r\n')
    if (end < 0) return
    child.stdout.off('data', onHead)
    const pairs = head
      .toString('latin1', 0, end)
      .split('\r\n')
      .map((line) => [line.replace(/:.*/, ''), line.replace(/^[^:]*: */, '')])
    const { Status = '200', ...rest } = Object.fromEntries(pairs)
    response.writeHead(Number.parseInt(Status, 10), rest)
    bodies += head.length - end - 4
    response.write(head.subarray(end + 4))
    child.stdout.on('data', ({ length }) => (bodies += length)).pipe(response)
  })
}

function serve(root) {
  const sockets = new Set()
  let counted = 0
  const server = createServer((request, response) => answer(root, request, response))
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => {
      sockets.delete(socket)
      counted += socket.bytesRead + socket.bytesWritten
    })
  })
  let reported = { wire: 0, bodies: 0, requests: 0 }
  process.on('message', () => {
    const wire = [...sockets].reduce((sum, { bytesRead, bytesWritten }) => sum + bytesRead + bytesWritten, counted)
    process.send({
      wire: wire - reported.wire,
      bodies: bodies - reported.bodies,
      requests: requests - reported.requests,
    })
    reported = { wire, bodies, requests }
  })
  process.on('disconnect', () => process.exit())
  server.listen(0, '127.0.0.1', () => process.send(`http://127.0.0.1:${server.address().port}`))
}

if (process.argv[1] === fileURLToPath(import.meta.url)) serve(process.argv[2])
