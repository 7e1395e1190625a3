// A restart after kill -9 in the middle of applying: until nothing is left half-done, every stack is scheduled, and the
// API says so.
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startAgentProcess, typed } from './agent.mjs'
import { makeFarm } from './farm.mjs'
import { median, row, timed } from './row.mjs'

/** `changed`: repositories that are pushed to before the kill. */
export const scales = {
  full: { repositories: 50, each: 20, turns: 2, changed: 10 },
  small: { repositories: 2, each: 10, turns: 1, changed: 2 },
}

export async function measure({ dist, directory, keep, scale }) {
  const { turns, changed } = scale
  const { data, change, stackCount } = await makeFarm({ dist, directory, keep, ...scale })
  const found = []
  for (let turn = 1; turn <= turns; turn++)
    found.push(await restart({ dist, data, keep, stackCount, changed, change: () => change(changed, turn) }))
  const bare = median(await timed(5, () => typed(['-e', '0'])))
  const beside = { what: 'node -e 0', figure: bare }
  const stacks = stackCount.toLocaleString('en')
  const left = median(found.map(({ stacks }) => stacks))
  return [
    row(
      `restart after kill -9, ${stacks} stacks: until /readyz says ready`,
      median(found.map(({ readyMs }) => readyMs)),
      'ms',
      { beside },
    ),
    row(
      `the same, until what was half-done (${left} of them) is settled and the rest is scheduled`,
      median(found.map(({ settledMs }) => settledMs)),
      'ms',
      { beside, aim: { most: 2_000 } },
    ),
    row('the same, until all stacks are synced', median(found.map(({ syncedMs }) => syncedMs)), 'ms', { beside }),
  ]
}

async function restart({ dist, data, keep, stackCount, changed, change }) {
  const halfDone = await killInTheMiddle({ dist, data, keep, changed, change })
  const began = performance.now()
  const agent = keep(await startAgentProcess({ dist, data }))
  await until(async () => (await agent.get('/readyz')).status === 200)
  const readyMs = performance.now() - began
  await until(() => openJournals(data, halfDone.newest).stacks === 0)
  await until(async () => (await scheduled(agent)) === stackCount, listing)
  const settledMs = performance.now() - began
  await until(async () => (await count(agent, '&sync=Synced')) === stackCount, listing)
  const syncedMs = performance.now() - began
  await agent.close()
  return { stacks: halfDone.stacks, readyMs, settledMs, syncedMs }
}

/** Pushes, requests polls of the remotes, and kills the agent once a journal is open. Returns the open journals. */
async function killInTheMiddle({ dist, data, keep, changed, change }) {
  const agent = keep(await startAgentProcess({ dist, data }))
  await until(async () => (await agent.get('/readyz')).status === 200)
  await change()
  for (let at = 0; at < changed; at++) void agent.get(`/api/v1/stacks/team-${at}-00/sync`, 'POST').catch(() => {})
  await until(() => openJournals(data).stacks > 0)
  await agent.kill()
  const open = openJournals(data)
  if (open.stacks === 0) throw new Error('Nothing was half-done when the agent was killed.')
  return open
}

/** Stacks whose journal is open, by entries up to one of them; and the newest entry. */
function openJournals(data, upTo = Number.MAX_SAFE_INTEGER) {
  const Database = createRequire(import.meta.url)('better-sqlite3')
  const database = new Database(join(data, 'gitmoor.db'), { readonly: true })
  try {
    return database
      .prepare('select count(distinct stack) as stacks, max(id) as newest from journal where id <= ?')
      .get(upTo)
  } finally {
    database.close()
  }
}

/** Stacks whose next poll is planned. */
async function scheduled(agent) {
  return count(agent, '', ({ nextPollAt }) => nextPollAt !== null)
}

async function count(agent, query, isCounted = () => true) {
  let counted = 0
  for (let after = ''; ;) {
    const { items, next } = await (await agent.get(`/api/v1/stacks?limit=500${query}${after}`)).json()
    counted += items.filter(isCounted).length
    if (next === null) return counted
    after = `&after=${encodeURIComponent(next)}`
  }
}

/** Lists of 1,000 stacks take CPU of the agent. */
const listing = { everyMs: 50, limitMs: 60_000 }

async function until(isTrue, { everyMs = 5, limitMs = 30_000 } = {}) {
  for (const end = performance.now() + limitMs; performance.now() < end; await sleep(everyMs))
    if (await isTrue()) return
  throw new Error(`It did not come true within ${limitMs / 1000} s: ${isTrue}`)
}
