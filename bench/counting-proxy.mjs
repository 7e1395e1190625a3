// An HTTP proxy in front of one server that counts requests by method, in a process of its own.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { Agent, createServer, request } from 'node:http'
import { fileURLToPath } from 'node:url'

/** `counted`: requests since the last question, `reads` (GET) and `writes` (all others). */
export async function startCountingProxy(url) {
  const child = fork(fileURLToPath(import.meta.url), [url], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  const [own] = await once(child, 'message')
  const counted = async () => {
    child.send('counted')
    return (await once(child, 'message'))[0]
  }
  const close = async () => {
    child.kill()
    await once(child, 'exit')
  }
  return { url: own, counted, close }
}

function serve(url) {
  let counts = { reads: 0, writes: 0 }
  const agent = new Agent({ keepAlive: true })
  const server = createServer((asked, answer) => {
    if (asked.method === 'GET') counts.reads++
    else counts.writes++
    const { method, headers } = asked
    const passed = request(new URL(asked.url, url), { method, headers, agent }, (got) => {
      answer.writeHead(got.statusCode, got.headers)
      got.pipe(answer)
    })
    passed.on('error', () => answer.destroy())
    asked.pipe(passed)
  })
  server.listen(0, '127.0.0.1', () => process.send(`http://127.0.0.1:${server.address().port}`))
  process.on('message', () => {
    process.send(counts)
    counts = { reads: 0, writes: 0 }
  })
}

if (process.argv[1] === fileURLToPath(import.meta.url)) serve(process.argv[2])
