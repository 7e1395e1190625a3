// A git server that answers every request with the same bytes, in a process of its own: what it costs is not counted
// with the client, and is little.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { fileURLToPath } from 'node:url'

const line = (text) => `${(Buffer.byteLength(text) + 5).toString(16).padStart(4, '0')}${text}\n`
const commit = '2f1c9ab4'.repeat(5)
const listing = `${line(`${commit} HEAD symref-target:refs/heads/main`)}${line(`${commit} refs/heads/main`)}0000`
const answer = Buffer.from(
  `HTTP/1.1 200 OK\r\nContent-Type: application/x-git-upload-pack-result\r\n` +
    `Content-Length: ${listing.length}\r\nConnection: keep-alive\r\n\r\n${listing}`,
)
const prefixes = ['HEAD', 'refs/heads/main', 'refs/tags/main'].map((name) => line(`ref-prefix ${name}`)).join('')
const capabilities = ['command=ls-refs', 'agent=gitmoor', 'object-format=sha1'].map(line).join('')
const question = Buffer.from(`${capabilities}0001${line('peel')}${line('symrefs')}${prefixes}0000`)

/** `question`: a request for the branch main that it answers. */
export async function startCannedServer() {
  const child = fork(fileURLToPath(import.meta.url), ['serve'], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  const [url] = await once(child, 'message')
  const close = async () => {
    child.kill()
    await once(child, 'exit')
  }
  return { url, question, close }
}

/** Every request ends in the flush packet of its body, and none is sent before the one before it was answered. */
function serve() {
  const server = createServer((socket) => {
    socket.setNoDelay(true).on('error', () => socket.destroy())
    socket.on('data', (chunk) => void (chunk.toString('latin1', chunk.length - 4) === '0000' && socket.write(answer)))
  })
  process.on('disconnect', () => process.exit())
  server.listen(0, '127.0.0.1', () => process.send(`http://127.0.0.1:${server.address().port}`))
}

if (process.argv[2] === 'serve') serve()
