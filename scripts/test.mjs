// `npm test`: types, lint and format beside the tests. What the tests say is printed as they run, what a check says
// when it has ended. Any failure ends it with 1; the last lines say which of the four failed and how long each took.
import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { chromiumPath } from './page/chromium.mjs'

const npm = process.env.npm_execpath
const command = (script) =>
  npm === undefined ? ['npm', ['run', '--silent', script]] : [process.execPath, [npm, 'run', '--silent', script]]
// One checker, and garbage collections only near the limit: half the CPU time for types and lint, which the tests need.
const goEnv = { GOGC: 'off', GOMEMLIMIT: '2GiB' }
const children = new Set()
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => children.forEach((child) => child.kill(signal)))

const ended = await Promise.all([
  run('test:run', 'inherit'),
  ...['types', 'lint', 'format:check'].map((script) => run(script, 'pipe')),
])
for (const { script, code, seconds } of ended)
  console.log(`${code === 0 ? 'ok    ' : 'failed'}  ${script.padEnd(12)}  ${seconds} s`)
if (!hasJsonnet()) console.log('skipped  tests of Jsonnet: its evaluator is not installed. Install it: npm run jsonnet')
if (chromiumPath() === undefined)
  console.log('skipped  tests of the page in a browser: it needs Chromium. Install it: apt-get install chromium')
process.exitCode = ended.every(({ code }) => code === 0) ? 0 : 1

function run(script, output) {
  const began = Date.now()
  const child = spawn(...command(script), { env: { ...goEnv, ...process.env }, stdio: ['ignore', output, output] })
  children.add(child)
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (said += chunk))
  return new Promise((resolve) => {
    child.on('error', (error) => (said += error.message))
    child.on('close', (code) => {
      children.delete(child)
      if (code !== 0 && output === 'pipe') console.error(`\nnpm run ${script} failed:\n${said.trim()}\n`)
      resolve({ script, code, seconds: Math.round((Date.now() - began) / 1000) })
    })
  })
}

function hasJsonnet() {
  try {
    createRequire(import.meta.url)('@hanazuki/node-jsonnet')
    return true
  } catch {
    return false
  }
}
