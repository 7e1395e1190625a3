// A thousand stacks that follow one repository, one folder each: a commit that changes all of them, and one that
// changes fifty.
import { mkdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { openAgent } from './agent.mjs'
import { git, makeRepository } from './git.mjs'
import { startGitServer } from './git-server.mjs'
import { smallPackage } from './packages.mjs'
import { median, row, timed } from './row.mjs'

export const scales = { full: { many: 1_000, few: 50, turns: 3 }, small: { many: 4, few: 1, turns: 1 } }

export async function measure({ dist, directory, keep, scale: { many, few, turns } }) {
  const names = Array.from({ length: many }, (_, at) => `team-${String(at).padStart(4, '0')}`)
  const root = join(directory, 'served')
  mkdirSync(root)
  const repository = await makeRepository(root, 'teams.git')
  let turn = 0
  const change = (some) => repository.commit(filesOf(some, ++turn))
  await change(names)
  const server = keep(await startGitServer(root))
  const url = `${server.url}/teams.git`
  const ended = new Ended()
  const open = keep(await openAgent({ dist, data: join(directory, 'data'), onRunEnd: async () => ended.count() }))
  const stacks = await follow({ ...open, names, url, ended })
  const poll = new Poll(open, stacks[0], ended)

  const all = await repeat({ turns, change: () => change(names) }, () => poll.at(many))
  const some = await repeat({ turns, change: () => change(names.slice(0, few)) }, () => poll.at(few))
  await mustHaveEnded(open, stacks, { applied: few, unchanged: many - few })
  const list = median(await timed(5, () => git(directory, 'ls-remote', url)))
  const commits = await bareCommits(join(directory, 'bare.db'))
  return [
    row(
      `${many.toLocaleString('en')} stacks changed by one commit`,
      many / (median(all.map(({ endMs }) => endMs)) / 1000),
      'stacks/s',
      {
        beside: { what: 'bare SQLite commits', figure: commits },
        aim: { least: 400 },
      },
    ),
    row(
      `the same, ${few} of them changed: the other ${many - few} decided`,
      median(some.map(({ decidedMs }) => decidedMs)),
      'ms',
      {
        beside: { what: `${many - few} times git ls-remote`, figure: list * (many - few) },
        aim: { most: 250 },
      },
    ),
    row(`the same: the ${few} applied`, median(some.map(({ endMs }) => endMs)), 'ms'),
  ]
}

function filesOf(some, turn) {
  return Object.fromEntries(some.map((name) => [`${name}/package.yml`, smallPackage(name, turn)]))
}

async function follow({ store, agent, stackAt, names, url, ended }) {
  const made = names.map((name) =>
    store.stacks.create(stackAt(name, url, name), {
      managedBy: 'api',
      target: 'embedded/main',
      cause: { kind: 'created' },
    }),
  )
  const stacks = (await Promise.all(made)).map(({ stack }) => stack)
  const first = ended.after(names.length)
  for (const stack of stacks) agent.polls.follow(stack)
  await agent.start()
  await first
  return stacks
}

async function repeat({ turns, change }, turn) {
  const figures = []
  for (let at = -1; at < turns; at++) {
    await change()
    const figure = await turn()
    if (at >= 0) figures.push(figure)
  }
  return figures
}

/** Counts the runs that ended. */
class Ended {
  #left = 0
  #done = () => {}

  after(runs) {
    this.#left = runs
    return new Promise((resolve) => (this.#done = resolve))
  }

  count() {
    if (--this.#left === 0) this.#done()
  }
}

/**
 * One poll, as the timers begin it: when the affected stacks were known, and when the last of their runs had
 * ended.
 */
class Poll {
  #open
  #stack
  #ended

  constructor(open, stack, ended) {
    this.#open = open
    this.#stack = stack
    this.#ended = ended
  }

  async at(runs) {
    const end = this.#ended.after(runs)
    const began = performance.now()
    await this.#open.agent.polls.poll(this.#stack, new AbortController().signal)
    const decidedMs = performance.now() - began
    await end
    return { decidedMs, endMs: performance.now() - began }
  }
}

async function mustHaveEnded({ store }, stacks, expected) {
  const last = await store.runs.last(stacks.map(({ id }) => id))
  for (const [outcome, count] of Object.entries(expected)) {
    const found = [...last.values()].filter((run) => run.outcome === outcome).length
    if (found !== count) throw new Error(`${found} stacks ended ${outcome}, not ${count}.`)
  }
}

/** How many transactions of one row a second this disk takes, each of them on disk. */
async function bareCommits(file) {
  const Database = createRequire(import.meta.url)('better-sqlite3')
  const database = new Database(file)
  database.pragma('journal_mode = WAL')
  database.pragma('synchronous = FULL')
  database.exec('create table rows (id integer primary key, text text)')
  const insert = database.prepare('insert into rows (text) values (?)')
  const [ms] = await timed(1, () => {
    for (let at = 0; at < 500; at++) insert.run(`row ${at}`)
  })
  database.close()
  return 500 / (ms / 1000)
}
