// A real influxd 2.x on a free port, with nothing in it: node starts it, its setup call makes the organisation. Only
// where a person names the program.
import { spawn } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const token = 'bench-token'

/** `pid`, `url`, `token`, `orgID`; `close` ends it. */
export async function startInfluxd({ program, directory }) {
  mkdirSync(directory, { recursive: true })
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const files = [
    `--bolt-path=${join(directory, 'bolt')}`,
    `--sqlite-path=${join(directory, 'sqlite')}`,
    `--engine-path=${join(directory, 'engine')}`,
  ]
  const child = spawn(
    program,
    ['run', ...files, `--http-bind-address=127.0.0.1:${port}`, '--reporting-disabled', '--log-level=error'],
    {
      env: { PATH: process.env.PATH, HOME: directory },
      stdio: 'ignore',
    },
  )
  const ended = new Promise((resolve) => child.once('exit', resolve))
  const close = () => {
    child.kill('SIGTERM')
    return ended
  }
  try {
    await untilUp(url, child)
    const { org } = await setUp(url)
    return { pid: child.pid, url, token, orgID: org.id, close }
  } catch (error) {
    await close()
    throw error
  }
}

async function untilUp(url, child) {
  for (let turn = 0; turn < 600; turn++) {
    if (child.exitCode !== null) throw new Error(`influxd ended with ${child.exitCode}.`)
    const answer = await fetch(`${url}/health`).catch(() => undefined)
    if (answer?.ok === true) return
    await sleep(50)
  }
  throw new Error('influxd did not answer within 30 s.')
}

async function setUp(url) {
  const body = JSON.stringify({ username: 'bench', password: 'bench-password', org: 'bench', bucket: 'bench', token })
  const answer = await fetch(`${url}/api/v2/setup`, { method: 'POST', body })
  if (!answer.ok) throw new Error(`influxd refused its setup: ${await answer.text()}`)
  return answer.json()
}

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })
}
