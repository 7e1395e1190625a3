// The agent, wired as main.ts and run-agent.ts wire it: its parts in this process, or the program in one of its own.
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { setTimeout as sleep } from 'node:timers/promises'

const limits = {
  gitRequestMs: 30_000,
  fetchMs: 120_000,
  driverCallMs: 30_000,
  runMs: 1_800_000,
  packBytes: 2 ** 25,
  refsBytes: 2 ** 24,
  fileBytes: 2 ** 22,
  totalBytes: 2 ** 26,
  files: 10_000,
  depth: 32,
  documents: 20_000,
  runsKept: 100,
  revisionsKept: 20,
  concurrency: 16,
}

/** The agent's parts over a data directory. `onRunEnd(stack, run)`: told of every run that ended. */
export async function openAgent({ dist, data, onRunEnd = async () => {} }) {
  const load = (path) => import(pathToFileURL(join(dist, path)).href)
  const { Agent } = await load('agent/agent.js')
  const { sharedFetch } = await load('agent/shared-fetch.js')
  const { Engine } = await load('engine/engine.js')
  const { explainInfluxdbKind, influxdbKinds } = await load('kinds/influxdb/influxdb.js')
  const { systemClock } = await load('model/clock.js')
  const { ParsedCache } = await load('package/package.js')
  const { EmbeddedPlatform } = await load('platform/embedded/embedded-platform.js')
  const { openKeyring } = await load('secrets/key.js')
  const { GitSource } = await load('source/git-source.js')
  const { SqliteStore } = await load('store/sqlite/sqlite-store.js')
  const { openVerbs } = await load('stacks/stacks.js')
  const { Targets } = await load('stacks/targets.js')

  mkdirSync(data, { recursive: true, mode: 0o700 })
  const store = new SqliteStore(join(data, 'gitmoor.db'), systemClock)
  const source = new GitSource({
    directory: join(data, 'git'),
    limits,
    allow: { directories: [], networks: [] },
    dataDirectory: data,
    authorization: () => undefined,
  })
  const platform = new EmbeddedPlatform(store.documents, { kinds: influxdbKinds, explain: explainInfluxdbKind })
  const targets = new Targets([{ name: 'local', platform: 'embedded', organisation: 'main' }], [platform])
  const engine = new Engine({ journal: store.journal, sealer: openKeyring(data), driverCallMs: limits.driverCallMs })
  const sync = { source: sharedFetch(source), store, engine, targets, parsed: new ParsedCache(2 ** 26), maxDocuments: limits.documents }
  const log = { info: () => {}, warn: tell, error: tell }
  const agent = new Agent({ sync, clock: systemClock, log, limits, onRunEnd })
  /** What a person can ask; `parsed`: another cache of parsed files, of so many bytes. */
  const verbsWith = (parsedBytes) => {
    const parsed = parsedBytes === undefined ? sync.parsed : new ParsedCache(parsedBytes)
    return openVerbs({ sync: { ...agent.sync, parsed }, dispatch: agent, clock: systemClock })
  }
  const close = async () => {
    await agent.park()
    await source[Symbol.asyncDispose]()
    store[Symbol.dispose]()
  }
  return { agent, store, source, verbs: verbsWith(), verbsWith, close }
}

/** A stack's settings; nothing is looked at but on request. */
export function stackAt(name, url, path = '') {
  return {
    name,
    target: 'local',
    sources: [{ kind: 'git', url, ref: 'main', path }],
    intervalMs: 86_400_000,
    driftIntervalMs: 86_400_000,
    drift: 'ignore',
    apply: 'auto',
    maxDeletes: 10,
    adopt: 'allow',
    dataLoss: 'refuse',
  }
}

function tell(message, facts) {
  console.error(message, facts)
}

/** The program `gitmoor agent` on a free port. `type(...words)`: a command line beside it; resolves with what it printed. */
export async function startAgentProcess({ dist, data }) {
  const main = join(dist, 'main.js')
  const environment = { PATH: process.env.PATH, GITMOOR_DATA: data, HOME: data }
  const child = spawn(process.execPath, [main, 'agent', '--data', data, '--listen', '127.0.0.1:0'], {
    env: environment,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let said = ''
  child.stderr.on('data', (chunk) => (said += chunk))
  while (!existsSync(join(data, 'agent.json'))) {
    if (child.exitCode !== null) throw new Error(`The agent ended with ${child.exitCode}: ${said}`)
    await sleep(20)
  }
  const close = async () => {
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGTERM')
    await ended
  }
  return { type: (...words) => typed([main, ...words], environment), close }
}

/** Runs node with these words to its end. Throws where it does not end well. */
export function typed(words, env = { PATH: process.env.PATH }) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, words, { env, stdio: ['ignore', 'pipe', 'pipe'] })
    let out = ''
    child.stdout.on('data', (chunk) => (out += chunk))
    child.stderr.on('data', (chunk) => (out += chunk))
    child.on('error', reject)
    child.on('close', (code) => (code === 0 ? resolve(out) : reject(new Error(`${words.join(' ')} ended with ${code}: ${out}`))))
  })
}
