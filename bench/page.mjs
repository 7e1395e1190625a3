// A page out of many stacks: filtered and sorted, through the API as it is handed a request, and through a real port.
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createHash } from 'node:crypto'
import { openAgent } from './agent.mjs'
import { median, row, timed } from './row.mjs'

/** `page`: stacks of one answer. */
export const scales = { full: { many: 10_000, page: 100, turns: 30 }, small: { many: 100, page: 1, turns: 1 } }
const token = 'of-the-bench'
const headers = { Authorization: `Bearer ${token}` }

const pages = {
  'by name': 'sort=name',
  'filtered and sorted': 'sync=Drifted&health=Degraded&name=team&sort=-lastRun',
  'what needs a person': 'needs=person&sort=createdAt',
}

export async function measure({ dist, directory, keep, scale: { many, page, turns } }) {
  const open = keep(await openAgent({ dist, data: join(directory, 'data') }))
  await populate(open, many)
  const load = (path) => import(pathToFileURL(join(dist, path)).href)
  const { createApi } = await load('api.js')
  const { serveApi } = await load('server.js')
  const { digestToken } = await load('access.js')
  const log = { info: () => {}, error: console.error, debug: () => {} }
  const api = createApi({ call: open.call, tokenDigest: digestToken(token), hosts: [], version: '0', log })
  const served = keep(await serveApi(api, { host: '127.0.0.1', port: 0 }))
  const empty = median(await timed(turns, () => read(fetch(`${served.url}/healthz`))))
  const rows = []
  for (const [what, query] of Object.entries(pages)) {
    const path = `/api/v1/stacks?limit=${page}&${query}`
    await mustBeFull(api, path, page)
    const handled = median(await timed(turns, () => read(api.request(path, { headers })), { warmUp: 10 }))
    const requested = median(await timed(turns, () => read(fetch(`${served.url}${path}`, { headers })), { warmUp: 5 }))
    rows.push(
      row(`a page of ${page} out of ${many.toLocaleString('en')} stacks, ${what}: at the server`, handled, 'ms', {
        aim: { most: 20 },
      }),
    )
    rows.push(row('the same through a port', requested, 'ms', { beside: { what: 'GET /healthz', figure: empty } }))
  }
  return rows
}

async function read(answer) {
  return (await answer).text()
}

async function mustBeFull(api, path, page) {
  const { items } = JSON.parse(await read(api.request(path, { headers })))
  if (items?.length !== page) throw new Error(`${path} gave ${items?.length} stacks, not ${page}.`)
}

/** Stacks in every state, each with a run that ended, by the verbs that the agent has. */
async function populate({ store: { stacks, runs, journal }, stackAt }, many) {
  const record = { managedBy: 'api', target: 'embedded/main', cause: { kind: 'created' } }
  for (let from = 0; from < many; from += 1_000) {
    const made = await Promise.all(
      Array.from({ length: Math.min(1_000, many - from) }, (_, at) =>
        stacks.create(stackAt(nameAt(from + at), 'https://git.example/team.git', 'boards'), record),
      ),
    )
    await runs.observe(
      made.map(({ stack, run }, at) => ({
        stack: stack.id,
        polled: { sources: stack.spec.sources, pinned: null },
        place: '',
        revision: revisionAt(from + at),
        run: run.id,
        unpin: false,
      })),
      [],
    )
    await Promise.all(
      made.map(({ stack, run }, at) => finish({ stacks, runs, journal }, { stack, run, at: from + at })),
    )
  }
}

const nameAt = (at) => `${at % 3 === 0 ? 'ops' : 'team'}-${String(at).padStart(5, '0')}`
const revisionAt = (at) => `main@sha1:${createHash('sha1').update(String(at)).digest('hex')}`

async function finish({ stacks, runs, journal }, { stack, run, at }) {
  const seen = { revision: revisionAt(at), content: 'tree' }
  const { lease } = await runs.takeLease(run)
  await runs.attempt({ lease, observed: seen, settings: 'x', spec: stack.spec, files: 'y', save: [] })
  if (at % 10 === 9) return runs.finish(lease, { outcome: 'failed', failure: failureAt(at) })
  const applied = { ...seen, files: 'y', place: 'https://git.example/team.git//boards' }
  await journal.settle(lease, { outcome: 'applied', applied, problems: [], failure: null })
  if (at % 5 === 0) await stacks.change(stack.id, { drifted: 2 })
}

function failureAt(at) {
  return {
    reason: 'PackageInvalid',
    code: 'graph/cycle',
    message: 'Bucket/a needs itself.',
    retry: at % 20 === 19 ? 'change' : 'soon',
  }
}
