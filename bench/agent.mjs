// The agent as it runs: its parts in this process, or the program in one of its own.
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * The agent's parts over a data directory, with default limits but one: polls of a host are not throttled, because the
 * bench measures the polls. `onRunEnd(stack, run)`: called after every run.
 */
export async function openAgent({ dist, data, onRunEnd = async () => {} }) {
  const load = (path) => import(pathToFileURL(join(dist, path)).href)
  const [{ openAgent: open }, { adapters }, { readConfiguration }, { Redactor }] = await Promise.all(
    ['open-agent.js', 'adapters.js', 'config.js', 'redact.js'].map(load),
  )
  const useCases = Object.assign({}, ...(await Promise.all(doors.map((door) => load(`${door}.js`)))))
  const { PackageReader } = await load('package-reader.js')
  const { systemClock } = await load('clock.js')
  const { stackDefaults } = await load('stack-settings.js')

  mkdirSync(data, { recursive: true, mode: 0o700 })
  const log = { debug: () => {}, info: () => {}, warn: report, error: report }
  const { value: defaults } = readConfiguration(undefined, { data, platforms: adapters.platforms })
  const configuration = { ...defaults, limits: { ...defaults.limits, pollsPerHost: 10_000 } }
  const opened = open(configuration, adapters, { version: 'bench', log, redactor: new Redactor(), onRunEnd })
  /** Use cases that parse every file, and build every graph, each time. */
  const forgetfulUseCases = () => {
    const sync = { ...opened.agent.sync, packages: new PackageReader({ parsed: 0, graphs: 0 }) }
    const context = useCases.openContext({ sync, scheduler: opened.agent, clock: systemClock })
    return bind(useCases, (useCase, ...given) => useCase(context, ...given))
  }
  /** The settings of a stack that is polled only on request. */
  const stackAt = (name, url, path = '') => ({
    ...stackDefaults,
    name,
    sources: [{ kind: 'git', url, ref: 'main', path }],
    intervalMs: 86_400_000,
    driftIntervalMs: 86_400_000,
    drift: 'ignore',
  })
  return {
    ...opened,
    useCases: bind(useCases, opened.call),
    forgetfulUseCases,
    stackAt,
    close: () => opened[Symbol.asyncDispose](),
  }
}

/** Where use cases are that the bench calls. */
const doors = ['context', 'changes', 'plans', 'preview', 'queries', 'runs']

/** Use cases without their first argument, the context. */
function bind(useCases, call) {
  const bound = Object.entries(useCases).map(([name, useCase]) => [name, (...given) => call(useCase, ...given)])
  return Object.fromEntries(bound)
}

function report(message, facts) {
  console.error(message, facts)
}

/**
 * The program `gitmoor agent` on a free port. `type(...words)`: a command line beside it; resolves with what it
 * printed. `get(path, method)`: a request to its API. `kill`: at once, as a power cut would.
 */
export async function startAgentProcess({ dist, data, config }) {
  const main = join(dist, 'main.js')
  rmSync(join(data, 'agent.json'), { force: true })
  const environment = { PATH: process.env.PATH, GITMOOR_DATA: data, HOME: data }
  const words = ['agent', '--data', data, '--listen', '127.0.0.1:0', '--log', 'json']
  if (config !== undefined) words.push('--config', config)
  const child = spawn(process.execPath, [main, ...words], { env: environment, stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  child.stderr.on('data', (chunk) => (said += chunk))
  while (!existsSync(join(data, 'agent.json'))) {
    if (child.exitCode !== null) throw new Error(`The agent ended with ${child.exitCode}: ${said}`)
    await sleep(5)
  }
  const { url, token } = JSON.parse(readFileSync(join(data, 'agent.json'), 'utf8'))
  const ended = new Promise((resolve) => child.once('exit', resolve))
  const end = (signal) => {
    child.kill(signal)
    return ended
  }
  return {
    pid: child.pid,
    url,
    token,
    type: (...words) => typed([main, ...words], environment),
    get: (path, method = 'GET') => fetch(`${url}${path}`, { method, headers: { Authorization: `Bearer ${token}` } }),
    close: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
  }
}

/** Runs node with these words to its end. Throws where it does not end well. */
export function typed(words, env = { PATH: process.env.PATH }) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, words, { env, stdio: ['ignore', 'pipe', 'pipe'] })
    let out = ''
    child.stdout.on('data', (chunk) => (out += chunk))
    child.stderr.on('data', (chunk) => (out += chunk))
    child.on('error', reject)
    child.on('close', (code) =>
      code === 0 ? resolve(out) : reject(new Error(`${words.join(' ')} ended with ${code}: ${out}`)),
    )
  })
}
