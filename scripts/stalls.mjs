// `npm run stalls [-- --runs N] [WORD…]`: input at and beyond the limits, each with an agent of its own: what comes of
// it, and the longest stall of the event loop. With words, only the rows whose names contain one of them. With --runs,
// each row runs until N runs were undisturbed, at most 4 N times: the table shows the worst of those, what it was
// during, and the worst of the disturbed ones; standard error shows every run, as `138-80` where 80 ms of 138 were
// stolen. Takes two minutes a run.
// Disturbed: during the longest stall, the hypervisor ran another machine on a core of this one. It is no work of the
// agent's. Linux only; elsewhere no run is known to be disturbed.
import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { startAgentProcess } from '../bench/agent.mjs'
import { git } from '../bench/git.mjs'
import { startGitServer } from '../bench/git-server.mjs'
import { StolenTime } from '../bench/stolen-time.mjs'

const dist = process.env.GITMOOR_DIST ?? join(process.cwd(), 'dist')
const mib = 2 ** 20
const range = (count) => Array.from({ length: count }, (_, at) => at)
const head = (kind, name) => `apiVersion: influxdata.com/v2alpha1\nkind: ${kind}\nmetadata:\n  name: ${name}\n`
const labels = (count, prefix = 'l') =>
  range(count)
    .map((at) => head('Label', `${prefix}${at}`))
    .join('---\n')
const query = 'from(bucket: "raw") |> range(start: v.timeRangeStart)'
const chart = (at) =>
  `    - {kind: Single_Stat, name: c${at}, xPos: ${at % 10}, yPos: ${at}, width: 1, height: 1, ` +
  `queries: [{query: '${query}'}]}\n`

const dashboard = (count) => ({
  'a.yml': `${head('Dashboard', 'wide')}spec:\n  charts:\n${range(count).map(chart).join('')}`,
})
const keys = (count) => {
  const lines = range(count).map((at) => `  k${at}: v\n`)
  return { 'a.yml': `${head('Label', 'odd')}spec:\n${lines.join('')}` }
}

/** A repository, what is followed of it: file by file. */
const packages = {
  'a small package': () => ({ 'a.yml': labels(1) }),
  '20,001 documents in one file': () => ({ 'a.yml': labels(20_001) }),
  '20,000 documents in one file': () => ({ 'a.yml': labels(20_000) }),
  '10,000 documents in 1,000 files': () =>
    Object.fromEntries(range(1_000).map((at) => [`${at}.yml`, labels(10, `f${at}-`)])),
  '20,000 documents, each wrong': () => ({ 'a.yml': labels(20_000).replaceAll('Label', 'Lebal') }),
  'a file of 500,000 values': () => ({ 'a.yml': `${head('Label', 'odd')}spec:\n  list: [${'1,'.repeat(498_000)}1]\n` }),
  'a document of 24,000 keys': () => keys(24_000),
  'a document of 240,000 keys': () => keys(240_000),
  'a dashboard of 2,400 charts': () => dashboard(2_400),
  'a dashboard of 20,000 charts': () => dashboard(20_000),
  'a file of 4 MiB of text': () => ({
    'a.yml': `${head('Label', 'long')}spec:\n  description: "${'x'.repeat(4 * mib - 200)}"\n`,
  }),
  '7 files of 4 MiB beside a package': () => ({
    'a.yml': labels(1),
    ...Object.fromEntries(range(7).map((at) => [`${at}.bin`, randomBytes(4 * mib)])),
  }),
  '15 package files of 4 MiB': () =>
    Object.fromEntries(
      range(15).map((at) => [
        `${at}.yml`,
        `${head('Label', `l${at}`)}spec:\n  description: "${'x'.repeat(4 * mib - 200)}"\n`,
      ]),
    ),
  'deltas 200 deep': () => {
    const lines = range(20_000).map((at) => `# ${at} ${'y'.repeat(20)}`)
    return Object.fromEntries(
      range(250).map((at) => {
        lines[(at * 7) % lines.length] = `# changed ${at}`
        return [`d/${String(at).padStart(3, '0')}.txt`, lines.join('\n')]
      }),
    )
  },
}

/** Requests to the API of an agent. */
const requests = {
  '300,000 unknown keys': (agent) =>
    post(agent, '/api/v1/stacks', Object.fromEntries(range(300_000).map((at) => [`k${at}`, 1]))),
  'a push of 4 MiB in one text': (agent) =>
    push(agent, `${head('Label', 'long')}spec:\n  description: "${'x'.repeat(4 * mib - 2_000)}"\n`),
  'a push of 8,000 documents': (agent) => push(agent, labels(8_000)),
  'a task whose query takes seconds to parse': (agent) =>
    push(agent, `${head('Task', 'slow')}spec:\n  every: 1h\n  query: "a = 1${'+1'.repeat(8_000)}"\n`),
  '24,000 unknown keys': (agent) =>
    post(agent, '/api/v1/stacks', Object.fromEntries(range(24_000).map((at) => [`k${at}`, 1]))),
  '300 diagnoses at once': async (agent) => {
    const answers = await Promise.all(range(300).map(() => agent.get('/api/v1/doctor')))
    return `${answers.filter(({ ok }) => ok).length} answered`
  },
  '2,000 idle connections': idleConnections,
  'a dry run of 10,000 labels': (agent) => apply(agent, { dryRun: true, objects: 10_000 }),
  'an apply of 10,000 labels, and again': async (agent) => {
    const { stackID } = await apply(agent, { objects: 10_000 })
    return apply(agent, { stackID, objects: 10_000 })
  },
  'an export of 10,000 labels': async (agent) => {
    await apply(agent, { objects: 10_000 })
    const { orgs } = await (await agent.get('/api/v2/orgs')).json()
    return post(agent, '/api/v2/templates/export', { orgIDs: [{ orgID: orgs[0].id }] })
  },
  'an export request of 40,000 keys': (agent) =>
    post(
      agent,
      '/api/v2/templates/export',
      Object.fromEntries(range(39_900).map((at) => [`${'k'.repeat(30)}${at}`, at % 10])),
    ),
  'an export request of 16 KiB of YAML': (agent) =>
    post(agent, '/api/v2/templates/export', Buffer.from(`resources: [${'{kind: a},'.repeat(1_600)}]`), {
      'Content-Type': 'application/x-yaml',
    }),
  'a template stack of 4 MiB in one text': (agent) =>
    post(agent, '/api/v2/stacks', { orgID: '00aa00aa00aa00aa', name: 'x'.repeat(4 * mib - 1_000) }),
  'a dry run of 60 MiB': (agent) => apply(agent, { dryRun: true, objects: 10_000, text: 6_000 }),
  '60 MiB packed into little': (agent) =>
    post(agent, '/api/v2/templates/apply', gzipSync(Buffer.alloc(60 * mib, 32)), { 'Content-Encoding': 'gzip' }),
}

const { values: options, positionals: words } = parseArgs({
  options: { runs: { type: 'string', default: '1' } },
  allowPositionals: true,
})
const runs = Number(options.runs)
const isSelected = (name) => words.length === 0 || words.some((word) => name.includes(word))
const root = mkdtempSync(join(tmpdir(), 'gitmoor-stalls-'))
const served = join(root, 'served')
mkdirSync(served)
const server = await startGitServer(served)
const stolenTime = new StolenTime()
try {
  console.log(
    '| Input | Comes to | Longest stall | Undisturbed runs | Worst disturbed | During |\n|---|---|---|---|---|---|',
  )
  for (const [name, files] of Object.entries(packages))
    if (isSelected(name)) await measure(name, (agent) => follow(agent, name, files()))
  for (const [name, ask] of Object.entries(requests)) if (isSelected(name)) await measure(name, ask)
} finally {
  await stolenTime.close()
  await server.close()
  rmSync(root, { recursive: true, force: true })
}

async function measure(name, provoke) {
  const all = []
  const undisturbed = () => all.filter(({ stolenMs }) => stolenMs === 0)
  while (undisturbed().length < runs && all.length < 4 * runs) all.push(await measureOnce(provoke))
  const longest = (some) => some.reduce((one, other) => (other.ms > one.ms ? other : one))
  const shown = undisturbed().length === 0 ? all : undisturbed()
  const { outcome, ms, during } = longest(shown)
  const disturbed = all.filter(({ stolenMs }) => stolenMs > 0)
  const worst = disturbed.length === 0 ? 'none' : `${longest(disturbed).ms} ms of ${disturbed.length}`
  console.log(`| ${name} | ${outcome} | ${ms} ms | ${undisturbed().length} | ${worst} | ${during} |`)
  if (runs > 1)
    console.error(`${name}: ${all.map((one) => (one.stolenMs === 0 ? one.ms : `${one.ms}-${one.stolenMs}`)).join(' ')}`)
}

async function measureOnce(provoke) {
  const data = mkdtempSync(join(root, 'data-'))
  const agent = await startAgentProcess({ dist, data })
  const outcome = await provoke(agent).catch((error) => error.message)
  const { checks } = await (await agent.get('/api/v1/doctor')).json()
  const { message = '' } = checks.find((check) => check.name === 'event loop') ?? {}
  const [, ms = '0', at, during = ''] = /stall: (\d+) ms, at ([^ ,]+)(?:, during (.*))?/.exec(message) ?? []
  await agent.close()
  rmSync(data, { recursive: true, force: true })
  const end = Date.parse(at)
  return {
    outcome: (typeof outcome === 'string' ? outcome : 'done').replaceAll(/\s+/g, ' ').slice(0, 100),
    ms: Number(ms),
    stolenMs: Math.min(Number(ms), await stolenTime.between(end - Number(ms), end)),
    during,
  }
}

async function follow(agent, name, files) {
  const directory = join(served, `${name.replaceAll(/\W+/g, '-')}.git`)
  const work = join(root, 'work')
  for (const made of [work, directory]) rmSync(made, { recursive: true, force: true })
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(work, path)), { recursive: true })
    writeFileSync(join(work, path), content)
  }
  await git(root, 'init', '--quiet', '--initial-branch=main', work)
  await git(work, 'add', '.')
  await git(work, '-c', 'user.name=stalls', '-c', 'user.email=stalls@gitmoor.invalid', 'commit', '--quiet', '-m', 'x')
  await git(work, 'repack', '-a', '-d', '-q', '--depth=200', '--window=50')
  await git(root, 'clone', '--quiet', '--bare', work, directory)
  const url = `${server.url}/${name.replaceAll(/\W+/g, '-')}.git`
  return agent.type('stack', 'create', 'boards', '--repo', url, '--ref', 'main').then(
    () => useAgain(agent),
    (error) =>
      /.*\(limits\.\w+\)|The package has .*|.*has \d+ errors.*/.exec(error.message)?.[0] ?? error.message.slice(-100),
  )
}

/** What reads all of a stack: its plan, its target, its record. */
async function useAgain(agent) {
  const paths = [
    'stacks/boards',
    'stacks/boards/explain',
    'stacks/boards/runs',
    'resources?limit=500',
    'resources?stack=boards',
  ]
  const answers = await Promise.all(paths.map((path) => agent.get(`/api/v1/${path}`)))
  await Promise.all([agent.type('sync', 'boards'), ...answers.map((answer) => answer.arrayBuffer())])
  const failed = answers.findIndex(({ ok }) => !ok)
  return failed === -1 ? 'applied' : `${paths[failed]}: ${answers[failed].status}`
}

async function push(agent, text) {
  await agent.type('stack', 'create', 'boards', '--inline')
  const headers = { Authorization: `Bearer ${agent.token}`, 'Content-Type': 'application/json' }
  const body = JSON.stringify({ files: [{ path: 'a.yml', text }] })
  const pushed = await fetch(`${agent.url}/api/v1/stacks/boards/package`, { method: 'PUT', headers, body })
  const answer = await pushed.json()
  if (!pushed.ok) return `${pushed.status}: ${JSON.stringify(answer).slice(0, 100)}`
  const ended = await agent.get(`/api/v1/stacks/boards/runs/${answer.id}?waitMs=60000`)
  return (await ended.json()).outcome
}

async function post({ url, token }, path, body, more = {}) {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', ...more }
  const answer = await fetch(`${url}${path}`, {
    method: 'POST',
    headers,
    body: Buffer.isBuffer(body) ? body : JSON.stringify(body),
  })
  return `${answer.status}, ${(await answer.arrayBuffer()).byteLength} B`
}

async function apply(agent, { dryRun = false, objects, stackID, text = 0 }) {
  const { orgs } = await (await agent.get('/api/v2/orgs')).json()
  const spec = text === 0 ? {} : { description: 'x'.repeat(text) }
  const contents = range(objects).map((at) => ({
    apiVersion: 'influxdata.com/v2alpha1',
    kind: 'Label',
    metadata: { name: `l${at}` },
    spec: { name: `label ${at}`, color: '#112233', ...spec },
  }))
  const body = { dryRun, orgID: orgs[0].id, stackID, template: { contents } }
  const headers = { Authorization: `Token ${agent.token}`, 'Content-Type': 'application/json' }
  const answer = await fetch(`${agent.url}/api/v2/templates/apply`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  })
  const said = await answer.json()
  if (!answer.ok) throw new Error(`${answer.status}: ${JSON.stringify(said).slice(0, 100)}`)
  return said
}

async function idleConnections({ url, ...agent }) {
  const { hostname, port } = new URL(url)
  const sockets = []
  for (const _ of range(2_000)) {
    const socket = connect({ host: hostname, port })
    socket.on('error', () => {})
    await once(socket, 'connect')
    sockets.push(socket)
  }
  const began = performance.now()
  const { status } = await agent.get('/healthz')
  const ms = Math.round(performance.now() - began)
  for (const socket of sockets) socket.destroy()
  await sleep(100)
  return `/healthz: ${status} after ${ms} ms`
}
