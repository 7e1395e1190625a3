// One stack with ever more resources on the embedded platform: made, found unchanged, all of them changed.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { openAgent } from './agent.mjs'
import { makeRepository } from './git.mjs'
import { startGitServer } from './git-server.mjs'
import { bucket } from './packages.mjs'
import { median, row } from './row.mjs'

/** `turns`: small ones are over so soon that one alone says little. */
export const scales = {
  full: [
    { size: 100, turns: 5 },
    { size: 1_000, turns: 5 },
    { size: 10_000, turns: 1 },
  ],
  small: [
    { size: 1, turns: 1 },
    { size: 10, turns: 1 },
  ],
}
const perFile = 100
const never = new AbortController().signal

export async function measure({ dist, directory, keep, scale }) {
  const root = join(directory, 'served')
  mkdirSync(root)
  const server = keep(await startGitServer(root))
  const found = []
  for (const { size, turns } of scale)
    found.push(await ofSize({ size, turns }, { dist, directory, root, url: server.url }))
  const nameOf = (at) => scale[at].size.toLocaleString('en')
  return ['created', 'unchanged', 'updated'].flatMap((what) =>
    found.map((figures, at) =>
      row(`${nameOf(at)} resources in one stack, ${what}: for each`, figures[what], 'ms', {
        ...(at === 0 ? {} : { beside: { what: `of ${nameOf(at - 1)}`, figure: found[at - 1][what] } }),
        ...(at === 0 ? {} : { aim: { ratio: 1.25 } }),
      }),
    ),
  )
}

/** The sync from end to end: poll, fetch, read, plan, apply. */
async function ofSize({ size, turns }, { dist, directory, root, url }) {
  const times = { created: [], unchanged: [], updated: [] }
  for (let turn = 0; turn <= turns; turn++) {
    const name = `size-${size}-${turn}`
    const repository = await makeRepository(root, `${name}.git`)
    await repository.commit(filesOf(size, 0))
    const open = await openAgent({ dist, data: join(directory, name) })
    try {
      await open.agent.start()
      const sync = async (outcome) => {
        const began = performance.now()
        const { id } =
          outcome === 'created'
            ? await create(open, name, `${url}/${name}.git`)
            : await open.useCases.requestSync(name, 'bench', never)
        const run = await ended(open, name, id)
        if (turn > 0 || turns === 1) times[outcome].push((performance.now() - began) / size)
        mustBe(run, outcome, size)
      }
      await sync('created')
      await sync('unchanged')
      await repository.commit(filesOf(size, 1))
      await sync('updated')
    } finally {
      await open.close()
    }
  }
  return Object.fromEntries(Object.entries(times).map(([what, figures]) => [what, median(figures)]))
}

async function create({ useCases, stackAt }, name, url) {
  const { run } = await useCases.createStack(stackAt(name, url), 'bench')
  return { id: run }
}

async function ended({ useCases }, name, id) {
  for (;;) {
    const run = await useCases.getRun(name, id, { waitMs: 60_000, signal: never })
    if (run.outcome !== null) return run
  }
}

function mustBe({ outcome, changes }, expected, size) {
  const counts = { created: changes?.create, unchanged: changes?.unchanged, updated: changes?.update }
  if (counts[expected] !== size)
    throw new Error(`The run ended ${outcome} with ${JSON.stringify(changes)}, not with ${size} ${expected}.`)
}

function filesOf(size, turn) {
  const files = {}
  for (let at = 0; at < size; at += perFile) {
    const names = Array.from({ length: Math.min(perFile, size - at) }, (_, i) => `bucket-${at + i}`)
    files[`${at}.yml`] = names.map((name) => bucket(name, turn)).join('---\n')
  }
  return files
}
