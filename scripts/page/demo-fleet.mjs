// An agent with a realistic fleet, for pictures of the page: 43 stacks on six targets, four channels, and three weeks
// of history, which a shifted clock makes in seconds.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { adapters } from '../../dist/adapters.js'
import { createApi } from '../../dist/api.js'
import { digestToken } from '../../dist/access.js'
import { readConfiguration } from '../../dist/config.js'
import { openAgent } from '../../dist/open-agent.js'
import { PageFiles } from '../../dist/page.js'
import { Redactor } from '../../dist/redact.js'
import { serveApi } from '../../dist/server.js'
import { Sessions } from '../../dist/sessions.js'
import { commits, teams } from './demo-packages.mjs'

const dayMs = 86_400_000
const token = 'token-of-the-pictures'
const targets = {
  'edge-01': 'edge',
  'edge-02': 'edge',
  staging: 'beta',
  'prod-ap': 'lts',
  'prod-us': 'stable',
  'prod-eu': 'stable',
}

/** Settings of stacks that differ from the others. */
const special = {
  'machines-edge-01': { drift: 'report', driftInterval: '5s' },
  'checkout-prod-eu': { apply: 'approval' },
  'billing-prod-us': { windows: [{ kind: 'deny', schedule: cronOf(2), duration: '4d', reason: 'month-end close' }] },
}

/** A cron expression for midnight some days ago. */
function cronOf(daysAgo) {
  const day = new Date(Date.now() - daysAgo * dayMs)
  return `0 0 ${day.getUTCDate()} ${day.getUTCMonth() + 1} *`
}

/** Opens it; `clock` may be shifted. Returns `{ url, token, close }`. */
export async function openDemoFleet() {
  const root = mkdtempSync(join(tmpdir(), 'gitmoor-page-'))
  const repository = join(root, 'srv', 'fleet')
  let shiftMs = 0
  const clock = { now: () => Date.now() - shiftMs, elapsed: () => performance.now() - shiftMs, sleep: sleepUntil }
  const configuration = readConfiguration(configurationFile(root, repository), {
    platforms: adapters.platforms,
    data: join(root, 'data'),
  })
  if (configuration.value === undefined) throw new Error(JSON.stringify(configuration.problems))
  mkdirSync(join(root, 'data'), { mode: 0o700 })
  const pushing = { ...adapters, openSource: (options) => adapters.openSource({ ...options, mayPush: () => true }) }
  const ids = makeRepository(repository, (day) => Date.now() - day * dayMs)
  shiftMs = 21 * dayMs
  const quiet = { debug() {}, info() {}, warn() {}, error: (message, facts) => console.error(message, facts) }
  const open = openAgent(configuration.value, pushing, {
    version: '0.1.0',
    log: quiet,
    redactor: new Redactor(),
    clock,
  })
  const tokenDigest = digestToken(token)
  const sessions = new Sessions({ table: open.store.sessions, clock, tokenDigest })
  const page = new PageFiles(join(import.meta.dirname, '..', '..', 'dist', 'web'))
  const api = createApi({
    call: open.call,
    tokenDigest,
    hosts: [],
    version: '0.1.0',
    sessions,
    page,
    extensions: adapters.apiExtensions,
  })
  const served = await serveApi(api, { host: '127.0.0.1', port: 0, graceMs: 200 })
  await open.agent.start(() => open.configuration.start())
  const ask = client(served.url)
  await tell({ ask, ids, repository, at: (days) => (shiftMs = days * dayMs) })
  return {
    url: served.url,
    token,
    ask,
    close: async () => {
      await served.close()
      await open[Symbol.asyncDispose]()
    },
  }
}

function sleepUntil(ms, signal) {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason)
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => (clearTimeout(timer), reject(signal.reason)), { once: true })
  })
}

function configurationFile(root, repository) {
  const stacks = Object.entries(targets).flatMap(([target, ref]) =>
    teams.map((team) => ({
      name: `${team}-${target}`,
      target,
      labels: { team },
      sources: [{ url: repository, ref, path: team }],
      interval: '1h',
      ...special[`${team}-${target}`],
    })),
  )
  const legacy = {
    name: 'legacy-boards',
    target: 'staging',
    sources: [{ url: join(root, 'srv', 'gone'), ref: 'main' }],
    interval: '1h',
  }
  const document = {
    allow: { directories: [join(root, 'srv')] },
    copies: { every: 0 },
    targets: Object.fromEntries(
      Object.keys(targets).map((name) => [name, { platform: 'embedded', organisation: name }]),
    ),
    channels: [
      { ref: 'stable', moves: 'approve-back', movesPerHour: 30 },
      { ref: 'lts', moves: 'forward-only', minAge: '24h' },
    ],
    stacks: [...stacks, legacy],
  }
  mkdirSync(join(root, 'srv', 'fleet'), { recursive: true })
  const file = join(root, 'gitmoor.yaml')
  writeFileSync(file, JSON.stringify(document))
  return file
}

/** How many days ago each commit was made. */
const days = [21.2, 18, 16, 13, 10, 6, 0.1]

function makeRepository(directory, timeOf) {
  const git = gitIn(directory)
  git({}, 'init', '--quiet', '--template=', '--initial-branch=main')
  return commits.map(({ by, message, files }, index) => {
    for (const [team, text] of Object.entries(files)) {
      mkdirSync(join(directory, team), { recursive: true })
      writeFileSync(join(directory, team, 'package.jsonnet'.replace('jsonnet', 'yml')), text)
    }
    const who = personOf(by, timeOf(days[index]))
    git(who, 'add', '--all')
    git(who, 'commit', '--quiet', '--message', message)
    if (index === 0)
      for (const tag of ['edge', 'beta', 'stable', 'lts']) git(who, 'tag', '-a', tag, '-m', 'First release')
    return git({}, 'rev-parse', 'HEAD').trim()
  })
}

function personOf(name, at) {
  const [email, date] = [`${name.split(' ')[0].toLowerCase()}@example.com`, new Date(at).toISOString()]
  return {
    GIT_AUTHOR_NAME: name,
    GIT_AUTHOR_EMAIL: email,
    GIT_AUTHOR_DATE: date,
    GIT_COMMITTER_NAME: name,
    GIT_COMMITTER_EMAIL: email,
    GIT_COMMITTER_DATE: date,
  }
}

function gitIn(directory) {
  const base = {
    PATH: process.env.PATH,
    LC_ALL: 'C',
    HOME: directory,
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
  }
  return (env, ...words) =>
    execFileSync('git', ['-C', directory, ...words], {
      env: { ...base, ...env },
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    })
}

function client(url) {
  return async (by, method, path, body) => {
    const answer = await fetch(`${url}/api/v1/${path}`, {
      method,
      headers: { Authorization: `Bearer ${token}`, 'X-Gitmoor-By': by, 'Content-Type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    const value = await answer.json()
    if (!answer.ok) throw new Error(`${method} ${path}: ${JSON.stringify(value.error)}`)
    return value
  }
}

/** Three weeks of work of four people. */
async function tell({ ask, ids, repository, at }) {
  const git = gitIn(repository)
  // One stack: its poll reads the repository for all of them.
  const sync = async () => (await ask('ana', 'POST', 'stacks/billing-edge-01/sync', {}), settled(ask))
  const move = async (day, tag, commit, by, message) => {
    at(day)
    git(personOf(by, Date.now() - day * dayMs), 'tag', '-f', '-a', tag, '-m', message, ids[commit])
    await sync()
  }
  const promote = async (day, why) => {
    console.error(`  ${day} days ago: ${why}`)
    at(day)
    await ask('ana', 'POST', 'channels/promotion', { from: 'beta', to: 'stable', why })
    await settled(ask)
  }
  await settled(ask)
  await approve(ask, 'checkout-prod-eu')
  await move(18, 'edge', 1, 'Jon Berg', 'Memory')
  await move(17.6, 'beta', 1, 'Jon Berg', 'Memory')
  await promote(17.2, 'memory charts work on staging')
  await move(15.8, 'edge', 2, 'Mei Tan', 'Roll-ups')
  await move(15.4, 'beta', 2, 'Mei Tan', 'Roll-ups')
  await promote(14, 'rolled up for a day without a gap')
  await move(12.6, 'beta', 3, 'Jon Berg', 'Three days of payments')
  await promote(10.6, 'raw payments are large')
  at(10.4)
  const [vetoed] = (await ask('ana', 'GET', 'channels/moves?channel=stable')).items
  await ask('ana', 'POST', `channels/moves/${vetoed.id}/veto`, {
    why: 'three days are too few: finance needs fourteen',
  })
  await settled(ask)
  await move(9.8, 'edge', 4, 'Ana Ruiz', 'Declined cards')
  await move(9.6, 'beta', 4, 'Ana Ruiz', 'Declined cards')
  await promote(9, 'fourteen days again; declined cards')
  at(8)
  await ask('ana', 'POST', 'channels/pin', {
    channel: 'edge',
    why: 'trade fair until Friday: the edge devices stay as they are',
  })
  await move(6, 'edge', 5, 'Mei Tan', 'Alerts')
  await move(5.9, 'beta', 5, 'Mei Tan', 'Alerts')
  await promote(1.9, 'alerts seen working on staging')
  await move(0.5, 'lts', 4, 'Mei Tan', 'Long-term release')
  await move(0.08, 'beta', 6, 'Jon Berg', 'Thirty days of checkout')
  at(0.12)
  const runs = (await ask('ana', 'GET', 'stacks/catalog-prod-us/runs?limit=20')).items
  const earlier = runs.find(({ outcome, revision }) => outcome === 'applied' && revision.includes(ids[2]))
  await ask('mei', 'POST', 'stacks/catalog-prod-us/rollback', {
    run: earlier.id,
    why: 'the catalog alert pages at night',
  })
  await ask('jon', 'POST', 'stacks/search-prod-us/suspend', { why: 'the search cluster is being moved' })
  at(0.05)
  await damage(ask)
  at(0)
  await ask('ana', 'POST', 'stacks/payments-prod-us/sync', {})
  await settled(ask)
}

async function approve(ask, stack) {
  const [{ id }] = (await ask('ana', 'GET', `stacks/${stack}/runs?limit=1`)).items
  const { plan } = await ask('ana', 'GET', `stacks/${stack}/runs/${id}`)
  await ask('ana', 'POST', `stacks/${stack}/approve`, { digest: plan.digest })
  await settled(ask)
}

/** Somebody changes a bucket by hand, and a drift check finds it. */
async function damage(ask) {
  const address = 'stacks/machines-edge-01'
  const found = (await ask('ana', 'GET', 'resources?stack=machines-edge-01&limit=100')).items
  const bucket = found.find((one) => one.address === 'Bucket/machines-measurements')
  const desired = {
    ...bucket.actual,
    description: 'Edited by hand',
    retentionRules: [{ type: 'expire', everySeconds: 2_592_000 }],
  }
  await ask('jon', 'PUT', `resources/${bucket.address}?stack=machines-edge-01`, { desired })
  for (let tries = 0; tries < 300; tries++) {
    if ((await ask('ana', 'GET', address)).status.state === 'Drifted') return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error('No drift check found the change.')
}

/** Until no run is in progress. */
async function settled(ask) {
  for (;;) {
    const { items } = await ask('api', 'GET', 'stacks?limit=500')
    if (items.every(({ status }) => status.state !== 'Running')) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

if (process.argv[1] === import.meta.filename) {
  const { url } = await openDemoFleet()
  console.log(`${url}  token: ${token}`)
}
