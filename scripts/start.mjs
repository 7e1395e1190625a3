// npm start: builds, makes the demo repository once, and becomes the agent: the same process, so signals and the exit
// code are the agent's own. On a terminal it says what to type next, once the demo is synced. What follows `npm start
// --` goes to the agent.
import { spawnSync } from 'node:child_process'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { makeDemo } from './make-demo.mjs'
import { tellWhatToTry } from './what-to-try.mjs'

process.chdir(dirname(dirname(fileURLToPath(import.meta.url))))

const npm = process.env.npm_execpath
const build =
  npm === undefined ? ['npm', ['run', '--silent', 'build']] : [process.execPath, [npm, 'run', '--silent', 'build']]
const { status, error } = spawnSync(...build, { stdio: 'inherit' })
if (error !== undefined) console.error(`The build could not be started: ${error.message}`)
if (status !== 0) process.exit(status ?? 1)

try {
  if (makeDemo('demo')) console.error('Made a repository to play with in ./demo (tags: stable, beta).')
} catch (error) {
  console.error(error.message)
  process.exit(1)
}

const main = join(process.cwd(), 'dist', 'main.js')
const words = process.argv.slice(2)
process.argv = [process.execPath, main, 'agent', '--config', 'config/gitmoor.yaml', ...words]
const ended = new AbortController()
if (process.stderr.isTTY) void tellWhatToTry({ main, words, signal: ended.signal })
await import(pathToFileURL(main).href)
ended.abort()
