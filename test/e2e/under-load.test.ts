// All faults at once, with thirty stacks: each stack ends as it would alone, and those without a fault wait for nobody.
import type { ServerResponse } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { Rejected, Unavailable } from '../../src/model/errors.js'
import { makeRepository, startGitServer, type GitServer, type Intercept } from '../git-server.js'
import { bucket, dashboard, label, task, yaml } from '../influxdb/packages.js'
import { until } from './until.js'
import { never, useServedWorld } from '../influxdb/world.js'

const world = useServedWorld()
const each = 3
/** A list of all stacks is work for the agent that is observed. */
const betweenChecksMs = 20

/** A remote of its own for its stacks, each with a folder of its own. */
interface Group {
  readonly server: GitServer
  readonly names: readonly string[]
  push(version: number): Promise<unknown>
  /** Takes away what was pushed last, and pushes another in its place. */
  forcePush(): Promise<unknown>
}

type Content = (name: string, version: number) => string

const contents = {
  labels: (name, version) => label(`${name}-l`, { color: `#${String(version).padStart(6, '0')}` }),
  buckets: (name, version) => bucket(`${name}-b`, { description: `${version}` }),
  tasks: (name, version) => yaml(...Array.from({ length: version }, (_, at) => task(`${name}-t${at}`))),
  dashboards: (name, version) => yaml(...Array.from({ length: version }, (_, at) => dashboard(`${name}-d${at}`))),
} satisfies Readonly<Record<string, Content>>

/** By what goes wrong in it. */
const groups: Readonly<Record<string, Content>> = {
  fine: contents.labels,
  'also-fine': contents.labels,
  down: contents.labels,
  hung: contents.labels,
  lying: contents.labels,
  'force-pushed': contents.labels,
  gone: contents.labels,
  rejected: contents.buckets,
  'not-answered': contents.tasks,
  'answer-lost': contents.dashboards,
}

/** Requests without an answer, until `cut`. */
const hung = new Set<ServerResponse>()
let isCut = false

const sourceFaults: Readonly<Record<string, Intercept>> = {
  down: (_, response) => void response.writeHead(503).end(),
  hung: (_, response) => void (isCut ? response.destroy() : hung.add(response)),
  lying: (_, response) => void response.writeHead(200).end('<html>'),
  gone: (_, response) => void response.writeHead(404).end(),
}

async function makeGroup(name: string, content: Content): Promise<Group> {
  const served = `${world().root}/served-${name}`
  const repository = await makeRepository(served)
  const server = await startGitServer(served)
  const names = Array.from({ length: each }, (_, at) => `${name}-${at}`)
  const files = (version: number): Record<string, string> =>
    Object.fromEntries(names.map((one) => [`${one}/p.yml`, content(one, version)]))
  const first = await repository.commit({ files: files(1) })
  for (const one of names)
    await world().ask.createStack(
      world().spec(one, {
        sources: [{ kind: 'git', url: `${server.url}/${repository.name}`, ref: 'main', path: one }],
        intervalMs: 30_000,
      }),
      'ann',
    )
  return {
    server,
    names,
    push: (version) => repository.commit({ files: files(version) }),
    forcePush: () => repository.commit({ from: first, files: files(3), message: 'Forced' }),
  }
}

async function atRest(names: readonly string[]): Promise<boolean> {
  await pause(betweenChecksMs)
  const { items } = await world().ask.listStacks({ limit: 500 })
  return items
    .filter(({ name }) => names.includes(name))
    .every(({ sync, health }) => sync === 'Synced' && health === 'Healthy')
}

test('each ends as it would alone, and those without a fault are not delayed', async () => {
  const made = new Map<string, Group>()
  for (const [name, content] of Object.entries(groups)) made.set(name, await makeGroup(name, content))
  const all = [...made.values()].flatMap(({ names }) => names)
  expect(all).toHaveLength(30)
  try {
    await until('all are applied', () => atRest(all))
    const before = await world().names()

    for (const [name, intercept] of Object.entries(sourceFaults)) made.get(name)!.server.intercept(intercept)
    let lost = 0
    world().platform.onCall(({ verb, family }) => {
      if (verb !== 'create' && verb !== 'update') return undefined
      if (family === 'Bucket') throw new Rejected('The target says no.', { code: 'platform/refused' })
      if (family === 'Task') throw new Unavailable('The target is away.', { code: 'platform/away' })
      if (family !== 'Dashboard' || lost >= each) return undefined
      lost++
      return 'lose'
    })
    for (const [name, group] of made) await (name === 'force-pushed' ? group.forcePush() : group.push(2))
    world().clock.advance(33_000)
    const fine = ['fine', 'also-fine', 'force-pushed'].flatMap((name) => made.get(name)!.names)
    await until('those without a fault have it', () =>
      allAt(fine, (name) => (name.startsWith('force') ? '#000003' : '#000002')),
    )
    expect(hung.size).toBeGreaterThan(0) // nothing waited for them
    cut()

    for (const name of Object.keys(sourceFaults))
      await until(`${name} is reported`, () => allNot(made.get(name)!.names, /^FetchFailed$/))
    await until('what the target rejects is reported', () =>
      allNot(made.get('rejected')!.names, /^(Undone|ApplyFailed|UndoIncomplete)$/),
    )
    await until('what is not answered is reported', () =>
      allNot(made.get('not-answered')!.names, /^(Undone|ApplyFailed|TargetUnreachable|UndoIncomplete)$/),
    )
    expect((await world().names()).filter((name) => before.includes(name))).toEqual(before)

    for (const { server } of made.values()) server.intercept(undefined)
    world().platform.reset()
    for (const name of made.get('rejected')!.names) await world().ask.requestSync(name, 'ann', never)
    for (let looks = 0; looks < 10 && !(await atRest(all)); looks++) {
      world().clock.advance(33_000)
      await until('all have it', () => atRest(all), 3_000).catch(() => {}) // a retry may be due later
    }
    expect(await atRest(all)).toBe(true)
    const names = await world().names()
    expect(new Set(names).size).toBe(names.length)
    expect(names).toHaveLength((8 + 2 * 2) * each)
    const { items } = await world().ask.listResources({ limit: 500 }, never)
    expect(
      items.filter(({ displayName }) => /^(fine|down)/.test(displayName)).every(({ stack }) => stack !== null),
    ).toBe(true)
  } finally {
    for (const { server } of made.values()) await server.close()
  }
})

function cut(): void {
  isCut = true
  for (const response of hung) response.destroy()
}

/** Whether the labels of these stacks have the colour that they should have. */
async function allAt(names: readonly string[], colour: (name: string) => string): Promise<boolean> {
  await pause(betweenChecksMs)
  const live = await world().live()
  return names.every((name) => JSON.stringify(live[`Label/${name}-l`]?.live).includes(colour(name)))
}

async function allNot(names: readonly string[], reason: RegExp): Promise<boolean> {
  await pause(betweenChecksMs)
  const views = await Promise.all(names.map((name) => world().ask.getStack(name)))
  return views.every((view) => reason.test(world().condition(view).reason))
}
