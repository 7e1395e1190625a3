// A page of 100 out of 10,000 stacks: filtered and sorted, through the API as it is handed a request, and through a real port.
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createHash } from 'node:crypto'
import { openAgent, stackAt } from './agent.mjs'
import { median, row, timed } from './row.mjs'

const many = 10_000
const turns = 30
const token = 'of-the-bench'
const headers = { Authorization: `Bearer ${token}` }

const pages = {
  'by name': 'limit=100',
  'filtered and sorted': 'limit=100&sync=Drifted&health=Degraded&name=team&sort=-lastRun',
  'what needs a person': 'limit=100&needs=person&sort=createdAt',
}

export async function measure({ dist, directory, keep }) {
  const open = keep(await openAgent({ dist, data: join(directory, 'data') }))
  await populate(open.store)
  const load = (path) => import(pathToFileURL(join(dist, path)).href)
  const { createApi } = await load('api/api.js')
  const { serveApi } = await load('api/server.js')
  const { digestToken } = await load('api/bearer-token.js')
  const log = { info: () => {}, error: console.error, debug: () => {} }
  const api = createApi({ verbs: open.verbs, tokenDigest: digestToken(token), hosts: [], version: '0', log })
  const served = keep(await serveApi(api, { host: '127.0.0.1', port: 0 }))
  const empty = median(await timed(turns, () => read(fetch(`${served.url}/healthz`))))
  const rows = []
  for (const [what, query] of Object.entries(pages)) {
    const path = `/api/v1/stacks?${query}`
    await mustBeFull(api, path)
    const handled = median(await timed(turns, () => read(api.request(path, { headers })), { warmUp: 10 }))
    const asked = median(await timed(turns, () => read(fetch(`${served.url}${path}`, { headers })), { warmUp: 5 }))
    rows.push(row(`a page of 100 out of 10,000 stacks, ${what}: at the server`, handled, 'ms', { aim: { most: 20 } }))
    rows.push(row('the same through a port', asked, 'ms', { beside: { what: 'GET /healthz', figure: empty } }))
  }
  return rows
}

async function read(answer) {
  return (await answer).text()
}

async function mustBeFull(api, path) {
  const { items } = JSON.parse(await read(api.request(path, { headers })))
  if (items?.length !== 100) throw new Error(`${path} gave ${items?.length} stacks, not 100.`)
}

/** Stacks in every state, each with a run that ended, by the verbs that the agent has. */
async function populate({ stacks, runs, journal }) {
  const record = { managedBy: 'api', target: 'embedded/main', cause: { kind: 'created' } }
  for (let from = 0; from < many; from += 1_000) {
    const made = await Promise.all(
      Array.from({ length: 1_000 }, (_, at) => stacks.create(stackAt(nameAt(from + at), 'https://git.example/team.git', 'boards'), record)),
    )
    await runs.observe(
      made.map(({ stack, run }, at) => ({ stack: stack.id, revision: revisionAt(from + at), run: run.id, unpin: false })),
      [],
    )
    await Promise.all(made.map(({ stack, run }, at) => finish({ stacks, runs, journal }, { stack, run, at: from + at })))
  }
}

const nameAt = (at) => `${at % 3 === 0 ? 'ops' : 'team'}-${String(at).padStart(5, '0')}`
const revisionAt = (at) => `main@sha1:${createHash('sha1').update(String(at)).digest('hex')}`

async function finish({ stacks, runs, journal }, { stack, run, at }) {
  const seen = { revision: revisionAt(at), content: 'tree' }
  await runs.attempt({ run: run.id, stack: stack.id, seen, settings: 'x', files: 'y', save: [] })
  if (at % 10 === 9) return runs.finish(run.id, { outcome: 'failed', failure: failureAt(at) })
  const applied = { ...seen, files: 'y', place: 'https://git.example/team.git//boards' }
  await journal.settle(stack.id, run.id, { outcome: 'applied', applied, problems: [], failure: null })
  if (at % 5 === 0) await stacks.change(stack.id, { drifted: 2 })
}

function failureAt(at) {
  return { reason: 'PackageInvalid', code: 'graph/cycle', message: 'Bucket/a needs itself.', retry: at % 20 === 19 ? 'change' : 'soon' }
}
