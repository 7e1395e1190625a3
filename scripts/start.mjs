// npm start: builds if the sources changed, makes the demo repository once, and becomes the agent: the same process, so
// signals and the exit code are the agent's own. After the first sync of the demo it prints what to type next. What
// follows `npm start --` goes to the agent. With --help it only builds, because the agent prints its help and ends.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { optionValue } from './agent-options.mjs'
import { isFresh } from './build-stamp.mjs'
import { makeDemo } from './make-demo.mjs'
import { tellWhatToTry } from './what-to-try.mjs'

process.chdir(dirname(dirname(fileURLToPath(import.meta.url))))
const configuration = 'config/gitmoor.yaml'
const words = ['--config', configuration, ...process.argv.slice(2)]
const isHelp = words.some((word) => word === '--help' || word === '-h')
/** JSON is not for people. */
const say = optionValue(words, '--log') === 'json' ? () => {} : console.error

if (!existsSync('node_modules')) fail('error: The packages that gitmoor uses are not installed.', '  next: npm ci')
if (!isHelp) {
  const { listenError } = await import('./listen-error.mjs') // needs the packages
  const refusal = await listenError(words)
  if (refusal !== undefined) fail(...refusal)
}

if (!isFresh()) {
  const started = performance.now()
  say('Building…')
  const status = await build()
  if (status !== 0) process.exit(status ?? 1)
  say(`Built in ${((performance.now() - started) / 1000).toFixed(1)} s.`)
}

let isDemoNew = false
try {
  isDemoNew = !isHelp && makeDemo('demo')
} catch (error) {
  fail(`error: ${error.message}`)
}
if (isDemoNew) say('Made a repository to play with in ./demo (tags: stable, beta).')

const main = join(process.cwd(), 'dist', 'main.js')
process.argv = [process.execPath, main, 'agent', ...words]
const ended = new AbortController()
// Other configurations do not declare the demo.
if (!isHelp && optionValue(words, '--config') === configuration)
  void tellWhatToTry({ words, isDemoNew, say, signal: ended.signal })
await import(pathToFileURL(main).href)
ended.abort()

/** The exit code. Prints a dot each second on a terminal. */
async function build() {
  const child = spawn(process.execPath, ['scripts/build.mjs'], { stdio: ['ignore', 2, 2] })
  const isShown = process.stderr.isTTY && optionValue(words, '--log') !== 'json'
  const dots = isShown ? setInterval(() => process.stderr.write('.'), 1_000) : undefined
  try {
    const [status] = await once(child, 'close')
    return status
  } catch (error) {
    fail(`error: Cannot start the build: ${error.message}`)
  } finally {
    clearInterval(dots)
    if (isShown) process.stderr.write('\n')
  }
}

function fail(...lines) {
  for (const line of lines) console.error(line)
  process.exit(1)
}
