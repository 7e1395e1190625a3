// Packages of 1,000 and 5,000 objects over HTTP, as InfluxDB's own command line sends them: preview, apply, apply
// again, export; and the largest real package. With GITMOOR_INFLUXD (the path of a real influxd 2.9) it gets the same
// requests in the same run.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { loadAll } from 'js-yaml'
import { startAgentProcess } from './agent.mjs'
import { startInfluxd } from './influxd.mjs'
import { objectsOf } from './objects.mjs'
import { median, row, timed } from './row.mjs'

/** `sizes`: objects; the aims are for the last. */
export const scales = {
  full: { sizes: [1_000, 5_000], turns: 5, largest: { turns: 20, warmUp: 5 } },
  small: { sizes: [10, 50], turns: 1, largest: { turns: 1, warmUp: 0 } },
}
/** Milliseconds at 5,000 objects. */
const aims = { 'first apply': 5_000, 'preview, nothing to do': 300, 'preview, nothing to do, parsed again': 2_000 }
const corpus = join(import.meta.dirname, '../../shared/corpus')

export async function measure({ dist, directory, keep, scale }) {
  const ours = []
  const real = []
  const { sizes, turns } = scale
  for (const size of sizes) {
    ours.push(
      await ofSize({ size, turns }, await keep(await startOurs({ dist, data: join(directory, `agent-${size}`) }))),
    )
    const program = process.env.GITMOOR_INFLUXD
    if (program !== undefined)
      real.push(
        await ofSize(
          { size, turns },
          await keep(await startInfluxd({ program, directory: join(directory, `influxd-${size}`) })),
        ),
      )
  }
  const rows = Object.keys(ours[0].times).flatMap((what) => [
    ...besides({ what, sizes }, ours, real),
    growth({ what, sizes }, ours),
  ])
  const memory = row('the agent after that: memory, most it ever was', ours.at(-1).memory, 'MiB', {
    ...memoryOf(real),
    aim: { most: 400 },
  })
  return [...rows, memory, ...(await largest({ dist, directory, keep, scale }))]
}

function besides({ what, sizes }, ours, real) {
  return sizes.map((size, at) =>
    row(`${size.toLocaleString('en')} objects: ${what}`, ours[at].times[what], 'ms', {
      ...(real[at]?.times[what] === undefined ? {} : { beside: { what: 'influxd 2.9', figure: real[at].times[what] } }),
      ...(size === 5_000 && aims[what] !== undefined ? { aim: { most: aims[what] } } : {}),
    }),
  )
}

function growth({ what, sizes }, [small, large]) {
  const [few, many] = sizes.map((size) => `${size.toLocaleString('en')} objects`)
  return row(`${what}: ${many}`, large.times[what], 'ms', {
    beside: { what: few, figure: small.times[what] },
    aim: { ratio: 6 },
  })
}

function memoryOf([, real]) {
  return real === undefined ? {} : { beside: { what: 'influxd 2.9', figure: real.memory } }
}

async function startOurs({ dist, data }) {
  const agent = await startAgentProcess({ dist, data })
  const { orgs } = await ask({ ...agent, path: '/api/v2/orgs', method: 'GET' })
  return { ...agent, orgID: orgs[0].id, reads: true }
}

/** `server.reads`: it takes the text of a package, too, so that one that was never seen can be sent. */
async function ofSize({ size, turns }, server) {
  const { orgID } = server
  const objects = objectsOf(size)
  const template = { sources: ['bench.json'], contents: objects }
  const apply = (body) => ask({ ...server, path: '/api/v2/templates/apply', body: { orgID, template, ...body } })
  const preview = (body) => apply({ dryRun: true, ...body })
  const [fresh] = await timed(1, () => preview({}), { warmUp: 0 })
  let stackID
  const [first] = await timed(1, async () => ({ stackID } = await apply({})), { warmUp: 0 })
  const again = median(await timed(turns, () => apply({ stackID })))
  const known = median(await timed(turns, () => preview({ stackID })))
  const uncached =
    server.reads && median(await timed(turns, (turn) => preview({ stackID, template: textOf(objects, turn) })))
  const exported = median(
    await timed(turns, () => ask({ ...server, path: '/api/v2/templates/export', body: { stackID } })),
  )
  const times = {
    'preview of what is not there': fresh,
    'first apply': first,
    'apply again, nothing to do': again,
    'preview, nothing to do': known,
  }
  return {
    times: {
      ...times,
      ...(server.reads ? { 'preview, nothing to do, parsed again': uncached } : {}),
      export: exported,
    },
    memory: await mostMemory(server.pid),
  }
}

/** Other bytes each turn. */
function textOf(objects, turn) {
  return { sources: ['bench.json'], contentType: 'json', contents: JSON.stringify(objects) + ' '.repeat(turn + 2) }
}

async function largest({ dist, directory, keep, scale }) {
  if (!existsSync(corpus)) return []
  const paths = readdirSync(corpus, { recursive: true }).filter((path) => /\.ya?ml$/.test(path))
  const text = paths
    .map((path) => readFileSync(join(corpus, path), 'utf8'))
    .reduce((most, one) => (one.length > most.length ? one : most))
  const server = await keep(await startOurs({ dist, data: join(directory, 'agent-largest') }))
  const preview = (turn) => {
    const template = { sources: ['largest.yml'], contentType: 'yaml', contents: `${text}\n# ${turn}\n` }
    return ask({ ...server, path: '/api/v2/templates/apply', body: { orgID: server.orgID, dryRun: true, template } })
  }
  const { turns, warmUp } = scale.largest
  const parsed = median(await timed(turns, () => loadAll(text), { warmUp }))
  const figure = median(await timed(turns, preview, { warmUp }))
  const what = `the largest package of the corpus (${Math.round(text.length / 1024)} KiB): from bytes to plan`
  return [row(what, figure, 'ms', { beside: { what: 'only parsed', figure: parsed }, aim: { most: 100 } })]
}

async function ask({ url, token, path, method = 'POST', body }) {
  const headers = { Authorization: `Token ${token}`, 'Content-Type': 'application/json' }
  const answer = await fetch(`${url}${path}`, {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text.slice(0, 500)}`)
  return JSON.parse(text)
}

/** MiB. */
async function mostMemory(pid) {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/^VmHWM:\s+(\d+)/m.exec(status)[1]) / 1024
}
