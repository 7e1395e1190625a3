// `npm run limits [-- WORD…]`: sources at and beyond the limits, each with an agent of its own: what comes of them, the
// most memory, and how long the API was silent meanwhile. With words, only rows whose names contain one of them. Takes
// some minutes, a gigabyte of disk, and Linux.
import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { once } from 'node:events'
import { spawn } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startAgentProcess } from '../bench/agent.mjs'
import { git, gitEnvironment } from '../bench/git.mjs'
import { startGitServer } from '../bench/git-server.mjs'
import { residentMiB } from '../bench/process-cost.mjs'

const dist = join(process.cwd(), 'dist')
const label = (name) => `apiVersion: influxdata.com/v2alpha1\nkind: Label\nmetadata:\n  name: ${name}\n`
const small = { 'boards/a.yml': label('red') }
const range = (count) => Array.from({ length: count }, (_, at) => at)
const odd = `${label('odd')}spec:\n  list: [${'1,'.repeat(498_000)}1]\n`

/** A repository each: what is in it, file by file. */
const repositories = {
  large: () => [...Object.entries(small), ...range(500).map((at) => [`images/${at}.bin`, () => randomBytes(2 ** 20)])],
  wide: () => [
    ...Object.entries(small),
    ...range(100_000).map((at) => [`all/d${at % 100}/e${Math.floor(at / 100) % 10}/${at}.yml`, label(`l${at}`)]),
  ],
  documents: () =>
    range(50).map((file) => [
      `${file}.yml`,
      range(1000)
        .map((at) => label(`l${file}-${at}`))
        .join('---\n'),
    ]),
  values: () => range(4).map((file) => [`${file}.yml`, odd.replace('odd', `odd-${file}`)]),
  small: () => Object.entries(small),
}

/** What is followed, under which limits. */
const rows = [
  ['a small repository', 'small', { path: 'boards' }],
  ['500 MB in one commit', 'large', { path: 'boards' }],
  ['500 MB in one commit, packBytes 1GiB', 'large', { path: 'boards', limits: 'packBytes: 1GiB' }],
  ['100,000 files, a path with one', 'wide', { path: 'boards' }],
  ['100,000 files, all of them', 'wide', { path: '' }],
  ['50,000 documents', 'documents', { path: '' }],
  ['50,000 documents, documents 100000', 'documents', { path: '', limits: 'documents: 100000, run: 1h' }],
  ['2,000,000 values in four files', 'values', { path: '' }],
]

const words = process.argv.slice(2)
const isSelected = (name) => words.length === 0 || words.some((word) => name.includes(word))
const root = mkdtempSync(join(tmpdir(), 'gitmoor-limits-'))
const served = join(root, 'served')
mkdirSync(served)
const server = await startGitServer(served)
const made = new Set()
try {
  console.log('| What | Comes to | Time | Most memory | Longest silence of the API |\n|---|---|---|---|---|')
  for (const [name, repository, options] of rows) if (isSelected(name)) await measure(name, repository, options)
  if (isSelected('10,000 stacks')) await manyStacks()
} finally {
  await server.close()
  rmSync(root, { recursive: true, force: true })
}

async function measure(name, repository, { path, limits = '' }) {
  await make(repository)
  const agent = await start(`limits: {${limits}}\n`)
  const silence = watch(agent)
  const began = performance.now()
  const words = [
    'stack',
    'create',
    'boards',
    '--repo',
    `${server.url}/${repository}.git`,
    '--ref',
    'main',
    '--path',
    path,
  ]
  const came = await agent.type(...words).then(
    () => 'applied',
    (error) => describe(error),
  )
  print(name, came, { ms: performance.now() - began, most: residentMiB(agent.pid).most, silence: await silence() })
  await agent.close()
}

/** Declared in a file, on a hundred repositories; then the agent is started again. */
async function manyStacks() {
  for (const at of range(100)) {
    repositories[`many-${at}`] = () =>
      range(100).map((folder) => [`s${folder * 100 + at}/a.yml`, label(`l${folder * 100 + at}`)])
    await make(`many-${at}`)
  }
  const stack = (at) =>
    `  - {name: s${at}, interval: 1h, driftInterval: 1h, sources: [{url: "${server.url}/many-${at % 100}.git", ` +
    `ref: main, path: s${at}}]}\n`
  const config = `stacks:\n${range(10_000).map(stack).join('')}`
  const data = join(root, 'farm')
  const first = await start(config, data)
  const silence = watch(first)
  let began = performance.now()
  await allApplied(first)
  print('10,000 stacks, all new', 'applied', {
    ms: performance.now() - began,
    most: residentMiB(first.pid).most,
    silence: await silence(),
  })
  await first.close()
  began = performance.now()
  const second = await start(config, data)
  while (!(await second.get('/readyz')).ok) await sleep(20)
  const ms = performance.now() - began
  await sleep(10_000)
  print('the same, started again', 'ready', { ms, most: residentMiB(second.pid).most })
  await second.close()
}

async function allApplied(agent) {
  for (;;) {
    const { items } = await (await agent.get('/api/v1/stacks?sync=Synced&sort=-name&limit=1')).json()
    const left = await (await agent.get('/api/v1/stacks?sync=Unknown&limit=1')).json()
    if (items.length === 1 && left.items.length === 0) return
    await sleep(500)
  }
}

async function start(config, data = mkdtempSync(join(root, 'data-'))) {
  mkdirSync(data, { recursive: true, mode: 0o700 })
  const file = `${data}.yaml`
  writeFileSync(file, config)
  return startAgentProcess({ dist, data, config: file })
}

/** Asks again and again; gives, when it is called, the longest wait for an answer. */
function watch(agent) {
  let longest = 0
  const stop = new AbortController()
  const asking = (async () => {
    while (!stop.signal.aborted) {
      const began = performance.now()
      await agent.get('/healthz')
      longest = Math.max(longest, performance.now() - began)
      await sleep(10)
    }
  })()
  return async () => {
    stop.abort()
    await asking
    return longest
  }
}

/** The sentence that names the limit. */
function describe(error) {
  return (
    /^.*\(?limits?\.\w+\)?.*$/m
      .exec(error.message)?.[0]
      .replace(/http\S+/g, 'REPOSITORY')
      .trim() ?? error.message.slice(-300)
  )
}

function print(name, came, { ms, most, silence }) {
  const waited = silence === undefined ? '' : `${Math.round(silence)} ms`
  console.log(`| ${name} | ${came} | ${(ms / 1000).toFixed(1)} s | ${Math.round(most)} MiB | ${waited} |`)
}

async function make(name) {
  if (made.has(name)) return
  made.add(name)
  const directory = join(served, `${name}.git`)
  await git(root, 'init', '--quiet', '--bare', '--initial-branch=main', directory)
  const child = spawn('git', ['-C', directory, 'fast-import', '--quiet'], {
    env: gitEnvironment,
    stdio: ['pipe', 'ignore', 'inherit'],
  })
  const write = async (bytes) => void (child.stdin.write(bytes) || (await once(child.stdin, 'drain')))
  await write('commit refs/heads/main\ncommitter limits <limits@gitmoor.invalid> 1700000000 +0000\ndata 1\nx\n')
  for (const [path, content] of repositories[name]()) {
    const bytes = Buffer.from(typeof content === 'function' ? content() : content)
    await write(`M 100644 inline ${path}\ndata ${bytes.length}\n`)
    await write(bytes)
    await write('\n')
  }
  child.stdin.end()
  await once(child, 'close')
}
