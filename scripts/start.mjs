// npm start: builds, makes the demo repository once, and becomes the agent: the same process, so signals and the exit code are the agent's own.
import { spawnSync } from 'node:child_process'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { makeDemo } from './make-demo.mjs'

process.chdir(dirname(dirname(fileURLToPath(import.meta.url))))

const npm = process.env.npm_execpath
const build = npm === undefined ? ['npm', ['run', '--silent', 'build']] : [process.execPath, [npm, 'run', '--silent', 'build']]
const { status } = spawnSync(...build, { stdio: 'inherit' })
if (status !== 0) process.exit(status ?? 1)

try {
  if (makeDemo('demo')) console.log('Made a repository to play with in ./demo (tags: stable, beta).')
} catch (error) {
  console.error(error.message)
  process.exit(1)
}

const main = join(process.cwd(), 'dist', 'main.js')
process.argv = [process.execPath, main, 'agent', '--config', 'config/gitmoor.yaml', ...process.argv.slice(2)]
await import(pathToFileURL(main).href)
